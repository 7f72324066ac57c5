import type { TunedPrimitive } from "../../adapters/tables.ts";
import type { ElementType } from "../../algebra/types.ts";
import type { Algorithm } from "../../kernels/algorithms.ts";
import { algorithms } from "../../kernels/algorithms.ts";
import { columnsOf } from "../../plan/adapter_tuning.ts";
import type { DeviceFacts } from "../../plan/device_facts.ts";
import type { Passes } from "../../plan/options.ts";
import { contextOf } from "../device/device.ts";
import type { Fold } from "../fold.ts";

/** The threads of a work-group, and the consecutive items that each takes. */
export interface Shape {
  readonly workGroupSize: number;
  readonly itemsPerThread: number;
}

const shapesOf = (pairs: readonly (readonly [workGroupSize: number, itemsPerThread: number])[]): Shape[] =>
  pairs.map(([workGroupSize, itemsPerThread]) => ({ workGroupSize, itemsPerThread }));

/**
 * What is tried: the bytes of arrays, and for each size of element the shapes, of which the first is the most usual. A sort's
 * scratch is as long as its array, and keys that subgroups rank take other shapes than those that counters rank.
 */
const ranges = {
  gpu: {
    /** How many plans are compiled at once. */
    atOnce: 8,
    bytes: [2 ** 18, 2 ** 22, 2 ** 26],
    short: shapesOf([
      [256, 8],
      [256, 16],
      [256, 4],
      [512, 8],
      [512, 16],
      [128, 8],
      [128, 16],
      [512, 24],
    ]),
    long: shapesOf([
      [256, 4],
      [256, 8],
      [128, 8],
      [128, 4],
      [256, 2],
    ]),
    sortBytes: [2 ** 18, 2 ** 22, 2 ** 24],
    byVotes: shapesOf([
      [256, 12],
      [256, 16],
      [256, 8],
      [256, 22],
      [256, 32],
      [512, 8],
      [128, 16],
    ]),
    byCounters: shapesOf([
      [128, 16],
      [256, 8],
      [256, 16],
      [64, 16],
    ]),
    histogram: shapesOf([
      [256, 16],
      [512, 16],
      [256, 8],
      [128, 16],
    ]),
  },
  software: {
    atOnce: 4,
    bytes: [2 ** 14, 2 ** 18],
    short: shapesOf([
      [32, 16],
      [32, 8],
      [16, 16],
      [64, 8],
    ]),
    long: shapesOf([
      [32, 8],
      [16, 8],
    ]),
    sortBytes: [2 ** 14, 2 ** 18],
    byVotes: shapesOf([[64, 16]]),
    byCounters: shapesOf([
      [64, 16],
      [32, 16],
      [64, 32],
    ]),
    histogram: shapesOf([
      [64, 16],
      [32, 32],
      [128, 16],
    ]),
  },
} as const;

/** What is tried on a kind of adapter. */
export const rangeOn = ({ software }: Pick<DeviceFacts, "software">) => ranges[software ? "software" : "gpu"];

/** Algorithm, sizes and passes, as the options of a plan take them. A histogram takes no algorithm. */
export type TuningCandidate = Shape & { readonly algorithm?: Algorithm; readonly passes: Passes };

/** Whether it is a sort, of keys alone or of keys and values. */
export const isSort = (primitive: TunedPrimitive): boolean => primitive === "sort" || primitive === "pairs";

/** One primitive on one type, and the candidates, if they are not those that suit the adapter. */
export interface Subject {
  readonly primitive: TunedPrimitive;
  readonly type: ElementType;
  readonly algorithms?: readonly Algorithm[];
  readonly shapes?: readonly Shape[];
}

/** The shapes that suit the adapter, the most usual one first. */
export function shapesFor(
  facts: Pick<DeviceFacts, "software">,
  { primitive, type }: Pick<Subject, "primitive" | "type">,
  algorithm: Algorithm | undefined,
): readonly Shape[] {
  const range = rangeOn(facts);
  switch (primitive) {
    case "sort":
    case "pairs":
      return algorithm === "subgroup" ? range.byVotes : range.byCounters;
    case "histogram":
      return range.histogram;
    default:
      return type.bytes > 4 ? range.long : range.short;
  }
}

/** Which candidates of a primitive there are, on elements of a type: the algorithms, their shapes, and how often they read the data. */
export function waysOn(facts: DeviceFacts, subject: Subject) {
  const { software, features, lookBack } = facts;
  const columns = columnsOf[subject.primitive];
  const known: readonly Algorithm[] = columns.algorithms;
  const names = known.filter(
    (name) =>
      (!algorithms[name].subgroups || features.has("subgroups")) &&
      (subject.algorithms?.includes(name) ?? true),
  );
  const passes: readonly Passes[] =
    columns.passes && lookBack && !software ? ["reduce-then-scan", "single"] : ["reduce-then-scan"];
  return {
    algorithms: known.length === 0 ? [undefined] : names,
    passes,
    shapes: (algorithm: Algorithm | undefined): readonly Shape[] =>
      subject.shapes ?? shapesFor(facts, subject, algorithm),
  };
}

/** The most candidates that `tuneOne` times. */
export function candidatesOfOne(fold: Fold, subject: Subject): number {
  const { algorithms: names, passes, shapes } = waysOn(contextOf(fold.device).facts, subject);
  const others = Math.max(0, ...names.map((name) => shapes(name).length - 1));
  return passes.length * (names.length + others);
}
