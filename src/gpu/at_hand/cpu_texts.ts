// What calls on the CPU load for callers' texts.

export { mapText, operatorText } from "../../cpu/texts.ts";
export { mapOf } from "../../plan/map.ts";
