// What calls and recordings with params load.

export { paramsOfCall, paramsOfPlan } from "../../algebra/params.ts";
export { paramSlots } from "./param_slots.ts";
