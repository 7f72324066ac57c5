import { expect } from "vitest";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { isStructArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { ElementType, TypeName, Value } from "../../src/algebra/types.ts";
import type { CpuArray, Numbers, OnCpu } from "../../src/cpu/call.ts";
import type { Primitive } from "../../src/primitives/primitive.ts";
import { factsWith } from "../support/kernels.ts";
import { randomBits, valuesAs } from "../support/random.ts";

// Calls of sorts and selections on the CPU, without a `Fold`.

/** An array, and the type of its elements. */
export interface Typed {
  readonly type: ElementType;
  readonly array: AnyArray;
}

/** What a call takes. */
export interface SortCall extends Typed {
  /** The options, with the numbers. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly values?: Typed | readonly Typed[];
  /** What the option `key` means. */
  readonly twin?: (x: never) => unknown;
}

/** The bytes of an array. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: AnyArray | Numbers): Uint8Array =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);

const cpuArrayOf = ({ type, array }: Typed): CpuArray => ({
  type,
  length: array.length,
  numbers: isStructArray(array)
    ? new Uint32Array(array.buffer, array.byteOffset, array.byteLength / 4)
    : (array as Numbers),
});

/** The arrays that are values, by the names of their operands. */
function valuesBy(values: SortCall["values"]): Readonly<Record<string, Typed>> {
  if (values === undefined) {
    return {};
  }
  return "type" in values
    ? { values }
    : Object.fromEntries(values.map((typed, at) => [`values[${at}]`, typed]));
}

/** The results of a call on the CPU. It has to be a call that the CPU has a loop for. */
export async function onCpu(
  primitive: Primitive<never>,
  run: OnCpu,
  { type, array, options, values, twin }: SortCall,
): Promise<readonly Numbers[]> {
  const given = { data: { type, array }, ...valuesBy(values) };
  const all = Object.entries(given);
  const request = primitive.request({
    types: Object.fromEntries(all.map(([name, { type: of }]) => [name, of])),
    lengths: Object.fromEntries(all.map(([name, { array: of }]) => [name, of.length])),
    arrays: Object.fromEntries(all.map(([name, { array: of }]) => [name, of])),
    ...(Array.isArray(values) && { lists: { values: values.map(({ type: of }) => of) } }),
    isCounted: false,
    options: options as never,
    facts: factsWith(),
  });
  const before = all.map(([, { array: of }]) => bytesOf(of).slice());
  const results = await run({
    arrays: Object.fromEntries(all.map(([name, typed]) => [name, cpuArrayOf(typed)])),
    request,
    addedToBins: async () => false,
    elementsInOrder: async () => undefined,
    positionsInOrder: async () => undefined,
    condition: async () => undefined,
    mapped: async (text, from, to = from.type) => {
      if (text !== options.key || twin === undefined) {
        return undefined;
      }
      const read = valuesOf(array, type);
      const keys = Array.from({ length: from.length }, (_, at) => twin(read(at) as never) as Value);
      return { type: to, length: from.length, numbers: valuesAs(to.name as never, keys as never) as Numbers };
    },
  });
  if (results === undefined) {
    throw new Error(`the CPU has no loop for ${request.title}`);
  }
  all.forEach(([name, { array: of }], at) => {
    if (Buffer.compare(before[at] as Uint8Array, bytesOf(of)) !== 0) {
      throw new Error(`${request.title} wrote into ${name}`);
    }
    if (results.some(({ buffer }) => buffer === of.buffer)) {
      throw new Error(`${request.title} gave the memory of ${name}`);
    }
  });
  return results;
}

/** The options of the reference for those of a call. */
export const referenceOptions = (
  type: ElementType,
  { key, maxSegmentLength: _, ...options }: SortCall["options"],
  twin?: SortCall["twin"],
): object => ({
  ...options,
  ...(type.kind !== "struct" && { type }),
  ...(twin && { key: twin }),
});

/** The elements of an array at some positions, byte for byte. */
export function elementsAt({ type, array }: Typed, positions: Uint32Array): Uint8Array {
  const from = bytesOf(array);
  const to = new Uint8Array(positions.length * type.bytes);
  positions.forEach((position, place) => {
    to.set(from.subarray(position * type.bytes, (position + 1) * type.bytes), place * type.bytes);
  });
  return to;
}

/** Compares a result with the bytes that it should have. */
export const expectSame = (result: Numbers | undefined, wanted: Uint8Array, what: string): void => {
  expect(result && Buffer.compare(bytesOf(result), wanted), what).toBe(0);
};

/** Items of a type, so that many are equal, and none are NaN. */
export function fewItems(type: TypeName, length: number): AnyArray {
  const next = randomBits(`few ${type} ${length}`);
  const isUnsigned = elementTypes[type].kind === "unsigned";
  return valuesAs(
    type,
    Array.from({ length }, () => (next() % 9) - (isUnsigned ? 0 : 4)),
  );
}
