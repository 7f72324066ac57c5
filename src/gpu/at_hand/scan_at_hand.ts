import type { AnyArray, Bytes } from "../../algebra/arrays.ts";
import {
  arrayLike,
  arrayOver,
  goneError,
  namedType,
  structOfArray,
  typeNameOfArray,
} from "../../algebra/arrays.ts";
import { f16, f32 } from "../../algebra/floats.ts";
import { i32, u32 } from "../../algebra/integers.ts";
import type { ElementType, TypeName } from "../../algebra/types.ts";
import { isSameType } from "../../algebra/types.ts";
import { requireOptions } from "../../options.ts";
import type { AnyOperator } from "../../plan/options.ts";
import type { Plan, RangeName } from "../../plan/plan.ts";
import { rangeBytes } from "../../plan/plan.ts";
import type { ScanOptions } from "../../plan/scan.ts";
import { planScan } from "../../plan/scan.ts";
import { callNames } from "../../primitives/primitive.ts";
import { scan } from "../../primitives/scan.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import type { Given, Place, ReadBack, Target } from "../device/transfer.ts";
import { atHand, fresh, givenOf } from "../device/transfer.ts";
import type { CheckedEnds } from "../executor/check_ends.ts";
import { checkEnds } from "../executor/check_ends.ts";
import type { Range, ResolvedRanges } from "../executor/executor.ts";
import { loadNumbers, once, planFactsFor } from "../executor/load_later.ts";
import type { Planned } from "../executor/plans_of_calls.ts";
import { arrangementFor, forgetRuns, plannedLength, withPlan } from "../executor/plans_of_calls.ts";
import type { LongCall, LongPlanned } from "../streams/pieces_at_hand.ts";
import { resultIn } from "./result_in.ts";

// Scans at hand, and what all calls at hand share: they find the types, plan, upload, execute the plan, and read back.

/** The options that decide the types of a call, in any of its forms. Nobody has checked them yet. */
export interface TypeOptions {
  readonly type?: unknown;
  readonly from?: unknown;
  readonly map?: unknown;
}

/** `Fold.scan`. */
export async function scanAtHand(
  context: Context,
  data: AnyArray,
  options: TypeOptions & EndValues & { readonly into?: unknown },
): Promise<AnyArray> {
  const given = givenOf(data);
  requireOptions("scan", options, callNames(scan));
  const { into, initial, total, ...others } = options;
  const room = givenOf(into as AnyArray);
  const ends = endReaderOf("scan", initial, total);
  const { arrayOf, ...types } = await typesOf(given, options, "scan");
  const target = await targetFor(into, room, arrayOf, "scan", given.length, true);
  const { options: endOptions, ...own } = await ends({ arrayOf, ...types, into: room });
  const all = {
    ...(others as Partial<AnyOperator<ScanOptions>>),
    ...types,
    ...endOptions,
    maxLength: plannedLength(given.length),
  };
  const plan = async (options: typeof all): Promise<Plan> =>
    planScan(options, await planFactsFor(options, context.facts), [arrangementFor(options)]);
  const made = await runAtHand(context, { primitive: "scan", all, plan }, types, given, own, {
    target,
    room,
  });
  return into === undefined ? arrayOf(made.buffer as ArrayBuffer) : room.data;
}

/** The initial value and the array for the total, as a caller gives them. Nobody has checked them yet. */
export interface EndValues {
  readonly initial?: unknown;
  readonly total?: unknown;
}

/**
 * Notes where the array for the total lies now, and returns a function that checks the initial value and the total, when the types are known
 * and where the result goes.
 */
export function endReaderOf(
  caller: string,
  initial: unknown,
  total?: unknown,
): (types: HandTypes & { readonly into?: Given }) => Promise<Partial<CheckedEnds>> {
  const room = givenOf(total as AnyArray);
  return async (types) =>
    initial === undefined && total === undefined ? {} : checkEnds(caller, types, initial, total, room);
}

/** Where the result goes: to `into`, which is checked, or to a new array. `others` are the other arguments of {@link resultIn}. */
export const targetFor = async (
  into: unknown,
  ...others: readonly [Given, HandTypes["arrayOf"], string, number, boolean]
): Promise<Target> => (into === undefined ? fresh : resultIn(into, ...others));

/** The types of the input and of the output. */
export interface HandTypes {
  /** The type of the input, if there is a map. */
  readonly from?: ElementType;
  readonly type: ElementType;
  /** Makes an array of the result's bytes, or of a range of them: one like the given array, if both have the same type. */
  arrayOf(...range: Bytes): AnyArray;
}

/** The types of the array's elements and of the result. `name` is the argument or the option that the array was given as. */
export async function typesOf(
  { data, isGone }: Given,
  options: TypeOptions,
  caller: string,
  name = "data",
): Promise<HandTypes> {
  if (isGone) {
    throw goneError(caller, name);
  }
  const given = options as { readonly [Name in keyof TypeOptions]?: ElementType };
  const named = namedType(data, given);
  const own =
    structOfArray(data, named, caller, given.from ? "from" : "type") ??
    named ??
    (await typeNamed(typeNameOfArray(data, named, caller)));
  if (given.map === undefined && given.from === undefined) {
    return { type: own, arrayOf: (...range) => arrayLike(data, ...range) };
  }
  const type = given.type ?? own;
  return {
    from: own,
    type,
    arrayOf: (...range) => (isSameType(own, type) ? arrayLike(data, ...range) : arrayOver(type, ...range)),
  };
}

const shortTypes = { u32, i32, f32, f16 } as const;

/** The element type of this name. */
const typeNamed = async (name: TypeName): Promise<ElementType> =>
  shortTypes[name as keyof typeof shortTypes] ?? (await loadNumbers())[name as "u64" | "i64" | "f64"];

