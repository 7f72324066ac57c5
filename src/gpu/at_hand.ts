import type { AnyArray } from "../algebra/arrays.ts";
import {
  arrayLike,
  arrayOver,
  namedType,
  structOfArray,
  typeNameOfArray,
  valuesOf,
} from "../algebra/arrays.ts";
import { f16, f32 } from "../algebra/floats.ts";
import { i32, u32 } from "../algebra/integers.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { ElementType, TypeName, Value } from "../algebra/types.ts";
import { isSameType } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import { requireOptions } from "../options.ts";
import type { CompactOptions } from "../plan/compact.ts";
import type { AnyOperator, TuningOptions } from "../plan/options.ts";
import { commonNames } from "../plan/options.ts";
import type { Plan, RangeName } from "../plan/plan.ts";
import { callersName, paddedBytes } from "../plan/plan.ts";
import type { ReduceOptions } from "../plan/reduce.ts";
import type { ScanOptions } from "../plan/scan.ts";
import { planScan } from "../plan/scan.ts";
import type { Context } from "./context.ts";
import type { Range, ResolvedRanges } from "./executor.ts";
import { compilePlan } from "./executor.ts";
import { BufferUsage } from "./flags.ts";
import { methodsFor } from "./methods.ts";
import type { Given } from "./transfer.ts";
import { atHand, givenOf } from "./transfer.ts";

// Calls from array to array. Each finds the types, plans, uploads, runs, and reads back.

/** The options of `scan` and `reduce`. */
export interface HandOptions<Name extends string> extends TuningOptions {
  /** The operator. The default is `add`. */
  readonly op?: Operator<Name>;
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /**
   * WGSL over each element's value `x` and its index `i`. It is applied as the element is loaded:
   * see {@link ScanOptions.map}.
   */
  readonly map?: string;
}

/** The options of `scan` and `reduce` with a map to another type. */
export interface HandMapOptions<From extends string, Name extends string, V extends Value>
  extends TuningOptions {
  /** The type of the map's results, and of the result of the call. */
  readonly type: ElementType<Name, V>;
  /** WGSL over each element's value `x` and its index `i`, such as `"u32(x > 0.5)"`: see {@link ScanOptions.map}. */
  readonly map: string;
  /** The operator, on `type`. The default is `add`. */
  readonly op?: Operator<NoInfer<Name>>;
  /** The type of the array's elements. Needed only for f16 bits in a `Uint16Array`. */
  readonly from?: ElementType<From>;
}

/** The options of `compact`. It takes `where` or `flags`. */
export interface HandCompactOptions<Name extends string> extends TuningOptions {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /** WGSL over an element's value `x` and its index `i`: see {@link ScanOptions.map}. It applies only to kept elements. */
  readonly map?: string;
  /** A WGSL expression over the element `x` and its index `i` (u32), such as `"x % 2u == 1u"`. */
  readonly where?: string;
  /** A flag for each element. An element is kept if its flag is not zero or false. */
  readonly flags?: ArrayLike<number | boolean>;
}

const reduceNames = { op: true, ...commonNames } as const satisfies Record<
  keyof HandOptions<string> | keyof HandMapOptions<string, string, Value>,
  true
>;
const scanNames = { op: true, exclusive: true, ...commonNames } as const;
const compactNames = { where: true, flags: true, indices: true, ...commonNames } as const satisfies Record<
  keyof HandCompactOptions<string> | "from" | "indices",
  true
>;

/** The options that decide the types of a call, in any of its forms. Nobody has checked them yet. */
interface TypeOptions {
  readonly type?: unknown;
  readonly from?: unknown;
  readonly map?: unknown;
}

/** `Fold.scan`. */
export async function scanAtHand(context: Context, data: AnyArray, options: TypeOptions): Promise<AnyArray> {
  const given = givenOf(data);
  requireOptions("scan", options, scanNames);
  const { arrayOf, ...types } = await typesOf(data, options, "scan");
  const all = { ...(options as Partial<AnyOperator<ScanOptions>>), ...types, maxLength: given.length };
  const arrangement = arrangementFor(all);
  const plan = planScan(all, context.facts, await methodsFor(all), [arrangement]);
  return arrayOf(await runAtHand(context, plan, arrangement, given));
}

