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
      : wordsOfCall(name, operands, result)?.[0];
  return word === undefined ? undefined : integerOf(runText(`return ${word};`) as number, to);
};

/** The words of a built-in function's result. What the function does not take has no value: it is refused where types are checked. */
export function wordsOfCall(...call: Parameters<typeof builtinWords>): readonly string[] | undefined {
  try {
    return builtinWords(...call);
  } catch (cause) {
    if (cause instanceof TypeError) {
      return undefined;
    }
    throw cause;
  }
}

/** The integer that a word holds. */
export const integerOf = (word: number, type: string): bigint => BigInt(type === "u32" ? word >>> 0 : word);
