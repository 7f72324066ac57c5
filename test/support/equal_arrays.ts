// Each file of tests loads this first: see vitest.config.ts.
import { expect } from "vitest";

const marked = globalThis as { wavefoldEqualArrays?: true };

const bytesOf = ({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/**
 * Typed arrays of one class with the same bytes are equal. Vitest compares their items by name, which takes a microsecond for each. It still
 * compares all others, and shows where they differ.
 */
function haveSameBytes(a: unknown, b: unknown): true | undefined {
  return ArrayBuffer.isView(a) &&
    ArrayBuffer.isView(b) &&
    !(a instanceof DataView) &&
    Object.getPrototypeOf(a) === Object.getPrototypeOf(b) &&
    bytesOf(a as NodeJS.TypedArray).equals(bytesOf(b as NodeJS.TypedArray))
    ? true
    : undefined;
}

// Files share processes, and processes keep testers.
if (marked.wavefoldEqualArrays === undefined) {
  marked.wavefoldEqualArrays = true;
  expect.addEqualityTesters([haveSameBytes]);
}
