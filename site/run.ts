import type { ScalarArray } from "../src/algebra/arrays.ts";
import { arrayLike } from "../src/algebra/arrays.ts";
import { contextOf } from "../src/gpu/device/device.ts";
import { prepare } from "../src/gpu/recordings/recording.ts";
import type { Fold } from "../src/index.ts";
import type { Grouping } from "../src/plan/grouping.ts";
import { wholeWords } from "../src/plan/plan.ts";
import type { Wanted } from "./plans.ts";
import { planOf } from "./plans.ts";
import type { Timing } from "./timing.ts";
import { copyRecorder, time } from "./timing.ts";

const STORAGE = 0x80;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const MAP_READ = 0x1;

/** What a run gave. */
export interface Ran {
  readonly output: ScalarArray;
  /** The order of its operations; a compaction's does not show. */
  readonly grouping: Grouping | undefined;
  /** Where there was something to time. */
  readonly timing: Timing | undefined;
  readonly copy: Timing | undefined;
}

/** Runs a primitive on the GPU by the plan whose WGSL the page shows, and times it beside a copy of the same bytes. */
export async function runOnGpu(fold: Fold, wanted: Wanted, data: ScalarArray, timed = true): Promise<Ran> {
  const { device } = fold;
  const owned: { destroy(): void }[] = [];
  const buffer = (label: string, bytes: number, usage: number): GPUBuffer => {
    // Whole vectors of 16 bytes, which the copy moves.
    const one = device.createBuffer({
      label: `site ${label}`,
      size: Math.max(16, Math.ceil(bytes / 16) * 16),
      usage,
    });
    owned.push(one);
    return one;
  };
  device.pushErrorScope("out-of-memory");
  device.pushErrorScope("validation");
  try {
    const bytes = new Uint8Array(wholeWords(data.byteLength));
    bytes.set(new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength));
    const input = buffer("input", bytes.length, STORAGE | COPY_DST);
    const output = buffer("output", bytes.length, STORAGE | COPY_SRC);
    const count = buffer("count", 4, STORAGE | COPY_SRC);
    device.queue.writeBuffer(input, 0, bytes);
    const { length } = data;

    const plan = planOf(wanted, contextOf(device).facts);
    const prepared = await prepare(contextOf(device), plan);
    owned.push(prepared);
    const ranges = { input, output, length, ...(wanted.primitive === "compact" && { count }) };
    const grouping = wanted.primitive === "compact" ? undefined : prepared.groupingOf(ranges);
    const record = (encoder: GPUCommandEncoder | GPUComputePassEncoder): void =>
      prepared.record(encoder, ranges);

    const readBack = async (
      from: GPUBuffer,
      wantedBytes: number,
      first: GPUCommandEncoder,
    ): Promise<ArrayBuffer> => {
      const staging = buffer("read-back", wantedBytes, MAP_READ | COPY_DST);
      first.copyBufferToBuffer(from, 0, staging, 0, wholeWords(wantedBytes));
      device.queue.submit([first.finish()]);
      await staging.mapAsync(MAP_READ);
      return staging.getMappedRange().slice(0, wantedBytes);
    };
    const encoder = device.createCommandEncoder({ label: "site run" });
    record(encoder);
    const itemBytes = wanted.type.bytes;
    let outputBytes = (wanted.primitive === "reduce" ? 1 : length) * itemBytes;
    if (wanted.primitive === "compact") {
      const [kept = 0] = new Uint32Array(await readBack(count, 4, encoder));
      outputBytes = kept * itemBytes;
    }
    const last = wanted.primitive === "compact" ? device.createCommandEncoder() : encoder;
    const result = arrayLike(data, await readBack(output, outputBytes, last));

    const times = timed && length > 0;
    const runs = fold.software ? 3 : 9;
    const timing = times ? await time(device, record, { runs }) : undefined;
    const copy = times ? await time(device, copyRecorder(device, input, output), { runs }) : undefined;
    return { output: result, grouping, timing, copy };
  } finally {
    for (const one of owned) {
      one.destroy();
    }
    const [invalid, full] = await Promise.all([device.popErrorScope(), device.popErrorScope()]);
    const failure = full ?? invalid;
    if (failure !== null) {
      // biome-ignore lint/correctness/noUnsafeFinally: what the GPU says comes before what followed from it
      throw new Error(failure.message);
    }
  }
}
