import type {
  Attribute,
  Expression,
  FunctionDeclaration,
  ModuleDeclaration,
  Statement,
  Variable,
} from "../../text/syntax.ts";
import { TextFault } from "../../text/syntax.ts";
import { Scope, Typing } from "../../text/typing.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { Recent } from "../recent.ts";
import { constantCall } from "./constant_call.ts";
import { Layout } from "./layout.ts";
import { Meanings } from "./meanings.ts";
import type { PlacedTree, Tree } from "./trees.ts";
import { separateTrees, sharedTrees } from "./trees.ts";
import type { Call, Space, Uses } from "./uses.ts";
import { usesOf } from "./uses.ts";

// What a WGSL module declares, and what each of its entry points reaches.

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

/** A call at which threads meet, and where it stands in the text. */
interface Meeting {
  readonly from: number;
  readonly reach: Reach;
}

/** WGSL's functions at which all threads of a work-group, or of a subgroup, meet. */
const MEETING = /^(?:(?:workgroup|storage|texture)Barrier|workgroupUniformLoad|(?:subgroup|quad)[A-Z]\w*)$/;

/** What is known of a function from all modules in which its text means the same. */
interface KnownFunction {
  uses?: Uses;
  /** Whether nothing is wrong in it. */
  isRight: boolean;
}

/** How many functions are known at least. */
const LEAST_FUNCTIONS = 4096;
const knownFunctions = new Recent<string, KnownFunction>(LEAST_FUNCTIONS);

/** A module as its text says. */
export class Module {
  readonly declarations: readonly ModuleDeclaration[];
  /** Whether places in its trees, and in faults, count from the start of its text. */
  readonly isSeparate: boolean;
  /** The types of all expressions, but for those in the bodies of functions that have not been asked for. */
  readonly typing = new Typing(constantCall);
  readonly functions = new Map<string, FunctionDeclaration>();
  readonly globals = new Map<string, GlobalVariable>();
  /** `const` and `override` at module scope. */
  readonly constants = new Map<string, Variable>();
  readonly layout: Layout;
  readonly #reach = new Map<string, Reach>();
  /** The calls at which threads meet, by the functions that have them. */
  readonly #meetings = new Map<string, readonly Meeting[]>();
  readonly #known = new Map<string, KnownFunction>();
  /** What each entry point reaches, each function behind those that it calls. */
  readonly #ordered = new Map<string, readonly FunctionDeclaration[]>();
  readonly #meanings: Meanings;
  readonly #placed: ReadonlyMap<string, PlacedTree>;
  /** The functions whose expressions have types. */
  readonly #typed = new Set<FunctionDeclaration>();
  /** The calls of atomic functions on storage, of all functions. */
  readonly storageAtomics = new Set<Call>();
  readonly #scope = new Scope();
  readonly #text: string;
  /** Where lines end. */
  #lines: readonly number[] | undefined;