/** `Fold.reduce`. */
export async function reduceAtHand(context: Context, data: AnyArray, options: TypeOptions): Promise<Value> {
  const given = givenOf(data);
  requireOptions("reduce", options, reduceNames);
  const { arrayOf, ...types } = await typesOf(data, options, "reduce");
  const { type } = types;
  const all = { ...(options as Partial<AnyOperator<ReduceOptions>>), ...types, maxLength: given.length };
  const [{ planReduce }, methods] = await Promise.all([import("../plan/reduce.ts"), methodsFor(all)]);
  const arrangement = arrangementFor(all);
  const plan = planReduce(all, context.facts, methods, [arrangement]);
  return valuesOf(arrayOf(await runAtHand(context, plan, arrangement, given)), type)(0);
}

/** `Fold.compact`. */
export async function compactAtHand(
  context: Context,
  data: AnyArray,
  options: TypeOptions & { readonly flags?: ArrayLike<number | boolean>; readonly indices?: boolean },
): Promise<AnyArray> {
  const given = givenOf(data);
  requireOptions("compact", options, compactNames);
  const { flags, indices = false, ...others } = options;
  const { length } = given;
  const { arrayOf, ...types } = await typesOf(data, options, "compact");
  const { type } = types;
  const words = flags === undefined ? undefined : flagWords(flags, length, `compact<${type.name}>`);
  const all = {
    ...(others as Partial<CompactOptions>),
    ...types,
    indices,
    flags: words !== undefined,
    maxLength: length,
  };
  const [{ planCompact }, methods] = await Promise.all([import("../plan/compact.ts"), methodsFor(all)]);
  const arrangement = arrangementFor(all);
  const plan = planCompact(all, context.facts, methods, [arrangement]);
  const itemBytes = indices ? u32.bytes : type.bytes;
  const kept = await planAtHand(context, plan, arrangement, async ({ upload, output, record, readBack }) => {
    if (length === 0) {
      return new ArrayBuffer(0);
    }
    const ranges = {
      input: await upload("input", given),
      flags: words && (await upload("flags", words)),
      output: await output("output", length),
      total: await output("total", 1),
    };
    const [count = 0] = new Uint32Array(await readBack(ranges.total, 4, record(length, ranges)));
    return readBack(ranges.output, count * itemBytes);
  });
  return indices ? new Uint32Array(kept) : arrayOf(kept);
}

/** Flags as the kernels read them: a u32 for each element. */
function flagWords(flags: ArrayLike<number | boolean>, length: number, title: string): Uint32Array {
  const marks: { readonly length?: unknown } = Object(flags);
  if (marks.length !== length) {
    throw new ArgumentError(
      typeof marks.length === "number"
        ? `${title}: ${marks.length} flags for ${length} elements; it takes one for each`
        : `${title}: flags is ${flags === null ? "null" : typeof flags}; it takes an array of one flag for each element`,
    );
  }
  return Uint32Array.from(flags as ArrayLike<number>, (flag) => (flag ? 1 : 0));
}

/** The types of the input and of the output. */
interface HandTypes {
  /** The type of the input, if there is a map. */
  readonly from?: ElementType;
  readonly type: ElementType;
  /** Makes the result from its bytes. It is an array like the given one, if both have the same type. */
  arrayOf(bytes: ArrayBuffer): AnyArray;
}

/** The types of the array's elements and of the result. */
async function typesOf(data: AnyArray, options: TypeOptions, caller: string): Promise<HandTypes> {
  const given = options as { readonly [Name in keyof TypeOptions]?: ElementType };
  const own = await typeOfArray(data, namedType(data, given), caller);
  if (given.map === undefined && given.from === undefined) {
    return { type: own, arrayOf: (bytes) => arrayLike(data, bytes) };
  }
  const type = given.type ?? own;
  return {
    from: own,
    type,
    arrayOf: (bytes) => (isSameType(own, type) ? arrayLike(data, bytes) : arrayOver(type, bytes)),
  };
}

