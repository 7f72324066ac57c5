import type { AnyArray } from "../../algebra/arrays.ts";
import type { ParamValues } from "../../algebra/params.ts";
import type { Value } from "../../algebra/types.ts";
import { ArgumentError, shown } from "../../errors.ts";
import type { OptionNames } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import type { LookedUpRange } from "../../plan/looked_up_range.ts";
import type { ParamsOption } from "../../plan/options.ts";
import type { ListName, Plan, RangeName, SegmentCounts, SegmentNumber } from "../../plan/plan.ts";
import { itemBytesOf, RUNS, wholeWords } from "../../plan/plan.ts";
import { givenAs, itemsOfRange, keyInObject } from "../../plan/ranges.ts";
import type { OptionsOf } from "../../primitives/option_names.ts";
import { planNames } from "../../primitives/option_names.ts";
import type { BufferRange } from "../../primitives/ranges.ts";
import type { Context, Pipeline } from "../device/context.ts";
import { onGpuAlone } from "../device/cpu_context.ts";
import { filledBuffer } from "../device/device.ts";
import { requireDevice } from "../device/lost.ts";
import type { ParamSlots } from "../device/param_slots.ts";
import { STORAGE } from "../device/usage_flags.ts";
import type { Dispatch, Range } from "../executor/executor.ts";
import { compilePlan } from "../executor/executor.ts";
import type { MayHaveParams } from "../executor/with_params.ts";
import { paramsOf, paramsPart } from "../executor/with_params.ts";
import type { Division, Execution } from "./choose_variant.ts";
import { requireApart, undivided } from "./choose_variant.ts";
import type { PreparedOn } from "./prepared.ts";

// Plans that are recorded into a caller's own encoder: their ranges are checked before anything is recorded.

/** What recordings give as it is: each range that is one of a buffer, and the numbers. */
type Given = {
  readonly [Name in Exclude<
    RangeName,
    ListName | "params" | `${ListName}[${number}]` | `with.${string}`
  >]?: BufferRange;
} & { readonly with?: Readonly<Record<string, BufferRange>> } & {
  readonly [Name in ListName]?: BufferRange | readonly BufferRange[];
} & { readonly [Name in SegmentNumber | LookedUpRange["number"] | "firstIndex"]?: number };

/** Where a recording reads and writes. Every buffer has the usage STORAGE. */
export interface Ranges extends Omit<Given, "initial" | "length"> {
  readonly initial?: Value | AnyArray | BufferRange;
  /** Values; their bytes, packed; or a range that holds them. */
  readonly params?: ParamValues | Uint8Array | BufferRange;
  /** The number of items. If the plan takes it from a buffer, this is a range that starts with the number, as a u32. */
  readonly length: number | BufferRange;
}

/** A plan with its pipelines compiled and its scratch allocated. */
export type Prepared = PreparedOn<Ranges>;

/** Facts of a buffer that never change. It takes longer to ask the buffer than to remember them. */
interface BufferFacts {
  /** Tells buffers apart, so that a recording has a key. */
  readonly number: number;
  readonly size: number;
  readonly usage: number;
}

/** An execution of a recording. Once it was recorded, it has the dispatches to encode. */
interface RecordedExecution extends Execution {
  dispatches?: readonly Dispatch[] | undefined;
}

/** The executions of a recording, and its params. */
interface Recording {
  readonly executions: readonly RecordedExecution[];
  readonly params: PlacedParams | undefined;
}

/** How many recordings are kept, with their objects, for the next time that the same ranges are recorded. */
const KEPT_RECORDINGS = 64;

/** The method of `Fold` that prepares a primitive: `prepareScan` of `scan`. */
export const prepareNameOf = (primitive: string): string =>
  `prepare${primitive.slice(0, 1).toUpperCase()}${primitive.slice(1)}`;

/** The options of a plan for recordings: none that the primitive does not take, and with its params. @throws {NoGpuError} {@link ArgumentError} */
export async function requirePlanOptions<Options extends MayHaveParams>(
  primitive: OptionsOf,
  context: Context,
  given: Options,
): Promise<Options & ParamsOption> {
  const caller = prepareNameOf(primitive.name);
  onGpuAlone(context, caller);
  requireOptions(caller, given, planNames(primitive), primitive.cures);
  return { ...given, ...(await paramsOf("plan", given, caller, context)) };
}

