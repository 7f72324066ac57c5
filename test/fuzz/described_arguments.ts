import fc from "fast-check";
import { emptyLike, valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType, Scalar, Value } from "../../src/algebra/types.ts";
import type { Fold } from "../../src/node.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import { tuningNames } from "../../src/plan/options.ts";
import type { RangeName } from "../../src/plan/plan.ts";
import { inLists } from "../../src/plan/plan.ts";
import type { Example, ExampleArray } from "../../src/primitives/examples.ts";
import type { Operand, Primitive, Request, Result } from "../../src/primitives/primitive.ts";
import type { Described } from "../support/primitives.ts";
import { algorithmNames } from "../support/untyped.ts";
import type { DataSpec } from "./values.ts";
import { arrayOf, bitsOf, bytesOf, itemBytes } from "./values.ts";

// The arguments of a call of a described primitive, by an example, and what the call means.

type Options = Readonly<Record<string, unknown>>;

/** The values of options for tuning: sizes that several tiles of a short array have, and words. */
const tunings: Options = {
  workGroupSize: [2, 3, 4, 7, 8, 16, 32, 33, 64, 100, 128],
  itemsPerThread: [1, 2, 3, 4, 5, 8, 9],
  algorithm: algorithmNames,
  passes: ["single", "reduce-then-scan"],
};

/** The values of the options whose kinds say what they are. */
export const choicesOf = ({
  options,
}: Pick<Primitive<never>, "options">): Readonly<Record<string, readonly unknown[]>> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, kind]) => {
      const values = kind === "boolean" ? [true, false] : Array.isArray(kind) ? kind : tunings[name];
      return values === undefined ? [] : [[name, values as unknown[]]];
    }),
  );

/** Draws such options. */
export const optionArbitraries = (primitive: Primitive<never>): Record<string, fc.Arbitrary<unknown>> =>
  Object.fromEntries(
    Object.entries(choicesOf(primitive)).map(([name, values]) => [name, fc.constantFrom(...values)]),
  );

/** An example that was drawn. */
export interface Drawn {
  readonly example: Example;
  /** Its options for the most elements, with others. */
  readonly options: Options;
}

