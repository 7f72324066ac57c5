import type { AdapterIdentity } from "../adapters/adapter.ts";
import { traitsOf } from "../adapters/adapter.ts";
import type { CpuLengths, SortRow, Tuned, TunedPrimitive, TunedRows, TuningRow } from "../adapters/tables.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import { algorithms } from "../kernels/algorithms.ts";
import type { OptionTable } from "../options.ts";
import { requireOptions } from "../options.ts";
import { version } from "../version.ts";
import type { Passes } from "./options.ts";

// The package loads this file only if a tuning of an adapter is made or used.

const everyAlgorithm = ["blelloch", "hillis-steele", "subgroup"] as const;

/** The columns of the rows of each primitive: the algorithms that they may name, and whether they say how often the data is read. */
export const columnsOf = {
  scan: { algorithms: everyAlgorithm, passes: true },
  reduce: { algorithms: everyAlgorithm, passes: false },
  compact: { algorithms: everyAlgorithm, passes: true },
  // Subgroups vote, or threads have counters.
  sort: { algorithms: ["blelloch", "subgroup"], passes: true },
  pairs: { algorithms: ["blelloch", "subgroup"], passes: true },
  histogram: { algorithms: [], passes: false },
} as const satisfies Record<
  TunedPrimitive,
  { readonly algorithms: readonly Algorithm[]; readonly passes: boolean }
>;

/** What an adapter says of itself: a part of `GPUAdapterInfo`. A browser may leave each of them empty. */
export interface TunedAdapter {
  /** Who made it, such as "nvidia". */
  readonly vendor: string;
  /** Its family. */
  readonly architecture: string;
  /** Its model, or the vendor's number for that. */
  readonly device: string;
  /** What else the driver says, such as its own version. Verdicts on the single pass depend on it, and sizes do not. */
  readonly description: string;
  /** Whether it computes on the CPU. */
  readonly software: boolean;
}

/** An algorithm and sizes that an adapter was measured to be fastest with. */
export interface AdapterTuningRow {
  /** What the row is for. A sort is one of keys alone, and pairs are keys with which values or positions move. */
  readonly primitive: "scan" | "reduce" | "compact" | "sort" | "pairs" | "histogram";
  /**
   * How often the data is read; for a sort, how often for each digit. Reductions and histograms read the data once, so their rows leave
   * this out.
   */
  readonly passes?: Passes;
  /**
   * The most bytes of an element that the row is for. An element has more than half as many bytes. For a sort, the elements are the keys.
   */
  readonly elementBytes: number;
  /** Whether the row is for f64, whose operations take hundreds of instructions. The default is false. */
  readonly long?: boolean;
  /** The greatest length that the row is for, in elements. The default is any length. */
  readonly maxLength?: number;
  /** How the threads of a work-group combine their elements. A sort takes blelloch or subgroup. Rows of histograms leave this out. */
  readonly algorithm?: Algorithm;
  /** Threads in a work-group. */
  readonly workGroupSize: number;
  /** Consecutive items that one thread takes. */
  readonly itemsPerThread: number;
  /** In a row of a single pass: whether it was faster than to read the data twice. The default is false. */
  readonly isDefault?: boolean;
}

/**
 * What was measured on an adapter: plain JSON. `wavefold tune --output` writes it, {@link tuneAdapter} returns it, and `openFold`
 * takes it.
 */
export interface AdapterTuning {
  /** It tells a tuning from other JSON. */
  readonly format: "wavefold tuning";
  /** The version of Wavefold that measured. Another version has other kernels. */
  readonly version: string;
  /** The adapter that it was measured on. */
  readonly adapter: TunedAdapter;
  /** The verdict of the test of the single pass; left out if it was not tested. */
  readonly singlePass?: boolean;
  /**
   * The most elements of calls at hand that the CPU takes, by the kind of call: `scan`, `reduce`, `sort` and `argSort` of whole arrays, `segments`, calls with
   * `exactAdd`, and `others`. Kinds that are left out keep Wavefold's own.
   */
  readonly cpuLengths?: Partial<CpuLengths>;
  /** The first row that fits a call decides. A call that no row fits takes Wavefold's own. */
  readonly rows: readonly AdapterTuningRow[];
}

