// Options of plans, as plain data, and their titles.

export type Options = Readonly<Record<string | symbol, unknown>>;

/** Some options of which a plan takes one. */
export type Axis = readonly Options[];

/** An option with each of these values; undefined leaves it out. */
export const axis = (name: string, values: readonly unknown[]): Axis =>
  values.map((value) => (value === undefined ? {} : { [name]: value }));

/** All options of these axes with each other. */
export const product = (...axes: readonly Axis[]): Options[] =>
  axes.reduce<Options[]>(
    (all, each) => all.flatMap((options) => each.map((more) => ({ ...options, ...more }))),
    [{}],
  );

/** Options with one choice of each axis: `count` different ones, which are the same in each run. */
export function mixes(count: number, ...axes: readonly Axis[]): Options[] {
  const made = new Map<string, Options>();
  let state = 1;
  const below = (most: number): number => {
    state = (Math.imul(state, 0x41c64e6d) + 0x3039) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  for (let tries = 0; made.size < count; tries++) {
    if (tries > 50 * count) {
      throw new Error(`the axes have fewer than ${count} mixes`);
    }
    const options: Options = Object.assign({}, ...axes.map((each) => each[below(each.length)]));
    made.set(titleOf(options), options);
  }
  return [...made.values()];
}

/** The options in words. Types and operators have their names. */
export const titleOf = (options: Options): string =>
  Reflect.ownKeys(options)
    .flatMap((key) => {
      const value = options[key];
      const name = typeof key === "symbol" ? (key.description ?? "") : key;
      return value === undefined ? [] : [value === true ? name : `${name} ${shown(value)}`];
    })
    .join(", ");

function shown(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(shown).join(", ")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const { name } = value as { readonly name?: unknown };
    return typeof name === "string" ? name : `{${titleOf(value as Options)}}`;
  }
  return typeof value === "string" ? value.replace(/\s+/g, " ") : String(value);
}
