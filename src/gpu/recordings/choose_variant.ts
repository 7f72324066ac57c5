import { ArgumentError, LimitError } from "../../errors.ts";
import type { Kernel } from "../../kernels/kernel.ts";
import { isWide } from "../../kernels/kernel.ts";
import { neededFor, requireBindable } from "../../plan/binding_length.ts";
import type { Pass, Plan, RangeName, Variant } from "../../plan/plan.ts";
import { itemBytesOf, WRITTEN } from "../../plan/plan.ts";
import { givenAs } from "../../plan/ranges.ts";
import type {
  BoundPass,
  BoundRange,
  Compiled,
  PartParams,
  Range,
  ResolvedRanges,
} from "../executor/executor.ts";
import { readsThroughOutput } from "../executor/executor.ts";

// Decides whether a plan can be recorded on some ranges, and with which of its variants. If WebGPU refused one dispatch, the caller
// would lose the whole submission. So such a dispatch is never recorded.

/** One execution of a compiled plan: its variant, and the dispatches with what each binds. */
export interface Execution {
  readonly compiled: Compiled;
  readonly variant: Variant;
  readonly passes: readonly BoundPass[];
}

/** What `prepare…` makes of options: compiled plans, and how a recording is divided into executions of them. */
export interface Division {
  /** What a recording takes, and the most of it. */
  readonly plan: Plan;
  readonly kernels: readonly Kernel[];
  /** The executions for ranges that were checked one by one. */
  divide(length: number, ranges: ResolvedRanges, params: PartParams): readonly Execution[];
  destroy(): void;
}

/** A division in which one compiled plan does everything. */
export const undivided = (compiled: Compiled): Division => ({
  plan: compiled.plan,
  kernels: compiled.plan.kernels,
  divide(length, ranges, params) {
    requireApart(compiled.plan, ranges);
    return [executionOf(compiled, length, ranges, params)];
  },
  destroy: () => compiled.destroy(),
});

/**
 * An execution of the first of a plan's variants whose dispatches WebGPU accepts. That depends on what each dispatch binds to read
 * and to write, so every pair of ranges is checked.
 *
 * @throws {ArgumentError} {@link LimitError} where there is none.
 */
export function executionOf(
  compiled: Compiled,
  length: number,
  ranges: ResolvedRanges,
  params: PartParams = {},
): Execution {
  const { plan } = compiled;
  requireRangesBindable(compiled, ranges);
  const atVectors = areAtVectors(plan, ranges) && !(plan.wholeVectors && length % plan.vector !== 0);
  let problem: Error | undefined;
  for (const variant of plan.variants) {
    if (atVectors || !isWide(variant.arrangement)) {
      const passes = compiled.bind(length, ranges, variant, params);
      if (isFor(variant, plan, ranges, passes)) {
        problem = bindingProblemOf(compiled, passes);
        if (problem === undefined) {
          return { compiled, variant, passes };
        }
      }
    }
  }
  throw problem ?? new Error("no variant");
}

/** @throws {LimitError} for a range that the device cannot bind. */
function requireRangesBindable({ plan, limits }: Compiled, ranges: ResolvedRanges): void {
  for (const [name, range] of Object.entries(ranges) as [RangeName, Range | undefined][]) {
    const bytes = itemBytesOf(plan, name);
    requireBindable(`${plan.title}: ${name}`, (range?.bytes ?? 0) / bytes, bytes, limits, givenAs(name));
  }
}

