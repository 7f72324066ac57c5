import { emptyLike, valuesOf } from "../algebra/array_values.ts";
import type { AnyArray } from "../algebra/arrays.ts";
import { arrayOver } from "../algebra/arrays.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType, Scalar, Value } from "../algebra/types.ts";
import { tuningNames } from "../plan/options.ts";
import { inLists } from "../plan/ranges.ts";
import type { Example, ExampleArray, Examples, Random } from "./examples.ts";
import { lengthOf } from "./examples.ts";
import type { Operand, Primitive } from "./primitive.ts";
import { argumentOf, argumentsAmong, operandsOfList } from "./primitive.ts";

// Calls of a primitive's examples: their arrays, with what these hold, and the arguments of the call and of its reference. Tests, the fuzz and
// the self-test of `wavefold doctor` make them. The library does not load this.

type Options = Readonly<Record<string, unknown>>;

/** A primitive, with its examples. */
export interface WithExamples {
  readonly primitive: Primitive<never>;
  readonly examples: Examples;
}

/** What arrays hold where an example leaves it open. */
export interface Filler {
  readonly seed: number;
  /** Bytes of so many elements: of anything, or of whole numbers from 0 to 3. */
  fill(type: ElementType, length: number, seed: number, isSmall: boolean): Uint8Array;
}

/** Mulberry32: 32 random bits a call, the same for the same seed. */
export function bitsOf(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return (bits ^ (bits >>> 14)) >>> 0;
  };
}

/** An array of the type over a copy of these bytes. */
export const arrayOf = (type: ElementType, bytes: Uint8Array): AnyArray =>
  arrayOver(type, bytes.slice().buffer);

/** The bytes of an array. */
export const bytesOf = (array: AnyArray): Uint8Array =>
  new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);

/** An example that was drawn. */
export interface Drawn {
  readonly example: Example;
  /** Its options for the most elements, with others. */
  readonly options: Options;
}

/** An example of a primitive; undefined if it does not take the type. */
export function exampleOf(
  { examples }: Pick<WithExamples, "examples">,
  type: ElementType,
  {
    maxLength,
    example: number,
    seed,
    options,
  }: { maxLength: number; example: number; seed: number; options?: Options },
): Drawn | undefined {
  const all = examples.of(type, maxLength, bitsOf(seed));
  const example = all[number % all.length];
  if (example === undefined) {
    return undefined;
  }
  const own = examples.forLength?.(example.options, Math.max(1, maxLength)) ?? example.options;
  return { example, options: { ...options, ...own } };
}

/** An array of a call. */
export interface Filled {
  readonly operand: Operand;
  readonly type: ElementType;
  /** The elements that count, and those that there is room for. */
  readonly length: number;
  readonly room: number;
  readonly bytes: Uint8Array;
}

/** The arguments of a call. */
export interface Arguments {
  readonly type: ElementType;
  readonly example: Example;
  readonly length: number;
  readonly operands: readonly Filled[];
  /** The operands of a call on so many elements. */
  operandsOf(length: number): readonly Filled[];
  /** The options for the most elements. */
  readonly planned: Options;
  /** The options for this length; undefined if it has no result. */
  readonly options: Options | undefined;
}

/** The first elements of an operand, as an array. */
export const asArray = ({ type, bytes, length }: Filled, count = length): AnyArray =>
  arrayOf(type, bytes.subarray(0, count * type.bytes));

