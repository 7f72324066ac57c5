import type { Operator } from "../../src/algebra/monoid.ts";

/** An operator where the type is not known: what it takes is then checked when it runs. */
export const untyped = (op: Operator): Operator<string> => op as Operator<string>;

export const algorithmNames = ["hillis-steele", "blelloch", "subgroup"] as const;
