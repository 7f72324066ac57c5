import type { DeclaredParams } from "../../algebra/seen_params.ts";
import { ArgumentError, shown } from "../../errors.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Context } from "./context.ts";
import { COPY_DST, UNIFORM } from "./usage_flags.ts";

// Where the values of params lie that recordings and calls give. Kernels take them as a uniform at a dynamic offset.

/** Places for values, one for each recording. */
export interface ParamSlots {
  /** The buffer of the next values. It is another one once all its places are taken. */
  buffer(): GPUBuffer;
  /** Writes values to that buffer, for what is submitted from now on. Returns where they are. */
  write(values: Uint8Array): number;
  /** @throws {ArgumentError} for a range of a buffer of the caller's that cannot be bound as the uniform. */
  requireUniform(range: { readonly offset: number; readonly size: number; readonly usage: number }): void;
  destroy(): void;
}

/** Places of the first buffer, and of the longest ones. */
const FIRST_SLOTS = 16;
const MOST_SLOTS = 1024;

const isSame = (a: Uint8Array, b: Uint8Array | undefined): boolean =>
  b !== undefined && a.every((byte, at) => byte === b[at]);

/**
 * Places for a plan's values. Nobody knows when an encoder is submitted, so a place is written once. If each recording is
 * submitted before the next one is recorded (`isSubmitted`), one place does for all.
 */
export function paramSlots(
  { device }: Context,
  { title }: Pick<Plan, "title">,
  { bytes, names }: DeclaredParams,
  isSubmitted: boolean | undefined,
): ParamSlots {
  const alignment = device.limits.minUniformBufferOffsetAlignment;
  const stride = Math.ceil(bytes / alignment) * alignment;
  let slots = isSubmitted ? 1 : FIRST_SLOTS;
  let used = 0;
  let made: GPUBuffer | undefined;
  // What was written last. Recordings of the same values share a place.
  let last: Uint8Array | undefined;
  const buffer = (): GPUBuffer => {
    if (made && used === slots && !isSubmitted) {
      // Encoders that are not submitted may use it, so it is not destroyed.
      made = undefined;
      slots = Math.min(2 * slots, MOST_SLOTS);
    }
    if (made === undefined) {
      const label = `wavefold ${title} params`;
      made = device.createBuffer({ label, size: slots * stride, usage: UNIFORM | COPY_DST });
      used = 0;
      last = undefined;
    }
    return made;
  };
  return {
    buffer,
    write(values) {
      const target = buffer();
      if (!isSame(values, last)) {
        const slot = isSubmitted ? 0 : used++;
        device.queue.writeBuffer(target, slot * stride, values as Uint8Array<ArrayBuffer>);
        last = values;
      }
      return isSubmitted ? 0 : (used - 1) * stride;
    },
    requireUniform({ offset, size, usage }) {
      const refused = (problem: string): Error => new ArgumentError(`${title}: ${problem}`, "params");
      if (!Number.isInteger(offset) || offset < 0 || offset % alignment !== 0) {
        throw refused(
          `params' offset is ${shown(offset)} bytes; it takes a multiple of ${alignment}, the device's minUniformBufferOffsetAlignment`,
        );
      }
      if (!(size >= bytes)) {
        throw refused(
          `params has ${size} bytes from offset ${offset} on, and the uniform of ${names.join(", ")} takes ${bytes}`,
        );
      }
      if ((usage & UNIFORM) === 0) {
        throw refused("params' buffer lacks the usage UNIFORM");
      }
    },
    destroy() {
      made?.destroy();
      made = undefined;
    },
  };
}
