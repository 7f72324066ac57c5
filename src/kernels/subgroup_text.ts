import subgroupContractFile from "../../shaders/work_group/subgroup_contract.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { SourceText } from "../algebra/types.ts";

const subgroupContract: SourceText = {
  name: "shaders/work_group/subgroup_contract.wgsl",
  text: subgroupContractFile,
};

/** A subgroup's built-in of WGSL's for the operator, as it ends: `Add` of `subgroupAdd`. */
const builtinOf = ({ domain, operation }: Monoid): string | undefined =>
  domain.subgroupScans ? operation?.replace(/^./, (letter) => letter.toUpperCase()) : undefined;

/** Whether WGSL has a subgroup's scan by the operator. */
export const scansNatively = (monoid: Monoid): boolean => /^(Add|Mul)$/.test(builtinOf(monoid) ?? "");

/**
 * Shuffles, a struct's field by field; and a subgroup's scan and reduction, built-ins of WGSL's where the operator has
 * them.
 */
export function subgroupText(monoid: Monoid): SourceText {
  const { domain } = monoid;
  const builtin = builtinOf(monoid);
  let text = subgroupContractFile;
  const replaceBody = (name: string, expression: string): void => {
    text = text.replace(
      new RegExp(`(fn ${name}\\([^)]*\\) -> Element \\{)[\\s\\S]*?\\n\\}`),
      `$1\n  return ${expression};\n}`,
    );
  };
  if (scansNatively(monoid)) {
    replaceBody("subgroup_scan_inclusive", `subgroupInclusive${builtin}(element)`);
  }
  if (builtin !== undefined) {
    replaceBody("subgroup_reduce", `subgroupBroadcastFirst(subgroup${builtin}(element))`);
  }
  if (domain.fields !== undefined) {
    text = text.replace(/return (subgroupShuffle\w*)\(element, (\w+)\);/g, (_, shuffle, place) => {
      const fields = (domain.fields ?? []).map((field) => `${shuffle}(element.${field}, ${place})`);
      return `return Element(${fields.join(", ")});`;
    });
  }
  return text === subgroupContractFile ? subgroupContract : { ...subgroupContract, text };
}
