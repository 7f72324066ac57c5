// What calls on the CPU load for callers' texts.

export * as conditions from "../../cpu/conditions.ts";
export * as maps from "../../cpu/maps.ts";
export { conditionText, countText, mapText, operatorText } from "../../cpu/texts.ts";
export { mapOf } from "../../plan/map.ts";
