/**
 * How a value of a WGSL type lies in memory: as units of 32 bits (u32), or of 16 where it is made of
 * f16. What generated code takes apart and puts together goes through these.
 */
interface Layout {
  readonly unitBits: 32 | 16;
  /** Expressions of the units, u32 or f16, of the value that an expression names. */
  units(of: string): string[];
  /** The value from expressions of as many units. */
  from(units: readonly string[]): string;
}

const scalars: Readonly<Record<string, Layout>> = {
  u32: { unitBits: 32, units: (of) => [of], from: ([unit = ""]) => unit },
  i32: {
    unitBits: 32,
    units: (of) => [`bitcast<u32>(${of})`],
    from: ([unit]) => `bitcast<i32>(${unit})`,
  },
  f32: {
    unitBits: 32,
    units: (of) => [`bitcast<u32>(${of})`],
    from: ([unit]) => `bitcast<f32>(${unit})`,
  },
  f16: { unitBits: 16, units: (of) => [of], from: ([unit = ""]) => unit },
};

function layoutOf(wgsl: string): Layout {
  const scalar = scalars[wgsl];
  if (scalar !== undefined) {
    return scalar;
  }
  const vector = /^vec([24])<u32>$/.exec(wgsl);
  if (vector !== null) {
    return {
      unitBits: 32,
      units: (of) => [..."xyzw"].slice(0, Number(vector[1])).map((lane) => `${of}.${lane}`),
      from: (units) => `${wgsl}(${units.join(", ")})`,
    };
  }
  const array = /^array<(.+), (\d+)>$/.exec(wgsl);
  if (array === null) {
    throw new Error(`${wgsl} has no layout`);
  }
  const inner = layoutOf(array[1] ?? "");
  const count = Number(array[2]);
  return {
    unitBits: inner.unitBits,
    units: (of) => range(count).flatMap((at) => inner.units(`${of}[${at}]`)),
    from(units) {
      const each = units.length / count;
      const parts = range(count).map((at) => inner.from(units.slice(at * each, (at + 1) * each)));
      return `${wgsl}(${parts.join(", ")})`;
    },
  };
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** Expressions of the 32-bit words, of type u32, of values of one type. A last half is padded with zero. */
export function wordsOf(wgsl: string, values: readonly string[]): string[] {
  const layout = layoutOf(wgsl);
  const units = values.flatMap((value) => layout.units(value));
  return layout.unitBits === 32
    ? units
    : range(Math.ceil(units.length / 2)).map(
        (at) => `bitcast<u32>(vec2<f16>(${units[2 * at]}, ${units[2 * at + 1] ?? "0.0h"}))`,
      );
}

/** As many values of one type, from expressions of their 32-bit words. */
export function fromWords(wgsl: string, words: readonly string[], count: number): string[] {
  const layout = layoutOf(wgsl);
  const units =
    layout.unitBits === 32
      ? words
      : words.flatMap((word) => [`bitcast<vec2<f16>>(${word}).x`, `bitcast<vec2<f16>>(${word}).y`]);
  const each = layout.units("x").length;
  return range(count).map((at) => layout.from(units.slice(at * each, (at + 1) * each)));
}
