import { expressionFiles, expressionOver, takenAs } from "../algebra/expression_files.ts";
import type { DeclaredParams } from "../algebra/seen_params.ts";
import type { ElementType } from "../algebra/types.ts";
import { callersFunction } from "../text/callers.ts";
import { MARK } from "../text/mark.ts";
import type { Source } from "../text/source.ts";

/** A function of a kernel that ends with a caller's text. */
export interface TextFunction {
  readonly name: string;
  /** What messages call the text. */
  readonly title: string;
  readonly text: string;
  readonly parameters: Readonly<Record<string, ElementType | "u32">>;
  readonly result: ElementType | "condition" | "class";
  /** The values that the text may name beside the parameters. */
  readonly params: DeclaredParams | undefined;
  /** Parameters whose names are the caller's. They come behind the others. */
  readonly beside?: Readonly<Record<string, ElementType>>;
}

const typeText = (type: ElementType | "u32"): string =>
  typeof type === "string" ? type : type.native.element;

/** The function, and what declares the params that its text sees. The files of its parameters' types are not among them. */
export function textFunction({
  name,
  title,
  text,
  parameters,
  result,
  params,
  beside = {},
}: TextFunction): readonly Source[] {
  const list = [
    ...Object.entries(parameters).map(([one, type]) => `${one}: ${typeText(type)}`),
    ...Object.entries(beside).map(([one, type]) => `${MARK}${one}: ${typeText(type)}`),
  ];
  const taken = typeof result === "string" ? takenAs[result] : undefined;
  const head = `fn ${name}(${list.join(", ")}) -> ${taken?.result ?? typeText(result as ElementType)} {`;
  return [
    ...(params ? [params.uniform, ...expressionFiles(...params.elements)] : []),
    callersFunction(
      params ? `${head} ${params.lets}` : head,
      title,
      text,
      expressionOver(parameters, result, params, beside),
      taken?.open,
      taken?.close,
    ),
  ];
}
