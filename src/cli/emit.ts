import { elementTypes } from "../algebra/element_types.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { TypeName } from "../algebra/types.ts";
import { workGroupAlgorithms } from "../in_kernel/algorithms.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import { workGroupReduce, workGroupScan, workGroupSegmentedReduce, workGroupSegmentedScan } from "../wgsl.ts";
import { print } from "./print.ts";

const functionsOf = {
  scan: workGroupScan,
  reduce: workGroupReduce,
  "segmented-scan": workGroupSegmentedScan,
  "segmented-reduce": workGroupSegmentedReduce,
} as const;

/** What `wavefold emit` prints. */
export const emitted: readonly string[] = /* @__PURE__ */ Object.keys(functionsOf);

/** `wavefold emit` */
export async function emit(
  primitive: keyof typeof functionsOf,
  options: {
    readonly type: TypeName;
    readonly op: Operator<TypeName>;
    readonly algorithm: Algorithm;
    readonly workGroupSize: number;
  },
): Promise<void> {
  const { op, workGroupSize } = options;
  const algorithm = workGroupAlgorithms[options.algorithm];
  const { code } = functionsOf[primitive]<TypeName>({
    type: elementTypes[options.type],
    op,
    algorithm,
    workGroupSize,
  });
  await print(code.endsWith("\n") ? code : `${code}\n`);
}