/** An example of a primitive; undefined if it does not take the type. */
export function exampleOf(
  { examples }: Described,
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
export function argumentsOf(
  { primitive, examples }: Described,
  type: ElementType,
  { example, options: planned }: Drawn,
  { length, room, data }: { length: number; room: number; data: DataSpec },
): Arguments {
  const present = operandsIn(primitive, example);
  const operandsOf = (count: number, most: number): readonly Filled[] => {
    const others = present
      .filter(([{ range }]) => range !== "input")
      .map(([operand, given], at): Filled => {
        const own = typeIn(operand, given, type);
        const items = given.length ?? most;
        const bytes = contentsOf(own, given, { count, items }, { ...data, seed: data.seed + 1 + at });
        return { operand, type: own, length: given.length ?? count, room: items, bytes };
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
    const { name, range, isOption, inside } = operand;
    const given = example.operands?.[name];
    if (Array.isArray(given)) {
      return given.map((array, at) => [
        { ...operand, name: `${name}[${at}]`, range: `${range}[${at}]` as RangeName },
        array,
      ]);
    }
    return given === undefined && (isOption || inside) ? [] : [[operand, (given as ExampleArray) ?? {}]];
  });

/** The operands of a call that are options, or stand in options. */
export function optionsWith({ operands }: Primitive<never>, arrays: Options): Options {
  const given = inLists(Object.entries(arrays));
  const present = operands.filter(({ name, isOption, inside }) => (isOption || inside) && name in given);
  return Object.fromEntries(
    present.map(({ name, inside }) => (inside ? [inside, { [name]: given[name] }] : [name, given[name]])),
  );
}

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

/** What an array beside the input holds: room for so many items, of which as many count as those of the input. */
function contentsOf(
  type: ElementType,
  { contents }: Partial<ExampleArray>,
  { count, items: length }: { readonly count: number; readonly items: number },
  data: DataSpec,
): Uint8Array {
  if (typeof contents === "object") {
    return numbersBelow(contents.below, length, bitsOf(data.seed));
  }
  if (contents === "counts") {
    return bytesOf(countsOf(length, bitsOf(data.seed)));
  }
  if (contents === "offsets") {
    return bytesOf(offsetsOf(length, count, bitsOf(data.seed)));
  }
  const bytes = itemBytes(type, contents === "small" ? { ...data, kind: "small" } : data, length, false);
  if (contents !== "ascending") {
    return bytes;
  }
  const read = valuesOf(arrayOf(type, bytes), type) as (index: number) => Scalar;
  const isNaNOr = (x: Scalar): number => Number(Number.isNaN(x));
  const order = Array.from({ length }, (_, index) => index).sort((a, b) => {
    const [x, y] = [read(a), read(b)];
    return isNaNOr(x) - isNaNOr(y) || (x < y ? -1 : Number(x > y));
  });
  return gatheredBytes(bytes, order, type.bytes);
}

const numbersBelow = (below: number, length: number, next: () => number): Uint8Array =>
  bytesOf(Uint32Array.from({ length }, () => next() % below));

const gatheredBytes = (bytes: Uint8Array, positions: readonly number[], size: number): Uint8Array => {
  const made = new Uint8Array(positions.length * size);
  for (const [at, from] of positions.entries()) {
    made.set(bytes.subarray(from * size, (from + 1) * size), at * size);
  }
  return made;
};

/** The bytes of an element. */
function elementBytes(type: ElementType, value: Value): Uint8Array {
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

/** The bytes of each result. */
export type Meant = Readonly<Record<string, Uint8Array>>;

/** The results that calls give. */
export const givenOf = (results: readonly Result[]): readonly Result[] =>
  results.filter(({ isDropped }) => !isDropped);

/** The operand of a name, as a call has it. */
const filledOf = (operands: readonly Filled[], name: string): Filled =>
  operands.find(({ operand }) => operand.name === name) as Filled;

/** The arguments of a primitive's reference, the options last. Positions count from `firstIndex`. */
export function argumentsOfReference(
  { primitive, examples, order }: Described,
  { operands, options, type, example }: Pick<Arguments, "operands" | "options" | "type" | "example">,
  firstIndex: number,
): readonly unknown[] {
  const { numbers = [] } = primitive;
  const { tuning = [] } = examples;
  const others = [...numbers, ...tuning, ...Object.keys({ ...tuningNames, ...primitive.gpuOptions })];
  const isOption = (name: string): boolean => !others.includes(name);
  const twins = Object.entries(example.twins ?? {}).map(([name, twin]) => [
    name,
    typeof twin === "function" ? (x: unknown, i: number) => twin(x, (i + firstIndex) >>> 0) : twin,
  ]);
  const optional = operands
    .filter(({ operand }) => !(order && operand.isOption))
    .map((one) => [one.operand.name, asArray(one)]);
  return [
    ...argumentsAmong(primitive.operands).map(({ name }) => asArray(filledOf(operands, name))),
    ...numbers.map((name) => options?.[name]),
    {
      type,
      ...Object.fromEntries(Object.entries(options ?? {}).filter(([name]) => isOption(name))),
      ...Object.fromEntries(twins),
      ...optionsWith(primitive, Object.fromEntries(optional)),
    },
  ];
}

/**
 * What a call means, by the reference; undefined if it has no result. Positions count from `firstIndex`. Of results that the GPU counts,
 * there are as many elements as there is room for.
 */
export function meaningOf(
  of: Described,
  given: Arguments,
  results: readonly Result[],
  firstIndex: number,
): Meant | undefined {
  if (given.options === undefined) {
    return undefined;
  }
  const { examples, reference, order } = of;
  const filled = (name: string): Filled => filledOf(given.operands, name);
  const isOrdered = ({ operand: { isOption } }: Filled): boolean => order !== undefined && isOption === true;
  const all = argumentsOfReference(of, given, firstIndex);
  const made = reference(...all) as Readonly<Record<string, unknown>>;
  const named = givenOf(results);
  const ordered = new Map(
    named
      .filter(({ like }) => like !== undefined && isOrdered(filled(like)))
      .map((result) => [result, filled(result.like as string)]),
  );
  const positions = ordered.size > 0 ? order?.(...all) : undefined;
  const partOf = ({ name }: Result): unknown => (named.length - ordered.size === 1 ? made : made[name]);
  const isPosition = ({ name }: Result): boolean => examples.positions?.includes(name) ?? false;
  const position = results.find((one) => one.isElement && isPosition(one));
  const bytesFor = (result: Result): Uint8Array => {
    const moved = ordered.get(result);
    if (moved) {
      return gatheredBytes(moved.bytes, [...(positions ?? [])], result.type.bytes);
    }
    const part = partOf(result);
    if (!result.isElement) {
      const most = result.length === "count" ? result.most : Number.POSITIVE_INFINITY;
      return bytesOf(part as AnyArray).subarray(0, most * result.type.bytes);
    }
    // A value need not have the bits of the element: NaN has many.
    return result.like !== undefined && position
      ? gatheredBytes(filled(result.like).bytes, [partOf(position) as number], result.type.bytes)
      : elementBytes(result.type, part as Value);
  };
  return Object.fromEntries(
    named.map((result) => {
      const bytes = bytesFor(result);
      const moved = (): Uint32Array =>
        new Uint32Array(bytes.slice().buffer).map((place) => place + firstIndex);
      return [result.name, isPosition(result) ? bytesOf(moved()) : bytes];
    }),
  );
}

/** The operands that are arguments. */
export const argumentsAmong = (operands: readonly Operand[]): readonly Operand[] =>
  operands.filter(({ isOption, inside }) => !(isOption || inside));

/** Makes a call on arrays, by the names of the operands. Numbers are among the options. */
export function callOn(
  fold: Fold,
  primitive: Primitive<never>,
  arrays: Options,
  options: Options,
): Promise<unknown> {
  const { name, operands, numbers = [] } = primitive;
  const own = Object.fromEntries(Object.entries(options).filter(([option]) => !numbers.includes(option)));
  return (fold[name as keyof Fold] as unknown as (...all: unknown[]) => Promise<unknown>).call(
    fold,
    ...argumentsAmong(operands).map((one) => arrays[one.name]),
    ...numbers.map((number) => options[number]),
    { ...optionsWith(primitive, arrays), ...own },
  );
}

/** What follows from the arguments of a call: its results, and the plan's options. */
export function requestFor(
  facts: DeviceFacts,
  primitive: Primitive<never>,
  { operands, isCounted }: Pick<Arguments, "operands"> & { readonly isCounted: boolean },
  options: object,
): Request {
  const of = <T>(what: (one: Filled) => T): Record<string, T> =>
    Object.fromEntries(operands.map((one) => [one.operand.name, what(one)]));
  const types = of(({ type }) => type);
  return primitive.request({
    types,
    lists: Object.fromEntries(
      Object.entries(inLists(Object.entries(types))).filter(([, one]) => Array.isArray(one)),
    ) as never,
    lengths: of(({ room }) => room),
    isCounted,
    options: { ...optionsWith(primitive, of(asArray)), ...options } as never,
    facts,
  });
}
