import { exactAdd } from "./exact_add.ts";
import {
  add,
  and,
  logicalAnd,
  logicalOr,
  logicalXor,
  max,
  maximum,
  min,
  minimum,
  mul,
  or,
  xor,
} from "./operators.ts";

/** Every operator of the table, by name. */
export const operators = /* @__PURE__ */ Object.freeze({
  add,
  mul,
  min,
  max,
  minimum,
  maximum,
  and,
  or,
  xor,
  logicalAnd,
  logicalOr,
  logicalXor,
  exactAdd,
});