const adapterNames = {
  vendor: true,
  architecture: true,
  device: true,
  description: true,
  software: "boolean",
} as const satisfies OptionTable<TunedAdapter>;

const tuningNames = {
  format: true,
  version: true,
  adapter: true,
  singlePass: "boolean",
  cpuLengths: true,
  rows: true,
} as const satisfies OptionTable<AdapterTuning>;

const cpuLengthNames = {
  scan: true,
  reduce: true,
  sort: true,
  argSort: true,
  segments: true,
  exactAdd: true,
  histogram: true,
  searchSorted: true,
  others: true,
} as const satisfies OptionTable<CpuLengths>;

const rowNames = {
  primitive: true,
  passes: true,
  elementBytes: true,
  long: "boolean",
  maxLength: true,
  algorithm: true,
  workGroupSize: true,
  itemsPerThread: true,
  isDefault: "boolean",
} as const satisfies OptionTable<AdapterTuningRow>;

const AGAIN = "tune the adapter again, with npx wavefold tune --output FILE, or leave it out";

/** The parts of an adapter's info that tell it from others. */
export const adapterOf = (
  info: (Partial<TunedAdapter> & { readonly isFallbackAdapter?: boolean }) | undefined,
): TunedAdapter => ({
  vendor: info?.vendor ?? "",
  architecture: info?.architecture ?? "",
  device: info?.device ?? "",
  description: info?.description ?? "",
  software: info?.isFallbackAdapter ?? false,
});

/** A tuning of this version for this adapter. */
export const tuningOf = (
  adapter: TunedAdapter,
  singlePass: boolean | undefined,
  rows: readonly AdapterTuningRow[],
  cpuLengths: Partial<CpuLengths> = {},
): AdapterTuning => ({
  format: "wavefold tuning",
  version,
  adapter,
  ...(singlePass !== undefined && { singlePass }),
  ...(Object.keys(cpuLengths).length > 0 && { cpuLengths }),
  rows,
});

/**
 * Checks a tuning that came from a file or a cache, against the adapter that it is to be used on.
 *
 * @throws {ArgumentError} for anything but a tuning of this version and this adapter.
 */
export function requireTuning(value: unknown, adapter: TunedAdapter, title: string): AdapterTuning {
  const given = value as Partial<Record<keyof AdapterTuning, unknown>> | null;
  if (typeof given !== "object" || given === null || given.format !== "wavefold tuning") {
    refuse(
      title,
      "tuning",
      given && typeof given === "object" ? "another object" : shown(given),
      `"auto", or what wavefold tune --output writes and tuneAdapter returns`,
    );
  }
  if (given.version !== version) {
    throw new ArgumentError(
      `${title}: tuning is of Wavefold ${String(given.version)}, and this is ${version}; ${AGAIN}`,
      "tuning",
    );
  }
  requireOptions(`${title}: tuning`, given, tuningNames);
  const { rows, cpuLengths = {} } = given;
  requireAdapter(given.adapter, adapter, title);
  requireOptions(`${title}: tuning.cpuLengths`, cpuLengths, cpuLengthNames);
  for (const [name, length] of Object.entries(cpuLengths as object)) {
    requireWhole(`${title}: tuning.cpuLengths`, name, length, 0, Number.MAX_SAFE_INTEGER);
  }
  if (!Array.isArray(rows)) {
    refuse(title, "tuning.rows", shown(rows), "an array");
  }
  for (const [at, row] of rows.entries()) {
    requireRow(row, `${title}: tuning.rows[${at}]`);
  }
  return given as AdapterTuning;
}

/** The facts of an adapter that its sizes depend on. */
const parts = ["vendor", "architecture", "device"] as const;

