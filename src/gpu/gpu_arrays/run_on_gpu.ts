import { arrayOver } from "../../algebra/arrays.ts";
import { u32 } from "../../algebra/integers.ts";
import { inLists } from "../../plan/ranges.ts";
import type { Result } from "../../primitives/primitive.ts";
import type { Context } from "../device/context.ts";
import type { Prepared, Ranges } from "../recordings/recording.ts";
import type { Kept } from "./calls_on_gpu.ts";
import { submitOnGpu, withMemory, withPlanOnGpu } from "./calls_on_gpu.ts";
import type { Arrays, Count, Memory } from "./gpu_array.ts";
import { GpuArray } from "./gpu_array.ts";

// How a plan runs on arrays on the GPU. As in calls_on_gpu.ts, nothing is read back.

const { partsOf } = GpuArray;

/** A result, and the array that it is an array like. */
export interface ResultOnGpu
  extends Pick<Result, "name" | "range" | "type" | "most" | "length" | "isElement" | "hasGaps"> {
  readonly like?: GpuArray | undefined;
}

/** A call whose arguments were checked. */
interface Call {
  readonly title: string;
  /** What its plan depends on. Plans of one key are kept together. */
  readonly key: string;
  compile(): Promise<Kept & Pick<Prepared, "record">>;
  /** The arrays that it reads, by their ranges. `input` decides the length. */
  readonly sources: Readonly<Record<string, GpuArray>> & { readonly input: GpuArray };
  /** Those of them that it writes. */
  readonly written?: readonly GpuArray[];
  /** The numbers of the recording, and further ranges. */
  readonly ranges?: Omit<Ranges, "output" | "length">;
  /** The arrays that it makes. */
  readonly results: readonly ResultOnGpu[];
  /** The array for the first result, which was checked. */
  readonly into?: GpuArray | undefined;
}

/** Where an array lies. */
const rangeOf = ({ buffer, offset }: GpuArray): { buffer: GPUBuffer; offset: number } => ({ buffer, offset });

/** Where a result goes: to memory of its own, or into an array. */
interface ResultPlace {
  readonly memory: Memory;
  readonly offset: number;
  readonly into?: GpuArray;
}

/** How many items there are, if only the GPU knows. */
export const countOf = (array: GpuArray): Count | undefined => partsOf(array).count;

/** Records a call and submits it. It gives an array for each result, but none for those that are dropped. */
export async function runOnGpu(context: Context, arrays: Arrays, call: Call): Promise<readonly GpuArray[]> {
  const { title, key, sources, results, into, written = [] } = call;
  const { input } = sources;
  const operands = Object.entries(sources);
  const used = [...operands.map(([, array]) => array), into];
  return withMemory(context, arrays, title, used, (make) =>
    withPlanOnGpu(context, key, call.compile, async (prepared) => {
      const places: ResultPlace[] = into ? [{ memory: partsOf(into).memory, offset: into.offset, into }] : [];
      for (const { name, most, type } of results.slice(places.length)) {
        places.push({ memory: await make(name, most * type.bytes), offset: 0 });
      }
      const isCounted = results.some(({ length }) => length === "count");
      const counter = isCounted ? await make("count", u32.bytes) : undefined;
      const memoryOf = (array: GpuArray): Memory => partsOf(array).memory;
      const read = operands.flatMap(([, array]) => [memoryOf(array), countOf(array)?.memory]);
      const made = [...places.map(({ memory }) => memory), counter, ...written.map(memoryOf)];
      submitOnGpu(context, title, read, made, (encoder) => {
        for (const [at, { isElement, hasGaps }] of results.entries()) {
          const { memory, into } = places[at] as ResultPlace;
          // There may be no element, and an earlier call may have used this buffer.
          if ((hasGaps && !into) || (isElement && countOf(input))) {
            encoder.clearBuffer(memory.buffer);
          }
        }
        const rangeOfResult = ({ memory, offset }: ResultPlace) => ({ buffer: memory.buffer, offset });
        const ranges = {
          ...inLists([
            ...operands.map(([range, array]) => [range, rangeOf(array)] as const),
            ...results.map(({ range }, at) => [range, rangeOfResult(places[at] as ResultPlace)] as const),
          ]),
          ...(counter && { count: counter.buffer }),
          ...call.ranges,
          length: input.length,
        };
        prepared.record(encoder, ranges as object as Ranges, input.maxLength);
      });
      const given = results.map((result, at) =>
        arrayOf(context, result, places[at] as ResultPlace, countOfResult(result, input, counter)),
      );
      // Each result holds what counts it.
      counter?.letGo();
      return given;
    }),
  );
}

/** What counts the elements of a result. */
function countOfResult(
  { length }: ResultOnGpu,
  input: GpuArray,
  counter: Memory | undefined,
): Count | undefined {
  if (length === "input") {
    return countOf(input);
  }
  return length && counter && { memory: counter, range: { buffer: counter.buffer, offset: 0 } };
}

/** The array of a result. It holds its memory, unless that is `into`, and what counts its elements, unless `into` has that. */
function arrayOf(
  context: Context,
  { type, most, like }: ResultOnGpu,
  { memory, offset, into }: ResultPlace,
  count: Count | undefined,
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
