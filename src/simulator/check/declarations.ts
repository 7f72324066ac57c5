import { isReserved } from "../../text/reserved.ts";
import type { Expression, Named, Variable } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { concrete } from "../../text/wgsl_types.ts";
import { ExpressionChecker } from "./expressions.ts";
import { fits, told } from "./operators.ts";

/** Finds what is wrong with names, types and variables, in functions and at module scope. */
export class DeclarationChecker extends ExpressionChecker {
  /** Requires a name that WGSL leaves free. */
  protected requireName({ name, from }: Named): void {
    if (isReserved(name) || name === "_" || name.startsWith("__")) {
      this.fail(`${name} is a word that WGSL keeps for itself, and no name`, from);
    }
  }

  /** Requires a type that the simulator has. */
  protected requireType(one: Expression): void {
    if (one.kind !== "name") {
      this.fail("a type belongs here", one.from);
    }
    const type = this.typeOf(one);
    if (type.kind === "unknown") {
      const isOther = /^(?:texture|sampler)/.test(one.name);
      this.fail(
        isOther
          ? `the simulator has no ${one.name}; it runs compute shaders on buffers`
          : `${one.name} is no type that is known here`,
        one.from,
      );
    }
    const [element, count] = one.template ?? [];
    if (one.name === "array" && element !== undefined) {
      this.requireType(element);
      const value = count && this.module.typing.constantOf(count);
      if (count !== undefined && (value === undefined || value <= 0)) {
        this.fail(
          value === undefined
            ? "the count of an array is a constant, and the value of this is not known"
            : `an array has at least one element, and not ${value}`,
          count.from,
        );
      }
      if (this.typeOf(element).kind === "array" && !hasSize(this.typeOf(element))) {
        this.fail(
          "the elements of an array have a size, and an array without a length has none",
          element.from,
        );
      }
    }
  }

  #variableValue(name: string, value: Expression, type: Type | undefined, isConst: boolean): void {
    this.expression(value);
    const given = this.typeOf(value);
    if (given.kind === "nothing") {
      this.fail("this call gives no value", value.from);
    }
    if (given.kind === "atomic" || !hasSize(given)) {
      const cure =
        given.kind === "atomic" ? "atomicLoad(&x) gives its value" : "it has no size, so it is no value";
      this.fail(`this is ${told(given)}; ${cure}`, value.from);
    }
    // Numbers without a type keep their value in a const.
    if (type !== undefined || !isConst) {
      this.constant(value, type ?? concrete(given));
    }
    if (type !== undefined && !fits(given, type)) {
      this.fail(`${name} is ${told(type)}, and its value is ${told(given)}`, value.from);
    }
  }

  /** Requires that a variable's value fits its type. */
  protected variableType({ keyword, type, value, name }: Variable): void {
    const { typing } = this.module;
    if (type !== undefined) {
      this.requireType(type);
    }
    if (value !== undefined) {
      this.#variableValue(name.name, value, type && typing.typeOf(type), keyword === "const");
    } else if (type === undefined && keyword !== "let") {
      this.fail(`${name.name} has neither a type nor a value`, name.from);
    }
  }
}

/** Whether a value of the type has a size: an array without a length has none. */
export const hasSize = (type: Type): boolean =>
  type.kind === "array"
    ? type.count !== undefined
    : type.kind !== "struct" || [...type.members.values()].every(hasSize);
