import { LimitError } from "../errors.ts";
import type { Limits } from "./device_facts.ts";

/**
 * How many bytes before its range a binding may start. It starts where an item starts, at a multiple of at most 256. Items have at most
 * 64 bytes, so every 64th item starts at such an address.
 */
const SLACK = 4096;

/** The items of a window are a multiple of this, so that each starts at an aligned address, and at a vector. */
const UNIT = 256;

/**
 * Items of a window, if a range of `maxLength` items of `itemBytes` bytes is over the binding limit; undefined if one
 * binding holds it.
 */
export function windowOf(
  maxLength: unknown,
  itemBytes: number,
  { maxStorageBufferBindingSize }: Limits,
): number | undefined {
  const most = Math.floor((maxStorageBufferBindingSize - SLACK) / itemBytes / UNIT) * UNIT;
  return typeof maxLength === "number" && maxLength * itemBytes > maxStorageBufferBindingSize && most > 0
    ? most
    : undefined;
}

/** The most items in windows: indices are u32. @throws {LimitError} if no buffer holds these items. */
export function requireWindows(
  title: string,
  maxLength: number,
  itemBytes: number,
  { maxBufferSize }: Limits,
): void {
  const most = Math.min(0xffffffff, Math.floor(maxBufferSize / itemBytes));
  if (maxLength > most) {
    throw new LimitError(
      `${title}: ${maxLength} items of ${itemBytes} bytes are more than a buffer of the device holds, which is ${most}`,
      maxLength,
      most,
      "maxLength",
    );
  }
}
