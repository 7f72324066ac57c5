import { arrayOver } from "../algebra/arrays.ts";
import type { ElementType } from "../algebra/types.ts";
import type { CpuArray, Numbers } from "./call.ts";

export { wideOptions } from "../algebra/wide_options.ts";

// Elements of 8 and 16 bits. Loops take them as u32 or i32.

/** The elements that bytes hold, as loops take them. */
export function widened({ buffer, byteOffset, byteLength }: Uint8Array, type: ElementType): CpuArray {
  const { wide = type, bytes } = type;
  const stored = arrayOver(type, buffer as ArrayBuffer, byteOffset, byteLength / bytes) as Uint8Array;
  const numbers = wide.kind === "signed" ? new Int32Array(stored) : new Uint32Array(stored);
  return { type: wide, length: numbers.length, numbers };
}

/** Numbers that loops have made, as an array of the type holds them. */
export function packed(numbers: Numbers, type: ElementType): Numbers {
  const stored = arrayOver(type, new ArrayBuffer(numbers.length * type.bytes)) as Uint16Array;
  stored.set(numbers as Uint32Array);
  return stored;
}