/** Whether two adapters agree in every fact that both of them give. A browser may leave facts empty. */
function requireAdapter(of: unknown, adapter: TunedAdapter, title: string): void {
  requireOptions(`${title}: tuning.adapter`, of, adapterNames);
  const measured = of as Partial<Record<keyof TunedAdapter, unknown>>;
  for (const name of parts) {
    if (measured[name] && adapter[name] && measured[name] !== adapter[name]) {
      throw new ArgumentError(
        `${title}: tuning is of an adapter whose ${name} is "${String(measured[name])}", and this one's is "${adapter[name]}"; ${AGAIN}`,
        "tuning",
      );
    }
  }
  if ((measured.software === true) !== adapter.software) {
    const kind = (software: boolean): string => (software ? "a software adapter" : "a GPU");
    throw new ArgumentError(
      `${title}: tuning is of ${kind(!adapter.software)}, and this is ${kind(adapter.software)}; ${AGAIN}`,
      "tuning",
    );
  }
}

/**
 * The tuning's verdict on the single pass, if it is surely about this adapter: the vendor and another fact are known and the
 * same. The description, which has the driver's version, is the same, too, or is empty on one side.
 */
export function verdictFor(
  { singlePass, adapter: of }: AdapterTuning,
  adapter: TunedAdapter,
): boolean | undefined {
  const isSame = (name: (typeof parts)[number]): boolean => of[name] !== "" && of[name] === adapter[name];
  const isOfDriver = !of.description || !adapter.description || of.description === adapter.description;
  return isSame("vendor") && (isSame("architecture") || isSame("device")) && isOfDriver
    ? singlePass
    : undefined;
}

function requireRow(row: unknown, title: string): void {
  requireOptions(title, row, rowNames);
  const { primitive, passes, algorithm, ...numbers } = row as Record<keyof AdapterTuningRow, unknown>;
  if (!Object.hasOwn(columnsOf, primitive as string)) {
    refuse(title, "primitive", shown(primitive), Object.keys(columnsOf).join(", "));
  }
  const columns = columnsOf[primitive as TunedPrimitive];
  const nothing = `nothing in a row of ${String(primitive)}`;
  if (columns.passes ? passes !== "single" && passes !== "reduce-then-scan" : passes !== undefined) {
    refuse(title, "passes", shown(passes), columns.passes ? "single or reduce-then-scan" : nothing);
  }
  const names: readonly unknown[] = columns.algorithms;
  if (names.length === 0 ? algorithm !== undefined : !names.includes(algorithm)) {
    refuse(title, "algorithm", shown(algorithm), names.join(", ") || nothing);
  }
  requireWhole(title, "elementBytes", numbers.elementBytes, 1, 2 ** 16);
  requireWhole(title, "workGroupSize", numbers.workGroupSize, 2, 2 ** 16);
  requireWhole(title, "itemsPerThread", numbers.itemsPerThread, 1, 64);
  if (numbers.maxLength !== undefined) {
    requireWhole(title, "maxLength", numbers.maxLength, 1, Number.MAX_SAFE_INTEGER);
  }
}

function requireWhole(title: string, name: string, value: unknown, least: number, most: number): void {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) {
    refuse(title, name, shown(value), `a whole number from ${least} to ${most}`);
  }
}

/** Bytes of the elements of a compaction: it counts items. */
const COUNT_BYTES = 4;

