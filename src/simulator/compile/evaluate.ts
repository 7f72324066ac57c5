import type { Expression } from "../../text/syntax.ts";
import { TextFault } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { ExpressionWriter } from "./expressions.ts";
import type { FunctionText } from "./function_text.ts";
import type { Names } from "./names.ts";
import { runText } from "./run_text.ts";

// Expressions whose values are known before a program runs: they name constants alone, and those that a pipeline gives values.

/** The word of an expression that is known before the program runs. @throws {TextFault} */
export function constantWordOf(output: FunctionText, names: Names, one: Expression, type?: Type): number {
  const writer = new ExpressionWriter(output, "", names);
  const word = writer.word(one, type);
  if (/^-?\d+$/.test(word)) {
    return Number(word);
  }
  const g = {
    inBounds(index: number, count: number): never {
      throw new TextFault(`index ${index} is not less than ${count}`, one.from);
    },
  };
  return runText([...writer.takeLines(), `return ${word};`].join("\n"), { g, t: 0, SITE: 0 }) as number;
}

/** Refuses a program whose `const_assert` does not hold. @throws {TextFault} */
export function requireTrue(output: FunctionText, names: Names, condition: Expression): void {
  if (constantWordOf(output, names, condition) === 0) {
    throw new TextFault("this const_assert does not hold", condition.from);
  }
}
