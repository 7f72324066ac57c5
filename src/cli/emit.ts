import { elementTypes } from "../algebra/element_types.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { TypeName } from "../algebra/types.ts";
import { workGroupAlgorithms } from "../in_kernel/algorithms.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import { workGroupReduce, workGroupScan } from "../wgsl.ts";
import { print } from "./print.ts";

/** `wavefold emit` */
export async function emit(
  primitive: "scan" | "reduce",
  options: {
    readonly type: TypeName;
    readonly op: Operator<TypeName>;
    readonly algorithm: Algorithm;
    readonly workGroupSize: number;
  },
): Promise<void> {
  const { op, workGroupSize } = options;
  const algorithm = workGroupAlgorithms[options.algorithm];
  const functions = primitive === "scan" ? workGroupScan : workGroupReduce;
  const { code } = functions<TypeName>({ type: elementTypes[options.type], op, algorithm, workGroupSize });
  await print(code.endsWith("\n") ? code : `${code}\n`);
}
