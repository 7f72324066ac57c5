import type { DeviceFacts } from "../../plan/device_facts.ts";
import type { AnyOperator } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import { planFactsFor } from "../../plan/plan_facts_for.ts";
import type { ScanOptions } from "../../plan/scan.ts";
import { planScan } from "../../plan/scan.ts";
import { arrangementFor } from "../executor/plans_of_calls.ts";

// What is loaded when a device is opened, and by a scan.

export { contextOf } from "../device/device.ts";
export { openGpu, openSimulated } from "../device/open_gpu.ts";
export { runAtHand } from "./run_at_hand.ts";

/** The plan of a scan at hand. */
export const planScanAtHand = async (options: AnyOperator<ScanOptions>, facts: DeviceFacts): Promise<Plan> =>
  planScan(options, await planFactsFor(options, facts), [arrangementFor(options)]);
