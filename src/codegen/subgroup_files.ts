import subgroupFile from "../../shaders/device/subgroup.wgsl";
import subgroupByCountFile from "../../shaders/device/subgroup_by_count.wgsl";
import subgroupByIdFile from "../../shaders/device/subgroup_by_id.wgsl";
import subgroupCountFile from "../../shaders/device/subgroup_count.wgsl";
import subgroupRowsFile from "../../shaders/device/subgroup_rows.wgsl";
import subgroupVotesFile from "../../shaders/device/subgroup_votes.wgsl";
import type { SourceText } from "../types.ts";

const subgroup: SourceText = { name: "shaders/device/subgroup.wgsl", text: subgroupFile };
const byCount: SourceText = { name: "shaders/device/subgroup_by_count.wgsl", text: subgroupByCountFile };
const byId: SourceText = { name: "shaders/device/subgroup_by_id.wgsl", text: subgroupByIdFile };
const count: SourceText = { name: "shaders/device/subgroup_count.wgsl", text: subgroupCountFile };
const rows: SourceText = { name: "shaders/device/subgroup_rows.wgsl", text: subgroupRowsFile };
const votesFile: SourceText = { name: "shaders/device/subgroup_votes.wgsl", text: subgroupVotesFile };

/** What makes the bodies of kernels of our own differ. */
export interface SubgroupBody {
  /** Whether the language has `subgroup_id`. */
  readonly subgroupIds: boolean;
  /** Whether each vector's combination is 0 or 1, and the operator adds them up. */
  readonly votes: boolean;
}

/** The subgroup body of kernels of our own. This is loaded where a plan takes it, and imports no code. */
export const subgroupFiles = ({ subgroupIds, votes }: SubgroupBody): readonly SourceText[] => [
  count,
  subgroupIds ? byId : byCount,
  votes ? votesFile : rows,
  subgroup,
];