const shortTypes = { u32, i32, f32, f16 } as const;

/** The element type of an array. The 64-bit types are loaded with the first array of 64-bit elements. */
async function typeOfArray(
  data: AnyArray,
  type: ElementType | undefined,
  caller: string,
): Promise<ElementType> {
  const given = structOfArray(data, type, caller) ?? type;
  if (given !== undefined) {
    return given;
  }
  const name: TypeName = typeNameOfArray(data, type, caller);
  return name in shortTypes
    ? shortTypes[name as keyof typeof shortTypes]
    : (await import("../algebra/types_64.ts"))[name as "u64" | "i64" | "f64"];
}

/**
 * Calls at hand make their own, padded buffers for input and output. Kernels for such buffers are the shortest, and no
 * other kernels need to be compiled. A single pass has no kernels for padded buffers, so it takes vectors.
 */
const arrangementFor = ({ passes }: TuningOptions): Arrangement =>
  passes === "single" ? "vectors" : "padded";

/** A compiled plan, as a call uses it. Its buffers are destroyed when the call ends. */
interface PlanAtHand {
  /** Makes a buffer of these items. */
  upload(name: RangeName, from: Omit<Given, "data">): Promise<Range>;
  /** Makes a buffer for so many items of output. */
  output(name: RangeName, length: number): Promise<Range>;
  /** Records the plan. */
  record(length: number, ranges: ResolvedRanges): (encoder: GPUCommandEncoder) => void;
  /** Submits the recording, and reads the first bytes of a buffer. */
  readBack(range: Range, bytes: number, record?: (encoder: GPUCommandEncoder) => void): Promise<ArrayBuffer>;
}

/** Compiles a plan for one call. */
const planAtHand = <T>(
  context: Context,
  plan: Plan,
  arrangement: Arrangement,
  call: (hand: PlanAtHand) => Promise<T>,
): Promise<T> =>
  atHand(context, plan.title, async ({ owned, own, upload, readBack }) => {
    const compiled = await compilePlan(context, plan);
    owned.push(compiled);
    const vector = arrangement === "padded" ? plan.vector : 1;
    const bytesOf = (name: RangeName, length: number): number => {
      const itemBytes = plan.itemBytes[name];
      return vector === 1 ? length * itemBytes : paddedBytes(length, itemBytes, vector);
    };
    return call({
      async upload(name, from) {
        const bytes = bytesOf(name, from.length);
        return { buffer: await upload(name, from, bytes), offset: 0, bytes };
      },
      async output(name, length) {
        const bytes = bytesOf(name, length);
        const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC;
        return { buffer: await own(callersName(name), bytes, usage), offset: 0, bytes };
      },
      record: (length, ranges) => (encoder) => {
        compiled.requireDevice();
        compiled.nextRun();
        compiled.encode(encoder, compiled.dispatches(compiled.bind(length, ranges, { arrangement })));
      },
      readBack: ({ buffer }, bytes, record) => readBack(buffer, bytes, record),
    });
  });

/**
 * Uploads an array, runs the plan, and reads the result back. If the result is empty, the plan is compiled all the same:
 * a call on no data still reports errors in its operator or map.
 */
const runAtHand = (
  context: Context,
  plan: Plan,
  arrangement: Arrangement,
  given: Given,
): Promise<ArrayBuffer> =>
  planAtHand(context, plan, arrangement, async ({ upload, output, record, readBack }) => {
    const length = plan.outputLength(given.length);
    if (length === 0) {
      return new ArrayBuffer(0);
    }
    const ranges = {
      // Deno fails if a write has no bytes, so an empty array is not uploaded.
      input: given.byteLength > 0 ? await upload("input", given) : undefined,
      output: await output("output", length),
    };
    return readBack(ranges.output, length * plan.itemBytes.output, record(given.length, ranges));
  });
