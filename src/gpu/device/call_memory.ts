import { powerOfTwoFor } from "../../algebra/power_of_two.ts";
// Buffers and plans that calls leave for the next calls. Without them, most of a call's time goes into planning and into
// memory that is touched for the first time. Calls at hand and arrays on the GPU share the buffers: the queue carries out
// submissions in order, so a buffer may be taken again as soon as all commands that use it are submitted.
// Calls under way and kept buffers have at most `maxKeptBytes` together, unless one call alone needs more. Streams, the caller's arrays
// on the GPU and views of them do not count.

import type { Kept, KeptBuffer, KeptPlan } from "./kept.ts";
import { letGoOfBuffers, MOST_PLANS } from "./kept.ts";

/**
 * Starts a call whose buffers have `bytes` bytes at most, or says when it starts: once no call with the same plan (`key`) is under way, not
 * too many calls are, and there are bytes for it. A second plan and buffers of its own would take longer than the wait. Calls that wait for
 * bytes, or for others to end, start in the order in which they came. Alone, a call needs not wait, however many bytes it takes. It must not
 * be a part of another call.
 */
export function startCall(kept: Kept, bytes: number, key?: string): Promise<void> | undefined {
  const { waiting, busy } = kept;
  const starts = (start?: () => void): boolean | undefined => {
    if (busy.has(key)) {
      return undefined;
    }
    const { calls, usedBytes, mostBytes } = kept;
    const fits = calls === 0 || (calls < MOST_PLANS && usedBytes + bytes <= mostBytes);
    if (fits) {
      kept.calls++;
      kept.usedBytes += bytes;
      if (key) {
        busy.add(key);
      }
      start?.();
    }
    return fits;
  };
  return bytes === 0 || (waiting.length === 0 && starts())
    ? undefined
    : new Promise((start) => {
        waiting.push(() => starts(start));
        startWaiting(kept);
      });
}

/** Says that a call ended. Those that wait start, as far as they may. */
export function endCall(kept: Kept, bytes: number, key?: string): void {
  if (bytes !== 0) {
    kept.calls--;
    kept.usedBytes -= bytes;
    kept.busy.delete(key);
  }
  startWaiting(kept);
}

/** Starts the calls that wait, up to the first one that has no bytes. Those whose plan is in use are passed over. */
function startWaiting({ waiting }: Kept): void {
  for (let at = 0; at < waiting.length; ) {
    const isStarted = waiting[at]?.();
    if (isStarted) {
      waiting.splice(at, 1);
    } else if (isStarted === false) {
      return;
    } else {
      at++;
    }
  }
}

/** The most bytes of a buffer that is taken for `bytes` bytes: a power of two. */
const mostFor = (bytes: number): number => powerOfTwoFor(Math.max(2 ** 16, bytes));

/**
 * Bytes of the buffers that a call may take for an array: one on the device, one for staging, and short ones, such as that of a total. `beside` is
 * the bytes that are read back together with the array.
 */
export const bufferBytesFor = (bytes: number, beside = 0): number =>
  mostFor(bytes) + mostFor(bytes + beside) + 2 ** 17;

/** Buffers that were kept before. */
const taken = new WeakMap<GPUBuffer, KeptBuffer>();

/** Takes a kept buffer of at least `bytes` bytes. It is no longer than the next power of two, or 64 KiB. */
export function takeBuffer({ buffers }: Kept, bytes: number, usage: number): GPUBuffer | undefined {
  const most = mostFor(bytes);
  let best: KeptBuffer | undefined;
  for (const one of buffers) {
    const fits = one.usage === usage && one.size >= bytes && one.size <= most;
    // Of the smallest ones, the latest.
    if (fits && !(best && one.size > best.size)) {
      best = one;
    }
  }
  if (best) {
    buffers.splice(buffers.indexOf(best), 1);
    taken.set(best.buffer, best);
  }
  return best?.buffer;
}

/**
 * Keeps a buffer. All commands that use it are submitted. If too many bytes are kept then, the buffers that were kept first are
 * destroyed. A buffer that is too long by itself is not kept. The default of `most` is what calls under way leave of `maxKeptBytes`. For
 * a buffer that is still counted for a call under way, `most` is all of it.
 */
export function keepBuffer(kept: Kept, buffer: GPUBuffer, most?: number): void {
  const one = taken.get(buffer) ?? { buffer, size: buffer.size, usage: buffer.usage };
  if (one.size > kept.mostBytes) {
    buffer.destroy();
  } else {
    kept.buffers.push(one);
    letGoOfBuffers(kept, most);
  }
}

/** Takes a kept plan. */
export function takePlan({ plans }: Kept, key: string): KeptPlan | undefined {
  const at = plans.findIndex((one) => one.key === key);
  return at < 0 ? undefined : plans.splice(at, 1)[0];
}
