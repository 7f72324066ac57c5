// What few calls take: params, an initial value or an array for the total, and errors for kernels that do not compile.

export { checkEnds } from "./check_ends.ts";
export { paramSlots } from "./param_slots.ts";
export { checkedParams } from "./params.ts";
export { shaderError } from "./shader_errors.ts";
