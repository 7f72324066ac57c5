import mirrorAll from "#shaders/device/io/mirror_all.wgsl";
import mirrorColumns from "#shaders/device/io/mirror_columns.wgsl";
import mirrorRows from "#shaders/device/io/mirror_rows.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import { monoid } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { Arrangement, MirroredArrangement } from "../kernels/kernel.ts";
import type { SourceText } from "../text/source.ts";
import type { AnyOperator } from "./options.ts";
import type { ScanOptions } from "./scan.ts";

// Reversed scans. A kernel that takes all items in mirrored order, and swaps the operands of its operator, scans from the last item to the
// first. So no kernel but those parts differs, and what comes before a tile is what lies behind it in the caller's data.

/** The order of a scan, as far as options say it. */
type Order = Pick<ScanOptions, "reverse" | "segments">;

/** The operator on the elements as kernels get them. */
export function operatorOf(
  { op = add, type, reverse }: Pick<AnyOperator<ScanOptions>, "op" | "type" | "reverse">,
  primitive: string,
): Monoid {
  const own = monoid(op, type, primitive);
  return reverse ? { ...own, swapped: true } : own;
}

/** The file that says where mirrored items lie; undefined for a scan from the first item to the last. Rows and columns stay where they are. */
export const mirrorOf = ({ reverse, segments }: Order): SourceText | undefined =>
  reverse
    ? segments === "rows"
      ? mirrorRows
      : segments === "columns"
        ? mirrorColumns
        : mirrorAll
    : undefined;

const mirroredArrangements: Readonly<Record<Arrangement, MirroredArrangement>> = {
  vectors: "items",
  items: "items",
  padded: "items",
  "in-place": "in-place",
  "one-buffer": "one-buffer",
};

/** How kernels take ranges of two buffers that start at vectors. */
export const widestOf = ({ reverse }: Order): Arrangement => (reverse ? "items" : "vectors");

/** How kernels take ranges that lie so. Mirrored items go one by one, since no vector of theirs starts where a vector of the caller's does. */
export const arrangementsInOrder = (
  given: readonly Arrangement[],
  { reverse }: Order,
): readonly Arrangement[] =>
  reverse ? [...new Set(given.map((arrangement) => mirroredArrangements[arrangement]))] : given;
