import type {
  Attribute,
  Block,
  Expression,
  ModuleDeclaration,
  Named,
  Statement,
  Variable,
} from "../../text/syntax.ts";
import { parseModule, TextFault } from "../../text/syntax.ts";
import { Scope, Typing } from "../../text/typing.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { requireAssertion } from "./assertions.ts";
import { constantCall } from "./constant_call.ts";
import { Layout } from "./layout.ts";

// What a WGSL module declares, and what each of its entry points reaches.

export type FunctionDeclaration = Extract<ModuleDeclaration, { kind: "function" }>;

/** The address spaces of variables at module scope. */
export type Space = "private" | "workgroup" | "storage" | "uniform";

export interface GlobalVariable {
  readonly declaration: Variable;
  readonly space: Space;
  readonly type: Type;
  /** Of storage: whether the shader may write it. */
  readonly isWritten: boolean;
  readonly group: number;
  readonly binding: number;
}

/** What threads wait for each other at: in `wide` code, all threads of a work-group run a step together. */
export interface Reach {
  /** It has a barrier, a subgroup function or an atomic of storage, or calls a function that has. */
  readonly isWide: boolean;
  /** Other work-groups may go on in it: it has an atomic of storage, or calls a function that has. */
  readonly yields: boolean;
}

const NOTHING: Reach = { isWide: false, yields: false };

/** WGSL's functions at which all threads of a work-group, or of a subgroup, meet. */
const MEETING = /^(?:(?:workgroup|storage|texture)Barrier|workgroupUniformLoad|(?:subgroup|quad)[A-Z]\w*)$/;

/** A module as its text says, with the types of all expressions. */
export class Module {
  readonly declarations: readonly ModuleDeclaration[];
  readonly typing = new Typing(constantCall);
  readonly functions = new Map<string, FunctionDeclaration>();
  readonly globals = new Map<string, GlobalVariable>();
  /** `const` and `override` at module scope. */
  readonly constants = new Map<string, Variable>();
  readonly layout: Layout;
  readonly #reach = new Map<string, Reach>();
  readonly #reachOfNodes = new WeakMap<object, Reach>();
  /** The names of pointers into storage, in any function. */
  readonly #storagePointers = new Set<string>();
  readonly #text: string;
  /** The names at module scope. */
  readonly #scope = new Scope();
  /** Where lines end. */
  #lines: readonly number[] | undefined;

  /** @throws {TextFault} */
  constructor(text: string) {
    this.#text = text;
    this.declarations = parseModule(text);
    this.typing.module(this.declarations, this.#scope);
    this.layout = new Layout(this.declarations, (attribute) => this.argument(attribute));
    for (const declaration of this.declarations) {
      if (declaration.kind === "function") {
        this.functions.set(declaration.name.name, declaration);
      } else if (declaration.kind === "variable") {
        this.#add(declaration);
      } else if (declaration.kind === "const_assert") {
        requireAssertion(this.typing, declaration.condition);
      }
    }
    for (const { parameters, body } of this.functions.values()) {
      this.#findPointers(parameters, body);
    }
  }

  #findPointers(parameters: FunctionDeclaration["parameters"], body: Block): void {
    for (const { name, type } of parameters) {
      if (addressSpaceOf(type) === "storage") {
        this.#storagePointers.add(name.name);
      }
    }
    for (const { name, value } of contentsOf(body).pointers) {
      if (this.spaceOf(value) === "storage") {
        this.#storagePointers.add(name.name);
      }
    }
  }

