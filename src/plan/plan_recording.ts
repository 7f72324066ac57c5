import type { Arrangement } from "../kernels/kernel.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { Methods } from "./methods.ts";
import type { SegmentMethods } from "./methods_of_segments.ts";
import type { Plan } from "./plan.ts";

/** The planner of a primitive. It checks the options. */
type Planner = (
  options: never,
  facts: DeviceFacts,
  methods: Methods,
  arrangements: readonly Arrangement[],
) => Plan;

/**
 * Plans a recording: by the planner of columns or of rows, if the options name these and it takes them, or else by the primitive's own. If a
 * buffer has the length, the plan may count its work-groups on the GPU. The primitive's own planner is loaded only if it is needed.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export async function planRecording(
  primitive: "scan" | "reduce" | "compact" | "partition",
  loadPlanner: () => Planner | Promise<Planner>,
  options: { readonly lengthOnGpu?: unknown },
  facts: DeviceFacts,
  methods: Methods & SegmentMethods,
  arrangements: readonly Arrangement[],
): Promise<Plan> {
  // Of compactions and partitions, no options name segments.
  const sides = primitive as "scan" | "reduce";
  const plan =
    methods.planColumns?.(sides, options as never, facts, methods, arrangements) ??
    methods.planRows?.(sides, options as never, facts, methods, arrangements) ??
    (await loadPlanner())(options as never, facts, methods, arrangements);
  return options.lengthOnGpu && !methods.planColumns
    ? (methods.countWorkGroups?.(plan, primitive === "scan", facts) ?? plan)
    : plan;
}
