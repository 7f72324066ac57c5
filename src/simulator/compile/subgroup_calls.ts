import type { Scalar } from "../builtin_texts.ts";
import { binaryText } from "../builtin_texts.ts";
import type { FunctionText } from "./function_text.ts";
import type { Module } from "./module.ts";
import { attributeOf } from "./module.ts";

// Functions in which the threads of a subgroup exchange words. The work-group runs each of them for all its subgroups.

/** Whether a name is that of such a function, unless the module declares another one of that name. */
export const isSubgroupFunction = (name: string): boolean => /^(?:subgroup|quad)[A-Z]/.test(name);

/** The built-in values that an entry point takes. */
export function builtinsOf(module: Module, entryPoint: string): readonly string[] {
  const takes = module.functions.get(entryPoint)?.parameters ?? [];
  const attributes = takes.flatMap(({ attributes: of, type }) => {
    const found = module.typing.typeOf(type);
    return found.kind === "struct" ? [...module.layout.attributesOf(found).values()] : [of];
  });
  return attributes.flatMap((of) => {
    const value = attributeOf(of, "builtin")?.args[0];
    return value?.kind === "name" ? value.name : [];
  });
}

/** Whether an entry point, or what it calls, knows of subgroups: by their functions or built-in values. */
export const usesSubgroups = (module: Module, entryPoint: string): boolean =>
  builtinsOf(module, entryPoint).some((name) => name.includes("subgroup")) ||
  module
    .inCallOrder(entryPoint)
    .flatMap((declaration) => module.usesOf(declaration).calls)
    .some(({ callee: { name } }) => isSubgroupFunction(name) && !module.functions.has(name));

/** The text of a call up to its place, for one word of a value: the columns of input and output hold a word of each thread. */
export type SubgroupCall = (mask: string, input: string, result: string) => string;

/** How a function is called. `by` is the column of its second argument. Undefined if there is no such function. */
export function subgroupCall(
  output: FunctionText,
  name: string,
  of: Scalar,
  by: string | undefined,
): SubgroupCall | undefined {
  const [, kind] = /^subgroupShuffle(|Up|Down|Xor)$/.exec(name) ?? [];
  if (kind !== undefined) {
    return (mask, input, result) =>
      `g.shuffle(${mask}, "${kind.toLowerCase() || "at"}", ${input}, ${by}, ${result}, `;
  }
  const swap = /^quadSwap(X|Y|Diagonal)$/.exec(name)?.[1];
  if (swap !== undefined) {
    return (mask, input, result) => `g.quad(${mask}, "${swap.toLowerCase()}", ${input}, ${result}, `;
  }
  switch (name) {
    case "subgroupBroadcast":
      return (mask, input, result) => `g.broadcast(${mask}, ${input}, ${by}, ${result}, `;
    case "subgroupBroadcastFirst":
      return (mask, input, result) => `g.broadcastFirst(${mask}, ${input}, ${result}, `;
    case "quadBroadcast":
      return (mask, input, result) => `g.quadBroadcast(${mask}, ${input}, ${by}, ${result}, `;
    default:
      return reduction(output, name, of);
  }
}

/** Functions that combine the words of a subgroup: of all its threads, or of those up to each thread. */
function reduction(output: FunctionText, name: string, of: Scalar): SubgroupCall | undefined {
  const [, scan, operation = ""] =
    /^subgroup(Inclusive|Exclusive|)(Add|Mul|Min|Max|And|Or|Xor)$/.exec(name) ?? [];
  if (scan === undefined) {
    return undefined;
  }
  const combine = combiner(output, operation, of);
  const start = operation === "Mul" ? ONES[of] : 0;
  return scan === ""
    ? (mask, input, result) => `g.reduce(${mask}, ${combine}, ${input}, ${result}, `
    : (mask, input, result) =>
        `g.scan(${mask}, ${combine}, ${scan === "Exclusive" ? start : undefined}, ${input}, ${result}, `;
}

/** The words of 1. */
const ONES = { bool: 1, i32: 1, u32: 1, f32: 0x3f800000, f16: 0x3c00 } satisfies Readonly<
  Record<Scalar, number>
>;

/** The name of a function that combines two words. */
function combiner(output: FunctionText, operation: string, of: Scalar): string {
  const operator = ({ Add: "+", Mul: "*", And: "&", Or: "|", Xor: "^" } as const)[operation];
  const name = `combine${output.id()}`;
  const text =
    operator === undefined
      ? `${operation === "Max" ? binaryText("<", of, "a", "b") : binaryText("<", of, "b", "a")} ? b : a`
      : binaryText(operator, of, "a", "b");
  output.declare(`const ${name} = (a, b) => ${text};`);
  return name;
}
