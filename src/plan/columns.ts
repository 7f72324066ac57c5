import { tablesFor } from "../adapters/adapter.ts";
import type { ColumnTuning, TuningRow } from "../adapters/tables.ts";
import type { Monoid, Operator } from "../algebra/monoid.ts";
import { monoid as monoidOf } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { Matrices } from "../algebra/segments.ts";
import type { ElementType } from "../algebra/types.ts";
import { ArgumentError, shown } from "../errors.ts";
import { reduceColumnsKernel, scanColumnsKernel } from "../kernels/columns.ts";
import { endsOf } from "../kernels/initial_and_total.ts";
import type { Arrangement, Ends, Kernel, Mirror } from "../kernels/kernel.ts";
import { isApart } from "../kernels/kernel.ts";
import type { ItemMap } from "../kernels/map.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { chooseSizes, requireMaxLength } from "./choose_sizes.ts";
import { mapOf } from "./map.ts";
import type { Chosen } from "./options.ts";
import type { Bindings, PassParams, Plan, Scratch } from "./plan.ts";
import { bound, distinct, itemTypesOf, rangesTaken, wholeWords } from "./plan.ts";
import type { Combination, PlanFacts } from "./plan_facts.ts";
import { orderOf } from "./reverse.ts";
import { countsOf, refuseTotal } from "./segment_counts.ts";
import type { LoadedTuning } from "./tuning.ts";
import { groupingOf } from "./tuning.ts";

/** How matrices are divided. */
interface Division {
  /** Rows of a chunk. */
  readonly rows: number;
  readonly chunks: number;
  /** Whether work-groups take blocks of columns. */
  readonly blocked: boolean;
  /** How many threads one chunk takes. */
  readonly threads: number;
}

/** How matrices of as many rows are divided. `block` is there if work-groups may take blocks of columns. */
function divisionOf(
  [matrices, rows, columns]: Matrices,
  { alone, threads: most, block = Infinity }: ColumnTuning,
  { workGroupSize, items }: Sizes,
): Division {
  const all = matrices * columns;
  // Several threads for a column are of use if one for each is too few, and if there are items for them.
  const blocked = columns >= block && all < most && rows > 2 * items;
  const threads = blocked ? matrices * Math.ceil(columns / block) * workGroupSize : all;
  // One thread goes through the chunks of a column, so there are no more of them than rows in a chunk. In a chunk of blocks,
  // each thread has items.
  const leastRows = blocked ? (workGroupSize / block) * items : 1;
  const fitting = Math.min(Math.floor(Math.sqrt(rows)), Math.floor(rows / leastRows));
  const chunks = threads >= alone ? 1 : Math.min(Math.floor(most / threads), fitting);
  const chunkRows = Math.max(1, Math.ceil(rows / Math.max(1, chunks)));
  return { rows: chunkRows, chunks: Math.max(1, Math.ceil(rows / chunkRows)), blocked, threads };
}

/** The options of a scan or a reduction of columns. */
type ColumnOptions = Chosen & {
  readonly type: ElementType;
  readonly op?: Operator;
  readonly map?: string;
  readonly exclusive?: boolean;
  readonly reverse?: boolean;
  readonly initial?: unknown;
  readonly total?: unknown;
  readonly lengthOnGpu?: boolean;
  /** `"matrices"` for the columns of several matrices. */
  readonly segments?: unknown;
};

/** For tests: numbers that replace those chosen for the adapter. */
export interface ColumnTesting {
  readonly alone?: number;
  readonly threads?: number;
  readonly block?: number;
}

/** A scan or a reduction of columns, as its kernels need it. */
interface PlannedColumns {
  readonly monoid: Monoid;
  readonly reduces: boolean;
  readonly exclusive: boolean;
  /** The columns of a block, if work-groups may take blocks. */
  readonly block: number | undefined;
  /** The files for mirrored items, if columns go from their last items to their first. */
  readonly mirror: Mirror | undefined;
  /** What the kernels have that read the caller's items. */
  readonly ofItems: {
    readonly sizes: Sizes;
    readonly lengthOnGpu: boolean;
    readonly map: ItemMap | undefined;
    readonly ends: Ends | undefined;
    readonly ofMatrices: boolean;
  };
}

