import copyFile from "./shaders/copy.wgsl";

/** How long work takes on the GPU. */
export interface Timing {
  /** Microseconds of one run: the median of several. */
  readonly microseconds: number;
  readonly by: "GPU timestamps" | "wall clock";
  readonly runs: number;
}

const QUERY_RESOLVE = 0x200;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const MAP_READ = 0x1;

/** Browsers round timestamps to 100 µs: a sample that is timed lasts many times that. */
const SAMPLE_MICROSECONDS = 4000;
const MOST_REPEATS = 256;

/**
 * Times what `record` records into a compute pass: by timestamps where the device has them, else by the
 * clock on the wall, which counts the submission too. Short work is repeated in one pass.
 */
export async function time(
  device: GPUDevice,
  record: (pass: GPUComputePassEncoder) => void,
  { runs = 7 }: { readonly runs?: number } = {},
): Promise<Timing> {
  const stamps = device.features.has("timestamp-query");
  const clock = stamps ? timestampClock(device) : wallClock(device);
  try {
    let repeats = 1;
    // The first run also uploads and compiles what is left to.
    await clock.sample(record, 1);
    for (;;) {
      const took = await clock.sample(record, repeats);
      if (took >= SAMPLE_MICROSECONDS || repeats >= MOST_REPEATS) {
        break;
      }
      const wanted = took > 0 ? Math.ceil((1.2 * repeats * SAMPLE_MICROSECONDS) / took) : repeats * 16;
      repeats = Math.min(MOST_REPEATS, wanted);
    }
    const samples: number[] = [];
    for (let run = 0; run < runs; run++) {
      samples.push((await clock.sample(record, repeats)) / repeats);
    }
    samples.sort((a, b) => a - b);
    return {
      microseconds: samples[Math.floor(runs / 2)] ?? 0,
      by: stamps ? "GPU timestamps" : "wall clock",
      runs: runs * repeats,
    };
  } finally {
    clock.destroy();
  }
}

interface Clock {
  /** The microseconds of `repeats` runs in one pass. */
  sample(record: (pass: GPUComputePassEncoder) => void, repeats: number): Promise<number>;
  destroy(): void;
}

function timestampClock(device: GPUDevice): Clock {
  const querySet = device.createQuerySet({ label: "site clock", type: "timestamp", count: 2 });
  const resolved = device.createBuffer({ label: "site clock", size: 16, usage: QUERY_RESOLVE | COPY_SRC });
  const staging = device.createBuffer({ label: "site clock", size: 16, usage: MAP_READ | COPY_DST });
  return {
    async sample(record, repeats) {
      const encoder = device.createCommandEncoder({ label: "site clock" });
      const pass = encoder.beginComputePass({
        timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
      });
      for (let at = 0; at < repeats; at++) {
        record(pass);
      }
      pass.end();
      encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, staging, 0, 16);
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(MAP_READ);
      const [begin = 0n, end = 0n] = new BigUint64Array(staging.getMappedRange());
      staging.unmap();
      return Number(end - begin) / 1000;
    },
    destroy() {
      querySet.destroy();
      resolved.destroy();
      staging.destroy();
    },
  };
}

function wallClock(device: GPUDevice): Clock {
  return {
    async sample(record, repeats) {
      await device.queue.onSubmittedWorkDone();
      const begin = performance.now();
      const encoder = device.createCommandEncoder({ label: "site clock" });
      const pass = encoder.beginComputePass();
      for (let at = 0; at < repeats; at++) {
        record(pass);
      }
      pass.end();
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
      return (performance.now() - begin) * 1000;
    },
    destroy() {},
  };
}

const copyPipelines = new WeakMap<GPUDevice, GPUComputePipeline>();

/** Records a copy of one buffer to another by a kernel. Their size is a multiple of 16. */
export function copyRecorder(
  device: GPUDevice,
  input: GPUBuffer,
  output: GPUBuffer,
): (pass: GPUComputePassEncoder) => void {
  const known = copyPipelines.get(device);
  const pipeline =
    known ??
    device.createComputePipeline({
      label: "site copy",
      layout: "auto",
      compute: { module: device.createShaderModule({ label: "site copy", code: copyFile }) },
    });
  copyPipelines.set(device, pipeline);
  const bindGroup = device.createBindGroup({
    label: "site copy",
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: { buffer: input } },
      { binding: 1, resource: { buffer: output } },
    ],
  });
  const groups = Math.max(1, Math.ceil(input.size / 16 / 1024));
  const rows = Math.ceil(groups / 65535);
  return (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindGroup);
    pass.dispatchWorkgroups(Math.ceil(groups / rows), rows);
  };
}

/** A number of three digits, as people read it: 1,730, and not 1.73e+3. */
export const threeDigits = (value: number): string =>
  value.toLocaleString("en", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });

/** A time as people read it. */
export const formatTime = (microseconds: number): string =>
  microseconds < 999.5
    ? `${threeDigits(microseconds)} µs`
    : microseconds < 999_500
      ? `${threeDigits(microseconds / 1000)} ms`
      : `${threeDigits(microseconds / 1e6)} s`;
