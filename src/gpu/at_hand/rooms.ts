// What calls load that are given an initial value, or arrays for their results.

export { checkEnds } from "../executor/check_ends.ts";
export { resultIn } from "./result_in.ts";