/** A compiled plan, as a call uses it. */
interface PlanAtHand {
  readonly plan: Plan;
  /** Makes a buffer of these items. */
  upload(name: RangeName, from: Place & Pick<Given, "length">): Promise<Range>;
  /** Makes a buffer for `length` items of output. */
  output(name: RangeName, length: number): Promise<Range>;
  /** Executes the plan for `length` items, and reads the results. */
  run(ranges: ResolvedRanges, length: number, parts: readonly ReadBack[]): Promise<void>;
  /** Reads the results of an execution. */
  readBack(parts: readonly ReadBack[]): Promise<void>;
}

/** Does the work of one call with its plan. Its buffers have `bytes` bytes at most: see `bufferBytesFor`. */
export const planAtHand = <T>(
  context: Context,
  planned: Planned,
  bytes: number,
  call: (hand: PlanAtHand) => Promise<T>,
): Promise<T> =>
  withPlan(context, planned, bytes, (own) => {
    const { compiled } = own;
    const { plan } = compiled;
    const arrangement = planned.arrangementOf?.(plan) ?? arrangementFor(planned.all);
    return atHand(context, plan.title, (hand) => {
      const vector = arrangement === "padded" ? plan.vector : 1;
      const roomOf = (name: RangeName, length: number): number =>
        rangeBytes(length, plan.itemBytes[name] ?? 4, vector);
      return call({
        plan,
        async upload(name, from) {
          const bytes = roomOf(name, from.length);
          return { buffer: await hand.upload(name, from, bytes), offset: 0, bytes };
        },
        async output(name, length) {
          const bytes = roomOf(name, length);
          return { buffer: await hand.own(name, bytes), offset: 0, bytes: length && bytes };
        },
        run(ranges, length, parts) {
          compiled.requireDevice();
          if (compiled.nextRun()) {
            forgetRuns(own);
          }
          const buffers = Object.values(ranges).map((range) => range?.buffer);
          const { last } = own;
          const isSame = last?.length === length && buffers.every((one, at) => one === last.buffers[at]);
          const encode = (encoder: GPUCommandEncoder): void => {
            const dispatches = isSame
              ? last.dispatches
              : compiled.dispatches(compiled.bind(length, ranges, { arrangement }));
            if (!isSame) {
              // The execution before has ended.
              for (const { uniform } of last?.dispatches ?? []) {
                uniform.destroy();
              }
              own.last = { length, buffers, dispatches };
            }
            compiled.encode(encoder, dispatches, isSame);
          };
          return hand.readBack(parts, encode, isSame);
        },
        readBack: hand.readBack,
      });
    });
  });

/**
 * Whether an array goes in pieces: if it has more than 16 MiB, or more than half of what a buffer of the device may have. An array that
 * goes at once has plans and buffers of up to twice its bytes.
 */
export const isLong = (length: number, itemBytes: number, { kept, facts: { limits } }: Context): boolean =>
  length * itemBytes >
  Math.min(kept.longBytes, limits.maxBufferSize / 2, limits.maxStorageBufferBindingSize / 2);

/** Loads the code for data in pieces: streams, and calls on long arrays. */
export const loadStreams = /* @__PURE__ */ once(() => import("../streams/streams.ts"));

/**
 * Uploads an array, runs the plan, and reads the result back to where it goes: to a new array, if nothing is given. If the result is
 * empty, the plan is compiled all the same: a call on no data still reports errors in its operator or map. A long array goes piece by
 * piece.
 */
export async function runAtHand(
  context: Context,
  planned: LongPlanned,
  { type, from = type }: Omit<HandTypes, "arrayOf">,
  given: Given,
  ends: Partial<Omit<CheckedEnds, "options">>,
  result: Pick<LongCall, "target" | "room"> = { target: fresh },
): Promise<Uint8Array> {
  if (isLong(given.length, Math.max(from.bytes, type.bytes), context)) {
    return (await loadStreams()).runInPieces(context, {
      planned,
      given,
      outputBytes: type.bytes,
      ends,
      ...result,
    });
  }
  return runAtOnce(context, planned, type, given, ends, result.target);
}

/** The same for an array that is not long. */
export const runAtOnce = (
  context: Context,
  planned: Planned,
  type: ElementType,
  given: Given,
  ends: Partial<Omit<CheckedEnds, "options">> = {},
  target: Target = fresh,
): Promise<Uint8Array> =>
  planAtHand(
    context,
    planned,
    bufferBytesFor(given.byteLength) + bufferBytesFor(given.length * type.bytes, ends.total ? type.bytes : 0),
    async ({ plan, upload, output, run }) => {
      const length = plan.outputLength(given.length);
      if (length === 0 && !ends.total) {
        return new Uint8Array(0);
      }
      const ranges = {
        // Deno fails if a write has no bytes, so an empty array is not uploaded.
        input: given.byteLength > 0 ? await upload("input", given) : undefined,
        output: await output("output", length),
        initial: ends.initial && (await upload("initial", ends.initial)),
        total: ends.total && (await output("total", 1)),
      };
      const bytes = length * type.bytes;
      const result = target(bytes);
      const parts = [readBackOf(ranges.output, bytes, result)];
      if (ranges.total && ends.total) {
        parts.push(readBackOf(ranges.total, type.bytes, ends.total));
      }
      await run(ranges, given.length, parts);
      return result();
    },
  );

/** Bytes of a range that go to a target. */
export const readBackOf = ({ buffer }: Range, bytes: number, target: () => Uint8Array): ReadBack => ({
  buffer,
  bytes,
  use: (from) => target().set(from),
});
