// What reads callers' texts over 64-bit values. It is loaded with the first such text.

export { numbers } from "../../algebra/numbers_64.ts";
