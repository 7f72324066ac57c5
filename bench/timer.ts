import { GPUBufferUsage, MAP_READ } from "../src/gpu/device/usage_flags.ts";
import type { Copy } from "./copy.ts";
import { prepareCopy } from "./copy.ts";

/** How long something took: microseconds. */
export interface Timing {
  readonly median: number;
  /** The first and the third quartile. */
  readonly quartiles: readonly [number, number];
  readonly runs: number;
  /** The GPU's clock around it, as a share of the highest that was seen; nothing on a software adapter. */
  readonly clock?: number;
}

/**
 * What is timed. `pass` is recorded into one compute pass, whose beginning and end are the two
 * timestamps. What begins passes of its own (`encode`), or submits by itself (`submit`), stands
 * between two empty passes that write them: the queue is in order.
 */
export type Work =
  | { readonly pass: (pass: GPUComputePassEncoder) => void }
  | { readonly encode: (encoder: GPUCommandEncoder) => void }
  | { readonly submit: () => void };

/** How long a GPU is kept busy, and how often each work is timed. */
export interface Pace {
  readonly runs: number;
  /** Before the first timing of a set of buffers; 0 on a software adapter, which has no clock to raise. */
  readonly heatMs: number;
  /** Before each timing, with the work itself; twice as long where the clock has fallen, and so on. */
  readonly warmUpMs: number;
  /** Runs that are submitted before the host waits for them. */
  readonly batch: number;
  /** How often it is timed anew at most, if the clock had fallen. The default is 4. */
  readonly attempts?: number;
}

const PACES = {
  gpu: { runs: 31, heatMs: 1500, warmUpMs: 100, batch: 10 },
  // A CPU has no clocks to raise; what is run first is compiled then.
  software: { runs: 7, heatMs: 0, warmUpMs: 20, batch: 1 },
} as const satisfies Record<string, Pace>;

/** The pace for an adapter. */
export function paceFor(software: boolean, quick = false): Pace {
  const pace = software ? PACES.software : PACES.gpu;
  return quick ? { ...pace, runs: Math.ceil(pace.runs / 3) } : pace;
}

/** Times work on one device, by its timestamps. */
export interface Timer {
  readonly pace: Pace;
  /** Keeps the GPU busy until its clocks are up, for `milliseconds` or as long as the pace says. */
  heat(milliseconds?: number): Promise<void>;
  /**
   * The median of many runs, each submitted alone, but none waited for: a GPU lowers its clock within milliseconds of
   * idling, to a quarter at times, and it is what waits for memory that gets slower then, not a copy. Where the clock
   * was low all the same, the GPU is kept busy for longer and the work timed again, a few times.
   *
   * @param before - runs before each timed run, to give what the work overwrites its contents back.
   * @param milliseconds - about how long all of it may take. Slow work has fewer runs then, but at least 3; and 1, if 3 took ten times as
   * long as they may.
   */
  time(work: Work, before?: (encoder: GPUCommandEncoder) => void, milliseconds?: number): Promise<Timing>;
  destroy(): void;
}

/** WebGPU's flag by value, as src/gpu/device/usage_flags.ts has the others. */
const QUERY_RESOLVE = 0x200;
const HEAT_BYTES = 2 ** 26;
const DISCARDED = 3;
/** The least runs, unless they take so many times as long as they may. */
const LEAST_RUNS = 3;
const MOST_TIMES = 10;
/** A lower share of the highest clock is no clock to time at; and how often it is waited for. */
export const STEADY = 0.95;
const ATTEMPTS = 4;

/** A chain of multiplications in one work-group, each waiting for the last: only the clock makes it shorter. */
const CLOCK = `
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) thread: u32) {
  var x = result[thread] | 1u;
  for (var round = 0u; round < 4000u; round++) {
    x = x * 747796405u + thread;
    x = x * 747796405u + round;
  }
  result[thread] = x;
}
`;

/** Quartiles of samples, each one of them. */
export function timingOf(samples: readonly number[]): Timing {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return { median: at(0.5), quartiles: [at(0.25), at(0.75)], runs: samples.length };
}

