import type { Expression } from "../../text/syntax.ts";
import type { Words } from "./place_writer.ts";

/** What a thread has as a built-in value. */
export function builtinWordsOf(named: Expression | undefined): Words {
  const name = named?.kind === "name" ? named.name : "";
  const each = (text: (axis: number) => string): Words => [0, 1, 2].map(text);
  switch (name) {
    case "local_invocation_index":
      return ["t"];
    case "local_invocation_id":
      return each((axis) => `g.localId[${axis}][t]`);
    case "global_invocation_id":
      return each((axis) => `g.id[${axis}] * SIZE[${axis}] + g.localId[${axis}][t]`);
    case "workgroup_id":
      return each((axis) => `g.id[${axis}]`);
    case "num_workgroups":
      return each((axis) => `g.groupCount[${axis}]`);
    case "subgroup_invocation_id":
      return ["g.laneOf[t]"];
    case "subgroup_size":
      return ["g.subgroupSize"];
    case "subgroup_id":
      return ["g.subgroupOf[t]"];
    case "num_subgroups":
      return ["g.subgroupCount"];
    default:
      throw new Error(`the simulator has no built-in value ${name}`);
  }
}