/**
 * Compiles a plan and allocates its scratch. `runs` is how many executions one spine serves. Tests give fewer. If each recording is
 * submitted before the next one is recorded (`isSubmitted`), what is dropped is destroyed at once. `given` is as in
 * {@link compilePlan}.
 *
 * @throws {SourceError} {@link OutOfMemoryError} {@link DeviceLostError}
 */
export const prepare = async (
  context: Context,
  plan: Plan,
  runs = RUNS,
  isSubmitted?: boolean,
  given?: ReadonlyMap<string, Pipeline | Promise<Pipeline>>,
): Promise<Prepared> =>
  checked(context, undivided(await compilePlan(context, plan, runs, given)), isSubmitted);

/** Where the values of a recording's params are. They are bytes that are still to be written, if they are not in a buffer of the caller's. */
interface PlacedParams {
  readonly buffer: GPUBuffer;
  readonly values?: Uint8Array;
  readonly offset: number;
  /** Whether it is a buffer of the caller's that dispatches may write. */
  readonly isWritable?: boolean;
}

/** @throws {ArgumentError} if a recording gives params to a plan that takes none. */
function requireNoOtherParams(plan: Plan, given: unknown): void {
  if (plan.textParams === undefined && Object(given).params !== undefined) {
    throw refusal(
      plan,
      "record is given params, and this was prepared without; prepare it with their types, as params: { limit: f32 }",
      "params",
    );
  }
}

/** Checks the params of a recording. @throws {ArgumentError} */
function placedParams(
  plan: Plan,
  given: Ranges["params"],
  slots: ParamSlots | undefined,
  factsOf: (buffer: GPUBuffer) => BufferFacts,
): PlacedParams | undefined {
  const { textParams, title } = plan;
  if (textParams === undefined || slots === undefined) {
    return undefined;
  }
  if (given instanceof Uint8Array && given.length === textParams.bytes) {
    return { buffer: slots.buffer(), values: given, offset: 0 };
  }
  if (!isRange(given)) {
    const values = textParams.pack(given, title);
    return { buffer: slots.buffer(), values, offset: 0 };
  }
  const range = rangeGiven(plan, "params", given, factsOf);
  slots.requireUniform(range);
  return { buffer: range.buffer, offset: range.offset, isWritable: (range.usage & STORAGE) !== 0 };
}

/** The buffers that recordings of a plan give, and those that are made for values. */
interface KnownBuffers {
  factsOf(buffer: GPUBuffer): BufferFacts;
  /** The buffer of an initial value that a recording gives as a value. */
  bufferOf(bytes: Uint8Array): GPUBuffer;
  destroy(): void;
}

function knownBuffers({ device }: Context, { title }: Plan, isSubmitted: boolean | undefined): KnownBuffers {
  const facts = new WeakMap<GPUBuffer, BufferFacts>();
  let nextNumber = 0;
  // By the bytes of the value.
  const values = new Map<string, GPUBuffer>();
  return {
    factsOf(buffer) {
      const known = facts.get(buffer) ?? { number: nextNumber++, size: buffer.size, usage: buffer.usage };
      facts.set(buffer, known);
      return known;
    },
    bufferOf(bytes) {
      const key = bytes.join();
      const buffer = values.get(key) ?? filledBuffer(device, bytes, STORAGE, `wavefold ${title} initial`);
      // Those that were used last are at the end.
      values.delete(key);
      values.set(key, buffer);
      forgetOldest(values, (oldest) => {
        if (isSubmitted) {
          oldest.destroy();
        }
      });
      return buffer;
    },
    destroy() {
      for (const buffer of values.values()) {
        buffer.destroy();
      }
      values.clear();
    },
  };
}

