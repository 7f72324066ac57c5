import type { Attribute, Named, Variable } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { textOfType } from "../../text/wgsl_types.ts";
import type { FunctionDeclaration, GlobalVariable, Module } from "../compile/module.ts";
import { attributeOf } from "../compile/module.ts";
import { DeclarationChecker, hasSize } from "./declarations.ts";
import { FunctionChecker } from "./functions.ts";

// What WGSL refuses. A text that passes is not right for sure: the compilers of GPUs know more rules, such as that of uniform control flow.
// But nothing of it means something else here than there.

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

class ModuleChecker extends DeclarationChecker {
  check(): void {
    const names = new Set<string>();
    for (const one of this.module.declarations) {
      if ("name" in one) {
        const { name, from } = one.name;
        this.requireName(one.name);
        if (names.has(name)) {
          this.fail(`${name} is declared twice`, from);
        }
        names.add(name);
      }
      if (one.kind === "struct") {
        for (const { name, type } of one.members) {
          this.requireName(name);
          this.requireType(type);
        }
      } else if (one.kind === "variable") {
        this.#variable(one);
      } else if (one.kind === "alias") {
        this.requireType(one.type);
      } else if (one.kind === "const_assert") {
        this.expression(one.condition);
      }
    }
    const done = new Set<string>();
    for (const declaration of this.module.functions.values()) {
      this.module.requireRight(declaration, () => new FunctionChecker(this.module, declaration).check());
      if (attributeOf(declaration.attributes, "compute") !== undefined) {
        this.#entryPoint(declaration);
      }
      this.module.othersInCallOrder(declaration.name.name, done);
    }
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
    this.variableType(one);
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