/** The arguments of a call on `length` elements, in arrays that have room for more. */
export function exampleArguments(
  { primitive, examples }: WithExamples,
  type: ElementType,
  { example, options: planned }: Drawn,
  { length, room, data }: { length: number; room: number; data: Filler },
): Arguments {
  const present = operandsIn(primitive, example);
  const operandsOf = (count: number, most: number): readonly Filled[] => {
    const others = present
      .filter(([{ range }]) => range !== "input")
      .map(([operand, given], at): Filled => {
        const own = typeIn(operand, given, type);
        const items = lengthOf(given, most);
        // Begins and ends are of the same segments.
        const isSpan = given.contents === "begins" || given.contents === "ends";
        const seed = data.seed + 1 + (isSpan ? 0 : at);
        const bytes = contentsOf(own, given, { count, items }, { ...data, seed });
        return { operand, type: own, length: lengthOf(given, count), room: items, bytes };
      });
    return present.map(([operand, given]) => {
      const other = others.find((one) => one.operand === operand);
      if (other) {
        return other;
      }
      const own = typeIn(operand, given, type);
      const items = contentsOf(own, given, { count, items: most }, data);
      const bytes = given.contents ? items : inputOf(own, example, others, items, data.seed);
      return { operand, type: own, length: count, room: most, bytes };
    });
  };
  return {
    type,
    example,
    length,
    operands: operandsOf(length, room),
    operandsOf: (count) => operandsOf(count, count),
    planned,
    options: examples.forLength ? (examples.forLength(planned, length) as Options | undefined) : planned,
  };
}

/** The type of an operand's elements, in an example on elements of a type. */
export const typeIn = (
  { range, isNamed }: Operand,
  given: Partial<ExampleArray>,
  type: ElementType,
): ElementType => given.type ?? (isNamed || range === "input" ? type : u32);

/** The operands of an example, and what it says of them. Each array of a list is one. */
export const operandsIn = (
  { operands }: Primitive<never>,
  example: Example,
): readonly (readonly [Operand, Partial<ExampleArray>])[] =>
  operands.flatMap((operand): (readonly [Operand, Partial<ExampleArray>])[] => {
    const { name, isOption, inside, isByName, behind } = operand;
    const given = example.operands?.[name];
    if (given !== undefined && (isByName || Array.isArray(given))) {
      const arrays: readonly Partial<ExampleArray>[] = Object.values(given);
      return operandsOfList(operand, Object.keys(given)).map((one, at) => [one, arrays[at] ?? {}]);
    }
    return given === undefined && (isOption || inside || behind)
      ? []
      : [[operand, (given as ExampleArray) ?? {}]];
  });

/** The operands of a call that are options, or stand in options. */
export function optionsWith({ operands }: Pick<Primitive<never>, "operands">, arrays: Options): Options {
  const given = inLists(Object.entries(arrays));
  const present = operands.filter(({ name, isOption, inside }) => (isOption || inside) && name in given);
  const options: Record<string, unknown> = {};
  for (const { name, inside } of present) {
    Object.assign(
      options,
      inside && inside !== name
        ? { [inside]: { ...(options[inside] as object), [name]: given[name] } }
        : { [name]: given[name] },
    );
  }
  return options;
}

/** Options beside others. What says of segments where they start may be in both. */
export const joined = (beside: Options, options: Options): Options => ({
  ...beside,
  ...options,
  ...(beside.segments !== undefined &&
    options.segments !== undefined && {
      segments: { ...(beside.segments as object), ...(options.segments as object) },
    }),
});

/** Options without those that only calls on the GPU take. */
export const optionsAtHand = ({ gpuOptions = {} }: Primitive<never>, options: Options): Options =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !(name in gpuOptions)));

/** Whole numbers up to a sum, of which many are 0, and some large. */
function countsOf(length: number, next: () => number): Uint32Array {
  let left = length;
  const each = [2, 9, 500][next() % 3] as number;
  return Uint32Array.from({ length }, () => {
    const count = next() % 3 === 0 ? 0 : Math.min(left, next() % (each + 1));
    left -= count;
    return count;
  });
}

/** Numbers from 0 up to the last one, in ascending order. */
function offsetsOf(length: number, last: number, next: () => number): Uint32Array {
  const inner = Uint32Array.from({ length: length - 2 }, () => next() % (last + 1));
  return Uint32Array.of(0, ...inner.sort(), last);
}

/** Every second one is a multiple of `most`, and the others lie between these. Behind the last one, they stay the same. */
const evenOffsets = (length: number, last: number, most: number, next: () => number): Uint32Array =>
  Uint32Array.from({ length }, (_, at) =>
    Math.min(last, Math.floor(at / 2) * most + (at % 2 === 1 ? next() % (most + 1) : 0)),
  );

