import { refuse, shown } from "../../errors.ts";
import { Random } from "../machine/random.ts";
import type { Binding, DeclaredBinding } from "./bindings.ts";
import { bytesOf, elementsOf, onlyScalarOf, typeTextOf } from "./bindings.ts";
import type { Chosen } from "./options.ts";
import { CALLER } from "./options.ts";
import type { Filling } from "./values.ts";
import { fillBuffer, settingsOf, VALUE_COUNT } from "./values.ts";

/** What 64 bits fit: vectors of two or four words. */
const PAIRS = "pairs of words";

/** The typed arrays that say what they hold, and the scalars that they fit. Bytes may hold anything. */
const told: Readonly<Record<string, readonly string[]>> = {
  Uint32Array: ["u32", "i32"],
  Int32Array: ["i32", "u32"],
  Float32Array: ["f32"],
  Uint16Array: ["f16"],
  Int16Array: [],
  Float16Array: ["f16"],
  BigUint64Array: [PAIRS],
  BigInt64Array: [PAIRS],
  Float64Array: [PAIRS],
};

/** The buffers of a check. */
export interface Buffers {
  /** What settings count, and random integers are below. */
  readonly items: number;
  /** How many different values the numbers outside of arrays take whose names say nothing. */
  readonly valueCount: number;
  /** Their values with this number, by their paths. */
  settings(number: number): ReadonlyMap<string, number>;
  /** The buffers, of which those that are made have arrays of so many elements, and these settings. */
  make(elements: number, settings: ReadonlyMap<string, number>): readonly Binding[];
}

const ITEMS = 1000;

/** Gives each binding the buffer that the options have for it, or one that is made. @throws {ArgumentError} */
export function buffersOf(declared: readonly DeclaredBinding[], chosen: Chosen): Buffers {
  const given = new Map(Object.entries(chosen.buffers));
  const known = declared.map((one): DeclaredBinding & Partial<Binding> => {
    const { name, group, binding } = one;
    const keys = [name, `${group}:${binding}`, ...(group === 0 ? [String(binding)] : [])];
    const key = keys.find((other) => given.has(other));
    if (key === undefined) {
      return one;
    }
    const data = given.get(key);
    given.delete(key);
    return { ...one, bytes: givenBytes(`buffers[${shown(key)}]`, data, one) };
  });
  requireKnown(declared, given.keys(), Object.keys(chosen.values));
  const items = chosen.items ?? fewestElements(known) ?? ITEMS;
  const { seed } = chosen;
  const filling = { ...chosen, items };
  const settings = (number: number): ReadonlyMap<string, number> =>
    new Map(
      known.flatMap(({ shape, bytes, group, binding }) =>
        bytes === undefined ? settingsOf(shape, filling, number, seedOf(seed, group, binding)) : [],
      ),
    );
  return {
    items,
    valueCount: settings(0).size > 0 ? VALUE_COUNT : 1,
    settings,
    make: (elements, values) => known.map((one) => made(one, { ...filling, settings: values }, elements)),
  };
}

/** The elements of the shortest array that is given. */
function fewestElements(known: readonly (DeclaredBinding & Partial<Binding>)[]): number | undefined {
  const counts = known.flatMap(({ bytes, shape }) =>
    bytes !== undefined && shape.stride > 0 ? elementsOf({ bytes, shape }) : [],
  );
  return counts.length === 0 ? undefined : Math.min(...counts);
}

/** A buffer stays as it is if others are given. */
const seedOf = (seed: number, group: number, binding: number): number =>
  (seed + 1009 * group + 9973 * binding) >>> 0;

function made(
  one: DeclaredBinding & Partial<Binding>,
  filling: Filling & { readonly seed: number },
  elements: number,
): Binding {
  const { group, binding, shape, bytes: given } = one;
  if (given !== undefined) {
    return { ...one, bytes: given, contents: "as given" };
  }
  const bytes = new Uint8Array(bytesOf(shape, elements));
  const random = new Random(seedOf(filling.seed, group, binding));
  const contents = fillBuffer(bytes, shape, filling, random);
  const isLonger = shape.stride > 0 && elements > filling.items;
  return { ...one, bytes, contents: isLonger ? `${contents}; as long as the kernel goes` : contents };
}

/** Requires that nothing is given that the kernel does not have. */
function requireKnown(
  declared: readonly DeclaredBinding[],
  keys: Iterable<string>,
  paths: readonly string[],
): void {
  const names = declared.map(({ name, group, binding }) => `${name} (${group}:${binding})`);
  const [key] = keys;
  if (key !== undefined) {
    refuse(CALLER, "buffers", shown(key), `the kernel's buffers: ${names.join(", ") || "it has none"}`);
  }
  const known = declared.flatMap(({ shape: { fixed, element } }) => [...fixed, ...element]);
  const isKnown = (path: string): boolean =>
    known.some((one) => one.path === path || one.path.startsWith(`${path}.`));
  const unknown = paths.find((path) => !isKnown(path));
  if (unknown !== undefined) {
    const all = [...new Set(known.map(({ path }) => path))].slice(0, MOST_TOLD).join(", ");
    refuse(CALLER, "values", shown(unknown), `numbers of the kernel's buffers, such as ${all}`);
  }
}

const MOST_TOLD = 8;

/** What all scalars of a binding are, as {@link told} has it: their type, and whether they are pairs. Nothing is told of several types. */
function kindsOf(binding: DeclaredBinding): readonly string[] {
  const scalar = onlyScalarOf(binding);
  const { fixed, element } = binding.shape;
  const isPaired = [...fixed, ...element].every(({ components }) => components % 2 === 0);
  const isWord = scalar === "u32" || scalar === "i32";
  return scalar === undefined ? [] : [scalar, ...(isWord && isPaired ? [PAIRS] : [])];
}

function givenBytes(option: string, data: unknown, binding: DeclaredBinding): Uint8Array {
  const bytes = bytesIn(option, data);
  const kinds = kindsOf(binding);
  const name = (data as object)[Symbol.toStringTag as never] as string;
  const fits = (array: string): boolean => told[array]?.some((one) => kinds.includes(one)) ?? true;
  if (kinds.length > 0 && !fits(name)) {
    const takes = [...Object.keys(told).filter(fits), "bytes"].join(" or ");
    refuse(CALLER, option, `a ${name}`, `${takes}: ${binding.name} is ${typeTextOf(binding)}`);
  }
  const least = bytesOf(binding.shape, 1);
  if (bytes.length < least) {
    refuse(
      CALLER,
      option,
      `${bytes.length} bytes`,
      `${least} or more: ${binding.name} is ${typeTextOf(binding)}`,
    );
  }
  return bytes;
}

/** A copy of the bytes of what is given. */
function bytesIn(option: string, data: unknown): Uint8Array {
  if (data instanceof ArrayBuffer) {
    return new Uint8Array(data.slice(0));
  }
  if (!ArrayBuffer.isView(data)) {
    refuse(CALLER, option, shown(data), "a typed array or an ArrayBuffer");
  }
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
}
