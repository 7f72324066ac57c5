// The 64-bit types. They are loaded with the first array of 64-bit elements.

export { f64, i64, u64 } from "../../algebra/types_64_later.ts";
