// What few calls take: params, and an initial value or an array for the total.

export { checkEnds } from "./check_ends.ts";
export { paramSlots } from "./param_slots.ts";
export { checkedParams } from "./params.ts";
