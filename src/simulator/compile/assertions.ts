import type { Expression } from "../../text/syntax.ts";
import { TextFault } from "../../text/syntax.ts";
import type { Typing } from "../../text/typing.ts";

/**
 * Requires what a `const_assert` says. What it takes more to evaluate than integers, their comparisons and elements of `array(…)`, is
 * taken to be true.
 *
 * @throws {TextFault}
 */
export function requireAssertion(typing: Typing, condition: Expression): void {
  if (truthOf(typing, condition) === false) {
    throw new TextFault("this const_assert is false", condition.from);
  }
}

/** Whether a condition is true; undefined where that is not known. */
function truthOf(typing: Typing, one: Expression): boolean | undefined {
  switch (one.kind) {
    case "boolean":
      return one.value;
    case "parentheses":
      return truthOf(typing, one.inner);
    case "unary": {
      const operand = one.operator === "!" ? truthOf(typing, one.operand) : undefined;
      return operand === undefined ? undefined : !operand;
    }
    case "binary": {
      if (one.operator === "&&" || one.operator === "||") {
        const [left, right] = [truthOf(typing, one.left), truthOf(typing, one.right)];
        const decides = one.operator === "||";
        return left === decides || right === decides ? decides : left === undefined ? undefined : right;
      }
      const [left, right] = [integerOf(typing, one.left), integerOf(typing, one.right)];
      return left === undefined || right === undefined ? undefined : comparisons[one.operator]?.(left, right);
    }
    default:
      return undefined;
  }
}

const comparisons: Readonly<Record<string, (left: bigint, right: bigint) => boolean>> = {
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};

function integerOf(typing: Typing, one: Expression): bigint | undefined {
  const known = typing.constantOf(one);
  if (known !== undefined) {
    return Number.isInteger(Number(known)) ? BigInt(known) : undefined;
  }
  if (one.kind === "parentheses") {
    return integerOf(typing, one.inner);
  }
  if (one.kind === "index" && one.of.kind === "call" && one.of.callee.name === "array") {
    const element = one.of.args[Number(integerOf(typing, one.index) ?? -1)];
    return element && integerOf(typing, element);
  }
  if (one.kind === "binary" && one.operator === "*") {
    const [left, right] = [integerOf(typing, one.left), integerOf(typing, one.right)];
    return left === undefined || right === undefined ? undefined : left * right;
  }
  return undefined;
}