  #add(declaration: Variable): void {
    if (declaration.keyword !== "var") {
      this.constants.set(declaration.name.name, declaration);
      return;
    }
    const [space = "handle", access = "read"] = declaration.template.map((one) =>
      one.kind === "name" ? one.name : "",
    );
    if (space !== "private" && space !== "workgroup" && space !== "storage" && space !== "uniform") {
      throw new TextFault(`the simulator has no variables of the address space ${space}`, declaration.from);
    }
    const number = (name: string): number => {
      const attribute = declaration.attributes.find((one) => one.name === name);
      return attribute === undefined ? -1 : Number(this.argument(attribute));
    };
    const { type, value } = declaration;
    this.globals.set(declaration.name.name, {
      declaration,
      space,
      type: type ? this.typing.typeOf(type) : value ? this.typing.typeOf(value) : { kind: "unknown" },
      isWritten: space === "storage" && access !== "read",
      group: number("group"),
      binding: number("binding"),
    });
  }

  /** The value of an attribute's only argument. */
  argument({ args: [first], name, from }: Attribute): number {
    const value = first && this.constant(first);
    if (value === undefined) {
      throw new TextFault(`@${name} takes a constant, whose value is not known here`, from);
    }
    return Number(value);
  }

  /** The value of an expression at module scope. */
  constant(expression: Expression): number | bigint | undefined {
    const { typing } = this;
    const known = typing.constantOf(expression);
    if (known !== undefined) {
      return known;
    }
    typing.expression(expression, this.#scope);
    return typing.constantOf(expression);
  }

  /** The line and the column of a place, from 1. */
  placeOf(at: number): { readonly line: number; readonly column: number } {
    this.#lines ??= Array.from(this.#text.matchAll(/\n/g), ({ index }) => index);
    const line = this.#lines.findIndex((end) => end >= at);
    const before = line < 0 ? this.#lines.length : line;
    return { line: before + 1, column: at - (before === 0 ? -1 : (this.#lines[before - 1] as number)) };
  }

  /** What a function does at which threads meet, itself or by what it calls. */
  reachOf(name: string): Reach {
    const known = this.#reach.get(name);
    if (known !== undefined) {
      return known;
    }
    // A function that calls itself is refused by `inCallOrder`.
    this.#reach.set(name, NOTHING);
    const declaration = this.functions.get(name);
    const reach = declaration === undefined ? NOTHING : this.reachIn(declaration.body);
    this.#reach.set(name, reach);
    return reach;
  }

  /** The same for a statement or an expression. */
  reachIn(node: Statement | Expression | undefined): Reach {
    return node === undefined ? NOTHING : this.#reachInside(node);
  }

  #reachInside(node: object): Reach {
    const known = this.#reachOfNodes.get(node);
    if (known !== undefined) {
      return known;
    }
    let reach = "kind" in node && node.kind === "call" ? this.#reachOfCall(node as Call) : NOTHING;
    for (const part of Object.values(node)) {
      if (typeof part === "object" && part !== null && !reach.yields) {
        const inside = this.#reachInside(part);
        reach = inside.isWide && !reach.isWide ? inside : inside.yields ? inside : reach;
      }
    }
    this.#reachOfNodes.set(node, reach);
    return reach;
  }

  #reachOfCall(call: Call): Reach {
    const { name } = call.callee;
    if (this.functions.has(name)) {
      return this.reachOf(name);
    }
    if (name.startsWith("atomic") && this.spaceOf(call.args[0]) === "storage") {
      return { isWide: true, yields: true };
    }
    return MEETING.test(name) ? { isWide: true, yields: false } : NOTHING;
  }

  /** The address space of what a pointer expression points to: that of the variable at its root, "function" if none is at module scope. */
  spaceOf(expression: Expression | undefined): Space | "function" {
    switch (expression?.kind) {
      case "name":
        return this.#storagePointers.has(expression.name)
          ? "storage"
          : (this.globals.get(expression.name)?.space ?? "function");
      case "unary":
        return this.spaceOf(expression.operand);
      case "member":
      case "index":
        return this.spaceOf(expression.of);
      case "parentheses":
        return this.spaceOf(expression.inner);
      default:
        return "function";
    }
  }

  /** The functions that an entry point reaches, each behind those that it calls. @throws {TextFault} for one that calls itself. */
  inCallOrder(entryPoint: string): readonly FunctionDeclaration[] {
    const done = new Set<string>();
    const open = new Set<string>();
    const ordered: FunctionDeclaration[] = [];
    const visit = (declaration: FunctionDeclaration): void => {
      const { name, from } = declaration.name;
      if (open.has(name)) {
        throw new TextFault(`${name} calls itself, which WGSL does not allow`, from);
      }
      if (done.has(name)) {
        return;
      }
      done.add(name);
      open.add(name);
      for (const { callee } of contentsOf(declaration.body).calls) {
        const called = this.functions.get(callee.name);
        if (called !== undefined) {
          visit(called);
        }
      }
      open.delete(name);
      ordered.push(declaration);
    };
    const entry = this.functions.get(entryPoint);
    if (entry === undefined) {
      throw new TextFault(`the module has no function ${entryPoint}`, 0);
    }
    visit(entry);
    return ordered;
  }
}

/** The address space in the type of a pointer; undefined for other types. */
export const addressSpaceOf = (type: Expression): string | undefined => {
  const [space] = type.kind === "name" && type.name === "ptr" ? (type.template ?? []) : [];
  return space?.kind === "name" ? space.name : undefined;
};

export type Call = Extract<Expression, { kind: "call" }>;

/** What a function's text has in it. */
export interface Contents {
  /** All calls, in no special order. */
  readonly calls: readonly Call[];
  /** The names that it mentions. */
  readonly names: ReadonlySet<string>;
  /** The names of variables whose address is taken. */
  readonly pointedAt: ReadonlySet<string>;
  /** The declarations of pointers. */
  readonly pointers: readonly Variable[];
}

const contents = new WeakMap<object, Contents>();

/** What a function's body has in it. */
export function contentsOf(body: Block): Contents {
  let found = contents.get(body);
  if (found === undefined) {
    found = readContents(body);
    contents.set(body, found);
  }
  return found;
}

function readContents(body: Block): Contents {
  const calls: Call[] = [];
  const names = new Set<string>();
  const pointedAt = new Set<string>();
  const pointers: Variable[] = [];
  const visit = (node: object): void => {
    const one = node as Expression | Statement;
    if (one.kind === "call") {
      calls.push(one);
    } else if (one.kind === "name") {
      names.add(one.name);
    } else if (one.kind === "unary" && one.operator === "&") {
      pointedAt.add(rootOf(one.operand) ?? "");
    } else if (one.kind === "variable" && one.value?.kind === "unary" && one.value.operator === "&") {
      pointers.push(one);
    }
    for (const part of Object.values(node)) {
      if (typeof part === "object" && part !== null) {
        visit(part);
      }
    }
  };
  visit(body);
  return { calls, names, pointedAt, pointers };
}

/** The name of the variable that an expression is a part of. */
function rootOf(one: Expression): string | undefined {
  switch (one.kind) {
    case "name":
      return one.name;
    case "member":
    case "index":
      return rootOf(one.of);
    case "parentheses":
      return rootOf(one.inner);
    default:
      return undefined;
  }
}

/** The value of a named attribute. */
export const attributeOf = (attributes: readonly Attribute[], name: string): Attribute | undefined =>
  attributes.find((one) => one.name === name);

export type { Named };