/** A tuning's rows, which override those of the adapter's kind. */
export function tunedRowsOf({ rows, adapter }: AdapterTuning): TunedRows {
  const { outlastsTunings } = traitsOf(adapter);
  const rowOf = (
    readsTwice: boolean,
    asked: Tuned | TunedPrimitive,
    { elementBytes: bytes, long }: Parameters<TunedRows["rowOf"]>[2],
    maxLength: unknown,
    loaded: Partial<Record<Algorithm, unknown>>,
  ): TuningRow | undefined => {
    // Run lengths take the rows of compactions, and so do partitions whose rest has a range of its own.
    const isCompaction = (asked === "runs" || asked === "parts") && !outlastsTunings;
    const primitive = isCompaction ? "compact" : asked;
    const elementBytes = isCompaction ? COUNT_BYTES : bytes;
    const row = rows.find(
      (one) =>
        one.primitive === primitive &&
        (one.passes !== "single") === readsTwice &&
        elementBytes <= one.elementBytes &&
        2 * elementBytes > one.elementBytes &&
        !one.long === !long &&
        // A length that is no number is refused later.
        !(typeof maxLength === "number" && maxLength > (one.maxLength ?? Number.POSITIVE_INFINITY)) &&
        (one.algorithm === undefined || loaded[one.algorithm] !== undefined),
    );
    // A histogram takes no algorithm.
    return row && { ...row, algorithm: row.algorithm ?? "blelloch", items: row.itemsPerThread };
  };
  return {
    rowOf,
    histogramOf(known, elementBytes, maxLength) {
      const row = rowOf(true, "histogram", { elementBytes }, maxLength, {});
      return row ? { ...known, workGroupSize: row.workGroupSize, items: row.items } : known;
    },
    sortOf({ primitive, elementBytes, maxLength, passes, lookBack }, loaded) {
      const rowFor = (read: Passes): TuningRow | undefined =>
        rowOf(read !== "single", primitive, { elementBytes }, maxLength, loaded);
      if (passes !== undefined || !lookBack) {
        const row = rowFor(passes ?? "reduce-then-scan");
        return row && { sizes: sizesOf(row), ...(passes && { passes }) };
      }
      const single = rowFor("single");
      const twice = single?.isDefault ? undefined : rowFor("reduce-then-scan");
      return (
        single &&
        (twice
          ? { sizes: sizesOf(twice), passes: "reduce-then-scan" }
          : { sizes: sizesOf(single), passes: "single" })
      );
    },
  };
}

/** The sizes that a row gives a sort, of the way to rank that it names. The other way keeps its own. */
const sizesOf = ({ algorithm, workGroupSize, items }: TuningRow): Partial<SortRow> =>
  algorithm === "subgroup"
    ? { byVotes: true, workGroupSize, items }
    : { byVotes: false, counterThreads: workGroupSize, counterItems: items };

/** An algorithm and sizes that were timed, and how long they took at each length, in any unit that is the same for all. */
export interface TimedCandidate {
  /** A histogram takes none. */
  readonly algorithm?: Algorithm;
  readonly workGroupSize: number;
  readonly itemsPerThread: number;
  readonly times: readonly number[];
}

/** How much faster a candidate must be at some lengths to get a row of its own. */
const WORTH_A_ROW = 0.97;

/** What the rows of a set of measurements are for. */
export interface RowsFor {
  readonly primitive: TunedPrimitive;
  readonly elementBytes: number;
  readonly long: boolean;
  /** Ascending. */
  readonly lengths: readonly number[];
}

/**
 * Makes rows from times. For each number of passes, there is a row of the candidate that is best over all lengths, and before it rows
 * of those that are clearly better up to some length. Behind a row that takes subgroups stands one without, for calls that do not load
 * them. `candidates` has the times by passes. A primitive that reads its data once in any case, as a reduction, has them under "reduce-then-scan".
 */
