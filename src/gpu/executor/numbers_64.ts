// The 64-bit types, and what reads callers' texts over their values. They are loaded with the first array of 64-bit elements, or the first such text.

export { numbers } from "../../algebra/numbers_64.ts";
export { f64, i64, u64 } from "../../algebra/types_64_later.ts";
