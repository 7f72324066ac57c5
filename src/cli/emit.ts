import type { Algorithm } from "../codegen/algorithms.ts";
import { workGroupAlgorithms } from "../codegen/work_group_algorithms.ts";
import { elementTypes } from "../element_types.ts";
import type { Operator } from "../operators.ts";
import type { TypeName } from "../types.ts";
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
