import type { ElementType } from "../algebra/types.ts";
import type { Numbers } from "./call.ts";

type NumbersKind = new (buffer: ArrayBufferLike, byteOffset?: number, length?: number) => Numbers;

const kinds: Readonly<Record<string, NumbersKind>> = {
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
  f16: Uint16Array,
};

const kindOf = ({ name, kind }: Pick<ElementType, "name" | "kind">): NumbersKind =>
  (kind === "struct" ? undefined : kinds[name]) ?? Uint32Array;

/** The elements that the bytes of an array hold. They are copied if they do not start where such elements can. */
export function numbersOver(
  { buffer, byteOffset, byteLength }: ArrayBufferView,
  type: Pick<ElementType, "name" | "kind">,
): Numbers {
  const Kind = kindOf(type);
  const { BYTES_PER_ELEMENT: size } = Kind as unknown as { readonly BYTES_PER_ELEMENT: number };
  return byteOffset % size === 0
    ? new Kind(buffer, byteOffset, byteLength / size)
    : new Kind(buffer.slice(byteOffset, byteOffset + byteLength));
}

/** A new array of so many elements. */
export const newNumbers = (type: ElementType, length: number): Numbers =>
  new (kindOf(type))(new ArrayBuffer(length * type.bytes));

/** The bytes of elements, in an array of their own if they are a part of a longer one. */
export const bytesIn = ({ buffer, byteOffset, byteLength }: Numbers): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    byteLength === buffer.byteLength
      ? (buffer as ArrayBuffer)
      : (buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer),
  );

/** A new array of the kind of another one. */
export const numbersLike = <A extends Numbers>(numbers: A, length: number): A =>
  new (numbers.constructor as new (length: number) => A)(length);

/** The same memory as words; that of f16, which may not start at a word, as it is. */
export const bitsOf = (numbers: Numbers): Int32Array | Uint16Array =>
  numbers instanceof Uint16Array
    ? numbers
    : new Int32Array(numbers.buffer, numbers.byteOffset, numbers.byteLength / 4);

/** Whether two arrays lie in the same memory, but start at different places there. */
export const isShifted = (a: Numbers, b: Numbers): boolean =>
  a.buffer === b.buffer && a.byteOffset !== b.byteOffset;

/** The words of an array of numbers of 4 or 8 bytes, or of structs. */
export const wordsOf = (numbers: Numbers): Uint32Array =>
  numbers instanceof Uint32Array
    ? numbers
    : new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.byteLength / 4);