/** Numbers of a kind, up to `last` if they are offsets. */
function numbersFor(
  kind: Exclude<Extract<ExampleArray["contents"], object>, { readonly order: unknown }>,
  length: number,
  last: number,
  seed: number,
): Uint8Array {
  const next = bitsOf(seed);
  if ("upTo" in kind) {
    return bytesOf(evenOffsets(length, last, kind.upTo, next));
  }
  return "below" in kind
    ? numbersBelow(kind.below, length, next)
    : "distinct" in kind
      ? distinctNumbers(kind.distinct, length, next())
      : numbersOneIn(kind.oneIn, length, next);
}

/** What an array beside the input holds: room for so many items, of which as many count as those of the input. */
function contentsOf(
  type: ElementType,
  { contents }: Partial<ExampleArray>,
  { count, items: length }: { readonly count: number; readonly items: number },
  data: Filler,
): Uint8Array {
  if (typeof contents === "object" && !("order" in contents)) {
    return numbersFor(contents, length, count, data.seed);
  }
  if (contents === "signs") {
    const next = bitsOf(data.seed);
    const signs = Array.from({ length }, () => elementBytes(type, 1 - 2 * (next() % 2)));
    return Uint8Array.from(signs.flatMap((bytes) => [...bytes]));
  }
  if (contents === "uneven") {
    return bytesOf(unevenNumbers(length, bitsOf(data.seed)));
  }
  if (contents === "counts") {
    return bytesOf(countsOf(length, bitsOf(data.seed)));
  }
  if (contents === "offsets") {
    return bytesOf(offsetsOf(length, count, bitsOf(data.seed)));
  }
  if (contents === "begins" || contents === "ends") {
    const places = offsetsOf(2 * length + 1, count, bitsOf(data.seed));
    return bytesOf(
      Uint32Array.from({ length }, (_, at) => places[2 * at + Number(contents === "ends")] ?? 0),
    );
  }
  const order = typeof contents === "object" ? contents.order : undefined;
  const bytes = data.fill(type, length, data.seed, order?.isSmall ?? contents === "small");
  if (contents === "runs") {
    return gatheredBytes(bytes, runsOf(length, bitsOf(data.seed)), type.bytes);
  }
  if (order === undefined && contents !== "ascending") {
    return bytes;
  }
  const { key = (x: never): unknown => x, descending = false } = order ?? {};
  const read = valuesOf(arrayOf(type, bytes), type) as (index: number) => Value;
  const keys = Array.from({ length }, (_, index) => key(read(index) as never) as Scalar);
  const isNaNOr = (x: Scalar): number => Number(Number.isNaN(x));
  const isAboveZero = (x: Scalar): number => Number(!Object.is(x, -0));
  const sign = descending ? -1 : 1;
  const positions = Array.from(keys, (_, index) => index).sort((a, b) => {
    const [x, y] = [keys[a], keys[b]] as [Scalar, Scalar];
    const difference = isNaNOr(x) - isNaNOr(y) || (x < y ? -1 : Number(x > y));
    return sign * (difference || isAboveZero(x) - isAboveZero(y));
  });
  return gatheredBytes(bytes, positions, type.bytes);
}

const numbersBelow = (below: number, length: number, next: () => number): Uint8Array =>
  bytesOf(Uint32Array.from({ length }, () => next() % below));

const numbersOneIn = (times: number, length: number, next: () => number): Uint8Array =>
  bytesOf(Uint32Array.from({ length }, () => (next() % times === 0 ? next() || 1 : 0)));

const unevenNumbers = (length: number, next: () => number): Float64Array =>
  Float64Array.from({ length }, () => (next() / 2 ** 32 - 0.5) * 2 ** (next() % 40));

/** Multiples of an odd number, modulo a power of two. */
const distinctNumbers = (below: number, length: number, factor: number): Uint8Array =>
  bytesOf(Uint32Array.from({ length }, (_, at) => (Math.imul(at, factor | 1) >>> 0) % below));

/** The bytes of the elements at some positions. */
export const gatheredBytes = (bytes: Uint8Array, positions: readonly number[], size: number): Uint8Array => {
  const made = new Uint8Array(positions.length * size);
  for (const [at, from] of positions.entries()) {
    made.set(bytes.subarray(from * size, (from + 1) * size), at * size);
  }
  return made;
};