/** Whether two ranges have a byte in common. */
const overlap = (a: Range | undefined, b: Range | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.buffer === b.buffer &&
  Math.max(a.offset, b.offset) < Math.min(a.offset + a.bytes, b.offset + b.bytes);

const APART = "they must be apart";

/** Whether the items of input and output have the same number of bytes. */
const isOfOneSize = ({ itemTypes: { input, output } }: Plan): boolean => input.bytes === output.bytes;

/** Why plans of items of 8 and 16 bits bind no range that another one shares a buffer with. */
const whyOwn = ({ packed }: Plan): string =>
  packed?.size
    ? "; items of 8 and 16 bits share words, and become words of their own on the way, so the output takes another buffer than what is read"
    : "";

/** Where an output may lie that overlaps the input now. */
function allowedOverlap(plan: Plan): string {
  if (plan.outputLength(2) !== 1) {
    return isOfOneSize(plan) ? "they must be the same range, or apart" : APART;
  }
  const bindsBoth = ({ bindings }: Pass): boolean =>
    ["input", "output"].every((name) => Object.values(bindings).includes(name as RangeName));
  const canShare = plan.variants.some(
    ({ arrangement, aside }) => !plan.passes(Math.min(1, plan.maxLength), arrangement, aside).some(bindsBoth),
  );
  return canShare
    ? "the output must be apart from the input, or start where it starts"
    : "they must be in different buffers";
}

/** @throws {ArgumentError} if a range that is written overlaps another one. But input and output may be the same range. */
export function requireApart(plan: Plan, ranges: ResolvedRanges): void {
  const show = (name: RangeName): string => {
    const { offset = 0, bytes = 0 } = ranges[name] ?? {};
    return `${name} (bytes ${offset} to ${offset + bytes})`;
  };
  const names = Object.keys(ranges) as RangeName[];
  const isWritten = (name: RangeName): boolean =>
    WRITTEN.includes(givenAs(name)) || plan.writes?.includes(name) === true;
  for (const written of names.filter(isWritten)) {
    for (const name of names) {
      const [a, b] = [ranges[name], ranges[written]];
      if (name === written || !overlap(a, b)) {
        continue;
      }
      const mayBeOne =
        (name === "input" && written === "output" && !plan.segments?.reduces && !plan.apart) ||
        written === name.replace(/^values/, "reordered") ||
        written === name.replace(/^thenBy/, "thenOutput");
      const isOne =
        mayBeOne && a?.offset === b?.offset && (a?.bytes === b?.bytes || plan.outputLength(2) === 1);
      if (!isOne) {
        throw new ArgumentError(
          `${plan.title}: ${show(name)} and ${show(written)} overlap; ${mayBeOne && !plan.packed?.size ? allowedOverlap(plan) : (plan.apart ?? APART)}${whyOwn(plan)}`,
          givenAs(name),
        );
      }
    }
  }
}

/** Whether all ranges that kernels may take as vectors start at a vector of their items. */
const areAtVectors = (plan: Plan, ranges: ResolvedRanges): boolean => {
  const { vector, vectorRanges = ["input", "output"] } = plan;
  return vectorRanges.every((name) => (ranges[name]?.offset ?? 0) % (vector * itemBytesOf(plan, name)) === 0);
};

/** Whether kernels of this variant find their input and output where the ranges lie. */
function isFor(
  { arrangement, apart }: Variant,
  plan: Plan,
  { input, output }: ResolvedRanges,
  passes: readonly BoundPass[],
): boolean {
  const isShared = input !== undefined && input.buffer === output?.buffer;
  const isReachable = isShared && (arrangement !== "in-place" || input.offset === output.offset);
  return (
    !(apart && overlap(input, output)) &&
    (isReachable || !passes.some(({ pass }) => readsThroughOutput(plan, pass)))
  );
}

/** Whether one dispatch cannot bind both ranges: they share a buffer, and only one is written, or both are and overlap. */
const areInConflict = (a: BoundRange, b: BoundRange): boolean =>
  a.buffer === b.buffer && (a.writes !== b.writes || (a.writes && overlap(a, b)));

/** Why WebGPU would refuse a dispatch; undefined if it accepts all of them. */
export function bindingProblemOf(
  { plan, limits }: Compiled,
  passes: readonly BoundPass[],
): Error | undefined {
  const { title } = plan;
  const most = limits.maxStorageBufferBindingSize;
  const align = limits.minStorageBufferOffsetAlignment;
  const call = (name: RangeName): string =>
    (name === "input" || name === "output") && !isOfOneSize(plan)
      ? `${name} (items of ${itemBytesOf(plan, name)} bytes)`
      : name;
  for (const { bound } of passes) {
    const ranges = bound.filter((binding): binding is BoundRange & { variable: string } => "name" in binding);
    for (const [at, a] of ranges.entries()) {
      if (a.bytes > most) {
        return new LimitError(
          `${title}: a binding takes ${a.bytes} bytes, and the device's limit is ${most}; ${neededFor(a.bytes, limits)}`,
          a.bytes,
          most,
          givenAs(a.name),
        );
      }
      const b = ranges.slice(at + 1).find((later) => areInConflict(a, later));
      if (b !== undefined) {
        return new ArgumentError(
          `${title}: ${call(a.name)} and ${call(b.name)} must be in different buffers${
            a.writes && b.writes ? `, or have ${align} bytes between them` : ""
          }${whyOwn(plan)}`,
          givenAs(a.name),
        );
      }
    }
  }
  return undefined;
}
