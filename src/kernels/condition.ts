import type { DeclaredParams } from "../algebra/seen_params.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Source } from "../text/source.ts";
import { textFunction } from "./text_function.ts";

/** Declares `keep_value`: whether a caller's condition holds for an element `x` and its index `i`. */
export const conditionSources = (
  type: ElementType,
  where: string,
  params: DeclaredParams | undefined,
): readonly Source[] =>
  textFunction({
    name: "keep_value",
    title: "the predicate",
    text: where,
    parameters: { x: type, i: "u32" },
    result: "condition",
    params,
  });
