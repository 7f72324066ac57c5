import { loadHandTypes } from "../later.ts";
import type { Plan } from "../primitives/plan.ts";
import { bindingBytes } from "../primitives/plan.ts";
import type { AnyArray } from "../reference/arrays.ts";
import type { ElementType } from "../types.ts";
import { u32 } from "../types.ts";
import type { Range, ResolvedRanges } from "./compiled.ts";
import { compilePlan } from "./compiled.ts";
import { BufferUsage, MAP_READ } from "./constants.ts";
import type { Context } from "./context.ts";
import { allocate, explain } from "./context.ts";

/** At hand, input and output are buffers of their own, from their start: the other kernels need not be compiled. */
export const APART = ["vectors"] as const;

/** What a call at hand does with a compiled plan. Its buffers are gone when it ends. */
export interface Hand {
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
export async function atHand<T>(context: Context, plan: Plan, call: (hand: Hand) => Promise<T>): Promise<T> {
  const { device } = context;
  const { queue } = device;
  const { title } = plan;
  const owned: { destroy(): void }[] = [];
  const own = async (name: string, bytes: number, usage: number): Promise<Range> => {
    const label = `wavefold ${title} ${name}`;
    const buffer = await allocate(context, { label, size: bindingBytes(bytes, 1), usage }, title);
    owned.push(buffer);
    return { buffer, offset: 0, bytes };
  };
  const encoderOf = (): GPUCommandEncoder => device.createCommandEncoder({ label: `wavefold ${title}` });
  try {
    const compiled = await compilePlan(context, plan);
    owned.push(compiled);
    return await call({
      async upload(name, { buffer, byteOffset, byteLength }) {
        if (byteLength === 0) {
          // Deno stumbles over a write of nothing.
          return undefined;
        }
        const range = await own(name, byteLength, BufferUsage.STORAGE | BufferUsage.COPY_DST);
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
      output: (name, bytes) => own(name, bytes, BufferUsage.STORAGE | BufferUsage.COPY_SRC),
      record(length, ranges) {
        compiled.requireDevice();
        compiled.nextRun();
        const encoder = encoderOf();
        compiled.encode(encoder, compiled.dispatches(length, ranges, "vectors"));
        return encoder;
      },
      async readBack({ buffer }, bytes, encoder = encoderOf()) {
        const staging = (await own("read-back", bytes, BufferUsage.MAP_READ | BufferUsage.COPY_DST)).buffer;
        if (bytes > 0) {
          encoder.copyBufferToBuffer(buffer, 0, staging, 0, bindingBytes(bytes, 1));
        }
        queue.submit([encoder.finish()]);
        await staging.mapAsync(MAP_READ);
        return staging.getMappedRange().slice(0, bytes);
      },
    });
  } catch (cause) {
    throw await explain(context, title, cause);
  } finally {
    for (const one of owned) {
      one.destroy();
    }
  }
}

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
  atHand(context, plan, async ({ upload, output, record, readBack }) => {
    if (bytes === 0) {
      return new ArrayBuffer(0);
    }
    const ranges = { input: await upload("input", data), output: await output("output", bytes) };
    return readBack(ranges.output, bytes, record(data.length, ranges));
  });

/** What tells the types of a call at hand, of any of its forms. */
export interface AnyHandOptions {
  readonly type?: unknown;
  readonly from?: unknown;
  readonly map?: unknown;
}

/** What a compaction at hand takes beside. */
export interface AnyHandCompactOptions extends AnyHandOptions {
  readonly flags?: ArrayLike<number | boolean>;
  readonly indices?: boolean;
}

/** What goes in, where it is another type; and what comes out. */
export interface HandTypes {
  readonly from?: ElementType;
  readonly type: ElementType;
  /** The result over its bytes: an array like the one given, where it is of the same type. */
  arrayOf(bytes: ArrayBuffer): AnyArray;
}

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