export function rowsFrom(
  { primitive, elementBytes, long, lengths }: RowsFor,
  candidates: Readonly<Record<Passes, readonly TimedCandidate[]>>,
): AdapterTuningRow[] {
  const leastAt = (passes: Passes, at: number): number =>
    Math.min(...candidates[passes].map(({ times }) => times[at] ?? Number.POSITIVE_INFINITY));
  const rowsOf = (passes: Passes, own: readonly TimedCandidate[]): AdapterTuningRow[] => {
    const best = bestOf(own);
    if (best === undefined) {
      return [];
    }
    const row = (
      { algorithm, workGroupSize, itemsPerThread, times }: TimedCandidate,
      at: number,
    ): AdapterTuningRow => {
      const isLast = at === lengths.length - 1;
      const isFaster = (times[at] ?? Number.POSITIVE_INFINITY) < leastAt("reduce-then-scan", at);
      return {
        primitive,
        ...(columnsOf[primitive].passes && { passes }),
        elementBytes,
        ...(long && { long }),
        ...(!isLast && { maxLength: lengths[at] as number }),
        ...(algorithm && { algorithm }),
        workGroupSize,
        itemsPerThread,
        ...(passes === "single" && isFaster && { isDefault: true }),
      };
    };
    return lengths.map((_, at) => {
      const here = own.reduce((a, b) => ((b.times[at] as number) < (a.times[at] as number) ? b : a));
      const isWorth = (here.times[at] as number) < WORTH_A_ROW * (best.times[at] as number);
      return row(isWorth ? here : best, at);
    });
  };
  return (["reduce-then-scan", "single"] as const).flatMap((passes) => {
    const rows = rowsOf(passes, candidates[passes]);
    const portable = rows.every(isPortable) ? [] : rowsOf(passes, candidates[passes].filter(isPortable));
    // Most calls at hand do not load subgroups. They pass over those rows, to the next one that is long enough.
    const byLength = rows.flatMap((one, at) =>
      isPortable(one) ? [one] : [one, ...portable.slice(at, at + 1)],
    );
    const each = [...rows, ...portable];
    return withoutIdle(areAlike(each, byLength, lengths) ? each : byLength, lengths);
  });
}

const isPortable = ({ algorithm }: Pick<TimedCandidate, "algorithm">): boolean =>
  algorithm === undefined || !algorithms[algorithm].subgroups;

/** Whether the first rows that fit have the same sizes at each length, with subgroups and without. */
const areAlike = (
  some: readonly AdapterTuningRow[],
  others: readonly AdapterTuningRow[],
  lengths: readonly number[],
): boolean =>
  [false, true].every((withFasterWays) =>
    lengths.every((length) => {
      const [one, other] = [some, others].map((rows) =>
        rows.find(
          (row) =>
            (withFasterWays || isPortable(row)) && length <= (row.maxLength ?? Number.POSITIVE_INFINITY),
        ),
      );
      return one === undefined || other === undefined ? one === other : isSame(one, other);
    }),
  );

/** Leaves out each row without which every length gets the same sizes. */
function withoutIdle(rows: readonly AdapterTuningRow[], lengths: readonly number[]): AdapterTuningRow[] {
  for (const idle of rows) {
    const others = rows.filter((one) => one !== idle);
    if (areAlike(others, rows, lengths)) {
      return withoutIdle(others, lengths);
    }
  }
  return [...rows];
}

/**
 * A tuning's rows for an adapter. If the rows of its kind were measured on longer arrays than a tuning times, these end with the longest
 * length that was timed, and longer arrays take those.
 */
export const rowsOn = (
  adapter: AdapterIdentity,
  rows: readonly AdapterTuningRow[],
  lengths: readonly number[],
): AdapterTuningRow[] =>
  traitsOf(adapter).outlastsTunings
    ? rows.map((row) => ({ ...row, maxLength: row.maxLength ?? Math.max(...lengths) }))
    : [...rows];

const isSame = (a: AdapterTuningRow, b: AdapterTuningRow): boolean =>
  a.algorithm === b.algorithm &&
  a.workGroupSize === b.workGroupSize &&
  a.itemsPerThread === b.itemsPerThread &&
  a.isDefault === b.isDefault;

/** The candidate whose geometric mean of times over the lengths is least. */
export function bestOf<Candidate extends TimedCandidate>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  const score = ({ times }: TimedCandidate): number => times.reduce((sum, time) => sum + Math.log(time), 0);
  return candidates.reduce<Candidate | undefined>(
    (best, one) => (best === undefined || score(one) < score(best) ? one : best),
    undefined,
  );
}