/** Checks each range on its own, and returns them all. */
function resolve(
  plan: Plan,
  given: Ranges,
  length: number,
  numbers: SegmentCounts,
  { paths, objects }: Asked,
  { factsOf, bufferOf }: KnownBuffers,
): Partial<Record<RangeName, Range>> {
  const { needs, lookedUp } = plan;
  for (const [object, names] of objects) {
    requireOptions(`${plan.title}: ${object}`, given[object as keyof Ranges], names);
  }
  if (needs.has("flags") && given.flags === undefined) {
    throw refusal(
      plan,
      "flags is undefined, and this was prepared with flags, or without where; give record flags, or prepare it with where alone",
      "flags",
    );
  }
  const params = { ...numbers, sorted_length: lookedUp?.lengthOf(given[lookedUp.number]) ?? 0 };
  const ranges: Partial<Record<RangeName, Range>> = {};
  let value: Uint8Array | undefined;
  for (const [name, path] of paths) {
    if (name === "initial" && plan.initial !== undefined && !isRange(given.initial)) {
      value = plan.initial(given.initial);
      continue;
    }
    const range = rangeIn(plan, given, path);
    if (length > 0 || name !== "input" || range !== undefined) {
      ranges[name] = requireRange(plan, name, range, itemsOfRange(plan, name, length, params), factsOf);
    }
  }
  // The value's buffer is made once each range was checked.
  if (value !== undefined) {
    ranges.initial = requireRange(plan, "initial", bufferOf(value), 1, factsOf);
  }
  return ranges;
}

/** Where a recording gives a range: by itself, or in a list or an object. */
interface RangePath {
  /** The name that it has there, or that of the list or the object. */
  readonly given: string;
  /** Its index in the list, or its name in the object. */
  readonly key: string | number | undefined;
}

/** What `record` takes for a plan. */
interface Asked {
  readonly names: OptionNames;
  readonly paths: ReadonlyMap<RangeName, RangePath>;
  /** The names that each object has. */
  readonly objects: ReadonlyMap<string, OptionNames>;
}

function pathOf({ sameAs }: Plan, range: RangeName): RangePath {
  const name = sameAs?.[range] ?? range;
  const given = givenAs(name);
  const key = given === name ? undefined : (keyInObject(name) ?? Number(name.slice(given.length + 1, -1)));
  return { given, key };
}

function askedBy(plan: Plan): Asked {
  const { needs, segments, lookedUp, textParams } = plan;
  const paths = new Map([...needs].map((name) => [name, pathOf(plan, name)]));
  const objects = new Map<string, Record<string, true>>();
  for (const { given, key } of paths.values()) {
    if (typeof key === "string") {
      objects.set(given, { ...objects.get(given), [key]: true });
    }
  }
  return {
    names: {
      ...(textParams && { params: true as const }),
      input: true,
      ...(needs.has("output") && { output: true as const }),
      length: true,
      firstIndex: true,
      ...(lookedUp && { [lookedUp.number]: true as const }),
      ...Object.fromEntries(
        [...[...paths.values()].map(({ given }) => given), ...(segments?.numbers ?? [])].map((name) => [
          name,
          true as const,
        ]),
      ),
    },
    paths,
    objects,
  };
}

/** What a recording gives for a range. @throws {ArgumentError} for a list of another length than the plan takes. */
function rangeIn(plan: Plan, ranges: Ranges, { given, key }: RangePath): BufferRange | undefined {
  const found: unknown = ranges[given as keyof Ranges];
  if (key === undefined) {
    return found as BufferRange | undefined;
  }
  if (typeof key === "string") {
    return (found as Readonly<Record<string, BufferRange>>)[key];
  }
  const length = [...plan.needs].filter((one) => givenAs(one) === given).length;
  if (!Array.isArray(found) || found.length !== length) {
    throw refusal(plan, `${given} is no list of ${length} ranges; it takes one for each type`, given);
  }
  return found[key];
}

