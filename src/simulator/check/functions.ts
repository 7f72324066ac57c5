import type { Block, Case, Expression, Named, Statement, Variable } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { concrete, nothing } from "../../text/wgsl_types.ts";
import type { FunctionDeclaration, Module } from "../compile/module.ts";
import { DeclarationChecker, hasSize } from "./declarations.ts";
import { endsInReturn } from "./flow.ts";
import { fits, isBool, isInteger, operandsProblem, told } from "./operators.ts";

/** What a name of a function is: only a `var` changes. */
type NameKind = "let" | "const" | "var" | "override" | "a parameter";

interface Flow {
  readonly inLoop: boolean;
  readonly inSwitch: boolean;
}

/** Finds what is wrong in a function. */
export class FunctionChecker extends DeclarationChecker {
  readonly #function: FunctionDeclaration;
  readonly #result: Type;
  /** The names of the blocks around a place, from the innermost on. */
  #scopes: Map<string, NameKind>[] = [new Map()];

  constructor(module: Module, declaration: FunctionDeclaration) {
    super(module);
    this.#function = declaration;
    this.#result = declaration.result ? this.typeOf(declaration.result) : nothing;
  }

  check(): void {
    const { parameters, result, body, name } = this.#function;
    for (const parameter of parameters) {
      this.requireType(parameter.type);
      this.#declare(parameter.name, "a parameter");
    }
    if (result !== undefined) {
      this.requireType(result);
    }
    this.#statements(body.statements, { inLoop: false, inSwitch: false });
    if (result !== undefined && !endsInReturn(body.statements)) {
      this.fail(
        `${name.name} returns ${told(this.#result)}, and its end is reached without a 'return'`,
        body.to - 1,
      );
    }
  }

