import { u32 } from "../../algebra/integers.ts";
import { add } from "../../algebra/operators.ts";
import type { Context } from "../device/context.ts";
import { allocate } from "../device/device.ts";
import { COPY_DST, COPY_SRC, MAP_READ, STORAGE } from "../device/usage_flags.ts";
import { prepareFor } from "../recordings/prepare_folds.ts";

/** What errors and labels call the tuning. */
export const TITLE = "tuneAdapter";
const LABEL = `wavefold ${TITLE}`;
/** WebGPU's flag by value, as src/gpu/device/usage_flags.ts has the others. */
const QUERY_RESOLVE = 0x200;
/**
 * A submission gets recordings until it takes at least this time, or has the most of them. A submission costs time of its own,
 * and browsers round timestamps to 0.1 ms: both then count for little.
 */
const ENOUGH_MS = 2;
const MOST_RECORDINGS = 256;
/**
 * The number of recordings grows by this factor until it is enough. It stops growing once a submission took the longest time,
 * since systems reset GPUs that are busy for two seconds.
 */
const GROWTH = 8;
const LONGEST_MS = 100;
/** How often a submission is timed. The least time counts. */
const REPEATS = 3;
/**
 * A GPU that was idle has a low clock, so it is first kept busy: for this long, and again until a reduction takes hardly longer than
 * the fastest one that was seen, or as often as this.
 */
const HEAT_MS = 300;
const HARDLY_LONGER = 1.03;
const MOST_HEATS = 5;
/** To keep it busy: the recordings of a round, and the most rounds. */
const RECORDINGS_A_ROUND = 4;
const MOST_ROUNDS = 4000;

/** Records something into a pass. */
type RecordPass = (pass: GPUComputePassEncoder) => void;

/** A plan of one candidate, ready to be recorded. */
export interface Prepared {
  record(into: GPUComputePassEncoder | GPUCommandEncoder, bench: Bench, length: number): void;
  destroy(): void;
}

/** The buffers that all candidates read and write. */
interface BenchBuffers {
  readonly input: GPUBuffer;
  readonly output: GPUBuffer;
  readonly reordered: GPUBuffer;
  readonly count: GPUBuffer;
}

/** Those buffers, and how a candidate is timed and read. */
export interface Bench extends BenchBuffers {
  /** The fastest reduction of `input` that was seen. */
  fastest?: number;
  /** The most milliseconds that candidates took to compile which were compiled together. */
  compiling: number;
  /** The milliseconds that the GPU takes, if something is recorded `times` times, one after another. */
  time(record: RecordPass, times: number): Promise<number>;
  /** Keeps the GPU busy with what is recorded, for a number of milliseconds. It has work to do when this returns. */
  busy(record: RecordPass, milliseconds: number): Promise<void>;
  /** The first bytes of the output or of the reordered values, and the count, after what is recorded. */
  read(
    record: (encoder: GPUCommandEncoder) => void,
    bytes: number,
    from: "output" | "reordered",
  ): Promise<[ArrayBuffer, number]>;
  destroy(): void;
}

/**
 * Makes the buffers, of at least so many bytes, and fills the input with the data.
 *
 * @throws {OutOfMemoryError} {@link DeviceLostError}
 */
export async function openBench(context: Context, least: number, data: Uint8Array): Promise<Bench> {
  const { device } = context;
  const made: { destroy(): void }[] = [];
  const destroy = (): void => {
    for (const resource of made) {
      resource.destroy();
    }
  };
  const make = async (size: number, usage: number): Promise<GPUBuffer> => {
    const buffer = await allocate(context, { label: LABEL, size, usage }, TITLE);
    made.push(buffer);
    return buffer;
  };
  try {
    // Results are read in whole vectors.
    const bytes = Math.ceil(least / 16) * 16;
    const buffers: BenchBuffers = {
      input: await make(bytes, STORAGE | COPY_DST),
      output: await make(bytes, STORAGE | COPY_SRC | COPY_DST),
      reordered: await make(bytes, STORAGE | COPY_SRC | COPY_DST),
      count: await make(4, STORAGE | COPY_SRC | COPY_DST),
    };
    device.queue.writeBuffer(buffers.input, 0, data);
    const hasClock = device.features.has("timestamp-query");
    const querySet = hasClock ? device.createQuerySet({ type: "timestamp", count: 2 }) : undefined;
    if (querySet) {
      made.push(querySet);
    }
    const resolved = await make(16, QUERY_RESOLVE | COPY_SRC);
    const clock = querySet && { querySet, resolved };
    return {
      ...buffers,
      compiling: 0,
      busy: (record, milliseconds) => keepBusy(device, record, milliseconds),
      time: (record, times) => timeOnce(device, clock, record, times),
      read: (record, size, from) => readAfter(device, buffers, record, { size, from }),
      destroy,
    };
  } catch (cause) {
    destroy();
    throw cause;
  }
}

