import { planColumns } from "./columns.ts";
import type { Methods } from "./methods.ts";
import { planRows } from "./rows.ts";
import { segmentsOf } from "./segments.ts";

/** The methods of segments, and the planner of rows. */
export interface SegmentMethods extends Pick<Methods, "segmentsOf" | "planColumns"> {
  readonly planRows?: typeof planRows;
}

/** The methods that a plan with these segments needs. The segments are not checked yet. */
export const methodsOfSegments = (segments: unknown): SegmentMethods =>
  segments === "columns" ? { planColumns } : { segmentsOf, ...(segments === "rows" && { planRows }) };
