import { arrayOver } from "../../algebra/arrays.ts";
import type { ElementType } from "../../algebra/types.ts";
import { WavefoldError } from "../../errors.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Context } from "../device/context.ts";
import { explain } from "../device/device.ts";
import { roomFor } from "../device/transfer.ts";
import { keyOfCall } from "../executor/plans_of_calls.ts";
import type { Ranges } from "../recordings/recording.ts";
import { prepare } from "../recordings/recording.ts";
import { callOnGpu, submitOnGpu, withPlanOnGpu } from "./calls_on_gpu.ts";
import type { Arrays, Count, Memory } from "./gpu_array.ts";
import { GpuArray, hold, own } from "./gpu_array.ts";

// Calls on arrays on the GPU that take one plan, and give one array. As in calls_on_gpu.ts, nothing is read back.

const { partsOf } = GpuArray;

/** A call whose arguments were checked. */
interface Call {
  readonly title: string;
  readonly primitive: string;
  /** What the plan depends on. */
  readonly all: { readonly maxLength: number };
  plan(): Plan;
  /** The arrays that it reads. */
  readonly sources: readonly GpuArray[];
  /** The array that decides the length. */
  readonly input: GpuArray;
  readonly ranges: Omit<Ranges, "output" | "length">;
  /** The result: its type, the most items, and where their number is, if that is on the GPU. */
  readonly type: ElementType;
  readonly most: number;
  readonly count?: Count | undefined;
  /** An array of the type, if the result reads into arrays like it. */
  readonly like?: GpuArray;
}

/** The range of an array. */
export const rangeOf = ({ buffer, offset }: GpuArray): { buffer: GPUBuffer; offset: number } => ({
  buffer,
  offset,
});

/** How many items there are, if only the GPU knows. */
export const countOf = (array: GpuArray): Count | undefined => partsOf(array).count;

/** Records a call and submits it. */
export async function runOnGpu(context: Context, arrays: Arrays, call: Call): Promise<GpuArray> {
  const { title, input, sources, type, most, count } = call;
  const key = keyOfCall({ primitive: `${call.primitive} on the GPU`, all: call.all });
  const releases = sources.map((array) => hold(partsOf(array)));
  const make = async () => prepare(context, call.plan(), undefined, true);
  let made: Memory | undefined;
  try {
    return await withPlanOnGpu(context, key, make, async (prepared) => {
      made = own(context, arrays, await roomFor(context, title, "result", most * type.bytes));
      const memory = made;
      const parts = sources.map((array) => partsOf(array));
      const used = [...parts.flatMap((one) => [one.memory, one.count?.memory]), count?.memory];
      submitOnGpu(context, title, used, [memory], (encoder) =>
        prepared.record(
          encoder,
          { ...call.ranges, output: memory.buffer, length: input.length },
          input.maxLength,
        ),
      );
      made = undefined;
      count?.memory.hold();
      const contents = call.like ? GpuArray.makeOf(call.like) : arrayOver.bind(undefined, type);
      return new GpuArray(type, contents, {
        context,
        memory,
        offset: 0,
        maxLength: most,
        count,
        held: count === undefined ? [memory] : [memory, count.memory],
        call: callOnGpu,
      });
    });
  } catch (cause) {
    throw cause instanceof WavefoldError ? cause : await explain(context, title, cause);
  } finally {
    made?.letGo();
    for (const release of releases) {
      release();
    }
  }
}
