import { BufferUsage, MAP_READ } from "../runtime/constants.ts";
import type { Copy } from "./copy.ts";
import { prepareCopy } from "./copy.ts";

/** How long something took: microseconds. */
export interface Timing {
  readonly median: number;
  /** The first and the third quartile. */
  readonly quartiles: readonly [number, number];
  readonly runs: number;
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
  /** Before the first timing of a set of buffers: an idle GPU lowers its clocks. */
  readonly heatMs: number;
  /** Before each timing, with the work itself. */
  readonly warmUpMs: number;
  /** Runs that are submitted before the host waits for them. */
  readonly batch: number;
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
  /** Keeps the GPU busy until its clocks are up. */
  heat(): Promise<void>;
  /**
   * The median of many runs, each submitted alone.
   *
   * @param before - runs to its end before each timed run, to give what the work overwrites its contents back.
   */
  time(work: Work, before?: (encoder: GPUCommandEncoder) => void): Promise<Timing>;
  destroy(): void;
}

/** WebGPU's flag by value, as runtime/constants.ts has the others. */
const QUERY_RESOLVE = 0x200;
const HEAT_BYTES = 2 ** 26;
const DISCARDED = 3;

/** Quartiles of samples, each one of them. */
export function timingOf(samples: readonly number[]): Timing {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return { median: at(0.5), quartiles: [at(0.25), at(0.75)], runs: samples.length };
}

/** A timer on a device that has the feature "timestamp-query". */
export async function createTimer(device: GPUDevice, pace: Pace): Promise<Timer> {
  const querySet = device.createQuerySet({ label: "bench timestamps", type: "timestamp", count: 2 });
  const resolved = device.createBuffer({
    label: "bench timestamps",
    size: 16,
    usage: QUERY_RESOLVE | BufferUsage.COPY_SRC,
  });
  const staging = device.createBuffer({
    label: "bench timestamps read back",
    size: 16,
    usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST,
  });
  let heater: { copy: Copy; buffers: readonly GPUBuffer[] } | undefined;

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

  /** Submits the work once, with or without its timestamps. */
  const run = (work: Work, timed: boolean): void => {
    const begin = timed ? { querySet, beginningOfPassWriteIndex: 0 } : undefined;
    const end = timed ? { querySet, endOfPassWriteIndex: 1 } : undefined;
    const resolve = (encoder: GPUCommandEncoder): void => {
      if (timed) {
        encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
        encoder.copyBufferToBuffer(resolved, 0, staging, 0, 16);
      }
    };
    if ("pass" in work) {
      submit((encoder) => {
        inPass(encoder, begin && end && { ...begin, ...end }, work.pass);
        resolve(encoder);
      });
    } else if ("encode" in work) {
      submit((encoder) => {
        inPass(encoder, begin);
        work.encode(encoder);
        inPass(encoder, end);
        resolve(encoder);
      });
    } else {
      submit((encoder) => inPass(encoder, begin));
      work.submit();
      submit((encoder) => {
        inPass(encoder, end);
        resolve(encoder);
      });
    }
  };

  /** Rounds of runs until so much time has passed. */
  const keepBusy = async (work: Work, milliseconds: number): Promise<void> => {
    for (const begun = performance.now(); performance.now() - begun < milliseconds; ) {
      for (let at = 0; at < pace.batch; at++) {
        run(work, false);
      }
      await device.queue.onSubmittedWorkDone();
    }
  };

  return {
    pace,
    async heat() {
      if (pace.heatMs === 0) {
        return;
      }
      if (heater === undefined) {
        const usage = BufferUsage.STORAGE;
        const buffers = [0, 1].map((at) =>
          device.createBuffer({ label: `bench heater ${at}`, size: HEAT_BYTES, usage }),
        );
        const [from, to] = buffers as [GPUBuffer, GPUBuffer];
        heater = { copy: await prepareCopy(device, from, to, HEAT_BYTES), buffers };
      }
      await keepBusy({ pass: heater.copy.record }, pace.heatMs);
    },
    async time(work, before) {
      const samples: number[] = [];
      await keepBusy(work, pace.warmUpMs);
      for (let at = 0; at < pace.runs + DISCARDED; at++) {
        if (before !== undefined) {
          submit(before);
          await device.queue.onSubmittedWorkDone();
        }
        run(work, true);
        await staging.mapAsync(MAP_READ);
        const [begin = 0n, end = 0n] = new BigUint64Array(staging.getMappedRange());
        staging.unmap();
        if (at >= DISCARDED) {
          samples.push(Number(end - begin) / 1000);
        }
      }
      return timingOf(samples);
    },
    destroy() {
      querySet.destroy();
      for (const buffer of [resolved, staging, ...(heater?.buffers ?? [])]) {
        buffer.destroy();
      }
    },
  };
}