/** The kernels of columns: the one that reduces chunks to totals, the one that combines these, and those that read each chunk at last. */
function columnKernels(
  { monoid, reduces, exclusive, block, mirror, ofItems }: PlannedColumns,
  arrangements: readonly ("items" | "one-buffer")[],
) {
  const { sizes, lengthOnGpu, ends } = ofItems;
  const totals = reduceColumnsKernel(monoid, { ...ofItems, mirror, input: "items", output: "elements" });
  const ofChunks = reduces
    ? reduceColumnsKernel(monoid, { sizes, lengthOnGpu, ends, input: "elements", output: "items" })
    : scanColumnsKernel(monoid, {
        sizes,
        lengthOnGpu: false,
        side: "elements",
        exclusive: true,
        oneBuffer: true,
        carry: false,
      });
  const lasts = arrangements.flatMap((arrangement) =>
    (reduces || block === undefined ? [false] : [false, true]).map((blocked) => ({
      arrangement,
      blocked,
      kernel: reduces
        ? reduceColumnsKernel(monoid, { ...ofItems, input: "items", output: "items" })
        : scanColumnsKernel(monoid, {
            ...ofItems,
            side: "items",
            exclusive,
            mirror,
            oneBuffer: arrangement === "one-buffer",
            carry: true,
            ...(blocked && block && { block }),
          }),
    })),
  );
  return { totals, ofChunks, lasts };
}

/** @throws {ArgumentError} for an algorithm, and for passes that columns do not take. */
function refuseChoices(options: ColumnOptions, title: string): void {
  const { algorithm, passes } = options;
  if (algorithm !== undefined || (passes !== undefined && passes !== "reduce-then-scan")) {
    const name = algorithm === undefined ? "passes" : "algorithm";
    throw new ArgumentError(
      `${title}: ${name} is ${shown(options[name])}, but each thread goes down a column by itself; leave ${name} out`,
      name,
    );
  }
}

/** The sizes of the kernels, and how matrices are divided. */
function dividedFor(
  primitive: "scan" | "reduce",
  combination: Combination,
  options: ColumnOptions,
  facts: PlanFacts,
  testing: ColumnTesting,
): { readonly tuning: LoadedTuning; readonly division: ColumnTuning } {
  const { domain } = combination.monoid;
  const division = { ...tablesFor(facts).columns[primitive], ...testing };
  // Blocks combine each element more often than threads with a column each. That is slow if one combination takes hundreds of instructions.
  const mayBlock = primitive === "scan" && (!domain.long || testing.block);
  const block = mayBlock ? division.block : undefined;
  const fitting = division.rows.find(({ elementBytes }) => domain.elementBytes <= elementBytes);
  const row = (fitting ?? division.rows.at(-1)) as TuningRow;
  const tuning = chooseSizes(row, combination, options, facts, ({ sizes: { workGroupSize } }) =>
    block ? 2 * workGroupSize * domain.elementBytes : 0,
  );
  // A work-group takes whole columns, with two threads for each at least.
  const { workGroupSize } = tuning.sizes;
  const isWhole = block !== undefined && workGroupSize % block === 0 && workGroupSize > block;
  return { tuning, division: { ...division, block: isWhole ? block : undefined } };
}

/**
 * Plans a scan or a reduction down the columns of a matrix, or of several that lie one behind another. If a thread for each column is too few, a work-group takes a
 * block of columns, with several threads for each. If that is too few, the rows are cut into chunks: each chunk's columns are
 * reduced to totals, these are scanned, and then each chunk is scanned on top of them.
 */