/** A timer on a device that has the feature "timestamp-query". */
export async function createTimer(device: GPUDevice, pace: Pace): Promise<Timer> {
  // The runs, and the clock before and after them.
  const timings = pace.runs + DISCARDED + 2;
  const bytes = 16 * timings;
  const querySet = device.createQuerySet({
    label: "bench timestamps",
    type: "timestamp",
    count: 2 * timings,
  });
  const resolved = device.createBuffer({
    label: "bench timestamps",
    size: bytes,
    usage: QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
  });
  const staging = device.createBuffer({
    label: "bench timestamps read back",
    size: bytes,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const owned: { destroy(): void }[] = [querySet, resolved, staging];
  let heater: Copy | undefined;
  let clock: ((pass: GPUComputePassEncoder) => void) | undefined;
  /** The shortest time that the chain took, in microseconds. */
  let shortest = Number.POSITIVE_INFINITY;

  const submit = (record: (encoder: GPUCommandEncoder) => void): void => {
    const encoder = device.createCommandEncoder({ label: "bench" });
    record(encoder);
    device.queue.submit([encoder.finish()]);
  };
  const inPass = (
    encoder: GPUCommandEncoder,
    timestampWrites: GPUComputePassTimestampWrites | undefined,
    record?: (pass: GPUComputePassEncoder) => void,
  ): void => {
    const pass = encoder.beginComputePass({ label: "bench", ...(timestampWrites && { timestampWrites }) });
    record?.(pass);
    pass.end();
  };

  /** Submits the work once; where it is timed, with the timestamps of that number. */
  const run = (work: Work, timing?: number): void => {
    const begin = timing === undefined ? undefined : { querySet, beginningOfPassWriteIndex: 2 * timing };
    const end = timing === undefined ? undefined : { querySet, endOfPassWriteIndex: 2 * timing + 1 };
    if ("pass" in work) {
      submit((encoder) => inPass(encoder, begin && end && { ...begin, ...end }, work.pass));
    } else if ("encode" in work) {
      submit((encoder) => {
        inPass(encoder, begin);
        work.encode(encoder);
        inPass(encoder, end);
      });
    } else {
      submit((encoder) => inPass(encoder, begin));
      work.submit();
      submit((encoder) => inPass(encoder, end));
    }
  };

  /** Rounds of runs until so much time has passed, the last of which is not waited for: the GPU has work all the time. */
  const keepBusy = async (work: Work, milliseconds: number, batch: number = pace.batch): Promise<void> => {
    let earlier: Promise<unknown> = Promise.resolve();
    for (const begun = performance.now(); performance.now() - begun < milliseconds; ) {
      for (let at = 0; at < batch; at++) {
        run(work);
      }
      const done = device.queue.onSubmittedWorkDone();
      await earlier;
      earlier = done;
    }
  };

  const heat = async (milliseconds: number = pace.heatMs): Promise<void> => {
    if (pace.heatMs === 0) {
      return;
    }
    if (heater === undefined) {
      const usage = GPUBufferUsage.STORAGE;
      const [from, to] = [0, 1].map((at) =>
        device.createBuffer({ label: `bench heater ${at}`, size: HEAT_BYTES, usage }),
      ) as [GPUBuffer, GPUBuffer];
      owned.push(from, to);
      heater = await prepareCopy(device, from, to, HEAT_BYTES);
    }
    await keepBusy({ pass: heater.record }, milliseconds);
  };

  const clockOf = async (): Promise<(pass: GPUComputePassEncoder) => void> => {
    const pipeline = await device.createComputePipelineAsync({
      label: "bench clock",
      layout: "auto",
      compute: { module: device.createShaderModule({ label: "bench clock", code: CLOCK }) },
    });
    const result = device.createBuffer({ label: "bench clock", size: 128, usage: GPUBufferUsage.STORAGE });
    owned.push(result);
    const layout = pipeline.getBindGroupLayout(0);
    const entries = [{ binding: 0, resource: { buffer: result } }];
    const group = device.createBindGroup({ label: "bench clock", layout, entries });
    return (pass) => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(1);
    };
  };

  /** All runs at once, between two of the clock. */
  const timeRuns = async (
    work: Work,
    before: ((encoder: GPUCommandEncoder) => void) | undefined,
    runs: number,
    discarded: number,
  ): Promise<Timing> => {
    const last = runs + discarded + 1;
    if (clock !== undefined) {
      run({ pass: clock }, 0);
    }
    for (let timing = 1; timing < last; timing++) {
      if (before !== undefined) {
        submit(before);
      }
      run(work, timing);
    }
    if (clock !== undefined) {
      run({ pass: clock }, last);
    }
    submit((encoder) => {
      encoder.resolveQuerySet(querySet, 0, 2 * (last + 1), resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, staging, 0, bytes);
    });
    await staging.mapAsync(MAP_READ);
    const stamps = new BigUint64Array(staging.getMappedRange());
    const times = Array.from(
      { length: last + 1 },
      (_, timing) => Number((stamps[2 * timing + 1] ?? 0n) - (stamps[2 * timing] ?? 0n)) / 1000,
    );
    staging.unmap();
    const timing = timingOf(times.slice(1 + discarded, last));
    if (clock === undefined) {
      return timing;
    }
    const clocks = [times[0] ?? 0, times[last] ?? 0];
    shortest = Math.min(shortest, ...clocks);
    return { ...timing, clock: shortest / Math.max(...clocks) };
  };

  return {
    pace,
    heat,
    async time(work, before, milliseconds = Number.POSITIVE_INFINITY) {
      if (pace.heatMs > 0) {
        clock ??= await clockOf();
      }
      const begun = performance.now();
      const isOver = (): boolean => performance.now() - begun >= milliseconds;
      let { runs, batch, warmUpMs } = pace;
      let discarded = DISCARDED;
      if (milliseconds < Number.POSITIVE_INFINITY) {
        run(work);
        await device.queue.onSubmittedWorkDone();
        const once = performance.now() - begun;
        const inHalf = Math.floor(milliseconds / 2 / once);
        const least = LEAST_RUNS * once > MOST_TIMES * milliseconds ? 1 : LEAST_RUNS;
        runs = Math.min(runs, Math.max(least, inHalf - DISCARDED));
        batch = Math.min(batch, Math.max(1, inHalf));
        if (inHalf <= DISCARDED) {
          // The run above is what warms such work up.
          discarded = 0;
          warmUpMs = 0;
        }
        warmUpMs = Math.min(warmUpMs, milliseconds / 4);
      }
      let best: Timing | undefined;
      for (let attempt = 0; attempt < (pace.attempts ?? ATTEMPTS) && !(attempt > 0 && isOver()); attempt++) {
        await keepBusy(work, warmUpMs * 2 ** attempt, batch);
        const timing = await timeRuns(work, before, runs, discarded);
        if (best === undefined || (timing.clock ?? 1) > (best.clock ?? 1)) {
          best = timing;
        }
        if ((best.clock ?? 1) >= STEADY) {
          break;
        }
      }
      return best as Timing;
    },
    destroy() {
      for (const one of owned) {
        one.destroy();
      }
    },
  };
}
