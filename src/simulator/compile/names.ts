import { Names as NamesOf } from "../../text/names.ts";
import type { Variable } from "../../text/syntax.ts";
import type { GlobalVariable } from "./module.ts";
import type { Local } from "./places.ts";

/** What a name of the text stands for in a function. */
export type Meaning =
  | { readonly kind: "local"; readonly local: Local }
  | { readonly kind: "constant"; readonly variable: Variable; readonly names: Names }
  | { readonly kind: "global"; readonly variable: GlobalVariable };

/** The names that are visible in a block, and in what is around it. */
export class Names extends NamesOf<Meaning> {}
