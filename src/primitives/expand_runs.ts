import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { LimitError, refuse, shown } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import { requireMaxLength } from "../plan/choose_sizes.ts";
import type { ExpandOptions } from "../plan/expand_runs.ts";
import { planExpandRuns } from "../plan/expand_runs.ts";
import type { Told } from "../plan/explain_way.ts";
import { TWO_BUFFERS } from "../plan/plan.ts";
import type { Examples } from "./examples.ts";
import { between, pick } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import type { Primitive, Result } from "./primitive.ts";
import { requireU32 } from "./primitive.ts";
import type { BufferRange, Length, PreparedPrimitive } from "./ranges.ts";

/** The options of `expandRuns`. */
export interface HandExpandOptions<Name extends string, Indices = boolean, Ranks = boolean>
  extends Pick<ExpandOptions, "workGroupSize" | "itemsPerThread"> {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /** Whether to give the index of each item's run, a u32, instead of the run's value. */
  readonly indices?: Indices;
  /** Whether to give each item's rank, too: how many items of the same run come before it. The result is then `{ values, ranks }`. */
  readonly ranks?: Ranks;
}

/** The option of `expandRuns` on arrays on the GPU. */
interface RoomOption {
  /** The most elements that the result may have. Elements past that many are left out. */
  readonly maxLength: number;
}

/** The options of `expandRuns` on arrays on the GPU. */
export interface GpuExpandOptions<Name extends string, Indices = boolean, Ranks = boolean>
  extends HandExpandOptions<Name, Indices, Ranks>,
    RoomOption {}

/** Items of runs, and where they stand in these. */
export interface RankedItems<Values, Ranks> {
  /** The value of each item's run. */
  readonly values: Values;
  /** How many items of the same run come before each item. */
  readonly ranks: Ranks;
}

/** Where the writing out of runs reads and writes. */
export interface ExpandRanges {
  /** The value of each run. Plans with `indices` take none. */
  readonly input?: BufferRange;
  /** How many items each run has, as u32. A run may have none. */
  readonly counts: BufferRange;
  /** Receives the items. It is in another buffer than the input. */
  readonly output: BufferRange;
  /** For plans prepared with `ranks`: receives how many items of the same run come before each item, as u32. */
  readonly ranks?: BufferRange;
  /** How many items the output, and `ranks`, have room for. Items past that many are left out. */
  readonly outputLength: number;
  /** Receives the number of items that were written, a u32. It is in another buffer than the input. */
  readonly count: BufferRange;
  /** The number of runs. */
  readonly length: Length;
}

/** The writing out of runs, compiled and with its scratch allocated. */
export interface PreparedExpandRuns extends PreparedPrimitive<ExpandRanges> {}

/** The most elements of a result: what the kernel takes as a number. */
const MOST = 2 ** 32 - 2;

/** What the counts add up to. @throws {LimitError} if no result has as many elements. */
function requireTotal(counts: Uint32Array, title: string): number {
  let total = 0;
  for (let at = 0; at < counts.length; at++) {
    total += counts[at] as number;
  }
  if (total > MOST) {
    throw new LimitError(
      `${title}: the counts add up to ${total}, and a result has ${MOST} elements at most`,
      total,
      MOST,
      "counts",
    );
  }
  return total;
}

/** The room for a result on the GPU. @throws {ArgumentError} */
function requireRoom(maxLength: unknown, title: string): number {
  return typeof maxLength === "number" && Number.isInteger(maxLength) && maxLength >= 0 && maxLength <= MOST
    ? maxLength
    : refuse(
        title,
        "maxLength",
        shown(maxLength),
        "a whole number from 0 to 2^32 - 2, the most elements that the result may have",
      );
}

type Options = HandExpandOptions<string> & Partial<RoomOption>;

/** Each value as often as its count says. */
export const expandRuns: Primitive<Options, "values" | "counts", "values" | "ranks"> = {
  name: "expandRuns",
  onCpu: "moves",
  operands: [
    { name: "values", range: "input", isNamed: true },
    { name: "counts", range: "counts", isOneEach: true },
  ],
  options: {
    type: "type",
    indices: "boolean",
    ranks: "boolean",
    workGroupSize: "count",
    itemsPerThread: "count",
  } satisfies OptionTable<HandExpandOptions<string>>,
  gpuOptions: { maxLength: "count" } satisfies OptionTable<RoomOption>,
  arrangements: TWO_BUFFERS,
  request({ types, lengths, arrays, options: { maxLength, ...options }, facts }) {
    const { counts } = types;
    const type = requireType(types.values, "expandRuns", "values");
    const title = `expandRuns<${type.name}>`;
    requireU32(counts, "counts", title);
    const most = arrays ? requireTotal(arrays.counts as Uint32Array, title) : requireRoom(maxLength, title);
    const { indices, ranks } = options;
    const bytes = indices ? u32.bytes : type.bytes;
    requireMaxLength(title, most, bytes, facts.limits, arrays ? "counts" : "maxLength");
    const counted = { most, length: "count" } as const;
    const values: Result<"values"> = { name: "values", range: "output", type: u32, ...counted };
    return {
      title,
      options: { ...options, type },
      numbers: { outputLength: most },
      results: [
        indices ? values : { ...values, type, like: "values" },
        ...(ranks ? [{ name: "ranks", range: "ranks", type: u32, ...counted } as const] : []),
      ],
      // The ends of the runs.
      scratchBytes: 2 * u32.bytes * (lengths.values ?? 0),
    };
  },
  plan: planExpandRuns,
};

const byScan = (): Told => ({
  way: "a scan of the counts finds where each run ends, and then each item looks for its run",
  why: ["Where a run starts depends on all counts before it."],
  table: "expandRuns",
});

export const expandRunsHelp: HelpOf<typeof expandRuns> = {
  command: "expand",
  summary: "repeat each value as often as its count says",
  says: "The inverse of runs: repeats each value as often as its count says.",
  operands: {
    values: "the value of each run",
    counts: "counts: how often to repeat each value",
  },
  options: { indices: "repeat the position of each value (<u4) instead of the value" },
  results: {
    values: "where the result goes",
    ranks: "write how many items of the same value's count come before each item (<u4), too",
  },
  flags: { counts: "needed", ranks: "optional" },
  wholeNumbers: ["counts"],
  ways: { scan_single_pass: byScan, reduce_tiles: byScan, scan_tiles: byScan },
  completed: (given, length) => ({ maxLength: length, ...given }),
};

/** Runs of which some have many elements, and short ones: with room for all elements, and for any number. */
export const expandRunsExamples: Examples<Options> = {
  of: (_, length, random) =>
    (["counts", "small"] as const).flatMap((contents) =>
      [contents === "counts" ? length : 3 * length, pick(random, [0, between(random, 0, 2 * length)])].map(
        (maxLength) => ({
          options: { maxLength },
          operands: { counts: { type: u32, contents } },
        }),
      ),
    ),
};

export const described: readonly Described[] = [
  { primitive: expandRuns, help: expandRunsHelp, examples: expandRunsExamples },
];
