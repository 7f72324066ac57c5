import subgroupContractFile from "../../shaders/work_group/subgroup_contract.wgsl";
import type { Monoid } from "../operators.ts";
import type { SourceText } from "../types.ts";

const subgroupContract: SourceText = {
  name: "shaders/work_group/subgroup_contract.wgsl",
  text: subgroupContractFile,
};

/**
 * Shuffles, a struct's field by field; and a subgroup's scan and reduction, built-ins of WGSL's where the operator has
 * them. A built-in reduction is broadcast, unless `broadcasts` is false.
 */
export function subgroupText(
  { subgroupScan, subgroupReduce, domain }: Monoid,
  broadcasts = true,
): SourceText {
  let text = subgroupContractFile;
  const replaceBody = (name: string, expression: string | undefined): void => {
    if (expression !== undefined) {
      text = text.replace(
        new RegExp(`(fn ${name}\\([^)]*\\) -> Element \\{)[\\s\\S]*?\\n\\}`),
        `$1\n  return ${expression};\n}`,
      );
    }
  };
  replaceBody("subgroup_scan_inclusive", subgroupScan && `${subgroupScan}(element)`);
  const reduction = subgroupReduce && `${subgroupReduce}(element)`;
  replaceBody(
    "subgroup_reduce",
    reduction && broadcasts ? `subgroupBroadcastFirst(${reduction})` : reduction,
  );
  if (domain.fields !== undefined) {
    text = text.replace(/return (subgroupShuffle\w*)\(element, (\w+)\);/g, (_, shuffle, place) => {
      const fields = (domain.fields ?? []).map((field) => `${shuffle}(element.${field}, ${place})`);
      return `return Element(${fields.join(", ")});`;
    });
  }
  return text === subgroupContractFile ? subgroupContract : { ...subgroupContract, text };
}
