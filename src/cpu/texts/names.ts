import { Names as NamesOf } from "../../text/names.ts";
import type { Variable } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import type { Words } from "./values.ts";

/** What a name of a text stands for. */
export type Meaning =
  /** The words of a variable are names. */
  | { readonly kind: "value"; readonly type: Type; readonly words: Words }
  /** Its value is written anew where it is used. */
  | { readonly kind: "constant"; readonly variable: Variable; readonly names: Names };

/** The names that are visible in a block, and in what is around it. */
export class Names extends NamesOf<Meaning> {}
