import type { ConstantCall } from "../../text/typing.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { concrete, isAbstract } from "../../text/wgsl_types.ts";
import { builtinWords, constantWord, convertText } from "../builtin_texts.ts";
import { scalarOf } from "./layout.ts";
import { runText } from "./run_text.ts";

/** The value of a call of a built-in function, or of a conversion, with constant arguments. */
export const constantCall: ConstantCall = (name, args, result) => {
  const to = scalarOf(result);
  if (to !== "u32" && to !== "i32") {
    return undefined;
  }
  const [first] = args;
  if (first === undefined) {
    return 0n;
  }
  const known = args.map(({ type }) => type).find((type) => !isAbstract(type));
  const operands = args.map(({ type, value }) => {
    const own: Type = isAbstract(type) ? (known ?? concrete(type)) : type;
    return { type: own, words: [String(constantWord(scalarOf(own), value))] };
  });
  const word =
    name === to
      ? isAbstract(first.type)
        ? String(constantWord(to, first.value))
        : convertText(scalarOf(first.type), to, operands[0]?.words[0] as string)
      : wordOf(name, operands, result);
  return word === undefined ? undefined : ofWord(runText(`return ${word};`) as number, to);
};

/** What the function does not take has no value. It is refused where types are checked. */
function wordOf(...call: Parameters<typeof builtinWords>): string | undefined {
  try {
    return builtinWords(...call)?.[0];
  } catch (cause) {
    if (cause instanceof TypeError) {
      return undefined;
    }
    throw cause;
  }
}

const ofWord = (word: number, type: string): bigint => BigInt(type === "u32" ? word >>> 0 : word);
