import type { AnyArray } from "../algebra/arrays.ts";
import { u32 } from "../algebra/types.ts";
import { loadHandTypes } from "../later.ts";
import { requireOptions } from "../options.ts";
import type { Plan } from "../plan/plan.ts";
import type { TuningOptions } from "../plan/tuning.ts";
import type { Context } from "./device.ts";
import type { Range, ResolvedRanges } from "./executor.ts";
import { compilePlan } from "./executor.ts";
import { BufferUsage } from "./flags.ts";
import type { AnyHandOptions, Given, HandTypes } from "./hand.ts";
import { atHand } from "./hand.ts";

// What takes options takes it from here: of the module itself, each that is loaded later has a copy.
export { requireOptions };

/** At hand, input and output are buffers of their own, from their start: the other kernels need not be compiled. */
export const APART = ["vectors"] as const;
const WAY = { arrangement: "vectors" } as const;

/** The options that all calls take. */
export const tuningNames = {
  algorithm: true,
  workGroupSize: true,
  itemsPerThread: true,
  passes: true,
} as const satisfies Record<keyof TuningOptions, true>;

/** The options of every call at hand. */
export const handNames = { type: true, from: true, map: true, ...tuningNames } as const;

/** What a call at hand does with a compiled plan. Its buffers are gone when it ends. */
export interface PlanAtHand {
  /** A buffer of these items. */
  upload(name: string, from: Omit<Given, "data" | "length">): Promise<Range>;
  /** A buffer to be written. */
  output(name: string, bytes: number): Promise<Range>;
  /** Records the plan. */
  record(length: number, ranges: ResolvedRanges): (encoder: GPUCommandEncoder) => void;
  /** Submits what is recorded, and reads the first bytes of a buffer. */
  readBack(range: Range, bytes: number, record?: (encoder: GPUCommandEncoder) => void): Promise<ArrayBuffer>;
}

/** Compiles a plan for one call. */
export const planAtHand = <T>(
  context: Context,
  plan: Plan,
  call: (hand: PlanAtHand) => Promise<T>,
): Promise<T> =>
  atHand(context, plan.title, async ({ owned, own, upload, readBack }) => {
    const compiled = await compilePlan(context, plan);
    owned.push(compiled);
    return call({
      upload: async (name, from) => ({ buffer: await upload(name, from), offset: 0, bytes: from.byteLength }),
      output: async (name, bytes) => ({
        buffer: await own(name, bytes, BufferUsage.STORAGE | BufferUsage.COPY_SRC),
        offset: 0,
        bytes,
      }),
      record: (length, ranges) => (encoder) => {
        compiled.requireDevice();
        compiled.nextRun();
        compiled.encode(encoder, compiled.dispatches(compiled.bind(length, ranges, WAY)));
      },
      readBack: ({ buffer }, bytes, record) => readBack(buffer, bytes, record),
    });
  });

/**
 * Uploads an array, runs the plan, and reads so many bytes back. Where that is none the plan is compiled all the
 * same: a call on no data still reports what is wrong with it.
 */
export const runAtHand = (context: Context, plan: Plan, given: Given, bytes: number): Promise<ArrayBuffer> =>
  planAtHand(context, plan, async ({ upload, output, record, readBack }) => {
    if (bytes === 0) {
      return new ArrayBuffer(0);
    }
    const ranges = {
      // Deno stumbles over a write of nothing.
      input: given.byteLength > 0 ? await upload("input", given) : undefined,
      output: await output("output", bytes),
    };
    return readBack(ranges.output, bytes, record(given.length, ranges));
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
