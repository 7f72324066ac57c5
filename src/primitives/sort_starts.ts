import { powerOfTwoFor } from "../algebra/power_of_two.ts";
import { hasShape, longestOf, requireKind, requireRows, requireSegments } from "../algebra/segments.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import { requireWhole } from "../plan/sort_key.ts";
import type { PreparedSortOptions } from "../plan/sort_with_values.ts";
import type { Given, Operand, Request } from "./primitive.ts";
import { requireU32 } from "./primitive.ts";

// Where the segments start that are sorted each on its own: for sorts, and for selections of the first elements of each.

const inside = "segments";

/** The operands that say where segments start, if these are on the GPU: their offsets, or where they begin and end. */
export const starts: readonly Operand<"offsets" | "begins" | "ends">[] = [
  { name: "offsets", range: "offsets", inside },
  { name: "begins", range: "begins", inside },
  { name: "ends", range: "ends", inside },
];

/** Whether the arrays of a call that are on the GPU say where its segments start. */
export const areStartsOnGpu = ({ lengths }: Given<StartsOptions>): boolean =>
  "offsets" in lengths || "begins" in lengths;

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

/** Where the segments of a call start: rows; or offsets, or begins and ends, at hand or on the GPU. @throws {ArgumentError} */
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
  const { data: length = 0 } = lengths;
  if (kind === "rows") {
    const rows = requireRows(kind, value, isCounted ? undefined : length, title);
    return { planned: { segments: kind, ...rounded(rows) }, numbers: { rows } };
  }
  if (kind !== "offsets" && kind !== "begins") {
    const isAxis = hasShape(segments);
    refuse(
      title,
      "segments",
      isAxis ? `axis: ${segments.axis} of ${segments.shape.length}` : `{ ${kind} }`,
      `${isAxis ? "the last axis, " : ""}{ rows }, { offsets } or { begins, ends }`,
    );
  }
  if (!areStartsOnGpu(given)) {
    const { words, ends } = requireSegments(segments, length, title) as {
      readonly words: Uint32Array;
      readonly ends?: Uint32Array;
    };
    return {
      planned: { segments: kind, ...rounded(longestOf(words, ends ?? words.subarray(1))) },
      numbers: { segmentCount: ends?.length ?? words.length - 1 },
      words: ends ? { begins: words, ends } : { offsets: words },
    };
  }
  const longest = maxSegmentLength === undefined ? {} : rounded(maxSegmentLength);
  return {
    planned: { segments: kind, ...longest },
    numbers: { segmentCount: requireStarts(given, title) },
  };
}

/** The number of segments whose starts are on the GPU. @throws {ArgumentError} for starts that are none, or whose number only the GPU knows. */
export function requireStarts({ types, lengths, counted }: Given<StartsOptions>, title: string): number {
  for (const name of ["offsets", "begins", "ends"] as const) {
    if (types[name]) {
      requireU32(types[name], name, title, "segments");
    }
    if (counted?.includes(name)) {
      refuse(title, "segments", `${name} with a length on the GPU`, `${name} whose number is on the CPU`);
    }
  }
  const { offsets, begins, ends } = lengths;
  if (offsets === 0) {
    refuse(title, "segments", "no offsets", "one offset more than there are segments");
  }
  if (offsets === undefined && begins !== ends) {
    throw new ArgumentError(
      `${title}: there are ${begins} begins and ${ends} ends; each segment has one of both`,
      "segments",
    );
  }
  return offsets === undefined ? (begins as number) : offsets - 1;
}
