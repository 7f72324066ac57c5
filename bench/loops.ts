import type { ScanPrimitive } from "../src/adapters/tables.ts";
import type { BenchTypeName } from "./elements.ts";

// The loops that calls at hand are compared with, written for one type: sums, and the elements that the
// type's `where` keeps. Each is made from a text of its own. V8 compiles a function for the types that it has met, so a
// loop that had met arrays of several types would be slower than the one that a program has.

/** The types that a loop can take. JavaScript before `Float16Array` has no loop over f16. */
export type LoopTypeName = Exclude<BenchTypeName, "f16">;

/** What holds the elements in a loop. An element of a struct is several words. */
export type LoopArray =
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigUint64Array
  | BigInt64Array;

/** Computes a primitive of `data` into an array that exists, and returns how many elements it wrote. */
export type Loop = (data: LoopArray, into: LoopArray) => number;

interface LoopType {
  readonly array: new (buffer: ArrayBuffer) => LoopArray;
  /** Entries of an element. */
  readonly entries: number;
  readonly zero: string;
  readonly add: (sum: string, x: string) => string;
  /** As the type's `where`, of the element's first entry. */
  readonly keeps: (x: string) => string;
}

const words = {
  array: Uint32Array,
  entries: 1,
  zero: "0",
  add: (sum, x) => `(${sum} + ${x}) >>> 0`,
  keeps: (x) => `(${x} & 1) === 1`,
} as const satisfies LoopType;

const loopTypes = {
  u32: words,
  i32: { ...words, array: Int32Array, add: (sum, x) => `(${sum} + ${x}) | 0` },
  f32: {
    array: Float32Array,
    entries: 1,
    zero: "0",
    add: (sum, x) => `Math.fround(${sum} + ${x})`,
    keeps: (x) => `${x} > 0`,
  },
  u64: {
    array: BigUint64Array,
    entries: 1,
    zero: "0n",
    add: (sum, x) => `BigInt.asUintN(64, ${sum} + ${x})`,
    keeps: (x) => `(${x} & 1n) === 1n`,
  },
  i64: {
    array: BigInt64Array,
    entries: 1,
    zero: "0n",
    add: (sum, x) => `BigInt.asIntN(64, ${sum} + ${x})`,
    keeps: (x) => `(${x} & 1n) === 1n`,
  },
  f64: {
    array: Float64Array,
    entries: 1,
    zero: "0",
    add: (sum, x) => `${sum} + ${x}`,
    keeps: (x) => `${x} < 0`,
  },
  struct16: { ...words, entries: 4 },
} as const satisfies Record<LoopTypeName, LoopType>;

export const loopTypeNames = Object.keys(loopTypes) as LoopTypeName[];

/** The bytes of elements, as a loop reads and writes them. */
export const loopArrayOf = (type: LoopTypeName, buffer: ArrayBuffer): LoopArray =>
  new loopTypes[type].array(buffer);

/** The body of a function of `data` and `into`. */
export function loopText(primitive: ScanPrimitive, type: LoopTypeName): string {
  const { entries, zero, add, keeps }: LoopType = loopTypes[type];
  const each = (line: (sum: string, offset: string) => string): string =>
    Array.from({ length: entries }, (_, at) => line(`sum${at}`, at === 0 ? "" : ` + ${at}`)).join("\n");
  const over = (body: string): string => `for (let i = 0; i < data.length; i += ${entries}) {\n${body}\n}`;
  const sums = each((sum) => `let ${sum} = ${zero};`);
  switch (primitive) {
    case "scan":
      return [
        sums,
        over(each((sum, at) => `${sum} = ${add(sum, `data[i${at}]`)};\ninto[i${at}] = ${sum};`)),
        `return data.length / ${entries};`,
      ].join("\n");
    case "reduce":
      return [
        sums,
        over(each((sum, at) => `${sum} = ${add(sum, `data[i${at}]`)};`)),
        each((sum, at) => `into[0${at}] = ${sum};`),
        "return 1;",
      ].join("\n");
    case "compact":
      return [
        "let kept = 0;",
        over(
          `if (${keeps("data[i]")}) {\n${each((_, at) => `into[kept${at}] = data[i${at}];`)}\nkept += ${entries};\n}`,
        ),
        `return kept / ${entries};`,
      ].join("\n");
    default:
      return primitive satisfies never;
  }
}

/** A loop that no other case has run. */
export const loopOf = (primitive: ScanPrimitive, type: LoopTypeName): Loop =>
  new Function("data", "into", loopText(primitive, type)) as Loop;