  /**
   * What modules have in common is read once, unless this one is separate: only then do places count from the start of its text.
   *
   * @throws {TextFault}
   */
  constructor(text: string, isSeparate = false) {
    this.#text = text;
    this.isSeparate = isSeparate;
    const placed = isSeparate ? separateTrees(text) : sharedTrees(text);
    this.#placed = new Map(
      placed.flatMap((one) =>
        "name" in one.tree.declaration ? [[one.tree.declaration.name.name, one]] : [],
      ),
    );
    const trees = [...this.#placed].map(([name, { tree }]): [string, Tree] => [name, tree]);
    this.#meanings = new Meanings(new Map(trees));
    this.declarations = placed.map(({ tree }) => tree.declaration);
    this.typing.declarations(this.declarations, this.#scope);
    this.layout = new Layout(this.declarations, (attribute) => this.argument(attribute));
    for (const declaration of this.declarations) {
      if (declaration.kind === "function") {
        this.functions.set(declaration.name.name, declaration);
      } else if (declaration.kind === "variable") {
        this.#add(declaration);
      }
    }
    if (isSeparate) {
      this.functions.forEach((declaration) => {
        this.typeBody(declaration);
      });
    }
    for (const declaration of this.functions.values()) {
      for (const call of this.usesOf(declaration).storageAtomics) {
        this.storageAtomics.add(call);
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
      const of = declaration.type?.kind === "name" ? declaration.type.name : "";
      throw new TextFault(
        space === "handle" && of !== ""
          ? `the simulator has no ${of}; it runs compute shaders on buffers`
          : `the simulator has no variables of the address space ${space}`,
        declaration.from,
      );
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

  /** The value of an expression in an attribute, whose type is found with it; undefined if a pipeline gives the value. */
  constant(expression: Expression): number | bigint | undefined {
    this.typing.expression(expression, this.#scope);
    return this.typing.constantOf(expression);
  }

  /** The module that is this one, but for places: they count from the start of its text. @throws {TextFault} */
  separate(): Module {
    return new Module(this.#text, true);
  }

  /** The line and the column, from 1, of a place in a declaration. */
  placeIn(declaration: string, from: number): { readonly line: number; readonly column: number } {
    return this.#placeOf((this.#placed.get(declaration)?.offset ?? 0) + from);
  }

  #placeOf(at: number): { readonly line: number; readonly column: number } {
    this.#lines ??= Array.from(this.#text.matchAll(/\n/g), ({ index }) => index);
    let [before, after] = [0, this.#lines.length];
    while (before < after) {
      const middle = (before + after) >> 1;
      if ((this.#lines[middle] as number) < at) {
        before = middle + 1;
      } else {
        after = middle;
      }
    }
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
    const reach = declaration === undefined ? NOTHING : this.reachIn(declaration, declaration.body);
    this.#reach.set(name, reach);
    return reach;
  }

  /** The same for a statement or an expression of a function. */
  reachIn(declaration: FunctionDeclaration, { from, to }: Statement | Expression): Reach {
    const { name } = declaration.name;
    let meetings = this.#meetings.get(name);
    if (meetings === undefined) {
      meetings = this.usesOf(declaration)
        .calls.map((call) => ({ from: call.from, reach: this.#reachOfCall(call) }))
        .filter(({ reach }) => reach.isWide);
      this.#meetings.set(name, meetings);
    }
    const inside = meetings.filter((one) => one.from >= from && one.from < to);
    return inside.find(({ reach }) => reach.yields)?.reach ?? inside[0]?.reach ?? NOTHING;
  }

  #reachOfCall(call: Call): Reach {
    const { name } = call.callee;
    if (this.functions.has(name)) {
      return this.reachOf(name);
    }
    if (this.storageAtomics.has(call)) {
      return { isWide: true, yields: true };
    }
    return MEETING.test(name) ? { isWide: true, yields: false } : NOTHING;
  }

  /** What the text of a function means here. Where the text of a function of another module means the same, so does its JavaScript. */
  meaningOf({ name: { name } }: FunctionDeclaration): string {
    const placed = this.#placed.get(name);
    return placed === undefined ? "" : this.#meanings.ofFunction(placed.tree);
  }

  #knownOf(declaration: FunctionDeclaration): KnownFunction {
    const { name } = declaration.name;
    let known = this.#known.get(name);
    if (known === undefined) {
      known = knownFunctions.of(this.meaningOf(declaration), () => ({ isRight: false }));
      this.#known.set(name, known);
    }
    return known;
  }

  /** Checks a function, whose expressions have types then, unless it is known to be right. @throws {TextFault} */
  requireRight(declaration: FunctionDeclaration, check: () => void): void {
    const known = this.#knownOf(declaration);
    if (!known.isRight) {
      this.typeBody(declaration);
      check();
      known.isRight = true;
    }
  }

  /** Finds the types in the body of a function. @throws {TextFault} */
  typeBody(declaration: FunctionDeclaration): void {
    if (!this.#typed.has(declaration)) {
      this.#typed.add(declaration);
      this.typing.body(declaration, this.#scope);
    }
  }

  /** What the text of a function uses. */
  usesOf(declaration: FunctionDeclaration): Uses {
    const known = this.#knownOf(declaration);
    known.uses ??= usesOf(declaration.parameters, declaration.body, {
      spaceOf: (global) => this.globals.get(global)?.space,
      addressSpaceOf: (type) => this.addressSpaceOf(type),
    });
    return known.uses;
  }

  /** The address space in the type of a pointer; undefined for other types. */
  addressSpaceOf(type: Expression): string | undefined {
    if (type.kind !== "name") {
      return undefined;
    }
    const alias = this.declarations.find((one) => one.kind === "alias" && one.name.name === type.name);
    if (alias?.kind === "alias") {
      return this.addressSpaceOf(alias.type);
    }
    const [space] = type.name === "ptr" ? (type.template ?? []) : [];
    return space?.kind === "name" ? space.name : undefined;
  }

  /** The functions that an entry point reaches, each behind those that it calls. @throws {TextFault} for one that calls itself. */
  inCallOrder(entryPoint: string): readonly FunctionDeclaration[] {
    const ordered = this.#ordered.get(entryPoint) ?? this.othersInCallOrder(entryPoint, new Set());
    this.#ordered.set(entryPoint, ordered);
    return ordered;
  }

  /** The same, but for those that are `done` already, to which it adds them. */
  othersInCallOrder(entryPoint: string, done: Set<string>): readonly FunctionDeclaration[] {
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
      for (const { callee } of this.usesOf(declaration).calls) {
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

/** The value of a named attribute. */
export const attributeOf = (attributes: readonly Attribute[], name: string): Attribute | undefined =>
  attributes.find((one) => one.name === name);

export type { Call, FunctionDeclaration };

/** The names in a module's directives of a kind. */
export const namesAfter = ({ declarations }: Module, directive: "enable" | "requires"): readonly string[] =>
  declarations.flatMap((one) =>
    one.kind === "directive" && one.text.startsWith(`${directive} `)
      ? one.text.slice(directive.length).split(/[ ,]+/).filter(Boolean)
      : [],
  );
