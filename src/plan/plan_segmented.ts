import { hasShape, requireAxis } from "../algebra/segments.ts";
import { ArgumentError, refuse } from "../errors.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import type { ColumnTesting } from "./columns.ts";
import { planColumns } from "./columns.ts";
import type { AnyOperator } from "./options.ts";
import type { Plan } from "./plan.ts";
import { ALL_ARRANGEMENTS } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import type { FoldName, Planner } from "./plan_recording.ts";
import type { ReduceOptions } from "./reduce.ts";
import { planRows } from "./rows.ts";
import type { ScanOptions } from "./scan.ts";
import { planSegments } from "./segments.ts";

/**
 * Plans a scan or a reduction of segments, each on its own. Columns and rows have planners of their own; that of rows leaves some to the planner of all
 * segments.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planSegmented(
  primitive: "scan" | "reduce",
  options: AnyOperator<ScanOptions & ReduceOptions>,
  facts: PlanFacts,
  arrangements: readonly Arrangement[] = ALL_ARRANGEMENTS,
  testing: ColumnTesting = {},
): Plan {
  const segments: unknown = options.segments;
  if (hasShape(segments)) {
    return planAxis(primitive, options, facts, arrangements, testing);
  }
  if (segments === "columns") {
    return planColumns(primitive, options, facts, arrangements, testing);
  }
  const rows = segments === "rows" ? planRows(primitive, options, facts, arrangements) : undefined;
  return rows ?? planSegments(primitive, options, facts, arrangements);
}

/** Plans a scan or a reduction along an axis: of rows, of columns, or of the columns of matrices, whose numbers the shape gives. */
function planAxis(
  primitive: "scan" | "reduce",
  options: AnyOperator<ScanOptions & ReduceOptions>,
  facts: PlanFacts,
  arrangements: readonly Arrangement[],
  testing: ColumnTesting,
): Plan {
  const { shape, axis, ...others } = options.segments as unknown as Record<string, unknown>;
  const [stranger] = Object.keys(others).filter((name) => others[name] !== undefined);
  if (stranger !== undefined) {
    refuse(primitive, "segments", `an object with ${stranger}`, "{ shape, axis }");
  }
  const [kind, value] = requireAxis({ shape, axis }, primitive);
  const plan =
    kind === "matrices"
      ? planColumns(primitive, { ...options, segments: kind }, facts, arrangements, testing)
      : planSegmented(primitive, { ...options, segments: kind }, facts, arrangements, testing);
  const { title, needs, segments } = plan;
  const items = kind === "matrices" ? value[1] * value[2] : value;
  return {
    ...plan,
    ...(segments && {
      segments: {
        ...segments,
        numbers: [],
        countsOf(_, length) {
          if (length % items !== 0 && !needs.has("length")) {
            throw new ArgumentError(
              `${title}: length is ${length}; along axis ${axis} of [${shape}], it takes a multiple of ${items}`,
              "length",
            );
          }
          if (kind !== "matrices") {
            return segments.countsOf({ [kind]: value }, length, plan);
          }
          const [, rows, columns] = value;
          const count = Math.ceil(length / items) * columns;
          return { columns, row_length: rows, segment_count: count, room: count };
        },
      },
    }),
  };
}

/** The planner of recordings with segments. Of compactions and partitions, no options name any. */
export const plannerOfSegments =
  (primitive: FoldName): Planner =>
  (...given) =>
    planSegmented(primitive as "scan" | "reduce", ...given);
