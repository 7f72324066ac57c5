import { arrayOver } from "../../algebra/arrays.ts";
import { u32 } from "../../algebra/integers.ts";
import { valuesIn } from "../../algebra/seen_params.ts";
import type { Plan } from "../../plan/plan.ts";
import { inLists } from "../../plan/ranges.ts";
import type { Result } from "../../primitives/primitive.ts";
import type { Context } from "../device/context.ts";
import { keyOfCall } from "../executor/planned.ts";
import { submitOnGpu, withMemory, withPlanOnGpu } from "../gpu_arrays/calls_on_gpu.ts";
import type { Arrays, Count, Memory } from "../gpu_arrays/gpu_array.ts";
import { GpuArray } from "../gpu_arrays/gpu_array.ts";
import type { Ranges } from "../recordings/recording.ts";
import { prepare } from "../recordings/recording.ts";

// How a plan runs on arrays on the GPU. As in calls_on_gpu.ts, nothing is read back.

const { partsOf } = GpuArray;

/** A call whose arguments were checked. */
interface Call {
  readonly title: string;
  readonly primitive: string;
  /** What the plan depends on. */
  readonly all: { readonly maxLength: number; readonly params?: unknown };
  plan(): Promise<Plan>;
  /** The arrays that it reads, by their ranges. `input` decides the length. */
  readonly sources: Readonly<Record<string, GpuArray>> & { readonly input: GpuArray };
  /** The numbers of the recording, and further ranges. */
  readonly ranges?: Omit<Ranges, "output" | "length">;
  /** The arrays that it makes. {@link Result.like} is a range of `sources`. */
  readonly results: readonly Result[];
  /** The array for the first result, which was checked. */
  readonly into?: GpuArray | undefined;
}

/** Where an array lies. */
const rangeOf = ({ buffer, offset }: GpuArray): { buffer: GPUBuffer; offset: number } => ({ buffer, offset });

/** Where a result goes: to memory of its own, or into an array. */
interface Place {
  readonly memory: Memory;
  readonly offset: number;
  readonly into?: GpuArray;
}

/** How many items there are, if only the GPU knows. */
export const countOf = (array: GpuArray): Count | undefined => partsOf(array).count;

/** Records a call and submits it. It gives an array for each result, but none for those that are dropped. */
export async function runOnGpu(context: Context, arrays: Arrays, call: Call): Promise<readonly GpuArray[]> {
  const { title, sources, results, into } = call;
  const { input } = sources;
  const key = keyOfCall({ primitive: `${call.primitive} on the GPU`, all: call.all });
  const operands = Object.entries(sources);
  const compile = async () => {
    const plan = await call.plan();
    const scratchBytes = plan.scratch.reduce((sum, { bytes }) => sum + bytes, 0);
    return { ...(await prepare(context, plan, undefined, true)), scratchBytes };
  };
  const used = [...operands.map(([, array]) => array), into];
  return withMemory(context, arrays, title, used, (make) =>
    withPlanOnGpu(context, key, compile, async (prepared) => {
      const places: Place[] = into ? [{ memory: partsOf(into).memory, offset: into.offset, into }] : [];
      for (const { name, most, type } of results.slice(places.length)) {
        places.push({ memory: await make(name, most * type.bytes), offset: 0 });
      }
      const isCounted = results.some(({ length }) => length === "count");
      const counter = isCounted ? await make("count", u32.bytes) : undefined;
      const read = operands.flatMap(([, array]) => [partsOf(array).memory, countOf(array)?.memory]);
      const written = [...places.map(({ memory }) => memory), counter];
      submitOnGpu(context, title, read, written, (encoder) => {
        for (const [at, { isElement }] of results.entries()) {
          // There may be no element, and an earlier call may have used this buffer.
          if (isElement && countOf(input)) {
            encoder.clearBuffer((places[at] as Place).memory.buffer);
          }
        }
        const rangeOfResult = ({ memory, offset }: Place) => ({ buffer: memory.buffer, offset });
        const ranges = {
          ...inLists([
            ...operands.map(([range, array]) => [range, rangeOf(array)] as const),
            ...results.map(({ range }, at) => [range, rangeOfResult(places[at] as Place)] as const),
          ]),
          ...(counter && { count: counter.buffer }),
          ...call.ranges,
          ...valuesIn(call.all),
          length: input.length,
        };
        prepared.record(encoder, ranges as object as Ranges, input.maxLength);
      });
      const given = results.map((result, at) => {
        const count = countOfResult(result, input, counter);
        return arrayOf(context, result, places[at] as Place, count, sources[result.like ?? ""]);
      });
      // Each result holds what counts it.
      counter?.letGo();
      return given;
    }),
  );
}

/** What counts the elements of a result. */
function countOfResult({ length }: Result, input: GpuArray, counter: Memory | undefined): Count | undefined {
  if (length === "input") {
    return countOf(input);
  }
  return length && counter && { memory: counter, range: { buffer: counter.buffer, offset: 0 } };
}

/** The array of a result. It holds its memory, unless that is `into`, and what counts its elements, unless `into` has that. */
function arrayOf(
  context: Context,
  { type, most }: Result,
  { memory, offset, into }: Place,
  count: Count | undefined,
  like: GpuArray | undefined,
): GpuArray {
  const isCounter = count !== undefined && count.memory !== (into && partsOf(into).count?.memory);
  if (isCounter) {
    count.memory.hold();
  }
  return new GpuArray(type, like ? GpuArray.makeOf(like) : arrayOver.bind(undefined, type), {
    context,
    memory,
    offset,
    maxLength: most,
    count,
    held: [...(into ? [] : [memory]), ...(isCounter ? [count.memory] : [])],
  });
}
