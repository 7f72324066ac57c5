import { ArgumentError } from "../errors.ts";
import type { ElementType } from "./types.ts";

/**
 * Zeroed bytes for `length` elements.
 *
 * @throws {ArgumentError} where there is no memory for as many; `option` says how many.
 */
export function bytesFor(
  length: number,
  { name, bytes }: Pick<ElementType, "name" | "bytes">,
  caller: string,
  option?: string,
): ArrayBuffer {
  try {
    return new ArrayBuffer(length * bytes);
  } catch {
    throw new ArgumentError(
      `${caller}: ${length} elements of ${name} take ${length * bytes} bytes, and there is no memory for an array of as many`,
      option,
    );
  }
}
