import fc from "fast-check";
import { emptyLike, valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType, Scalar, Value } from "../../src/algebra/types.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Fold } from "../../src/node.ts";
import { tuningNames } from "../../src/plan/options.ts";
import type { Example, ExampleArray } from "../../src/primitives/examples.ts";
import type { Operand, Primitive, Request, Result } from "../../src/primitives/primitive.ts";
import type { Described } from "../support/primitives.ts";
import type { DataSpec } from "./values.ts";
import { arrayOf, bitsOf, bytesOf, itemBytes } from "./values.ts";

// The arguments of a call of a described primitive, by an example, and what the call means.

type Options = Readonly<Record<string, unknown>>;

/** Sizes that several tiles of a short array have. */
const sizes: Options = {
  workGroupSize: [2, 3, 4, 7, 8, 16, 32, 33, 64, 100, 128],
  itemsPerThread: [1, 2, 3, 4, 5, 8, 9],
};

/** The values of the options whose kinds say what they are. */
export const choicesOf = ({
  options,
}: Pick<Primitive<never>, "options">): Readonly<Record<string, readonly unknown[]>> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, kind]) => {
      const values = kind === "boolean" ? [true, false] : Array.isArray(kind) ? kind : sizes[name];
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
  const present = primitive.operands.filter(({ isOption, name }) => !isOption || example.operands?.[name]);
  const givenFor = ({ name }: Operand): Partial<ExampleArray> => example.operands?.[name] ?? {};
  const operandsOf = (count: number, most: number): readonly Filled[] => {
    const others = present
      .filter(({ range }) => range !== "input")
      .map((operand, at): Filled => {
        const given = givenFor(operand);
        const own = given.type ?? (operand.isNamed ? type : u32);
        const items = given.length ?? most;
        const bytes = contentsOf(own, given, items, { ...data, seed: data.seed + 1 + at });
        return { operand, type: own, length: given.length ?? count, room: items, bytes };
      });
    return present.map((operand) => {
      const other = others.find((one) => one.operand === operand);
      if (other) {
        return other;
      }
      const given = givenFor(operand);
      const own = given.type ?? type;
      const items = contentsOf(own, given, most, data);
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

/** What an array holds. */
function contentsOf(
  type: ElementType,
  { contents }: Partial<ExampleArray>,
  length: number,
  data: DataSpec,
): Uint8Array {
  if (typeof contents === "object") {
    return numbersBelow(contents.below, length, bitsOf(data.seed));
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

/** Items of which about every third one is a value of the example, or an item of another array. */
function inputOf(
  type: ElementType,
  { values = [] }: Example,
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
  return items;
}

/** The bytes of each result. */
export type Meant = Readonly<Record<string, Uint8Array>>;

/** What a call means, by the reference; undefined if it has no result. Positions count from `firstIndex`. */
export function meaningOf(
  { primitive, examples, reference }: Described,
  { operands, options, type, example }: Arguments,
  results: readonly Result[],
  firstIndex: number,
): Meant | undefined {
  if (options === undefined) {
    return undefined;
  }
  const filled = (name: string): Filled => operands.find(({ operand }) => operand.name === name) as Filled;
  const { numbers = [] } = primitive;
  const isOption = (name: string): boolean => !(numbers.includes(name) || name in tuningNames);
  const twins = Object.entries(example.twins ?? {}).map(([name, twin]) => [
    name,
    typeof twin === "function" ? (x: unknown, i: number) => twin(x, (i + firstIndex) >>> 0) : twin,
  ]);
  const optional = operands.filter(({ operand }) => operand.isOption);
  const made = reference(
    ...primitive.operands.filter((one) => !one.isOption).map(({ name }) => asArray(filled(name))),
    ...numbers.map((name) => options[name]),
    {
      type,
      ...Object.fromEntries(Object.entries(options).filter(([name]) => isOption(name))),
      ...Object.fromEntries(twins),
      ...Object.fromEntries(optional.map((one) => [one.operand.name, asArray(one)])),
    },
  ) as Readonly<Record<string, unknown>>;
  const partOf = ({ name }: Result): unknown => (results.length === 1 ? made : made[name]);
  const isPosition = ({ name }: Result): boolean => examples.positions?.includes(name) ?? false;
  const position = results.find((one) => one.isElement && isPosition(one));
  const bytesFor = (result: Result): Uint8Array => {
    const part = partOf(result);
    if (!result.isElement) {
      return bytesOf(part as AnyArray);
    }
    // A value need not have the bits of the element: NaN has many.
    return result.like !== undefined && position
      ? gatheredBytes(filled(result.like).bytes, [partOf(position) as number], result.type.bytes)
      : elementBytes(result.type, part as Value);
  };
  return Object.fromEntries(
    results.map((result) => {
      const bytes = bytesFor(result);
      const moved = (): Uint32Array =>
        new Uint32Array(bytes.slice().buffer).map((place) => place + firstIndex);
      return [result.name, isPosition(result) ? bytesOf(moved()) : bytes];
    }),
  );
}

/** Makes a call on arrays, by the names of the operands. Numbers are among the options. */
export function callOn(
  fold: Fold,
  { name, operands, numbers = [] }: Primitive<never>,
  arrays: Options,
  options: Options,
): Promise<unknown> {
  const own = Object.fromEntries(Object.entries(options).filter(([option]) => !numbers.includes(option)));
  const optional = operands.filter((one) => one.isOption && one.name in arrays);
  return (fold[name as keyof Fold] as unknown as (...all: unknown[]) => Promise<unknown>).call(
    fold,
    ...operands.filter((one) => !one.isOption).map((one) => arrays[one.name]),
    ...numbers.map((number) => options[number]),
    { ...own, ...Object.fromEntries(optional.map((one) => [one.name, arrays[one.name]])) },
  );
}

/** What follows from the arguments of a call: its results, and the plan's options. */
export function requestFor(
  fold: Fold,
  primitive: Primitive<never>,
  { operands, isCounted }: Pick<Arguments, "operands"> & { readonly isCounted: boolean },
  options: object,
): Request {
  const of = <T>(what: (one: Filled) => T): Record<string, T> =>
    Object.fromEntries(operands.map((one) => [one.operand.name, what(one)]));
  return primitive.request({
    types: of(({ type }) => type),
    lengths: of(({ room }) => room),
    isCounted,
    options: options as never,
    facts: contextOf(fold.device).facts,
  });
}
