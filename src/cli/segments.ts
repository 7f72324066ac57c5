import type { ScalarArray } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import { monoid } from "../algebra/monoid.ts";
import type { Segments } from "../algebra/segments.ts";
import type { ScalarType, TypeName } from "../algebra/types.ts";
import type { Fold } from "../gpu/fold.ts";
import type { Mapped, OutputOption } from "./arrays.ts";
import {
  elementsIn,
  initialOf,
  inSteps,
  MANY_TOTALS,
  mappedOf,
  NO_KEYS,
  NO_TOTAL,
  openOutput,
  readFlagsFor,
  sizeOf,
  tuningOf,
  wholeNumbersIn,
  withElements,
  writeArrays,
} from "./arrays.ts";
import type { Dtype } from "./dtypes.ts";
import { dtypes, nameOfRaw } from "./dtypes.ts";
import { UsageError } from "./errors.ts";
import { DASH, openTarget } from "./files.ts";
import { readAll } from "./npy.ts";
import type {
  AdapterOption,
  InitialOption,
  MapOption,
  OperatorOption,
  RawOption,
  SegmentsOption,
  TuningOption,
} from "./options.ts";
import { requireKeyType } from "./options.ts";

// Commands on segments. They hold all elements in memory at once. Scans and reductions of rows need not: they are in arrays.ts.

/** What the segments are made for. */
interface SegmentsFor {
  /** The type of the input. */
  readonly type: ScalarType;
  readonly shape: readonly number[] | undefined;
  readonly length: number;
  readonly path: string;
  readonly caller: string;
}

/** How keys are computed, as calls take it. */
const keyOf = ({ key, keyType }: { readonly key?: string; readonly keyType?: TypeName }): object => ({
  ...(key !== undefined && { key }),
  ...(keyType !== undefined && { keyType: elementTypes[keyType] }),
});

/** The segments that the options name, and the type of the keys of runs. Keys that are not computed are written as their file holds them. */
export async function segmentsOf(
  { rows, columns, offsets, heads, headBits, keys, key, keyType }: SegmentsOption,
  { type, shape, length, path, caller }: SegmentsFor,
): Promise<{
  readonly segments: Segments;
  readonly keyType?: ScalarType;
  readonly keyDtype?: Dtype | undefined;
}> {
  if (rows !== undefined) {
    return { segments: { rows: sizeOf("rows", rows, shape, caller) } };
  }
  if (columns !== undefined) {
    return { segments: { columns: sizeOf("columns", columns, shape, caller) } };
  }
  if (heads !== undefined) {
    return { segments: { heads: await readFlagsFor(heads, length, path) } };
  }
  if (headBits !== undefined) {
    const { dtype, data } = await elementsIn(headBits);
    if (dtype !== dtypes.u32) {
      throw new UsageError(`${headBits}: it holds ${nameOfRaw(dtype)}; words of bits are u32`);
    }
    return { segments: { headBits: data as Uint32Array } };
  }
  if (offsets !== undefined) {
    const { data } = await wholeNumbersIn(offsets, "offsets");
    return { segments: { offsets: data as Uint32Array } };
  }
  const given = keys === undefined ? undefined : await elementsIn(keys);
  return {
    segments: {
      ...(given && { keys: given.data, type: given.type }),
      ...keyOf({ key, keyType } as SegmentsOption),
    } as Segments,
    keyType: keyType === undefined ? (given?.type ?? type) : elementTypes[keyType],
    keyDtype: key === undefined ? given?.dtype : undefined,
  };
}

interface Work {
  readonly path: string;
  readonly options: RawOption & MapOption & AdapterOption;
  readonly caller: string;
}

/** Reads all elements, computes on an adapter, and writes what comes out. */
async function withAll<Result>(
  { path, options, caller }: Work,
  prepare: (
    mapped: Mapped,
    input: SegmentsFor,
  ) => Promise<(fold: Fold, data: ScalarArray) => Promise<Result>>,
  write: (
    result: Result,
    type: ScalarType,
    from: ScalarType,
    shape: readonly number[] | undefined,
  ) => Promise<void>,
): Promise<void> {
  await withElements(path, options, async (source, { path: input }) => {
    const { type, shape } = source;
    const mapped = mappedOf(type, options, caller);
    await inSteps(
      options,
      async () => {
        const data = await readAll(source, input);
        return {
          data,
          run: await prepare(mapped, { type, shape, length: data.length, path: input, caller }),
        };
      },
      (fold, { data, run }) => run(fold, data),
      (result) => write(result, mapped.type, type, shape),
    );
  });
}

/** The options of `wavefold scan` and `wavefold reduce` with segments. */
export type SegmentFileOptions = SegmentsOption &
  OperatorOption &
  InitialOption &
  MapOption &
  TuningOption &
  RawOption &
  AdapterOption;

/** `wavefold scan` with segments other than rows. */
export async function scanSegments(
  path: string,
  options: SegmentFileOptions & OutputOption & { readonly exclusive?: boolean; readonly total?: boolean },
): Promise<void> {
  const { op, exclusive = false } = options;
  requireKeyType(options, "scan");
  if (options.total) {
    throw new UsageError(NO_TOTAL);
  }
  const target = await openOutput(options.output, options);
  await withAll(
    { path, options, caller: "scan" },
    async (mapped, input) => {
      monoid(op, mapped.type, "scan");
      const { segments } = await segmentsOf(options, input);
      const all = {
        ...tuningOf(options),
        ...mapped,
        ...initialOf(options, mapped.type),
        op,
        exclusive,
        segments,
      };
      return (fold, data) => fold.scan(data, all) as Promise<ScalarArray>;
    },
    (data, type, _, shape) => writeArrays([{ target, options, type, data, shape }]),
  );
}

/** The total of each segment, and the key of each if segments are runs of keys. */
interface Results {
  readonly values: ScalarArray;
  readonly keys?: ScalarArray;
}

/** `wavefold reduce` with segments other than rows. */
export async function reduceSegments(
  path: string,
  options: SegmentFileOptions & { readonly output?: string; readonly unique?: string },
): Promise<void> {
  const { op, output, unique, keys, key } = options;
  requireKeyType(options, "reduce");
  if (output === undefined) {
    throw new UsageError(MANY_TOTALS);
  }
  if (unique === DASH) {
    throw new UsageError("reduce: --unique takes a file");
  }
  if (unique !== undefined && keys === undefined && key === undefined) {
    throw new UsageError(NO_KEYS);
  }
  const target = await openOutput(output, options);
  const keyTarget = unique === undefined ? undefined : await openTarget(unique);
  let found: Awaited<ReturnType<typeof segmentsOf>> | undefined;
  await withAll(
    { path, options, caller: "reduce" },
    async (mapped, input) => {
      monoid(op, mapped.type, "reduce");
      found = await segmentsOf(options, input);
      const { segments } = found;
      const all = { ...tuningOf(options), ...mapped, ...initialOf(options, mapped.type), op, segments };
      return async (fold, data) => {
        const result: unknown = await fold.reduce(data, all);
        return (ArrayBuffer.isView(result) ? { values: result } : result) as Results;
      };
    },
    async (result: Results, type) => {
      const { values, keys: runs } = result;
      const { keyType, keyDtype } = found ?? {};
      await writeArrays([
        ...(keyTarget === undefined || keyType === undefined || runs === undefined
          ? []
          : [{ target: keyTarget, type: keyType, dtype: keyDtype, data: runs }]),
        { target, options, type, data: values },
      ]);
    },
  );
}
