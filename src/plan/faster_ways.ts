import { classesByVotes } from "../kernels/partition_by_votes.ts";
import { subgroup } from "../kernels/subgroup_tiles.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { FasterWays, PlanFacts } from "./plan_facts.ts";
import { reduceOnce } from "./reduce_once.ts";
import { planSinglePass, scanOnce } from "./single_pass.ts";

const fasterWays: FasterWays = { tiles: subgroup, planSinglePass, scanOnce, reduceOnce, classesByVotes };

/** The facts for a plan that may read its data once and take subgroups. */
export const withFasterWays = (facts: DeviceFacts): PlanFacts => ({ ...facts, fasterWays });