  #declare(named: Named, kind: NameKind): void {
    this.requireName(named);
    const { name, from } = named;
    if (this.#scopes[0]?.has(name)) {
      this.fail(`${name} is declared twice in this block`, from);
    }
    this.#scopes[0]?.set(name, kind);
  }

  #statements(statements: readonly Statement[], flow: Flow): void {
    for (const one of statements) {
      this.#statement(one, flow);
    }
  }

  #block({ statements }: Block, flow: Flow): void {
    this.#inScope(() => this.#statements(statements, flow));
  }

  #inScope(check: () => void): void {
    this.#scopes.unshift(new Map());
    check();
    this.#scopes.shift();
  }

  #statement(one: Statement, flow: Flow): void {
    switch (one.kind) {
      case "block":
        this.#block(one, flow);
        break;
      case "variable":
        this.#variable(one);
        break;
      case "assign":
        this.#assign(one);
        break;
      case "step":
        this.#place(one.target);
        if (!isInteger(this.typeOf(one.target))) {
          this.fail(
            `'${one.operator}' takes an i32 or a u32, and this is ${told(this.typeOf(one.target))}`,
            one.from,
          );
        }
        break;
      case "call statement":
        this.expression(one.call);
        break;
      case "if":
        this.#condition(one.condition);
        this.#block(one.then, flow);
        if (one.otherwise) {
          this.#statement(one.otherwise, flow);
        }
        break;
      case "for":
      case "while":
      case "loop":
        this.#inScope(() => this.#loop(one));
        break;
      case "switch":
        this.#switch(one, flow);
        break;
      case "return":
        this.#return(one);
        break;
      case "break if":
      case "const_assert":
        this.#condition(one.condition);
        break;
      case "break":
      case "continue":
        this.#jump(one, flow);
        break;
      case "continuing":
        this.#block(one.body, { inLoop: false, inSwitch: false });
        break;
      case "discard":
        this.fail("the simulator runs compute shaders, which have no 'discard'", one.from);
        break;
      case "empty":
        break;
      default:
        one satisfies never;
    }
  }

  #jump(
    { kind, from }: Extract<Statement, { kind: "break" | "continue" | "discard" | "empty" }>,
    flow: Flow,
  ): void {
    if (!flow.inLoop && !(flow.inSwitch && kind === "break")) {
      this.fail(`'${kind}' stands in no loop${kind === "break" ? " and no switch" : ""}`, from);
    }
  }

  #loop(one: Extract<Statement, { kind: "for" | "while" | "loop" }>): void {
    const flow = { inLoop: true, inSwitch: false };
    if (one.kind === "for" && one.start) {
      this.#statement(one.start, flow);
    }
    if (one.kind !== "loop" && one.condition) {
      this.#condition(one.condition);
    }
    if (one.kind === "for" && one.update) {
      this.#statement(one.update, flow);
    }
    this.#block(one.body, flow);
  }

  #condition(condition: Expression): void {
    this.expression(condition);
    const type = this.typeOf(condition);
    if (type.kind !== "unknown" && !isBool(type)) {
      this.fail(`a condition is a bool, and this is ${told(type)}`, condition.from);
    }
  }

  #switch({ on, cases, from }: Extract<Statement, { kind: "switch" }>, flow: Flow): void {
    this.expression(on);
    const type = this.typeOf(on);
    if (type.kind !== "unknown" && !isInteger(type)) {
      this.fail(`a switch takes an i32 or a u32, and this is ${told(type)}`, on.from);
    }
    const seen = new Set<string>();
    for (const one of cases) {
      this.#selectors(one, type, seen);
      this.#block(one.body, { ...flow, inSwitch: true });
    }
    const defaults = cases.filter(({ isDefault }) => isDefault).length;
    if (defaults !== 1) {
      this.fail(`a switch has one default, and here are ${defaults || "none"}`, from);
    }
  }

  #selectors({ selectors }: Case, type: Type, seen: Set<string>): void {
    for (const selector of selectors) {
      this.expression(selector);
      const value = this.module.typing.constantOf(selector);
      if (value === undefined) {
        this.fail("a selector is a constant, and the value of this is not known", selector.from);
      }
      if (!fits(this.typeOf(selector), type) && !fits(type, this.typeOf(selector))) {
        this.fail(
          `this selector is ${told(this.typeOf(selector))}, and the switch takes ${told(type)}`,
          selector.from,
        );
      }
      if (seen.has(String(value))) {
        this.fail(`the switch has the selector ${value} twice`, selector.from);
      }
      seen.add(String(value));
    }
  }

  #return({ value, from }: Extract<Statement, { kind: "return" }>): void {
    if (value !== undefined) {
      this.expression(value);
    }
    const { name } = this.#function.name;
    const given = value && this.typeOf(value);
    const isRight = given === undefined ? this.#result.kind === "nothing" : fits(given, this.#result);
    if (!isRight) {
      const returns = this.#result.kind === "nothing" ? "nothing" : told(this.#result);
      this.fail(
        `${name} returns ${returns}, and this is ${given ? told(given) : "no value"}`,
        value?.from ?? from,
      );
    }
    if (value !== undefined) {
      this.constant(value, this.#result);
    }
  }

  #variable(one: Variable): void {
    const { keyword, name, type, value } = one;
    this.variableType(one);
    const of = type ? this.typeOf(type) : value ? concrete(this.typeOf(value)) : nothing;
    if (keyword === "var" && !hasSize(of)) {
      this.fail(`a variable of a function has a size, and ${told(of)} has none`, type?.from ?? name.from);
    }
    this.#declare(name, keyword);
  }

  #assign({ target, operator, value, from }: Extract<Statement, { kind: "assign" }>): void {
    if (target !== undefined) {
      this.#place(target);
    }
    this.expression(value);
    if (target === undefined) {
      return;
    }
    const [to, given] = [this.typeOf(target), this.typeOf(value)];
    if (operator !== undefined) {
      this.require(operandsProblem(operator, to, given), from);
      this.rightSide(operator, to, value);
      return;
    }
    if (!fits(given, to)) {
      this.fail(`this place takes ${told(to)}, and the value is ${told(given)}`, value.from);
    }
    this.constant(value, to);
  }

  /** Requires an expression that can be written. */
  #place(one: Expression): void {
    this.expression(one);
    let root = one;
    while (root.kind !== "name") {
      if (root.kind === "member" || root.kind === "index") {
        if (root.kind === "member" && root.member.length > 1 && this.typeOf(root.of).kind === "vector") {
          this.fail(`one component of a vector can be assigned, and .${root.member} is several`, root.from);
        }
        root = root.of;
      } else if (root.kind === "parentheses") {
        root = root.inner;
      } else if (root.kind === "unary" && root.operator === "*") {
        root = root.operand;
      } else if (root.kind === "unary" && root.operator === "&") {
        root = root.operand;
      } else {
        this.fail("only variables and their parts can be assigned", one.from);
      }
    }
    if (this.typeOf(root).kind !== "pointer") {
      this.#writable(root.name, root.from);
    }
  }

  #writable(name: string, at: number): void {
    const kind = this.#scopes.find((scope) => scope.has(name))?.get(name);
    const global = kind === undefined ? this.module.globals.get(name) : undefined;
    if (global !== undefined) {
      if (global.space === "uniform" || (global.space === "storage" && !global.isWritten)) {
        this.fail(
          `${name} is ${global.space === "uniform" ? "uniform" : "storage of read access"}, which cannot be written`,
          at,
        );
      }
      return;
    }
    if (kind !== "var") {
      const what = kind === "a parameter" ? kind : `a ${kind ?? "constant"}`;
      this.fail(`${name} is ${what}, which cannot be assigned; a var can`, at);
    }
  }
}
