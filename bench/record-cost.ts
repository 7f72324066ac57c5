import { u32 } from "../src/algebra/integers.ts";
import type { Fold } from "../src/gpu/fold.ts";
import { createBuffer } from "./buffers.ts";
import type { BenchPrimitive } from "./suite.ts";
import { prepareTask } from "./task.ts";
import type { Timing } from "./timer.ts";
import { timingOf } from "./timer.ts";

/** What one call of `record()` costs the host: microseconds. */
export interface RecordCost {
  readonly primitive: BenchPrimitive;
  readonly length: number;
  /** The first call with these ranges, which makes the bind groups. */
  readonly first: number;
  readonly later: Timing;
}

const LENGTH = 2 ** 16;
const CALLS = 4000;
const CALLS_AN_ENCODER = 100;

/** Times `record()` of sums and sorts into encoders that are finished, and never submitted. */
export async function timeRecording(
  fold: Fold,
  primitives: readonly BenchPrimitive[],
): Promise<RecordCost[]> {
  const { device } = fold;
  const buffer = (name: string): Promise<GPUBuffer> => createBuffer(device, name, LENGTH * u32.bytes);
  const buffers = {
    input: await buffer("input"),
    output: await buffer("output"),
    result: await buffer("result"),
    values: await buffer("values"),
    reordered: await buffer("reordered values"),
  };
  const costs: RecordCost[] = [];
  for (const primitive of primitives) {
    const question = { primitive, type: "u32", op: "add", length: LENGTH } as const;
    const task = await prepareTask(fold, question, buffers);
    const samples: number[] = [];
    while (samples.length < CALLS) {
      const encoder = device.createCommandEncoder({ label: "bench record" });
      const pass = encoder.beginComputePass({ label: "bench record" });
      for (let at = 0; at < CALLS_AN_ENCODER; at++) {
        const begun = performance.now();
        task.record(pass);
        samples.push((performance.now() - begun) * 1000);
      }
      pass.end();
      encoder.finish();
    }
    task.destroy();
    const [first = 0, ...later] = samples;
    costs.push({ primitive, length: LENGTH, first, later: timingOf(later) });
  }
  for (const one of Object.values(buffers)) {
    one.destroy();
  }
  return costs;
}
