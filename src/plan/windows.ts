import { LimitError } from "../errors.ts";
import type { Limits } from "./facts.ts";

/** The most items in windows: indices are u32. @throws {LimitError} if no buffer holds so many. */
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
