import type { ElementType } from "../../algebra/types.ts";
import { loadStreams } from "../../parts.ts";
import type { Plan, RangeName } from "../../plan/plan.ts";
import { itemBytesOf, rangeBytes } from "../../plan/plan.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { CheckedEnds } from "../device/check_ends.ts";
import type { Context } from "../device/context.ts";
import type { Given, Place, Target } from "../device/given.ts";
import { fresh } from "../device/given.ts";
import type { ReadBack } from "../device/transfer.ts";
import { atHand } from "../device/transfer.ts";
import type { Range, ResolvedRanges } from "../executor/executor.ts";
import type { Planned } from "../executor/planned.ts";
import { arrangementFor, forgetRuns, withPlan, writtenParams } from "../executor/plans_of_calls.ts";
import type { LongCall } from "../streams/pieces_at_hand.ts";
import type { HandTypes } from "./hand_types.ts";

// What all calls at hand share: they plan, upload, execute the plan, and read back.

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
        rangeBytes(length, itemBytesOf(plan, name), vector);
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
        run(given, length, parts) {
          compiled.requireDevice();
          const ranges = { ...given, ...writtenParams(own, planned) };
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

/**
 * Uploads an array, runs the plan, and reads the result back to where it goes: to a new array, if nothing is given. If the result is
 * empty, the plan is compiled all the same: a call on no data still reports errors in its operator or map. A long array goes piece by
 * piece.
 */
export async function runAtHand(
  context: Context,
  planned: Planned & { readonly primitive: "scan" | "reduce" },
  { type, from = type }: Omit<HandTypes, "arrayOf">,
  given: Given,
  ends: Partial<Omit<CheckedEnds, "options">>,
  result: Pick<LongCall, "target" | "into"> = { target: fresh },
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
