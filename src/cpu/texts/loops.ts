import { leavesOf } from "../../algebra/fields.ts";
import type { DeclaredParams } from "../../algebra/seen_params.ts";
import type { ElementType, Scalar as ScalarValue } from "../../algebra/types.ts";
import type { Numbers } from "../call.ts";
import type { Access } from "./elements.ts";
import { accessOf, leavesIn } from "./elements.ts";
import type { Program } from "./expressions.ts";
import { evaluated } from "./helpers.ts";
import type { Scalar } from "./scalars.ts";
import { StatementWriter } from "./statements.ts";
import type { Words } from "./values.ts";

// Loops over elements, with the code of a text inside.

/** Maps as many elements from the first one on. The first one's index is `firstIndex`. The scalars are those of params. */
export type MapLoop = (
  input: Numbers,
  output: Numbers,
  firstIndex: number,
  length: number,
  scalars?: readonly ScalarValue[],
) => void;

/** The variables of an element, and the statements that read those that a text uses. */
function readsOf({ start, reads }: Access, name: string, used: string): readonly string[] {
  const lines = reads.flatMap((read, at) =>
    new RegExp(`\\b${name}_${at}\\b`).test(used) ? [`var ${name}_${at} = ${read};`] : [],
  );
  return lines.length > 0 ? [...start, ...lines] : lines;
}

const variablesOf = (type: ElementType, name: string): Words =>
  leavesIn(type).map((_, at) => `${name}_${at}`);

/** The variables of params, and what they are: scalars from outside, in order. */
function paramVariables(params: DeclaredParams | undefined): {
  readonly words: readonly Words[];
  readonly lines: readonly string[];
} {
  const lines: string[] = [];
  const words = Object.values(params?.types ?? {}).map((type) =>
    leavesOf(type).map((leaf) => {
      const name = `param_${lines.length}`;
      lines.push(`var ${name} = ${given(leaf.type.name, `scalars[${lines.length}]`)};`);
      return name;
    }),
  );
  return { words, lines };
}

/** A loop that maps elements of a type to those of another one, or to the results of a condition. */
export function mapLoop(
  program: Program,
  from: ElementType,
  to: ElementType | "bool",
  params?: DeclaredParams,
): MapLoop {
  const values = paramVariables(params);
  const hasIndex = program.entry.parameters.length > 1 + values.words.length;
  const { lines, words } = new StatementWriter(program).write([
    variablesOf(from, "x"),
    ...(hasIndex ? [["i"]] : []),
    ...values.words,
  ]);
  const input = accessOf(from, "input");
  const output = to === "bool" ? undefined : accessOf(to, "output");
  const store = output?.write(words) ?? [`output[k] = ${words[0]} ? 1 : 0;`];
  const body = [...lines, ...words].join("\n");
  return evaluated(
    [
      "return function (input, output, firstIndex, length, scalars) {",
      ...input.views,
      ...(output?.views ?? []),
      ...values.lines,
      "for (var k = 0; k < length; k++) {",
      ...readsOf(input, "x", body),
      ...(/\bi\b/.test(body) ? ["var i = (firstIndex + k) >>> 0;"] : []),
      ...lines,
      ...(output?.start ?? []),
      ...store,
      "}",
      "};",
    ].join("\n"),
  ) as MapLoop;
}

/** The scalars of a value. */
export type Scalars = readonly ScalarValue[];

/** An operator's loops. Unless the start `joins` the elements, they begin with the first one. */
export interface OperatorLoops {
  scan(
    input: Numbers,
    output: Numbers,
    length: number,
    exclusive: boolean,
    start: Scalars,
    joins: boolean,
  ): Scalars;
  reduce(input: Numbers, length: number, start: Scalars, joins: boolean): Scalars;
  combine(earlier: Scalars, later: Scalars): Scalars;
}

/** A number that comes from outside, as one of the type: engines keep it in a register then. */
function given(name: Scalar, text: string): string {
  switch (name) {
    case "u32":
      return `${text} >>> 0`;
    case "i32":
      return `${text} | 0`;
    case "f32":
      return `Math.fround(${text})`;
    case "f16":
      return `roundF16(${text})`;
    case "u64":
      return `BigInt.asUintN(64, ${text})`;
    case "i64":
      return `BigInt.asIntN(64, ${text})`;
    default:
      return `+${text}`;
  }
}

/** The parts of which an operator's loops are made, as lines of JavaScript. */
interface Parts {
  /** Reads the later element: all of it, or what the operator uses. */
  readonly readAll: readonly string[];
  readonly read: readonly string[];
  /** Makes the later element the total. */
  readonly begin: readonly string[];
  /** Makes the combination of both the total. */
  readonly combine: readonly string[];
  /** Stores the total. */
  readonly store: readonly string[];
}

/** A loop over all elements. Unless the start joins them, it begins with the first one. */
const loopText = (
  { readAll, read, begin, combine }: Parts,
  before: readonly string[],
  behind: readonly string[],
): readonly string[] => [
  "var k = 0;",
  "if (!joins && length > 0) {",
  ...readAll,
  ...before,
  ...begin,
  ...behind,
  "k = 1;",
  "}",
  "for (; k < length; k++) {",
  ...read,
  ...before,
  ...combine,
  ...behind,
  "}",
];

function partsOf(program: Program, type: ElementType, input: Access, output: Access): Parts {
  const total = variablesOf(type, "total");
  const later = variablesOf(type, "later");
  const { lines, words } = new StatementWriter(program).write([total, later]);
  const next = words.map((_, at) => `next_${at}`);
  return {
    readAll: readsOf(input, "later", later.join(" ")),
    read: readsOf(input, "later", [...lines, ...words].join("\n")),
    begin: later.map((word, at) => `${total[at]} = ${word};`),
    // All results are there before any of them becomes the total.
    combine: [
      ...lines,
      ...words.map((word, at) => `var ${next[at]} = ${word};`),
      ...next.map((word, at) => `${total[at]} = ${word};`),
    ],
    store: [...output.start, ...output.write(total)],
  };
}

export function operatorLoops(program: Program, type: ElementType): OperatorLoops {
  const leaves = leavesIn(type);
  const [input, output] = [accessOf(type, "input"), accessOf(type, "output")];
  const parts = partsOf(program, type, input, output);
  const numbersOf = (variable: string, array: string): readonly string[] =>
    leaves.map(({ type: { name } }, at) => `var ${variable}_${at} = ${given(name, `${array}[${at}]`)};`);
  const starts = numbersOf("total", "start");
  const result = `return [${variablesOf(type, "total").join(", ")}];`;
  return evaluated(
    [
      "return {",
      "scan(input, output, length, exclusive, start, joins) {",
      ...input.views,
      ...output.views,
      ...starts,
      "if (exclusive) {",
      ...loopText(parts, parts.store, []),
      "} else {",
      ...loopText(parts, [], parts.store),
      "}",
      result,
      "},",
      "reduce(input, length, start, joins) {",
      ...input.views,
      ...starts,
      ...loopText(parts, [], []),
      result,
      "},",
      "combine(start, last) {",
      ...starts,
      ...numbersOf("later", "last"),
      ...parts.combine,
      result,
      "},",
      "};",
    ].join("\n"),
  ) as OperatorLoops;
}