export function planColumns(
  primitive: "scan" | "reduce",
  options: ColumnOptions,
  facts: PlanFacts,
  arrangements: readonly Arrangement[],
  testing: ColumnTesting = {},
): Plan {
  const { type, op = add, exclusive = false, lengthOnGpu = false, total } = options;
  const reduces = primitive === "reduce";
  const ofMatrices = options.segments === "matrices";
  const order = orderOf({ ...options, segments: ofMatrices ? "matrices" : "columns" });
  const monoidOfItems = order.operatorOf(monoidOf(op, type, primitive));
  const title = `${primitive}<${monoidOfItems.title}> of columns${ofMatrices ? " of matrices" : ""}`;
  refuseTotal(total, title);
  refuseChoices(options, title);
  const ends = endsOf({ initial: options.initial }, title, monoidOfItems);
  const monoid = ends?.monoid ?? monoidOfItems;
  const map = mapOf(options, type, title, facts.features);
  const from = options.from ?? type;
  const itemBytes = from.bytes;
  const { tuning, division } = dividedFor(primitive, { title, type, monoid }, options, facts, testing);
  const { sizes } = tuning;
  const maxLength = requireMaxLength(title, options.maxLength, Math.max(itemBytes, type.bytes), facts.limits);
  const isApartOnly = reduces || itemBytes !== type.bytes;
  const takenArrangements = (["items", "one-buffer"] as const).filter(
    (arrangement) =>
      arrangements.some((given) => isApart(given) === isApart(arrangement)) &&
      (isApart(arrangement) || !isApartOnly),
  );
  // A chunk has two rows at least.
  const isCut = Math.min(maxLength, division.threads) > 1;
  const ofItems = { sizes, lengthOnGpu, map, ends, ofMatrices };
  const { mirror } = order;
  const planned: PlannedColumns = { monoid, reduces, exclusive, block: division.block, mirror, ofItems };
  const { totals, ofChunks, lasts } = columnKernels(planned, takenArrangements);
  const spine: Scratch = {
    name: "totals of chunks",
    bytes: wholeWords(Math.min(maxLength, division.threads) * monoid.domain.elementBytes),
  };
  const pass = (kernel: Kernel, bindings: Bindings, length: number, runs: number, params: PassParams) => ({
    kernel,
    bindings: bound(kernel, bindings),
    length,
    tiles: Math.max(1, Math.ceil(runs / sizes.workGroupSize)),
    params,
  });
  const callers = {
    input: "input",
    output: "output",
    length_buffer: "length",
    initial: "initial",
    spine,
  } as const;
  return {
    title,
    maxLength,
    vector: 1,
    kernels: distinct([...(isCut ? [totals, ofChunks] : []), ...lasts.map(({ kernel }) => kernel)]),
    scratch: isCut ? [spine] : [],
    ...(ends?.initial && { initial: ends.initial }),
    segments: { numbers: ["columns"], reduces, headsOf: () => 0, countsOf },
    needs: rangesTaken({ input: true, output: true, length: lengthOnGpu }, ends?.needs),
    itemTypes: itemTypesOf(from, type),
    outputLength: (length) => length,
    variants: takenArrangements.map((arrangement) => ({ arrangement })),
    groupingOf: (_, { chunk_rows: rowsPerChunk = 1, run_rows: rowsPerRun } = {}) => ({
      ...groupingOf(tuning, 1),
      rowsPerChunk,
      ...(rowsPerRun && { rowsPerRun }),
    }),
    passes(length, arrangement, _, { columns = 1, row_length: rowsOfEach } = {}) {
      if (length === 0 && !reduces) {
        return [];
      }
      const ofEach = rowsOfEach ?? Math.ceil(length / columns);
      const matrices = rowsOfEach ? Math.ceil(length / (rowsOfEach * columns)) : 1;
      const all = matrices * columns;
      const { rows, chunks, blocked, threads } = divisionOf([matrices, ofEach, columns], division, sizes);
      const last = lasts.find((last) => last.arrangement === arrangement && last.blocked === blocked)?.kernel;
      if (last === undefined) {
        throw new Error(`the plan was not made for ranges in this arrangement: ${arrangement}`);
      }
      const params = {
        chunk_rows: rows,
        segment_count: all,
        ...(blocked && { run_rows: sizes.items }),
      };
      const runs = chunks * all;
      if (chunks === 1) {
        // A matrix of one row may be cut off.
        const needed = reduces || blocked ? threads : Math.min(all, length);
        return [pass(last, callers, length, needed, params)];
      }
      // The totals of chunks are one matrix.
      const ofRuns = { chunk_rows: chunks, segment_count: all, ...(rowsOfEach && { columns: all }) };
      const first = pass(totals, { input: "input", length_buffer: "length", output: spine }, length, runs, {
        ...params,
        segment_count: runs,
      });
      return reduces
        ? [first, pass(ofChunks, { ...callers, input: spine }, runs, all, ofRuns)]
        : [
            first,
            pass(ofChunks, { output: spine }, runs, all, ofRuns),
            pass(last, callers, length, chunks * threads, params),
          ];
    },
  };
}
