import type { DeviceFacts } from "../plan/facts.ts";
import type { AnyOperator } from "../plan/options.ts";
import type { Plan } from "../plan/plan.ts";
import type { ReduceOptions } from "../plan/reduce.ts";
import { planReduce } from "../plan/reduce.ts";
import type { ScanOptions } from "../plan/scan.ts";
import { planScan } from "../plan/scan.ts";
import { methodsFor } from "./methods.ts";
import { arrangementFor } from "./planned.ts";

// The plans of rows in pieces. row_cut.ts says how the pieces are cut.

/** Plans a scan or a reduction of rows in pieces: of whole rows, or of parts if the options name no segments. */
export async function planRowPieces(
  primitive: "scan" | "reduce",
  options: AnyOperator<ScanOptions & ReduceOptions>,
  facts: DeviceFacts,
): Promise<Plan> {
  const planner = primitive === "scan" ? planScan : planReduce;
  if (options.segments === undefined) {
    const methods = await methodsFor(options, facts);
    return planner(options, facts, methods, [arrangementFor(options)]);
  }
  const [methods, segments, { planRows }] = await Promise.all([
    methodsFor(options, facts, true),
    import("../plan/segments.ts"),
    import("../plan/rows.ts"),
  ]);
  const all = { ...methods, ...segments };
  // Pieces start at vectors, in buffers of their own.
  return planRows(primitive, options, facts, all, ["vectors"]) ?? planner(options, facts, all, ["vectors"]);
}
