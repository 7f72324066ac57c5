import type { DeclaredParams } from "../../algebra/seen_params.ts";
import type { ElementType, Scalar, Value } from "../../algebra/types.ts";
import type { CpuArray, Numbers } from "../../cpu/call.ts";
import { newNumbers } from "../../cpu/numbers.ts";
import type { TextToMap } from "../../cpu/texts.ts";
import { mapText, sumText } from "../../cpu/texts.ts";
import type { Context } from "../device/context.ts";

// What calls on the CPU load for callers' texts.

export * as conditions from "../../cpu/conditions.ts";
export * as maps from "../../cpu/maps.ts";
export { binText, classText, conditionText, operatorText } from "../../cpu/texts.ts";
export { mapOf } from "../../plan/map.ts";

/** What a text with values of f16 has: the type, one that is made of it, or a number such as `1.5h`. */
const NAMES_F16 = /f16|\b(?:vec|mat)\w*h\b|\d\.?h\b/;

/** Whether a text takes f16 where there is none. */
export const needsF16 = ({ facts }: Context, text: string): boolean =>
  NAMES_F16.test(text) && !facts.features.has("shader-f16");

export const scalarsIn = (params: DeclaredParams | undefined): readonly Scalar[] =>
  params?.values ? params.scalarsOf(params.values) : [];

/** A caller's text, and what it sees beside the elements. */
interface MappedText extends Omit<TextToMap, "from" | "beside"> {
  /** Elements of other arrays, by the names that the text has for them. */
  readonly beside?: Readonly<Record<string, CpuArray>> | undefined;
}

/** The results of a caller's text over an array; undefined if the CPU has no code for it. */
export function mapped(context: Context, from: CpuArray, mappedText: MappedText): CpuArray | undefined {
  const { text, params, beside = {} } = mappedText;
  if (needsF16(context, text)) {
    return undefined;
  }
  const types = Object.fromEntries(Object.entries(beside).map(([name, { type }]) => [name, type]));
  const pass = mapText({ ...mappedText, from: from.type, beside: types });
  if (pass === undefined) {
    return undefined;
  }
  const numbers = newNumbers(pass.type, from.length);
  const scalars = scalarsIn(params);
  const others = Object.values(beside).map((one) => one.numbers);
  pass.run(from.numbers, numbers, 0, from.length, scalars, others);
  return { type: pass.type, length: from.length, numbers };
}

/** Sums of what a text gives for each element, without an array of that; undefined if the CPU has no code for it. */
export function summed(
  context: Context,
  { type: from, length, numbers }: CpuArray,
  { text, to, params }: MappedText & { readonly to: ElementType },
  initial: Value | undefined,
): { reduce(): number; scan(output: Numbers, exclusive: boolean): number } | undefined {
  const loops = needsF16(context, text) ? undefined : sumText({ text, from, to, params });
  // The sum of floats starts from −0, and that of nothing is 0.
  const start = (initial ?? (to.kind === "float" && length > 0 ? -0 : 0)) as number;
  const scalars = scalarsIn(params);
  return (
    loops && {
      reduce: () => loops.reduce(numbers, length, scalars, start),
      scan(output, exclusive) {
        // Elements of other sizes may be written over those that are still to be read.
        const input = output.buffer === numbers.buffer ? (numbers.slice() as Numbers) : numbers;
        return loops.scan(input, length, scalars, start, output, exclusive);
      },
    }
  );
}
