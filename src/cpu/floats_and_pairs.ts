import {
  addDoubles,
  addFloats,
  leastDouble,
  leastDoubleOrNan,
  leastFloat,
  leastFloatOrNan,
  mulDoubles,
  mulFloats,
} from "./fold_floats.ts";
import { addHalves, mulHalves, overHalves } from "./fold_halves.ts";
import {
  addPairs,
  andPairs,
  anyPair,
  leastPair,
  mulPairs,
  oddPairs,
  orPairs,
  xorPairs,
} from "./fold_pairs.ts";
import type { Family, FamilyLoops } from "./fold_words.ts";
import { anyWord, oddWords } from "./fold_words.ts";

/** The loops over all types but u32 and i32. */
export const loopsByFamily: Readonly<Record<Exclude<Family, "words">, FamilyLoops>> = {
  pairs: {
    sum: addPairs,
    product: mulPairs,
    least: leastPair,
    leastOrNan: leastPair,
    and: andPairs,
    or: orPairs,
    xor: xorPairs,
    any: anyPair,
    odd: oddPairs,
  },
  f32: {
    sum: addFloats,
    product: mulFloats,
    least: leastFloat,
    leastOrNan: leastFloatOrNan,
    any: anyWord,
    odd: oddWords,
  },
  f64: {
    sum: addDoubles,
    product: mulDoubles,
    least: leastDouble,
    leastOrNan: leastDoubleOrNan,
    any: anyPair,
    odd: oddPairs,
  },
  f16: {
    sum: /* @__PURE__ */ overHalves("numbers", addHalves),
    product: /* @__PURE__ */ overHalves("numbers", mulHalves),
    least: /* @__PURE__ */ overHalves("numbers", leastFloat),
    leastOrNan: /* @__PURE__ */ overHalves("numbers", leastFloatOrNan),
    any: /* @__PURE__ */ overHalves("words", anyWord),
    odd: /* @__PURE__ */ overHalves("words", oddWords),
  },
};
