import inputWholeFile from "../../shaders/device/io/input_whole.wgsl";
import outputWholeFile from "../../shaders/device/io/output_whole.wgsl";
import type { Operator } from "../algebra/operators.ts";
import { add, monoid as monoidOf } from "../algebra/operators.ts";
import { u32 } from "../algebra/types.ts";
import type { DeviceFacts } from "../plan/tuning.ts";
import { rowOf, twoPassRows } from "../plan/tuning.ts";
import type { Declaration } from "../text/module.ts";
import { declared } from "../text/module.ts";
import type { Algorithm } from "./algorithms.ts";
import { paramNames, paramsStruct } from "./contract.ts";
import type { Kernel } from "./kernel.ts";
import { file, prefixText, reduceKernel, scanKernel } from "./kernel.ts";
import type { LinkedKernel, LinkedScan } from "./linked_kernels.ts";
import type { AlgorithmSources } from "./tiles.ts";

/** What is declared when an operator makes a kernel whole. */
const OPERATOR = new Set(["identity", "combine", "select_prefix"]);

/**
 * Links them, of the algorithm that the adapter's row has. Nothing here depends on what is known at run time, so
 * the package is built with the result, and a program that scans u32 loads no generator.
 */
export function linkedScan(
  of: Algorithm,
  sources: AlgorithmSources,
  facts: Pick<DeviceFacts, "software">,
): LinkedScan {
  const monoid = monoidOf(add as Operator, u32, "scan");
  const row = rowOf(twoPassRows, "scan", monoid.domain, { maxLength: 0 }, { ...facts, vendor: "" });
  const { algorithm, workGroupSize, items } = row;
  if (algorithm !== of) {
    throw new Error(`the row for plain u32 is of ${algorithm}, and ${of} is linked`);
  }
  const options = {
    algorithm,
    sources,
    // No algorithm that is linked here asks for the subgroups' sizes.
    sizes: {
      workGroupSize,
      items,
      unrolled: true,
      oneByOne: false,
      minSubgroupSize: 4,
      maxSubgroupSize: 128,
    },
    lengthOnGpu: false,
  };
  const input = file("io/input_whole.wgsl", inputWholeFile);
  const arrangement = { files: [input, file("io/output_whole.wgsl", outputWholeFile)], wide: true };
  const scan = (carry: boolean): Kernel =>
    scanKernel(monoid, { ...options, exclusive: true, side: "items", arrangement, carry });
  const linked = {
    alone: scan(false),
    totals: reduceKernel(monoid, { ...options, input: "items", output: "items", wide: input }),
    last: scan(true),
  };
  const used = new Set(
    Object.values(linked).flatMap(({ code }) =>
      Array.from(code.matchAll(/params\.(\w+)/g), ([, name]) => name),
    ),
  );
  const params = paramNames.filter((name) => used.has(name));
  const texts: string[] = [];
  const placeOf = ({ name, text }: Declaration): number => {
    const own = name === "Params" ? paramsStruct(params) : text;
    const known = texts.indexOf(own);
    return known < 0 ? texts.push(own) - 1 : known;
  };
  const partOf = ({ label, entryPoint, bindings, code }: Kernel): LinkedKernel => ({
    label: label.replace(/ <.*/, ""),
    entryPoint,
    bindings: [...bindings].sort(([a], [b]) => a - b),
    declarations: declared([{ name: label, text: code }])
      .declarations.filter(({ name }) => !OPERATOR.has(name))
      .map(placeOf),
  });
  return {
    workGroupSize,
    tile: workGroupSize * items,
    vector: linked.alone.vector,
    params,
    kernels: { alone: partOf(linked.alone), totals: partOf(linked.totals), last: partOf(linked.last) },
    declarations: texts,
    prefixes: { exclusive: prefixText(true).text, inclusive: prefixText(false).text },
  };
}
