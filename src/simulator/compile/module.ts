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
  readonly typing = new Typing();
  readonly functions = new Map<string, FunctionDeclaration>();
  readonly globals = new Map<string, GlobalVariable>();
  /** `const` and `override` at module scope. */
  readonly constants = new Map<string, Variable>();
  readonly layout: Layout;
  readonly #reach = new Map<string, Reach>();
  /** The names of pointers into storage, in any function. */
  readonly #storagePointers = new Set<string>();
  readonly #text: string;

  /** @throws {TextFault} */
  constructor(text: string) {
    this.#text = text;
    this.declarations = parseModule(text);
    this.typing.module(this.declarations, new Scope());
    this.layout = new Layout(this.declarations, (attribute) => this.argument(attribute));
    for (const declaration of this.declarations) {
      if (declaration.kind === "function") {
        this.functions.set(declaration.name.name, declaration);
      } else if (declaration.kind === "variable") {
        this.#add(declaration);
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
    for (const one of nodesIn(body)) {
      if (one.kind === "variable" && one.value?.kind === "unary" && this.spaceOf(one.value) === "storage") {
        this.#storagePointers.add(one.name.name);
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
    const scope = new Scope();
    typing.module(
      this.declarations.filter(({ kind }) => kind === "alias" || kind === "variable" || kind === "struct"),
      scope,
    );
    typing.expression(expression, scope);
    return typing.constantOf(expression);
  }

  /** The line and the column of a place, from 1. */
  placeOf(at: number): { readonly line: number; readonly column: number } {
    const before = this.#text.slice(0, at).split("\n");
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
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
    let isWide = false;
    let yields = false;
    for (const call of callsIn(node)) {
      const reach = this.#reachOfCall(call);
      isWide ||= reach.isWide;
      yields ||= reach.yields;
    }
    return { isWide, yields };
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
      for (const { callee } of callsIn(declaration.body)) {
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

const calls = new WeakMap<object, readonly Call[]>();

/** All calls in a statement or an expression, in no special order. */
export function callsIn(node: Statement | Expression | Block | undefined): readonly Call[] {
  if (node === undefined) {
    return [];
  }
  let found = calls.get(node);
  if (found === undefined) {
    found = [...nodesIn(node)].filter((one): one is Call => one.kind === "call");
    calls.set(node, found);
  }
  return found;
}

/** The names that a function, or a part of one, mentions. */
export function* namesIn(node: Block | Statement | Expression): Iterable<string> {
  for (const one of nodesIn(node)) {
    if (one.kind === "name") {
      yield one.name;
    }
  }
}

/** All statements and expressions in a node, and the node itself. */
export function* nodesIn(node: unknown): Iterable<Expression | Statement> {
  if (Array.isArray(node)) {
    for (const one of node) {
      yield* nodesIn(one);
    }
  } else if (typeof node === "object" && node !== null) {
    if ("kind" in node) {
      yield node as Expression | Statement;
    }
    for (const one of Object.values(node as Record<string, unknown>)) {
      if (typeof one === "object") {
        yield* nodesIn(one);
      }
    }
  }
}

/** The value of a named attribute. */
export const attributeOf = (attributes: readonly Attribute[], name: string): Attribute | undefined =>
  attributes.find((one) => one.name === name);

export type { Named };
