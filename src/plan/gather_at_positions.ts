import type { ByKind } from "../adapters/adapter.ts";
import { tableFor } from "../adapters/adapter.ts";
import { moves as gpu } from "../adapters/gpu.ts";
import { moves as nvidia } from "../adapters/nvidia.ts";
import { moves as software } from "../adapters/software.ts";
import type { Shape } from "../adapters/tables.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { gatherAtPositionsKernel } from "../kernels/gather_at_positions.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { lookedUpRange } from "./looked_up_range.ts";
import { plainPlan } from "./one_dispatch_plan.ts";
import type { TuningOptions } from "./options.ts";
import type { Plan } from "./plan.ts";
import { itemBytesOf } from "./plan.ts";

const tables: ByKind<Shape> = { software, nvidia, gpu };

/** The sizes of the kernel of `gather`. */
export interface GatherTuning extends Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {}

/** The options of `prepareGather`. */
export interface GatherOptions<Name extends string = string> extends GatherTuning {
  /** The type of the values. */
  readonly type: ElementType<Name>;
  /** The most positions of a recording: a whole number from 0 up. */
  readonly maxLength: number;
  /** Whether recordings take the number of positions from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** What calls on arrays on the GPU plan, too. */
interface CountedOption {
  /** Whether recordings take the number of values from a buffer. Then `valuesLength` is the most that it may be. */
  readonly valuesCount?: boolean;
}

/**
 * Plans the reading of the values at some positions, which the input has. A position past the last value gives zero.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planGatherAtPositions(options: GatherOptions & CountedOption, facts: DeviceFacts): Plan {
  const { valuesCount = false } = options;
  const type = requireType(options.type, "gather");
  const title = `gather<${type.name}>`;
  return {
    ...plainPlan({
      title,
      type,
      row: tableFor(tables, facts),
      options,
      facts,
      kernelOf: (lengthOnGpu, sizes) => gatherAtPositionsKernel(type, lengthOnGpu, valuesCount, sizes),
      itemBytes: { ...itemBytesOf(u32.bytes, type.bytes), values: type.bytes },
      ranges: {
        input: "input",
        output: "output",
        values: "values",
        ...(valuesCount && { count: "valuesCount" as const }),
      },
    }),
    lookedUp: lookedUpRange("values", title),
  };
}
