import type { ScalarArray } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import { u32 } from "../algebra/integers.ts";
import type { Segments } from "../algebra/segments.ts";
import { longestOf, requireSegments } from "../algebra/segments.ts";
import type { ScalarType, TypeName } from "../algebra/types.ts";
import type { Fold } from "../gpu/fold.ts";
import type { GpuArray } from "../gpu/gpu_arrays/gpu_array.ts";
import { requireBits, requireKey } from "../plan/sort_key.ts";
import type { OutputOption } from "./arrays.ts";
import { elementsIn, openOutput, tuningOf, writeArrays } from "./arrays.ts";
import { counted, UsageError } from "./errors.ts";
import type { Target } from "./files.ts";
import { DASH, openTarget } from "./files.ts";
import type { AdapterOption, RawOption, SegmentsOption, TuningOption } from "./options.ts";
import { requireKeyType } from "./options.ts";
import type { SegmentsFor } from "./segments.ts";
import { segmentsOf, withAll } from "./segments.ts";

// Sorts hold all elements in memory at once.

/** The options of `wavefold argsort`. */
export interface ArgSortFileOptions
  extends OrderOption,
    Pick<SegmentsOption, "rows" | "offsets">,
    OutputOption,
    RawOption,
    TuningOption,
    AdapterOption {}

/** The options of `wavefold sort`. */
export interface SortFileOptions extends ArgSortFileOptions {
  /** The paths of arrays that move with the elements, and where they go. */
  readonly values?: readonly string[];
  readonly valuesOut?: readonly string[];
}

/** An array, and the type of its elements. */
interface Typed {
  readonly type: ScalarType;
  readonly data: ScalarArray;
}

/** What an order is by, on the command line. */
export interface OrderOption {
  readonly descending?: boolean;
  readonly key?: string;
  readonly keyType?: TypeName;
  readonly bits?: readonly number[];
}

/** What an order is by. The calls check it again, but only once there is an adapter. */
export function orderOf(
  { descending, key, keyType, bits }: OrderOption,
  type: ScalarType,
  caller: string,
): object {
  const by = {
    ...(descending && { descending }),
    ...(key !== undefined && { key }),
    ...(keyType !== undefined && { keyType: elementTypes[keyType] }),
    ...(bits !== undefined && { bits: bits as [number, number] }),
  };
  const title = `${caller}<${type.name}>`;
  requireBits(by.bits, requireKey(by, type, title), title);
  return by;
}

/** Where the values go. @throws {UsageError} unless there is a file for each file of values. */
async function valueTargets({ values = [], valuesOut = [] }: SortFileOptions): Promise<readonly Target[]> {
  if (values.length !== valuesOut.length) {
    throw new UsageError(
      `sort: it was given ${counted(values.length, "--values file")} and ${counted(valuesOut.length, "--values-out file")}; it takes one --values-out for each --values`,
    );
  }
  if ([...values, ...valuesOut].includes(DASH)) {
    throw new UsageError("sort: --values and --values-out take files");
  }
  const targets: Target[] = [];
  for (const path of valuesOut) {
    targets.push(await openTarget(path));
  }
  return targets;
}

/** Reads all elements, sorts on an adapter, and hands on what comes out. */
const withSorted = <Result>(
  path: string,
  options: ArgSortFileOptions,
  caller: string,
  sort: (
    from: SegmentsFor,
    order: { readonly segments?: Segments },
  ) => Promise<(fold: Fold, data: ScalarArray) => Promise<Result>>,
  write: (result: Result, type: ScalarType, shape: readonly number[] | undefined) => Promise<void>,
): Promise<void> => {
  const isSegmented = (options.rows ?? options.offsets) !== undefined;
  return withAll(
    { path, options, caller },
    async ({ type }, from) => {
      const order = { ...tuningOf(options), ...orderOf(options, type, caller) };
      return sort(from, { ...order, ...(isSegmented && (await segmentsOf(options, from))) });
    },
    // What is sorted as a whole has no rows any more.
    (result, type, _, shape) => write(result, type, isSegmented ? shape : undefined),
  );
};

/** `wavefold sort` */
export async function sortFile(path: string, options: SortFileOptions): Promise<void> {
  requireKeyType(options, "sort");
  const targets = await valueTargets(options);
  const target = await openOutput(options.output, options);
  const values: Typed[] = [];
  await withSorted(
    path,
    options,
    "sort",
    async ({ type, length }, order) => {
      for (const file of options.values ?? []) {
        const own = await elementsIn(file);
        if (own.data.length !== length) {
          throw new UsageError(
            `${file}: it holds ${counted(own.data.length, "value")}, and ${path} holds ${counted(length, "element")}; it takes one value for each`,
          );
        }
        values.push(own);
      }
      const { segments } = order;
      const checked = segments && requireSegments(segments, length, `sort<${type.name}>`);
      const offsets = checked?.kind === "offsets" ? checked.words : undefined;
      return async (fold, data) => {
        // Arrays on the GPU, since only their upload takes the type of f16 values.
        const upload = ({ type, data }: Typed): Promise<GpuArray> => fold.upload(data, { type });
        const keys = await upload({ type, data });
        const moved: GpuArray[] = [];
        for (const one of values) {
          moved.push(await upload(one));
        }
        const by: object = {
          ...order,
          ...(offsets && {
            segments: { offsets: await fold.upload(offsets) },
            maxSegmentLength: longestOf(offsets),
          }),
        };
        const sorted =
          moved.length === 0
            ? { keys: await fold.sort(keys, by), values: [] }
            : await fold.sort(keys, { ...by, values: moved });
        const read: ScalarArray[] = [];
        for (const one of [sorted.keys, ...sorted.values]) {
          read.push((await one.read()) as ScalarArray);
        }
        return read;
      };
    },
    ([keys, ...moved], type, shape) =>
      writeArrays([
        ...targets.map((to, at) => {
          const data = moved[at] as ScalarArray;
          return { target: to, type: (values[at] as Typed).type, data };
        }),
        { target, options, type, data: keys as ScalarArray, shape },
      ]),
  );
}

/** `wavefold argsort` */
export async function argSortFile(path: string, options: ArgSortFileOptions): Promise<void> {
  requireKeyType(options, "argsort");
  const target = await openOutput(options.output, options);
  await withSorted(
    path,
    options,
    "argsort",
    async ({ type }, order) =>
      (fold, data) =>
        fold.argSort(data, { ...order, type } as never),
    (data, _, shape) => writeArrays([{ target, options, type: u32, data, shape }]),
  );
}
