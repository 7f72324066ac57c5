import { powerOfTwoFor } from "../algebra/power_of_two.ts";
import { hasShape, longestOf, requireKind, requireRows, requireSegments } from "../algebra/segments.ts";
import { refuse, shown } from "../errors.ts";
import { requireWhole } from "../plan/sort_key.ts";
import type { PreparedSortOptions } from "../plan/sort_with_values.ts";
import type { Given, Operand, Request } from "./primitive.ts";
import { requireU32 } from "./primitive.ts";

// Where the segments start that are sorted each on its own: for sorts, and for selections of the first elements of each.

/** The operand that has the offsets of segments, if they are on the GPU. */
export const offsets: Operand<"offsets"> = { name: "offsets", range: "offsets", inside: "segments" };

/** The options that say where segments start. Nobody has checked them. */
export interface StartsOptions {
  readonly segments?: unknown;
  readonly maxSegmentLength?: number;
}

/** What a plan takes for the segments of a call, and what a recording does. */
export interface Starts extends Pick<Request, "numbers" | "words"> {
  readonly planned?: Pick<PreparedSortOptions, "segments" | "maxSegmentLength">;
}

/** Plans are for the next power of two, so that they are shared. */
const rounded = (items: number) => ({ maxSegmentLength: powerOfTwoFor(items) });

/** Where the segments of a call start: rows, or offsets at hand or on the GPU. @throws {ArgumentError} */
export function startsOf(given: Given<StartsOptions>, title: string): Starts {
  const { lengths, isCounted, options } = given;
  const { segments, maxSegmentLength } = options;
  if (segments === undefined) {
    if (maxSegmentLength !== undefined) {
      refuse(title, "maxSegmentLength", shown(maxSegmentLength), "a number only beside segments");
    }
    return {};
  }
  if (maxSegmentLength !== undefined) {
    requireWhole(maxSegmentLength, 1, title, "maxSegmentLength");
  }
  const [kind, value] = requireKind(segments, title, isCounted ? undefined : lengths.data);
  const { data: length = 0, offsets: onGpu } = lengths;
  if (kind === "rows") {
    const rows = requireRows(kind, value, isCounted ? undefined : length, title);
    return { planned: { segments: kind, ...rounded(rows) }, numbers: { rows } };
  }
  if (kind !== "offsets") {
    const isAxis = hasShape(segments);
    refuse(
      title,
      "segments",
      isAxis ? `axis: ${segments.axis} of ${segments.shape.length}` : `{ ${kind} }`,
      isAxis ? "the last axis, { rows } or { offsets }" : "{ rows } or { offsets }",
    );
  }
  if (onGpu === undefined) {
    const { words } = requireSegments(segments, length, title) as { readonly words: Uint32Array };
    return {
      planned: { segments: kind, ...rounded(longestOf(words, words.subarray(1))) },
      numbers: { segmentCount: words.length - 1 },
      words: { offsets: words },
    };
  }
  requireOffsets(given, title);
  const longest = maxSegmentLength === undefined ? {} : rounded(maxSegmentLength);
  return { planned: { segments: kind, ...longest }, numbers: { segmentCount: onGpu - 1 } };
}

/** @throws {ArgumentError} for offsets on the GPU that are none, or whose number only the GPU knows. */
function requireOffsets({ types: { offsets }, lengths, counted }: Given<StartsOptions>, title: string): void {
  if (offsets) {
    requireU32(offsets, "offsets", title, "segments");
  }
  if (lengths.offsets === 0 || counted?.includes("offsets")) {
    refuse(
      title,
      "segments",
      lengths.offsets === 0 ? "no offsets" : "offsets with a length on the GPU",
      "one offset more than there are segments, and their number on the CPU",
    );
  }
}
