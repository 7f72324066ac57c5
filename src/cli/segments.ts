import { valuesOf } from "../algebra/array_values.ts";
import type { ScalarArray } from "../algebra/arrays.ts";
import { arrayOver } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import { monoid } from "../algebra/monoid.ts";
import type { Segments } from "../algebra/segments.ts";
import type { Scalar, ScalarType, TypeName } from "../algebra/types.ts";
import type { Fold } from "../gpu/fold.ts";
import type { Mapped, OutputOption } from "./arrays.ts";
import {
  elementsIn,
  initialOf,
  inSteps,
  MANY_TOTALS,
  mappedOf,
  NO_KEYS,
  openOutput,
  readFlagsFor,
  requireTotal,
  sizeOf,
  tuningOf,
  wholeNumbersIn,
  withElements,
  writeArrays,
} from "./arrays.ts";
import type { Dtype } from "./dtypes.ts";
import { dtypes, nameOfRaw } from "./dtypes.ts";
import { UsageError } from "./errors.ts";
import { DASH } from "./files.ts";
import { formatValue } from "./format.ts";
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
import { hasOtherSegments, requireKeyType } from "./options.ts";
import { print } from "./print.ts";

// Commands on segments, and scans from the last element. They hold all elements in memory at once. Scans and reductions of rows need not: they
// are in arrays.ts.

/** The segments along an axis of the file, or of elements whose shape an option gives; and the shape of their totals. */
function axisOf(
  { axis, shape }: SegmentsOption,
  shapeOfFile: readonly number[] | undefined,
  caller: string,
): { readonly segments: Segments; readonly totals: readonly number[] } {
  const lengths = shape ?? shapeOfFile;
  if (axis === undefined || lengths === undefined) {
    throw new UsageError(
      `${caller}: ${axis === undefined ? "--shape takes --axis N, too" : "--axis takes --shape LENGTHS, too, since the input has no header"}`,
    );
  }
  const totals = lengths.filter((_, at) => at !== axis && at !== axis + lengths.length);
  return { segments: { shape: lengths, axis }, totals };
}

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

/** Segments with gaps, whose begins and ends are in two files. */
async function spansIn(
  begins: string | undefined,
  ends: string | undefined,
  caller: string,
): Promise<{ readonly segments: Segments }> {
  if (begins === undefined || ends === undefined) {
    const missing = begins === undefined ? "--begins" : "--ends";
    throw new UsageError(`${caller}: --begins and --ends go together; ${missing} is missing`);
  }
  const [from, to] = [await wholeNumbersIn(begins, "begins"), await wholeNumbersIn(ends, "ends")];
  return { segments: { begins: from.data as Uint32Array, ends: to.data as Uint32Array } };
}

/** The segments that the options name, and the type of the keys of runs. Keys that are not computed are written as their file holds them. */
export async function segmentsOf(
  options: SegmentsOption,
  { type, shape, length, path, caller }: SegmentsFor,
): Promise<{
  readonly segments: Segments;
  readonly keyType?: ScalarType;
  readonly keyDtype?: Dtype | undefined;
  /** The shape of a reduction's totals. Otherwise they have one dimension. */
  readonly totals?: readonly number[];
}> {
  const { rows, columns, axis, offsets, begins, ends, heads, headBits, keys, key, keyType } = options;
  if (rows !== undefined) {
    return { segments: { rows: sizeOf("rows", rows, shape, caller) } };
  }
  if (columns !== undefined) {
    return { segments: { columns: sizeOf("columns", columns, shape, caller) } };
  }
  if (axis !== undefined || options.shape !== undefined) {
    return axisOf(options, shape, caller);
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
  if (begins !== undefined || ends !== undefined) {
    return spansIn(begins, ends, caller);
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

/** The options of {@link scanAtOnce}. */
export type ScanAtOnceOptions = SegmentFileOptions &
  OutputOption & { readonly exclusive?: boolean; readonly reverse?: boolean; readonly total?: boolean };

/** `wavefold scan` with segments other than rows, and in reverse. */
export async function scanAtOnce(path: string, options: ScanAtOnceOptions): Promise<void> {
  const { op, exclusive = false, reverse = false } = options;
  requireKeyType(options, "scan");
  const hasSegments = options.rows !== undefined || hasOtherSegments(options);
  requireTotal(options, hasSegments);
  let printed = "";
  const target = await openOutput(options.output, options);
  await withAll(
    { path, options, caller: "scan" },
    async (mapped, input) => {
      monoid(op, mapped.type, "scan");
      const { type } = mapped;
      const total = options.total ? { total: arrayOver(type, new ArrayBuffer(type.bytes)) } : {};
      const all = {
        ...tuningOf(options),
        ...mapped,
        ...initialOf(options, type),
        ...total,
        op,
        exclusive,
        reverse,
        ...(hasSegments && { segments: (await segmentsOf(options, input)).segments }),
      };
      return async (fold, data) => {
        const scanned = (await fold.scan(data, all as object)) as ScalarArray;
        printed = total.total ? `${formatValue(valuesOf(total.total, type)(0) as Scalar, type)}\n` : "";
        return scanned;
      };
    },
    (data, type, _, shape) => writeArrays([{ target, options, type, data, shape }]),
  );
  await print(printed);
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
  const keyTarget = unique === undefined ? undefined : await openOutput(unique, {}, "--unique");
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
      const { keyType, keyDtype, totals } = found ?? {};
      await writeArrays([
        ...(keyTarget === undefined || keyType === undefined || runs === undefined
          ? []
          : [{ target: keyTarget, type: keyType, dtype: keyDtype, data: runs }]),
        { target, options, type, data: values, ...(totals && { shape: totals }) },
      ]);
    },
  );
}
