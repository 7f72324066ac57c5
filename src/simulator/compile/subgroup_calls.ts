import type { Scalar } from "../builtin_texts.ts";
import { binaryText } from "../builtin_texts.ts";
import type { Module } from "./module.ts";
import { attributeOf } from "./module.ts";
import type { ProgramText } from "./program_text.ts";

// Functions in which the threads of a subgroup exchange words. The work-group runs each of them for all its subgroups.

/** Whether a name is that of such a function, unless the module declares another one of that name. */
export const isSubgroupFunction = (name: string): boolean => /^(?:subgroup|quad)[A-Z]/.test(name);

/** Whether an entry point, or what it calls, knows of subgroups: by their functions or built-in values. */
export function usesSubgroups(module: Module, entryPoint: string): boolean {
  const takes = module.functions.get(entryPoint)?.parameters ?? [];
  const attributes = takes.flatMap(({ attributes: of, type }) => {
    const found = module.typing.typeOf(type);
    return found.kind === "struct" ? [...module.layout.attributesOf(found).values()] : [of];
  });
  return (
    attributes.some((of) => {
      const value = attributeOf(of, "builtin")?.args[0];
      return value?.kind === "name" && value.name.includes("subgroup");
    }) ||
    module
      .inCallOrder(entryPoint)
      .flatMap((declaration) => module.usesOf(declaration).calls)
      .some(({ callee: { name } }) => isSubgroupFunction(name) && !module.functions.has(name))
  );
}

/** The text of a call up to its place, for one word of a value: the columns of input and output hold a word of each thread. */
export type SubgroupCall = (mask: string, input: string, output: string) => string;

/** How a function is called. `by` is the column of its second argument. Undefined if there is no such function. */
export function subgroupCall(
  program: ProgramText,
  name: string,
  of: Scalar,
  by: string | undefined,
): SubgroupCall | undefined {
  const [, kind] = /^subgroupShuffle(|Up|Down|Xor)$/.exec(name) ?? [];
  if (kind !== undefined) {
    return (mask, input, output) =>
      `g.shuffle(${mask}, "${kind.toLowerCase() || "at"}", ${input}, ${by}, ${output}, `;
  }
  const swap = /^quadSwap(X|Y|Diagonal)$/.exec(name)?.[1];
  if (swap !== undefined) {
    return (mask, input, output) => `g.quad(${mask}, "${swap.toLowerCase()}", ${input}, ${output}, `;
  }
  switch (name) {
    case "subgroupBroadcast":
      return (mask, input, output) => `g.broadcast(${mask}, ${input}, ${by}, ${output}, `;
    case "subgroupBroadcastFirst":
      return (mask, input, output) => `g.broadcastFirst(${mask}, ${input}, ${output}, `;
    case "quadBroadcast":
      return (mask, input, output) => `g.quadBroadcast(${mask}, ${input}, ${by}, ${output}, `;
    default:
      return reduction(program, name, of);
  }
}

/** Functions that combine the words of a subgroup: of all its threads, or of those up to each thread. */
function reduction(program: ProgramText, name: string, of: Scalar): SubgroupCall | undefined {
  const [, scan, operation = ""] =
    /^subgroup(Inclusive|Exclusive|)(Add|Mul|Min|Max|And|Or|Xor)$/.exec(name) ?? [];
  if (scan === undefined) {
    return undefined;
  }
  const combine = combiner(program, operation, of);
  const start = operation === "Mul" ? ONES[of] : 0;
  return scan === ""
    ? (mask, input, output) => `g.reduce(${mask}, ${combine}, ${input}, ${output}, `
    : (mask, input, output) =>
        `g.scan(${mask}, ${combine}, ${start}, ${scan === "Exclusive"}, ${input}, ${output}, `;
}

/** The words of 1. */
const ONES = { bool: 1, i32: 1, u32: 1, f32: 0x3f800000, f16: 0x3c00 } satisfies Readonly<
  Record<Scalar, number>
>;

/** The name of a function that combines two words. */
function combiner(program: ProgramText, operation: string, of: Scalar): string {
  const operator = ({ Add: "+", Mul: "*", And: "&", Or: "|", Xor: "^" } as const)[operation];
  const name = `combine${program.id()}`;
  const text =
    operator === undefined
      ? `${operation === "Max" ? binaryText("<", of, "a", "b") : binaryText("<", of, "b", "a")} ? b : a`
      : binaryText(operator, of, "a", "b");
  program.declare(`const ${name} = (a, b) => ${text};`);
  return name;
}
