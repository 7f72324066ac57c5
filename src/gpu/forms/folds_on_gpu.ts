import { arrayOver } from "../../algebra/arrays.ts";
import { u32 } from "../../algebra/integers.ts";
import { min } from "../../algebra/operators.ts";
import { OutOfMemoryError } from "../../errors.ts";
import type { FoldName } from "../../plan/plan_recording.ts";
import { folds } from "../../primitives/folds.ts";
import type { Operand } from "../../primitives/primitive.ts";
import { explain } from "../device/lost.ts";
import { withMemory } from "../gpu_arrays/calls_on_gpu.ts";
import { GpuArray } from "../gpu_arrays/gpu_array.ts";
import { countOf } from "../gpu_arrays/run_on_gpu.ts";
import { prepareFor } from "../recordings/prepare_folds.ts";
import type { CallOnGpu, Runner } from "./call.ts";
import { usualRunner } from "./call.ts";

// How scans, reductions, compactions and partitions are carried out on arrays on the GPU: by plans whose recordings go in windows and put kernels
// off. If an array beside their data has another length on the GPU, the lesser one counts.

const { partsOf } = GpuArray;
const { reduce } = folds;

export const foldRunner: Runner = {
  prepare: ({ name }, context, options, arrangements) =>
    prepareFor(name as FoldName, context, options as never, arrangements, true),
  async run(called, request, onGpu, into) {
    const input = onGpu.data as GpuArray;
    const range = countOf(input)?.range;
    const hasOtherLength = ({ name, inside }: Operand): boolean => {
      const other = (name === "flags" || inside) && countOf(onGpu[name] as GpuArray)?.range;
      return !!other && (other.buffer !== range?.buffer || other.offset !== range.offset);
    };
    // A call takes one of them at most.
    const other = called.operands.find(hasOtherLength);
    if (other === undefined) {
      return usualRunner.run(called, request, onGpu, into);
    }
    const { context, arrays } = called;
    return withMemory(context, arrays, request.title, [into, ...Object.values(onGpu)], async () => {
      const shortest = await shorterOf(called, request.title, input, other, onGpu[other.name] as GpuArray);
      const { memory } = partsOf(shortest);
      const shared = { ...partsOf(input), count: { memory, range: { buffer: memory.buffer, offset: 0 } } };
      const data = new GpuArray(input.type, GpuArray.makeOf(input), { ...shared, held: [] });
      try {
        return await usualRunner.run(called, request, { ...onGpu, data }, into);
      } finally {
        shortest.destroy();
      }
    });
  },
};

/** The length of an array on the GPU, in an array of one element, or as a number if the host knows it. */
function lengthOf(array: GpuArray): GpuArray | number {
  const { context, count, maxLength } = partsOf(array);
  return count === undefined
    ? maxLength
    : new GpuArray(u32, arrayOver.bind(undefined, u32), {
        context,
        memory: count.memory,
        offset: count.range.offset,
        maxLength: 1,
        count: undefined,
        held: [],
      });
}

/** The lesser of the length of a call's data and that of the array beside it, which only the GPU knows, in an array of one element. */
async function shorterOf(
  called: CallOnGpu,
  title: string,
  input: GpuArray,
  { name }: Operand,
  other: GpuArray,
): Promise<GpuArray> {
  const initial = lengthOf(input);
  const isNumber = typeof initial === "number";
  const onGpu = { data: lengthOf(other) as GpuArray, ...(!isNumber && { initial }) };
  const operands = reduce.operands.filter((one) => one.name in onGpu);
  // A word of head bits is for 32 items. More words than there may be items count as that many items, without wrapping.
  const map = name === "headBits" && { from: u32, map: "select(x * 32u, 0xffffffffu, x > 0x7ffffffu)" };
  const request = {
    title,
    options: { op: min, type: u32, initial: true, ...map },
    ...(isNumber && { initial }),
    results: [{ name: "result", range: "output", type: u32, most: 1 }],
  } as const;
  try {
    const [shortest] = await usualRunner.run({ ...called, primitive: reduce, operands }, request, onGpu);
    return shortest as GpuArray;
  } catch (cause) {
    // The caller made no reduction, so errors of its plan have the title of the call.
    const own = await explain(called.context, title, cause);
    throw own instanceof OutOfMemoryError
      ? new OutOfMemoryError(own.message.replace(/^.*?: /, `${title}: `), own.needed)
      : own;
  }
}