async function keepBusy(device: GPUDevice, record: RecordPass, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  let earlier: Promise<unknown> = Promise.resolve();
  for (let round = 0; round < MOST_ROUNDS && performance.now() < end; round++) {
    const encoder = device.createCommandEncoder({ label: LABEL });
    const pass = encoder.beginComputePass({ label: LABEL });
    for (let done = 0; done < RECORDINGS_A_ROUND; done++) {
      record(pass);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    // It waits for the round before the last one, so that the GPU always has work.
    const done = device.queue.onSubmittedWorkDone();
    await earlier;
    earlier = done;
  }
}

/** What takes timestamps, and the buffer that they are read from. */
interface GpuClock {
  readonly querySet: GPUQuerySet;
  readonly resolved: GPUBuffer;
}

async function timeOnce(
  device: GPUDevice,
  clock: GpuClock | undefined,
  record: RecordPass,
  times: number,
): Promise<number> {
  const encoder = device.createCommandEncoder({ label: LABEL });
  const pass = encoder.beginComputePass({
    label: LABEL,
    ...(clock && {
      timestampWrites: {
        querySet: clock.querySet,
        beginningOfPassWriteIndex: 0,
        endOfPassWriteIndex: 1,
      },
    }),
  });
  for (let done = 0; done < times; done++) {
    record(pass);
  }
  pass.end();
  if (clock) {
    encoder.resolveQuerySet(clock.querySet, 0, 2, clock.resolved, 0);
    const ticks = new BigUint64Array(await readBeginnings(device, encoder, [[clock.resolved, 16]]));
    return Number((ticks[1] as bigint) - (ticks[0] as bigint)) / 1e6;
  }
  const commands = encoder.finish();
  const start = performance.now();
  device.queue.submit([commands]);
  await device.queue.onSubmittedWorkDone();
  return performance.now() - start;
}

async function readAfter(
  device: GPUDevice,
  { output, reordered, count }: BenchBuffers,
  record: (encoder: GPUCommandEncoder) => void,
  { size, from }: { readonly size: number; readonly from: "output" | "reordered" },
): Promise<[ArrayBuffer, number]> {
  const source = from === "output" ? output : reordered;
  const encoder = device.createCommandEncoder({ label: LABEL });
  encoder.clearBuffer(source, 0, size);
  encoder.clearBuffer(count);
  record(encoder);
  const both = await readBeginnings(device, encoder, [
    [source, size],
    [count, 4],
  ]);
  return [both.slice(0, size), new Uint32Array(both, size, 1)[0] as number];
}

/** Submits an encoder, and reads the beginnings of buffers after it, one behind the other. */
async function readBeginnings(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  beginnings: readonly (readonly [buffer: GPUBuffer, bytes: number])[],
): Promise<ArrayBuffer> {
  const size = beginnings.reduce((sum, [, bytes]) => sum + bytes, 0);
  const staging = device.createBuffer({ label: LABEL, size, usage: MAP_READ | COPY_DST });
  try {
    let offset = 0;
    for (const [buffer, bytes] of beginnings) {
      encoder.copyBufferToBuffer(buffer, 0, staging, offset, bytes);
      offset += bytes;
    }
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MAP_READ);
    return staging.getMappedRange().slice(0);
  } finally {
    staging.destroy();
  }
}

/** Keeps the GPU busy until its clock is up, or time is. */
export async function heat(context: Context, bench: Bench, isOver: () => boolean): Promise<void> {
  const length = bench.input.size / 4;
  const plan = await prepareFor("reduce", context, { type: u32, op: add, maxLength: length }, ["vectors"]);
  const { input, output } = bench;
  const record = (pass: GPUComputePassEncoder): void => plan.record(pass, { input, output, length });
  try {
    for (let heats = 0; heats < MOST_HEATS && !isOver(); heats++) {
      await bench.busy(record, HEAT_MS);
      const took = await bench.time(record, RECORDINGS_A_ROUND);
      bench.fastest = Math.min(bench.fastest ?? took, took);
      if (took <= HARDLY_LONGER * bench.fastest) {
        break;
      }
    }
  } finally {
    plan.destroy();
  }
}

/** The time of each length, in milliseconds; undefined if the device's clock gives none. */
export async function timesOf(
  bench: Bench,
  lengths: readonly number[],
  prepared: Prepared,
  warmMs: number,
): Promise<number[] | undefined> {
  const times: number[] = [];
  const longest = Math.max(...lengths);
  await bench.busy((pass) => prepared.record(pass, bench, longest), warmMs);
  for (const length of lengths) {
    const record = (pass: GPUComputePassEncoder): void => prepared.record(pass, bench, length);
    let recordings = 1;
    let took = 0;
    // A clock may be coarse, so the number grows step by step: one submission must not keep the device for long.
    for (;;) {
      const start = performance.now();
      took = await bench.time(record, recordings);
      const isLong = performance.now() - start > LONGEST_MS;
      if (took >= ENOUGH_MS || isLong || recordings >= MOST_RECORDINGS) {
        break;
      }
      const needed = took > 0 ? Math.ceil((recordings * ENOUGH_MS) / took) : MOST_RECORDINGS;
      recordings = Math.min(MOST_RECORDINGS, GROWTH * recordings, Math.max(2 * recordings, needed));
    }
    for (let repeat = 1; repeat < REPEATS; repeat++) {
      const again = await bench.time(record, recordings);
      took = again > 0 && (took <= 0 || again < took) ? again : took;
    }
    // Timestamps may be reset while they are taken.
    if (!(took > 0)) {
      return undefined;
    }
    times.push(took / recordings);
  }
  return times;
}
