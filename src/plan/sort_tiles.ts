import { traitsOf } from "../adapters/adapter.ts";
import type { SortRow } from "../adapters/tables.ts";
import { LimitError } from "../errors.ts";
import type { SortLookBack } from "../kernels/sort.ts";
import { keyBits } from "../kernels/sort_key.ts";
import type { SortKernelOptions } from "../kernels/sort_tile.ts";
import { takesMarks } from "../kernels/sort_tile.ts";
import type { CheckedSort, SortOptions, SortTesting } from "./check_sort.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { TuningOptions } from "./options.ts";
import type { Shaped } from "./sort_sizes.ts";
import { shapeFor, tileAlgorithms, tileShapeOf } from "./sort_sizes.ts";

// The tiles of a sort: how large they are, how they are ranked, and whether they look back.

/** What is decided for the passes of a sort. */
interface Tiles {
  readonly row: SortRow;
  readonly kernelOptions: SortKernelOptions;
  /** Without it, the digits of all tiles are counted before each pass. */
  readonly lookBack: SortLookBack | undefined;
}

/** Decides how a sort goes tile by tile. @throws {LimitError} if work-group memory has no room for a tile. */
export function tilesFor(
  checked: CheckedSort,
  options: SortOptions,
  facts: DeviceFacts,
  testing: SortTesting,
): Tiles {
  const { title, base, range, maxLength, row: usual } = checked;
  const tuned = facts.tuned?.sortOf(
    {
      // The fastest sizes for keys alone may take a third more time if values or positions move with the keys.
      primitive: base.payload.kind === "none" ? "sort" : "pairs",
      elementBytes: keyBits(base.key.type) / 8,
      maxLength,
      passes: options.passes,
      lookBack: facts.lookBack,
    },
    tileAlgorithms,
  );
  // A row's sizes were measured together, so a caller who chooses one of them gets Wavefold's own for the other.
  const isSized = options.workGroupSize !== undefined || options.itemsPerThread !== undefined;
  const lookBack = lookBackFor(tuned ?? options, facts, testing, maxLength);
  const { byArrival, partBytes } = usual;
  // Without look-back, votes are faster: H200, u32 + u32, 2^24 and 2^26, 719 and 2402 µs, and 831 and 2869 by marks.
  const byMarks = testing.byMarks ?? (byArrival && lookBack !== undefined);
  const ranked = { ...base, byArrival, byMarks, partBytes };
  const digits = { from: range[0], bits: range[1] - range[0] };
  const row: SortRow = {
    ...usual,
    ...tileShapeOf(checked, takesMarks({ ...ranked, digits, shape: usual })),
    ...(tuned && !isSized && tuned.sizes),
    ...testing,
  };
  const shaped = (workGroupSize: number): Shaped | LimitError =>
    shapeFor(ranked, range, options, { ...row, workGroupSize }, facts, title);
  const first = shaped(row.workGroupSize);
  const fewer = row.workGroupSize > usual.workGroupSize ? shaped(usual.workGroupSize) : first;
  const chosen = isBetter(fewer, first) ? fewer : first;
  if (chosen instanceof LimitError) {
    throw chosen;
  }
  return { row, lookBack, kernelOptions: { ...ranked, shape: chosen.shape, digits: chosen.digits } };
}

/** Whether fewer threads, as for shorter data, have memory where more of them lack it, or take fewer passes. */
const isBetter = (fewer: Shaped | LimitError, more: Shaped | LimitError): fewer is Shaped =>
  !(fewer instanceof LimitError) && (more instanceof LimitError || fewer.digits.count < more.digits.count);

/** Whether the tiles of a pass hand on their counts to one another, and how. */
function lookBackFor(
  { passes }: TuningOptions,
  facts: DeviceFacts,
  {
    fault,
    share,
    patience = traitsOf(facts).patience,
    tickets = !traitsOf(facts).startsInOrder,
  }: SortTesting,
  maxLength: number,
): SortLookBack | undefined {
  // An entry has 30 bits for a count.
  const fits = maxLength <= 2 ** 30;
  return fits && (passes === "single" || (passes === undefined && facts.lookBack))
    ? { patience, tickets, ...(fault && { fault }), ...(share && { share }) }
    : undefined;
}
