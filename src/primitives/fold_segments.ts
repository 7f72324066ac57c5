import type { Matrices } from "../algebra/segments.ts";
import { requireKind, requireRows } from "../algebra/segments.ts";
import type { ElementType } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { SegmentsBy } from "../plan/options.ts";
import { requireRunKey } from "../plan/run_key.ts";
import type { Given, Operand, Request, Result } from "./primitive.ts";
import { notOnGpuError, requireU32 } from "./primitive.ts";
import { requireStarts, starts } from "./sort_starts.ts";

// Segments of scans and reductions of arrays on the GPU. What says where they start is on the GPU, too.

const inside = "segments";

/** What may say where segments start. Whether it does is known first, and then whether it is on the GPU. */
export const segmentOperands: readonly Operand[] = (
  [
    ...starts,
    { name: "heads", range: "heads", inside },
    { name: "headBits", range: "heads", inside },
    { name: "keys", range: "keys", inside },
  ] as const
).map((one) => ({ ...one, mayBeAtHand: true }));

/** The option that says where segments start. Nobody has checked it. */
export interface SegmentsGiven {
  readonly segments?: unknown;
}

/** The segments of a call. */
export interface FoldSegments extends Pick<Request, "numbers" | "named" | "aliases"> {
  /** What the plan takes. */
  readonly by: SegmentsBy;
  /** The most segments that there may be, and whether only the GPU knows how many there are. */
  readonly most: number;
  readonly isCounted?: boolean;
  /** The key that a reduction gives for each run. */
  readonly runs?: Pick<Result, "type" | "like"> | undefined;
}

/** Where the segments of a call start. @throws {ArgumentError} */
export function segmentsOf(given: Given<SegmentsGiven>, title: string, name: string): FoldSegments {
  const { types, lengths, isCounted, options } = given;
  const { data: items = 0 } = lengths;
  const length = isCounted ? undefined : items;
  const [kind, value] = requireKind(options.segments, title, length);
  if (kind === "rows" || kind === "columns") {
    const rows = requireRows(kind, value, length, title);
    return kind === "rows"
      ? { by: kind, numbers: { rows }, most: Math.ceil(items / rows), isCounted }
      : // There are as many columns, however many rows there are.
        { by: kind, numbers: { columns: rows }, most: rows };
  }
  if (kind === "matrices") {
    // Each call says how many matrices there are.
    const [matrices, rows, columns] = value as Matrices;
    const named = { segments: kind, rows, columns };
    return { by: { shape: [2, rows, columns], axis: 1 }, most: matrices * columns, named };
  }
  for (const operand of kind === "begins" ? [kind, "ends"] : [kind]) {
    const array = Object(options.segments)[operand];
    if (array !== undefined && types[operand] === undefined) {
      throw notOnGpuError(name, array, inside, "data", operand);
    }
  }
  if (kind === "offsets" || kind === "begins") {
    const segmentCount = requireStarts(given, title);
    return { by: kind, numbers: { segmentCount }, most: segmentCount };
  }
  if (kind !== "keys") {
    requireU32(types[kind], kind, title, inside);
  }
  requireMarks(kind, given, title);
  return kind === "keys"
    ? runsOf(given, title, name === "reduce")
    : { by: kind, most: items, isCounted: true };
}

/** Requires a key, a flag or a bit for each item. @throws {ArgumentError} if the host knows that their numbers differ. */
function requireMarks(
  kind: "keys" | "heads" | "headBits",
  { lengths, counted = [] }: Given<SegmentsGiven>,
  title: string,
): void {
  const { data: items = 0, [kind]: marks = items } = lengths;
  const isBits = kind === "headBits";
  const needed = isBits ? Math.ceil(items / 32) : items;
  const isExact = !(isBits || counted.includes("data") || counted.includes(kind));
  if (isExact ? marks !== needed : marks < needed) {
    throw new ArgumentError(
      `${title}: ${kind} has ${marks} for ${items} items; it takes ${isBits ? `${needed} words, a bit for each` : "one for each"}`,
      "segments",
    );
  }
}

/** Runs of equal keys. They may be computed from the data. */
function runsOf(
  { types: { data, keys = data }, lengths, options }: Given<SegmentsGiven>,
  title: string,
  reduces: boolean,
): FoldSegments {
  const from = keys as ElementType;
  const { key, keyType } = options.segments as { readonly key?: string; readonly keyType?: ElementType };
  const { type, text } = requireRunKey({ key, keyType }, from, title, "segments");
  const computed = text === undefined ? {} : { key: text, keyType: type };
  return {
    by: { keys: from, ...computed, ...(reduces && { unique: true }) },
    ...("keys" in lengths ? {} : { aliases: { keys: "data" } }),
    most: lengths.data ?? 0,
    isCounted: true,
    ...(reduces && { runs: { type, ...(text === undefined && { like: "keys" }) } }),
    named: { segments: from, ...computed },
  };
}
