import { LimitError } from "../errors.ts";
import type { Limits } from "./device_facts.ts";

/** What a device needs for a binding of so many bytes, as an error says it. */
export function neededFor(bytes: number, { maxStorageBufferBindingSize, maxBufferSize }: Limits): string {
  const limits = Object.entries({ maxStorageBufferBindingSize, maxBufferSize })
    .filter(([, most]) => bytes > most)
    .map(([name, most]) => `${name} of ${bytes} bytes instead of ${most}`);
  return `open the device with a ${limits.join(" and a ")}`;
}

/** How many items of so many bytes the device can bind at most. */
export const mostBindable = (
  itemBytes: number,
  { maxStorageBufferBindingSize, maxBufferSize }: Limits,
): number => Math.floor(Math.min(maxStorageBufferBindingSize, maxBufferSize) / itemBytes);

/** @throws {LimitError} for a range of more items than the device can bind. `option` is what names the range or its length. */
export function requireBindable(
  title: string,
  items: number,
  itemBytes: number,
  limits: Limits,
  option: string,
): void {
  const most = mostBindable(itemBytes, limits);
  if (items > most) {
    throw new LimitError(
      `${title}: ${items} items of ${itemBytes} bytes are more than the device can bind, which is ${most}; ${neededFor(items * itemBytes, limits)}`,
      items,
      most,
      option,
    );
  }
}
