import { ArgumentError, shown } from "../errors.ts";
import type { Bindings, SegmentCounts, SegmentNumber, SegmentRanges } from "./plan.ts";

/** The numbers that a recording of segments takes, checked: the items of a row, and how many segments there are. */
export const countsOf: SegmentRanges["countsOf"] = (given, length, { segments, title, needs }) => {
  const refusal = (problem: string, option: string): Error =>
    new ArgumentError(`${title}: ${problem}`, option);
  const numberOf = (name: SegmentNumber, least: number, otherwise?: number): number => {
    const value: unknown = given[name] ?? otherwise;
    if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > 0xfffffffe) {
      throw refusal(`${name} is ${shown(value)}; it takes a whole number from ${least} up`, name);
    }
    return value;
  };
  const name = segments?.numbers[0];
  if (name === undefined) {
    return {};
  }
  if (name === "segmentCount" || name === "outputLength") {
    // There are at most as many runs as items. Only the caller knows how many offsets or begins there are, or how much room the output has.
    const isKnown = name === "segmentCount" && !needs.has("offsets") && !needs.has("begins");
    return segmentCounts(numberOf(name, 0, isKnown ? length : undefined));
  }
  const columns = numberOf(name, 1);
  if (length % columns !== 0 && !needs.has("length")) {
    throw refusal(
      `${name} is ${columns}, and length is ${length}; it takes a number that divides the length`,
      name,
    );
  }
  return { columns, ...segmentCounts(name === "rows" ? Math.ceil(length / columns) : columns) };
};

/** The parameters for a number of segments: the output has room for as many results. */
const segmentCounts = (count: number): SegmentCounts => ({ segment_count: count, room: count });

/** @throws {ArgumentError} if a plan of segments is to have a total. */
export function refuseTotal(total: unknown, title: string): void {
  if (total !== undefined && total !== false) {
    throw new ArgumentError(
      `${title}: with segments there is no total of all; reduce with the same segments gives the total of each`,
      "total",
    );
  }
}

/** What kernels of segments bind that say where these start, by what a recording gives for them. */
export const startBindings = (given: string): Bindings => ({
  offsets: given === "begins" ? "begins" : "offsets",
  ends: "ends",
});
