import type { AnyArray } from "../../algebra/arrays.ts";
import { isGone } from "../../algebra/arrays.ts";
import { ArgumentError } from "../../errors.ts";

// The arrays of a call, and where results go in memory.

/**
 * The array of a call, and its place in memory when the call began. Its elements are read later, when the kernels are
 * compiled.
 */
export interface Given {
  readonly data: AnyArray;
  readonly length: number;
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** Whether its memory was gone when the call began. */
  readonly isGone: boolean;
}

/** Bytes in memory. */
export type Place = Pick<Given, "buffer" | "byteOffset" | "byteLength">;

/** The array of a call as it is now. If it is no array, that is an error later, when its type is asked for. */
export function givenOf(data: AnyArray | Uint8Array | undefined): Given {
  const { length, buffer, byteOffset, byteLength } = Object(data) as AnyArray;
  return { data: data as AnyArray, length, buffer, byteOffset, byteLength, isGone: isGone(data) };
}

/** Where a result of `bytes` bytes goes. @throws {ArgumentError} if that is not there any more. */
export type Target = (bytes: number) => () => Uint8Array;

/** A new array of bytes, the same each time. */
export function fresh(bytes: number): () => Uint8Array {
  const made = new Uint8Array(bytes);
  return () => made;
}

/** What is given, as bytes. @throws {ArgumentError} if they are not there any more. */
export function bytesOf(
  { buffer, byteOffset, byteLength }: Place,
  caller: string,
  what: string,
  option: string,
): Uint8Array {
  try {
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch {
    throw new ArgumentError(`${caller}: ${what} was transferred or became shorter during the call`, option);
  }
}
