import type { Expression } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { Recent } from "../recent.ts";
import { ExpressionWriter } from "./expressions.ts";
import type { SharedFunction } from "./function_text.ts";
import { FunctionText } from "./function_text.ts";
import type { FunctionDeclaration, Module } from "./module.ts";
import { Names } from "./names.ts";
import { StatementWriter } from "./statements.ts";
import type { Watch } from "./watching.ts";
import { Watching } from "./watching.ts";
import { WideWriter } from "./wide.ts";

// A function is written once for all modules in which its text means the same.

/** The values of `override` variables, by name. */
export type Constants = Readonly<Record<string, number>>;

/** How many functions are kept at least. */
const LEAST_FUNCTIONS = 4096;
const written = new Recent<string, SharedFunction>(LEAST_FUNCTIONS);

/** The function of a module as JavaScript. In an entry point, and where threads meet, all threads go through it together. @throws {TextFault} */
export function sharedFunction(
  module: Module,
  constants: Constants,
  declaration: FunctionDeclaration,
  watch?: Watch,
): SharedFunction {
  const { name } = declaration.name;
  const linked = watch
    ? [name, ...module.usesOf(declaration).calls.map(({ callee }) => callee.name)].map(watch.isLinked)
    : [];
  const key = [
    module.meaningOf(declaration),
    ...module.usesOf(declaration).calls.map(({ callee }) => {
      const { isWide, yields } = module.reachOf(callee.name);
      return yields ? "y" : isWide ? "w" : "";
    }),
    ...Object.entries(constants).sort().flat(),
    ...linked,
  ].join();
  const watching = watch && new Watching(watch, name);
  return written.of(key, () => writtenFunction(module, constants, declaration, watching));
}

function writtenFunction(
  module: Module,
  constants: Constants,
  declaration: FunctionDeclaration,
  watching: Watching | undefined,
): SharedFunction {
  module.typeBody(declaration);
  const output = new FunctionText(module, constants, watching);
  const names = new Names(namesOf(module));
  const isEntry = declaration.attributes.some(({ name }) => name === "compute");
  const isWide = isEntry || module.reachOf(declaration.name.name).isWide;
  const writer = isWide
    ? new WideWriter(output, declaration, names)
    : new StatementWriter(output, declaration, names);
  return writer.write();
}

/** The name of the function that gives a private variable the value with which it starts, in all threads. */
export const startOf = (variable: string): string => `start_${variable}`;

/** That function. @throws {TextFault} */
export function startFunction(
  module: Module,
  constants: Constants,
  variable: string,
  { value, type }: { readonly value: Expression; readonly type: Type },
): SharedFunction {
  const output = new FunctionText(module, constants);
  const writer = new ExpressionWriter(output, variable, namesOf(module));
  const memory = output.take(`P_${variable}`);
  const words = writer.value(value, type);
  const stores = words.map((word, at) => `${memory}[t * ${words.length} + ${at}] = ${word};`);
  output.give(startOf(variable));
  return output.finished(
    `function ${startOf(variable)}() { for (let t = 0; t < N; t++) { ${[...writer.takeLines(), ...stores].join(" ")} } }`,
  );
}

/** What names at module scope stand for. */
export function namesOf(module: Module): Names {
  const names = new Names();
  for (const [name, variable] of module.constants) {
    names.declare(name, { kind: "constant", variable, names });
  }
  for (const [name, variable] of module.globals) {
    names.declare(name, { kind: "global", variable });
  }
  return names;
}
