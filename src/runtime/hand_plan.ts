import { loadHandTypes } from "../later.ts";
import type { Plan } from "../primitives/plan.ts";
import type { AnyArray } from "../reference/arrays.ts";
import { u32 } from "../types.ts";
import type { Range, ResolvedRanges } from "./compiled.ts";
import { compilePlan } from "./compiled.ts";
import { BufferUsage } from "./constants.ts";
import type { Context } from "./context.ts";
import type { AnyHandOptions, HandTypes } from "./hand.ts";
import { atHand } from "./hand.ts";

/** At hand, input and output are buffers of their own, from their start: the other kernels need not be compiled. */
export const APART = ["vectors"] as const;
const WAY = { arrangement: "vectors" } as const;

/** What a call at hand does with a compiled plan. Its buffers are gone when it ends. */
export interface PlanAtHand {
  /** A buffer of these items; nothing where there are none. */
  upload(name: string, data: ArrayBufferView): Promise<Range | undefined>;
  /** A buffer to be written. */
  output(name: string, bytes: number): Promise<Range>;
  /** Records the plan. */
  record(length: number, ranges: ResolvedRanges): GPUCommandEncoder;
  /** Submits what is recorded, and reads the first bytes of a buffer. */
  readBack(range: Range, bytes: number, encoder?: GPUCommandEncoder): Promise<ArrayBuffer>;
}

/** Compiles a plan for one call. */
export const planAtHand = <T>(
  context: Context,
  plan: Plan,
  call: (hand: PlanAtHand) => Promise<T>,
): Promise<T> =>
  atHand(context, plan.title, async ({ owned, own, encoderOf, readBack }) => {
    const { queue } = context.device;
    const compiled = await compilePlan(context, plan);
    owned.push(compiled);
    const rangeOf = async (name: string, bytes: number, usage: number): Promise<Range> => ({
      buffer: await own(name, bytes, usage),
      offset: 0,
      bytes,
    });
    return call({
      async upload(name, { buffer, byteOffset, byteLength }) {
        if (byteLength === 0) {
          // Deno stumbles over a write of nothing.
          return undefined;
        }
        const range = await rangeOf(name, byteLength, BufferUsage.STORAGE | BufferUsage.COPY_DST);
        // What is written is whole words, and an odd number of f16 is not.
        const rest = byteLength % 4;
        const whole = byteLength - rest;
        queue.writeBuffer(range.buffer, 0, buffer, byteOffset, whole);
        if (rest > 0) {
          const word = new Uint8Array(4);
          word.set(new Uint8Array(buffer, byteOffset + whole, rest));
          queue.writeBuffer(range.buffer, whole, word);
        }
        return range;
      },
      output: (name, bytes) => rangeOf(name, bytes, BufferUsage.STORAGE | BufferUsage.COPY_SRC),
      record(length, ranges) {
        compiled.requireDevice();
        compiled.nextRun();
        const encoder = encoderOf();
        compiled.encode(encoder, compiled.dispatches(compiled.bind(length, ranges, WAY)));
        return encoder;
      },
      readBack: ({ buffer }, bytes, encoder) => readBack(buffer, bytes, encoder),
    });
  });

/**
 * Uploads an array, runs the plan, and reads so many bytes back. Where that is none the plan is compiled all the
 * same: a call on no data still reports what is wrong with it.
 */
export const runAtHand = (
  context: Context,
  plan: Plan,
  data: AnyArray,
  bytes: number,
): Promise<ArrayBuffer> =>
  planAtHand(context, plan, async ({ upload, output, record, readBack }) => {
    if (bytes === 0) {
      return new ArrayBuffer(0);
    }
    const ranges = { input: await upload("input", data), output: await output("output", bytes) };
    return readBack(ranges.output, bytes, record(data.length, ranges));
  });

/** The types of the array's elements and of the result: all but plain u32 are loaded where they are met. */
export async function typesOf(data: AnyArray, options: AnyHandOptions, caller: string): Promise<HandTypes> {
  const { type, from, map } = options;
  return data instanceof Uint32Array &&
    data.constructor === Uint32Array &&
    type === undefined &&
    from === undefined &&
    map === undefined
    ? { type: u32, arrayOf: (bytes) => new Uint32Array(bytes) }
    : (await loadHandTypes()).typesOf(data, options, caller);
}