/** A prepared plan that checks ranges before it records them. */
export function checked(context: Context, division: Division, isSubmitted: boolean | undefined): Prepared {
  const { plan } = division;
  const asked = askedBy(plan);
  const buffers = knownBuffers(context, plan, isSubmitted);
  const { factsOf } = buffers;
  const { textParams } = plan;
  const slots = textParams && paramsPart().paramSlots(context, plan, textParams, isSubmitted);
  let destroyed = false;
  const recordings = new Map<string, readonly RecordedExecution[]>();
  // Whether every encoder that uses a dropped dispatch is submitted. The encoder of the recording under way is not.
  let isUnused = isSubmitted;
  /** Drops the dispatches of a recording. Buffers that an encoder may still use are destroyed with the plan, unless they are garbage-collected before. */
  const drop = (recording: readonly RecordedExecution[]): void => {
    for (const execution of recording) {
      for (const { uniform } of (isUnused && execution.dispatches) || []) {
        uniform.destroy();
      }
      execution.dispatches = undefined;
    }
  };

  let takesOthers = false;
  /** Checks ranges, and chooses kernels and dispatches for them. The choice is kept for the next recording of the same ranges. */
  const recordingOf = (given: Ranges, most?: number): Recording => {
    if (destroyed) {
      throw new ArgumentError(`${plan.title} was destroyed; prepare it again`);
    }
    requireDevice(context, plan.title);
    requireNoOtherParams(plan, given);
    requireOptions(`${plan.title}: record`, given, asked.names);
    const length = lengthOf(given.length, plan, most);
    const numbers = plan.segments?.countsOf(given, length, plan) ?? {};
    const ranges = resolve(plan, given, length, numbers, asked, buffers);
    const placed = placedParams(plan, given.params, slots, factsOf);
    if (placed) {
      if (placed.isWritable) {
        requireApart(plan, { ...ranges, params: { ...placed, bytes: plan.textParams?.bytes ?? 0 } });
      }
      // The offset is no part of what is bound.
      ranges.params = { buffer: placed.buffer, offset: 0, bytes: 0 };
    }
    const params = { first_index: requireFirstIndex(given.firstIndex, plan), ...numbers };
    let key = `${length} ${Object.values(params).join(" ")}`;
    for (const name in ranges) {
      const range = ranges[name as RangeName];
      if (range !== undefined) {
        key += ` ${name} ${factsOf(range.buffer).number} ${range.offset} ${range.bytes}`;
      }
    }
    const known = recordings.get(key);
    if (known !== undefined) {
      return { executions: known, params: placed };
    }
    const made: readonly RecordedExecution[] = division.divide(length, ranges, params);
    takesOthers ||= made.some(({ variant }) => variant.arrangement !== plan.variants[0]?.arrangement);
    recordings.set(key, made);
    forgetOldest(recordings, drop);
    return { executions: made, params: placed };
  };

  return {
    kernels: division.kernels,
    settled: Promise.resolve(),
    takesOthers: () => takesOthers,
    groupingOf(given) {
      const [execution] = recordingOf(given).executions;
      const { variant, passes } = execution as RecordedExecution;
      return plan.groupingOf(variant.arrangement, passes[0]?.params);
    },
    check(given, most) {
      recordingOf(given, most);
    },
    record(encoder, given, most) {
      if (!isEncoder(Object(encoder))) {
        throw refusal(plan, "record takes a GPUCommandEncoder or a GPUComputePassEncoder", "encoder");
      }
      const { executions, params } = recordingOf(given, most);
      const paramsOffset = params?.values && slots ? slots.write(params.values) : params?.offset;
      for (const execution of executions) {
        const { compiled, passes } = execution;
        if (compiled.plan.spine !== undefined && compiled.nextRun(isUnused)) {
          recordings.forEach(drop);
        }
        execution.dispatches ??= compiled.dispatches(passes);
        compiled.encode(encoder, execution.dispatches, false, paramsOffset);
        isUnused = false;
      }
      isUnused = isSubmitted;
    },
    forget() {
      recordings.forEach(drop);
    },
    destroy() {
      destroyed = true;
      recordings.clear();
      buffers.destroy();
      slots?.destroy();
      division.destroy();
    },
    [Symbol.dispose]() {
      this.destroy();
    },
  };
}

/** Drops the entry that was put in first, if there are too many. */
function forgetOldest<T>(entries: Map<string, T>, drop: (oldest: T) => void): void {
  for (const [key, oldest] of entries) {
    if (entries.size > KEPT_RECORDINGS) {
      entries.delete(key);
      drop(oldest);
    }
  }
}

const isEncoder = (encoder: object): boolean =>
  "dispatchWorkgroups" in encoder || "beginComputePass" in encoder;

const rangeNames = { buffer: true, offset: true, size: true } as const;

const refusal = ({ title }: Plan, problem: string, option: string): Error =>
  new ArgumentError(`${title}: ${problem}`, givenAs(option));

/** Whether it is a range of a buffer, and not a value. A field of a struct's value is no object. */
const isRange = (given: unknown): given is BufferRange =>
  "mapAsync" in Object((given as { readonly buffer?: unknown } | null)?.buffer ?? given);

