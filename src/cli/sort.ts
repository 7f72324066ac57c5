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
import { elementsIn, openOutput, tuningOf, withElements, writeArray, writeArrays } from "./arrays.ts";
import { counted, UsageError } from "./errors.ts";
import type { Target } from "./files.ts";
import { DASH, openTarget } from "./files.ts";
import { readAll } from "./npy.ts";
import type { AdapterOption, RawOption, SegmentsOption, TuningOption } from "./options.ts";
import { requireKeyType, withFold } from "./options.ts";
import { startProgress } from "./progress.ts";
import { segmentsOf } from "./segments.ts";

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
async function withSorted<Result>(
  path: string,
  options: ArgSortFileOptions,
  caller: string,
  sort: (given: Typed, order: { readonly segments?: Segments }) => Promise<(fold: Fold) => Promise<Result>>,
  write: (result: Result, type: ScalarType, shape: readonly number[] | undefined) => Promise<void>,
): Promise<void> {
  await withElements(path, options, async (source, input) => {
    const progress = startProgress(4);
    try {
      progress.step("reading");
      const { type, shape } = source;
      const order = { ...tuningOf(options), ...orderOf(options, type, caller) };
      const data = await readAll(source, input.path);
      const { rows, offsets } = options;
      const isSegmented = rows !== undefined || offsets !== undefined;
      const from = { type, shape, length: data.length, path: input.path, caller };
      const segments = isSegmented ? await segmentsOf(options, from) : undefined;
      const run = await sort({ type, data }, { ...order, ...segments });
      progress.step("opening the adapter");
      const result = await withFold(options, (fold) => {
        progress.step("running");
        return run(fold);
      });
      progress.step("writing");
      // What is sorted as a whole has no rows any more.
      await write(result, type, shape === undefined || isSegmented ? shape : [data.length]);
    } finally {
      progress.stop();
    }
  });
}

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
    async (given, order) => {
      for (const file of options.values ?? []) {
        const own = await elementsIn(file);
        if (own.data.length !== given.data.length) {
          throw new UsageError(
            `${file}: it holds ${counted(own.data.length, "value")}, and ${path} holds ${counted(given.data.length, "element")}; it takes one value for each`,
          );
        }
        values.push(own);
      }
      const { segments } = order;
      const checked = segments && requireSegments(segments, given.data.length, `sort<${given.type.name}>`);
      const offsets = checked?.kind === "offsets" ? checked.words : undefined;
      return async (fold) => {
        // Arrays on the GPU, since only their upload takes the type of f16 values.
        const upload = ({ type, data }: Typed): Promise<GpuArray> => fold.upload(data, { type });
        const keys = await upload(given);
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
          return { target: to, type: (values[at] as Typed).type, data, shape: [data.length] };
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
    async ({ type, data }, order) =>
      (fold) =>
        fold.argSort(data, { ...order, type } as never),
    (positions, _, shape) => writeArray(target, options, u32, positions, shape),
  );
}