/** The bytes of an element. */
export function elementBytes(type: ElementType, value: Value): Uint8Array {
  const { array, set } = emptyLike(arrayOf(type, new Uint8Array(0)), 1, type);
  set(0, value);
  return bytesOf(array);
}

/** Positions of elements in their order, each of them as often as its run has elements: up to 900, or once. */
function runsOf(length: number, next: () => number): readonly number[] {
  const most = [1, 5, 40, 900][next() % 4] as number;
  const positions: number[] = [];
  for (let from = 0; positions.length < length; from += 1) {
    const count = Math.min(1 + (next() % most), length - positions.length);
    positions.push(...Array<number>(count).fill(from));
  }
  return positions;
}

/** Items of which about every third one is a value of the example, or an item of another array. */
function inputOf(
  type: ElementType,
  { values = [], hasRuns }: Example,
  others: readonly Filled[],
  items: Uint8Array,
  seed: number,
): Uint8Array {
  const isBig = type.name === "u64" || type.name === "i64";
  const known = [
    ...values.map((value) => elementBytes(type, isBig ? BigInt(value) : value)),
    ...others
      .filter((one) => one.type === type)
      .flatMap(({ bytes, length }) =>
        Array.from({ length: Math.min(length, 50) }, (_, at) =>
          bytes.subarray(at * type.bytes, (at + 1) * type.bytes),
        ),
      ),
  ];
  const next = bitsOf(seed + 9);
  for (let at = 0; known.length > 0 && at < items.length; at += type.bytes * (1 + (next() % 5))) {
    items.set(known[next() % known.length] as Uint8Array, at);
  }
  return hasRuns ? gatheredBytes(items, runsOf(items.length / type.bytes, next), type.bytes) : items;
}

/** The arguments of a primitive's reference, the options last. Positions count from `firstIndex`. */
export function argumentsOfReference(
  { primitive, examples }: WithExamples,
  { operands, options, type, example }: Pick<Arguments, "operands" | "options" | "type" | "example">,
  firstIndex: number,
): readonly unknown[] {
  const { numbers = [] } = primitive;
  const { tuning = [] } = examples;
  const others = [
    ...numbers,
    ...tuning,
    "params",
    ...Object.keys({ ...tuningNames, ...primitive.gpuOptions }),
  ];
  const isOption = (name: string): boolean => !others.includes(name);
  const twins = Object.entries(example.twins ?? {}).map(([name, twin]) => [
    name,
    typeof twin === "function"
      ? (x: unknown, i: number, others?: unknown) => twin(x, (i + firstIndex) >>> 0, others)
      : twin,
  ]);
  const all = inLists(operands.map((one) => [one.operand.name, asArray(one)]));
  const optional = operands
    .filter(({ operand }) => !(examples.order && operand.isOption))
    .map((one) => [one.operand.name, asArray(one)]);
  const beside = optionsWith(primitive, Object.fromEntries(optional));
  return [
    ...argumentsAmong(primitive.operands).map(({ name }) => argumentOf(primitive.operands, name, all)),
    ...numbers.map((name) => options?.[name] ?? beside[name]),
    [options ?? {}, Object.fromEntries(twins), beside]
      .map((some) => Object.fromEntries(Object.entries(some).filter(([name]) => isOption(name))))
      .reduce(joined, { type }),
  ];
}

/** Makes a call on arrays, by the names of the operands. Numbers are among the options. */
export function callOn(
  fold: object,
  { name, operands, numbers = [] }: Primitive<never>,
  arrays: Options,
  options: Options,
): Promise<unknown> {
  const all = joined(optionsWith({ operands }, arrays), options);
  const own = Object.fromEntries(Object.entries(all).filter(([option]) => !numbers.includes(option)));
  const given = [
    ...argumentsAmong(operands).map((one) => argumentOf(operands, one.name, inLists(Object.entries(arrays)))),
    ...numbers.map((number) => all[number]),
    own,
  ];
  const methods = fold as Readonly<Record<string, (...all: unknown[]) => Promise<unknown>>>;
  return (methods[name] as (typeof methods)[string]).apply(fold, given);
}
