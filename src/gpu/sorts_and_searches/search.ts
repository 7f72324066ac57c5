import { u32 } from "../../algebra/integers.ts";
import type { ElementType } from "../../algebra/types.ts";
import { isSameType } from "../../algebra/types.ts";
import { ArgumentError } from "../../errors.ts";
import type { OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import { requireMaxLength } from "../../plan/choose_sizes.ts";
import { requireScalar, requireSide } from "../../plan/require_scalar.ts";
import type { SearchOptions, SearchTuning } from "../../plan/search.ts";
import { planSearch } from "../../plan/search.ts";
import { planAtHand, readBackOf, typesOf } from "../at_hand/scan_at_hand.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import type { Given } from "../device/transfer.ts";
import { fresh } from "../device/transfer.ts";
import { plannedLengthOnGpu, requireNamed, requireOnGpu } from "../gpu_arrays/calls_on_gpu.ts";
import type { Arrays, GpuArray } from "../gpu_arrays/gpu_array.ts";
import { countOf, rangeOf, runOnGpu } from "../gpu_arrays/one_plan_call.ts";
import type { Prepared } from "../recordings/recording.ts";
import { prepare } from "../recordings/recording.ts";

/** The options of `searchSorted`. */
export interface HandSearchOptions<Name extends string> extends SearchTuning {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** The options of `searchSorted`. */
const searchNames = {
  side: true,
  type: true,
  workGroupSize: true,
  itemsPerThread: true,
} as const satisfies OptionTable<HandSearchOptions<string>>;
const preparedNames = {
  maxLength: true,
  lengthOnGpu: "boolean",
  ...searchNames,
} as const satisfies OptionTable<SearchOptions>;

/** `Fold.prepareSearchSorted`. */
export async function prepareSearchSorted(context: Context, options: SearchOptions): Promise<Prepared> {
  requireOptions("prepareSearchSorted", options, preparedNames);
  return prepare(context, planSearch(options, context.facts));
}

/** @throws {LimitError} for arrays that no binding of the device holds. */
function requireBindable(
  title: string,
  lengths: { readonly sorted: number; readonly values: number },
  type: ElementType,
  { facts: { limits } }: Context,
): void {
  for (const [name, length] of Object.entries(lengths)) {
    // A place, of a value, is a u32.
    const bytes = name === "values" ? Math.max(type.bytes, u32.bytes) : type.bytes;
    requireMaxLength(`${title}: ${name}`, length, bytes, limits, name);
  }
}

/** `Fold.searchSorted`. `sorted` and `values` are the arrays as they were when the call began. */
export async function searchSortedAtHand(
  context: Context,
  sorted: Given,
  values: Given,
  options: HandSearchOptions<string>,
): Promise<Uint32Array> {
  const caller = "searchSorted";
  requireOptions(caller, options, searchNames);
  const { type: named, ...others } = options;
  const { type } = await typesOf(sorted, { type: named }, caller, "sorted");
  requireScalar(type, caller, "sorted");
  const { type: own } = await typesOf(values, { type: named }, caller, "values");
  if (!isSameType(type, own)) {
    throw new ArgumentError(
      `${caller}: sorted holds ${type.name}, and values holds ${own.name}; both take the same type`,
      "values",
    );
  }
  const title = `${caller}<${type.name}>`;
  requireSide(others.side, title);
  requireBindable(title, { sorted: sorted.length, values: values.length }, type, context);
  const all = { ...others, type, maxLength: values.length };
  const made = await planAtHand(
    context,
    {
      primitive: caller,
      // The number of sorted elements is a parameter of the dispatches, which are kept with the plan.
      all: { ...all, sortedLength: sorted.length } as typeof all,
      plan: async () => planSearch(all, context.facts),
    },
    bufferBytesFor(sorted.byteLength) +
      bufferBytesFor(values.byteLength) +
      bufferBytesFor(values.length * u32.bytes),
    async ({ upload, output, run }) => {
      if (values.length === 0) {
        return new Uint8Array(0);
      }
      const ranges = {
        sorted: sorted.byteLength > 0 ? await upload("sorted", sorted) : undefined,
        input: await upload("input", values),
        output: await output("output", values.length),
      };
      const bytes = values.length * u32.bytes;
      const result = fresh(bytes);
      await run(ranges, values.length, [readBackOf(ranges.output, bytes, result)]);
      return result();
    },
  );
  return new Uint32Array(made.buffer as ArrayBuffer);
}

/** `Fold.searchSorted` of arrays on the GPU. */
export async function searchSortedOnGpu(
  context: Context,
  arrays: Arrays,
  sortedData: unknown,
  values: unknown,
  options: HandSearchOptions<string>,
): Promise<GpuArray> {
  const caller = "searchSorted";
  requireOptions(caller, options, searchNames);
  const sorted = requireOnGpu(caller, context, sortedData, "sorted", "values");
  const input = requireOnGpu(caller, context, values, "values", "sorted");
  requireNamed(caller, sorted, options.type);
  const type = requireScalar(sorted.type, caller, "sorted");
  const title = `${caller}<${type.name}>`;
  if (!isSameType(type, input.type)) {
    throw new ArgumentError(
      `${title}: values holds ${input.type.name}; it takes ${type.name}, as sorted holds`,
      "values",
    );
  }
  requireSide(options.side, title);
  requireBindable(title, { sorted: sorted.maxLength, values: input.maxLength }, type, context);
  const count = countOf(input);
  const sortedCount = countOf(sorted);
  const all = {
    ...options,
    type,
    maxLength: plannedLengthOnGpu(input.maxLength, Math.max(type.bytes, u32.bytes), context),
    lengthOnGpu: count !== undefined,
  };
  return runOnGpu(context, arrays, {
    title,
    primitive: sortedCount ? `${caller} in counted elements` : caller,
    all,
    plan: () => planSearch(all, context.facts, sortedCount !== undefined),
    sources: [sorted, input],
    input,
    ranges: {
      input: rangeOf(input),
      sorted: rangeOf(sorted),
      sortedLength: sorted.maxLength,
      ...(sortedCount && { sortedCount: sortedCount.range }),
    },
    type: u32,
    most: input.maxLength,
    count,
  });
}
