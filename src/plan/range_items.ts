import type { PassParams, Plan, RangeName } from "./plan.ts";

/** How many items a range of a recording holds, for a length and the parameters of the recording. */
export function itemsOfRange(plan: Plan, name: RangeName, length: number, params: PassParams = {}): number {
  const { segment_count: count = 0 } = params;
  switch (name) {
    case "output":
      return plan.segments?.reduces ? count : plan.outputLength(length, params);
    case "indices":
      return plan.outputLength(length, params);
    case "count":
      return plan.countWords ?? 1;
    case "indirect":
      return plan.indirectWords;
    case "length":
    case "initial":
    case "total":
      return 1;
    case "heads":
      return plan.segments?.headsOf(length) ?? length;
    case "offsets":
      return count + 1;
    case "unique":
      return count;
    default:
      return name.endsWith("Count") ? 1 : length;
  }
}
