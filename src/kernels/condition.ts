import { expressionOver } from "../algebra/expression_files.ts";
import type { ElementType } from "../algebra/types.ts";
import { callersFunction } from "../text/callers.ts";
import type { SourceText } from "../text/source.ts";

/** Declares `keep_value`: whether a caller's condition holds for an element `x` and its index `i`. */
export const conditionSources = (type: ElementType, where: string): readonly SourceText[] =>
  callersFunction(
    `fn keep_value(x: ${type.native.element}, i: u32) -> bool {`,
    "the predicate",
    where,
    expressionOver({ x: type, i: "u32" }, "condition"),
    "bool(",
  );
