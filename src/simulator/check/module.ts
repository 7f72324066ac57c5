import { isReserved } from "../../text/reserved.ts";
import type { Attribute, Block, Case, Expression, Named, Statement, Variable } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { concrete, nothing, textOfType } from "../../text/wgsl_types.ts";
import type { FunctionDeclaration, GlobalVariable, Module } from "../compile/module.ts";
import { attributeOf } from "../compile/module.ts";
import { ExpressionChecker } from "./expressions.ts";
import { constantProblem, fits, isBool, isInteger, operandsProblem, told } from "./operators.ts";

// What WGSL refuses. A text that passes is not right for sure: the compilers of GPUs know more rules, such as that of uniform control flow.
// But nothing of it means something else here than there.

/** What a name of a function is: only a `var` changes. */
type NameKind = "let" | "const" | "var" | "override" | "a parameter";

interface Flow {
  readonly inLoop: boolean;
  readonly inSwitch: boolean;
}

class FunctionChecker extends ExpressionChecker {
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
      this.#requireType(parameter.type);
      this.#declare(parameter.name.name, "a parameter", parameter.name.from);
    }
    if (result !== undefined) {
      this.#requireType(result);
    }
    this.#statements(body.statements, { inLoop: false, inSwitch: false });
    if (result !== undefined && !endsInReturn(body.statements)) {
      this.fail(
        `${name.name} returns ${told(this.#result)}, and its end is reached without a 'return'`,
        body.to - 1,
      );
    }
  }

  #requireType(type: Expression): void {
    requireType(this.module, type, (problem, at) => this.fail(problem, at));
  }

  #declare(name: string, kind: NameKind, at: number): void {
    this.require(nameProblem(name), at);
    if (this.#scopes[0]?.has(name)) {
      this.fail(`${name} is declared twice in this block`, at);
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
    checkVariable(
      one,
      this.module,
      (checked) => this.expression(checked),
      (problem, at) => this.fail(problem, at),
    );
    const of = type ? this.typeOf(type) : value ? concrete(this.typeOf(value)) : nothing;
    if (keyword === "var" && !hasSize(of)) {
      this.fail(`a variable of a function has a size, and ${told(of)} has none`, type?.from ?? name.from);
    }
    this.#declare(name.name, keyword, name.from);
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

/** What is wrong with a name; undefined if nothing is. */
const nameProblem = (name: string): string | undefined =>
  isReserved(name) || name === "_" || name.startsWith("__")
    ? `${name} is a word that WGSL keeps for itself, and no name`
    : undefined;

type Fail = (problem: string, at: number) => never;

/** Requires a type that the simulator has. */
function requireType(module: Module, one: Expression, fail: Fail): void {
  if (one.kind !== "name") {
    fail("a type belongs here", one.from);
  }
  const type = module.typing.typeOf(one);
  if (type.kind === "unknown") {
    const isOther = /^(?:texture|sampler)/.test(one.name);
    fail(
      isOther
        ? `the simulator has no ${one.name}; it runs compute shaders on buffers`
        : `${one.name} is no type that is known here`,
      one.from,
    );
  }
  const [element, count] = one.template ?? [];
  if (one.name === "array" && element !== undefined) {
    requireType(module, element, fail);
    const value = count && module.typing.constantOf(count);
    if (count !== undefined && (value === undefined || value <= 0)) {
      fail(
        value === undefined
          ? "the count of an array is a constant, and the value of this is not known"
          : `an array has at least one element, and not ${value}`,
        count.from,
      );
    }
    if (module.typing.typeOf(element).kind === "array" && !hasSize(module.typing.typeOf(element))) {
      fail("the elements of an array have a size, and an array without a length has none", element.from);
    }
  }
}

/** Whether a value of the type has a size: an array without a length has none. */
const hasSize = (type: Type): boolean =>
  type.kind === "array"
    ? type.count !== undefined
    : type.kind !== "struct" || [...type.members.values()].every(hasSize);

/** Requires that a variable's value fits its type. */
function checkVariable(
  { keyword, type, value, name }: Variable,
  module: Module,
  check: (value: Expression) => void,
  fail: Fail,
): void {
  const { typing } = module;
  if (type !== undefined) {
    requireType(module, type, fail);
  }
  if (value !== undefined) {
    check(value);
    const given = typing.typeOf(value);
    if (given.kind === "nothing") {
      fail("this call gives no value", value.from);
    }
    if (given.kind === "atomic" || !hasSize(given)) {
      const cure =
        given.kind === "atomic" ? "atomicLoad(&x) gives its value" : "it has no size, so it is no value";
      fail(`this is ${told(given)}; ${cure}`, value.from);
    }
    const problem = type && constantProblem(typing.constantOf(value), typing.typeOf(type));
    if (problem !== undefined) {
      fail(problem, value.from);
    }
    if (type !== undefined && !fits(given, typing.typeOf(type))) {
      fail(`${name.name} is ${told(typing.typeOf(type))}, and its value is ${told(given)}`, value.from);
    }
  } else if (type === undefined && keyword !== "let") {
    fail(`${name.name} has neither a type nor a value`, name.from);
  }
}

/** Whether the end of statements is never reached: https://www.w3.org/TR/WGSL/#behaviors */
function endsInReturn(statements: readonly Statement[]): boolean {
  return statements.some((one) => {
    switch (one.kind) {
      case "return":
        return true;
      case "block":
        return endsInReturn(one.statements);
      case "if":
        return (
          endsInReturn(one.then.statements) && one.otherwise !== undefined && endsInReturn([one.otherwise])
        );
      case "switch":
        return one.cases.every(({ body }) => endsInReturn(body.statements) && !breaks(body.statements));
      case "loop":
      case "while":
      case "for":
        return (
          (one.kind === "loop" || (one.kind === "for" && one.condition === undefined)) &&
          !breaks(one.body.statements)
        );
      default:
        return false;
    }
  });
}

/** Whether statements have a `break` that leaves what they are the body of. */
function breaks(statements: readonly Statement[]): boolean {
  return statements.some((one) => {
    switch (one.kind) {
      case "break":
      case "break if":
        return true;
      case "block":
        return breaks(one.statements);
      case "continuing":
        return breaks(one.body.statements);
      case "if":
        return breaks(one.then.statements) || (one.otherwise !== undefined && breaks([one.otherwise]));
      default:
        return false;
    }
  });
}

/** The built-in values of compute shaders, and their types. */
const builtinTypes: Readonly<Record<string, string>> = {
  local_invocation_id: "vec3<u32>",
  local_invocation_index: "u32",
  global_invocation_id: "vec3<u32>",
  workgroup_id: "vec3<u32>",
  num_workgroups: "vec3<u32>",
  subgroup_invocation_id: "u32",
  subgroup_size: "u32",
  subgroup_id: "u32",
  num_subgroups: "u32",
} satisfies Readonly<Record<string, string>>;

class ModuleChecker extends ExpressionChecker {
  check(): void {
    const names = new Set<string>();
    for (const one of this.module.declarations) {
      if ("name" in one) {
        const { name, from } = one.name;
        this.require(nameProblem(name), from);
        if (names.has(name)) {
          this.fail(`${name} is declared twice`, from);
        }
        names.add(name);
      }
      if (one.kind === "struct") {
        for (const { name, type } of one.members) {
          this.require(nameProblem(name.name), name.from);
          this.#requireType(type);
        }
      } else if (one.kind === "variable") {
        this.#variable(one);
      } else if (one.kind === "alias") {
        this.#requireType(one.type);
      } else if (one.kind === "const_assert") {
        this.expression(one.condition);
      }
    }
    for (const declaration of this.module.functions.values()) {
      new FunctionChecker(this.module, declaration).check();
      if (attributeOf(declaration.attributes, "compute") !== undefined) {
        this.#entryPoint(declaration);
      }
      this.module.inCallOrder(declaration.name.name);
    }
  }

  #requireType(type: Expression): void {
    requireType(this.module, type, (problem, at) => this.fail(problem, at));
  }

  /** Each parameter of an entry point, or each member of one, is a built-in value. */
  #entryPoint({ parameters }: FunctionDeclaration): void {
    for (const { name, type, attributes } of parameters) {
      const of = this.typeOf(type);
      if (of.kind !== "struct") {
        this.#builtin(name, of, attributes);
        continue;
      }
      for (const [member, attributesOf] of this.module.layout.attributesOf(of)) {
        this.#builtin(
          { ...name, name: `${name.name}.${member}` },
          of.members.get(member) ?? of,
          attributesOf,
        );
      }
    }
  }

  #builtin({ name, from }: Named, type: Type, attributes: readonly Attribute[]): void {
    const attribute = attributeOf(attributes, "builtin");
    const [of] = attribute?.args ?? [];
    if (attribute === undefined || of?.kind !== "name") {
      this.fail(`${name} of an entry point has no @builtin(…)`, from);
    }
    const text = Object.hasOwn(builtinTypes, of.name) ? builtinTypes[of.name] : undefined;
    if (text === undefined) {
      this.fail(
        `the simulator has no built-in value ${of.name}; it has ${Object.keys(builtinTypes).join(", ")}`,
        attribute.from,
      );
    }
    if (textOfType(type) !== text) {
      this.fail(`${of.name} is ${text}, and ${name} is ${textOfType(type)}`, from);
    }
  }

  #variable(one: Variable): void {
    checkVariable(
      one,
      this.module,
      (value) => this.expression(value),
      (problem, at) => this.fail(problem, at),
    );
    const global = this.module.globals.get(one.name.name);
    if (global !== undefined) {
      this.#global(one, global);
    }
  }

  #global({ name, type, attributes }: Variable, { space, type: of }: GlobalVariable): void {
    const isBuffer = space === "storage" || space === "uniform";
    for (const attribute of ["group", "binding"]) {
      if (isBuffer && attributeOf(attributes, attribute) === undefined) {
        this.fail(`${name.name} is in the address space ${space}, and has no @${attribute}`, name.from);
      }
    }
    if (space !== "storage" && !hasSize(of)) {
      this.fail(
        `a variable of the address space ${space} has a size, and ${textOfType(of)} has none`,
        type?.from ?? name.from,
      );
    }
  }
}

/** Refuses a module that means nothing in WGSL, and one that the simulator cannot run. @throws {TextFault} */
export const checkModule = (module: Module): void => new ModuleChecker(module).check();
