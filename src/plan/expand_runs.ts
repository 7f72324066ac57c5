import type { ByKind } from "../adapters/adapter.ts";
import { tableFor } from "../adapters/adapter.ts";
import { expandRuns as gpu } from "../adapters/gpu.ts";
import { expandRuns as nvidia } from "../adapters/nvidia.ts";
import { expandRuns as software } from "../adapters/software.ts";
import type { Shape } from "../adapters/tables.ts";
import type { Monoid, Operator } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { expandKernel } from "../kernels/expand_runs.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { plainPlan } from "./one_dispatch_plan.ts";
import type { TuningOptions } from "./options.ts";
import type { Plan } from "./plan.ts";
import { itemBytesOf } from "./plan.ts";
import { countsOf } from "./segment_counts.ts";

const tables: ByKind<Shape> = { software, nvidia, gpu };

/** The options of `prepareExpandRuns`. */
export interface ExpandOptions<Name extends string = string>
  extends Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {
  /** The type of the values. */
  readonly type: ElementType<Name>;
  /** The most runs of a recording: a whole number from 0 up. It sets the size of the scratch. */
  readonly maxLength: number;
  /** Whether recordings take the number of runs from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** A sum that stays at 2^32 - 1 once it is there. So ends of runs never fall, however large counts are. */
export const saturatingSum: Operator<"u32"> = {
  name: "saturatingSum",
  on: (_, type): Monoid => ({
    key: "saturating_sum",
    title: `${type.name}, saturatingSum`,
    type,
    domain: type.native,
    operation: undefined,
    combine: "earlier + min(later, ~earlier)",
    identity: 0,
  }),
};

/**
 * Plans the second step of writing runs out. The first one scans the counts, so that each run's end is known.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planExpandRuns(options: ExpandOptions, facts: DeviceFacts): Plan {
  const type = requireType(options.type, "expandRuns");
  const title = `expandRuns<${type.name}>`;
  return {
    ...plainPlan({
      title,
      type,
      row: tableFor(tables, facts),
      options,
      facts,
      kernelOf: (lengthOnGpu, sizes) => expandKernel(type, lengthOnGpu, sizes),
      itemBytes: itemBytesOf(type.bytes, type.bytes),
      ranges: { input: "input", output: "output", ends: "positions", count_buffer: "count" },
      // Threads share the room of the output. If there is no room, one work-group writes the count.
      itemsOf: (_, { room = 0 }) => Math.max(1, room),
    }),
    // The number of segments is the room of the output.
    segments: { keyBytes: 4, numbers: ["segmentCount"], reduces: true, headsOf: () => 0, countsOf },
  };
}