/** Whether it is a whole number from 0 up. */
const isWhole = (given: unknown): given is number => Number.isInteger(given) && (given as number) >= 0;

/** Checks the index of the first item, which is 0 if it is left out. */
function requireFirstIndex(given: unknown = 0, plan: Plan): number {
  if (!isWhole(given) || given > 0xffffffff) {
    throw refusal(
      plan,
      `firstIndex is ${shown(given)}; it takes a whole number from 0 to 2^32 - 1`,
      "firstIndex",
    );
  }
  return given;
}

/** Checks the length, and returns it. If a buffer holds the length, it returns the most that this may be. */
function lengthOf(given: unknown, plan: Plan, most = plan.maxLength): number {
  const { maxLength } = plan;
  if (plan.needs.has("length")) {
    if (typeof given === "number") {
      throw refusal(
        plan,
        `length is ${given}, and this was prepared with lengthOnGpu; it takes a GPUBuffer, or { buffer, offset }`,
        "length",
      );
    }
    return most;
  }
  if (typeof given === "object") {
    throw refusal(plan, `length is a buffer; prepare with lengthOnGpu: true to take it from there`, "length");
  }
  if (!isWhole(given)) {
    throw refusal(plan, `length is ${shown(given)}; it takes a whole number from 0 up`, "length");
  }
  if (given > maxLength) {
    throw refusal(
      plan,
      `length ${given} is more than the maxLength ${maxLength} it was prepared for`,
      "length",
    );
  }
  return given;
}

/** A range of a buffer, and the buffer's usage. Nobody has checked the numbers yet, but for the size. */
function rangeGiven(
  plan: Plan,
  name: RangeName,
  given: BufferRange | undefined,
  factsOf: (buffer: GPUBuffer) => BufferFacts,
): {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
  readonly whole: number;
  readonly usage: number;
} {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw refusal(
      plan,
      `${name} is ${Array.isArray(given) ? "a list" : shown(given)}; it takes a GPUBuffer, or { buffer, offset, size }`,
      name,
    );
  }
  if ("isGone" in given && given.isGone) {
    throw refusal(plan, `${name} is an array that was destroyed`, name);
  }
  const isRange = "buffer" in given;
  if (isRange) {
    requireOptions(`${plan.title}: ${name}`, given, rangeNames);
  }
  const range = isRange ? given : { buffer: given };
  const { buffer, offset = 0 } = range;
  const facts = Object(buffer) === buffer ? factsOf(buffer) : undefined;
  if (typeof facts?.size !== "number") {
    throw refusal(plan, `${name}'s buffer is no GPUBuffer`, name);
  }
  if (range.size !== undefined && !isWhole(range.size)) {
    throw refusal(
      plan,
      `${name}'s size is ${shown(range.size)} bytes; it takes a whole number from 0 up`,
      name,
    );
  }
  const { size: whole, usage } = facts;
  return { buffer, offset, size: range.size ?? whole - offset, whole, usage };
}

function requireRange(
  plan: Plan,
  name: RangeName,
  given: BufferRange | undefined,
  items: number,
  factsOf: (buffer: GPUBuffer) => BufferFacts,
): Range {
  const itemBytes = itemBytesOf(plan, name);
  const { buffer, offset, size, whole, usage } = rangeGiven(plan, name, given, factsOf);
  const unit = plan.packed?.has(name) ? 4 : itemBytes;
  if (!isWhole(offset) || offset % unit !== 0) {
    throw refusal(plan, `${name}'s offset is ${shown(offset)} bytes; it takes a multiple of ${unit}`, name);
  }
  // Storage bindings are whole words.
  const wanted = items === 0 ? 0 : wholeWords((offset % 4) + items * itemBytes) - (offset % 4);
  if (size > whole - offset || size < items * itemBytes || wanted > whole - offset) {
    throw refusal(
      plan,
      `${name} has ${Math.min(size, whole - offset)} bytes from offset ${offset} on, and ${items} items of ${itemBytes} bytes take ${wanted}`,
      name,
    );
  }
  if ((usage & STORAGE) === 0) {
    throw refusal(plan, `${name}'s buffer lacks the usage STORAGE`, name);
  }
  return { buffer, offset, bytes: items * itemBytes };
}
