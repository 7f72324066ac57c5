import { leavesOf } from "../../algebra/fields.ts";
import type { DeclaredParams } from "../../algebra/seen_params.ts";
import type { ElementType, Scalar as ScalarValue } from "../../algebra/types.ts";
import type { Moves, Numbers } from "../call.ts";
import type { Access } from "./elements.ts";
import { accessOf, leavesIn } from "./elements.ts";
import type { Program } from "./expressions.ts";
import { evaluated } from "./helpers.ts";
import type { Scalar } from "./scalars.ts";
import { StatementWriter } from "./statements.ts";
import type { Words } from "./values.ts";

// Loops over elements, with the code of a text inside.

/**
 * Maps as many elements from the first one on. The first one's index is `firstIndex`. The scalars are those of params, and `others` the arrays
 * of elements beside.
 */
export type MapLoop = (
  input: Numbers,
  output: Numbers,
  firstIndex: number,
  length: number,
  scalars?: readonly ScalarValue[],
  others?: readonly Numbers[],
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

/**
 * What becomes of the numbers of bins: each is counted, or its element's weight is added to its sum. Engines compile a loop for the arrays that it has
 * met, so weights of each kind have one of their own.
 */
export type ToBins = "counts" | "whole sums" | "float sums";
const isToBins = (to: unknown): to is ToBins => to === "counts" || to === "whole sums" || to === "float sums";

/** A loop that gives numbers of bins takes those from 0 up to the output's length, without their fractions. */
const binOf = (word: string, to: ToBins): readonly string[] => [
  `var bin = ${word};`,
  "if (bin > -1 && bin < output.length) {",
  "bin = bin >>> 0;",
  `output[bin] = output[bin] + ${to === "counts" ? "1" : "weights[k]"};`,
  "}",
];

/**
 * A loop that maps elements of a type to those of another one, or to the results of a condition; or that adds to the bins that it gives. Of `others`,
 * weights are the last ones.
 */
export function mapLoop(
  program: Program,
  from: ElementType,
  to: ElementType | "bool" | ToBins,
  params?: DeclaredParams,
  beside: readonly ElementType[] = [],
): MapLoop {
  const values = paramVariables(params);
  const hasIndex = program.entry.parameters.length > 1 + values.words.length + beside.length;
  const others = beside.map((type, at) => ({
    access: accessOf(type, `other_${at}`),
    name: `beside_${at}`,
    type,
  }));
  const { lines, words } = new StatementWriter(program).write([
    variablesOf(from, "x"),
    ...(hasIndex ? [["i"]] : []),
    ...values.words,
    ...others.map(({ type, name }) => variablesOf(type, name)),
  ]);
  const input = accessOf(from, "input");
  const [word = ""] = words;
  const output = typeof to === "string" ? undefined : accessOf(to, "output");
  const store = output?.write(words) ?? (isToBins(to) ? binOf(word, to) : [`output[k] = +(${word});`]);
  const body = [...lines, ...words].join("\n");
  return evaluated(
    [
      "return function (input, output, firstIndex, length, scalars, others) {",
      ...others.flatMap(({ access }, at) => [`var other_${at} = others[${at}];`, ...access.views]),
      ...(isToBins(to) && to !== "counts" ? [`var weights = others[${others.length}];`] : []),
      ...input.views,
      ...(output?.views ?? []),
      ...values.lines,
      "for (var k = 0; k < length; k++) {",
      ...readsOf(input, "x", body),
      ...others.flatMap(({ access, name }) => readsOf(access, name, body)),
      ...(/\bi\b/.test(body) ? ["var i = (firstIndex + k) >>> 0;"] : []),
      ...lines,
      ...(output?.start ?? []),
      ...store,
      "}",
      "};",
    ].join("\n"),
  ) as MapLoop;
}

/** Where elements go. What becomes of them is of any type. */
type MovesTo = Omit<Moves, "to"> & { readonly to: Numbers };

/** A condition over elements in loops. The scalars are those of the params' values. */
export interface ConditionLoops {
  /** How many elements it holds for. */
  count(input: Numbers, length: number, scalars: readonly ScalarValue[]): number;
  /** Where it first gives what is wanted, on the way from `start` to before `end`, which may lie before it; -1 if nowhere. */
  find(input: Numbers, start: number, end: number, scalars: readonly ScalarValue[], wanted: boolean): number;
  /** Moves the elements that it holds for, or what becomes of them, in order, and gives their number. */
  keep(input: Numbers, length: number, scalars: readonly ScalarValue[], moves: MovesTo): number;
}

/** What loops with a text over elements are made of. */
interface ElementText {
  /** What stands before a loop, and what a turn begins with. */
  readonly before: readonly string[];
  readonly each: readonly string[];
  readonly words: Words;
}

function elementText(program: Program, from: ElementType, params: DeclaredParams | undefined): ElementText {
  const values = paramVariables(params);
  const hasIndex = program.entry.parameters.length > 1 + values.words.length;
  const { lines, words } = new StatementWriter(program).write([
    variablesOf(from, "x"),
    ...(hasIndex ? [["i"]] : []),
    ...values.words,
  ]);
  const input = accessOf(from, "input");
  const body = [...lines, ...words].join("\n");
  return {
    before: [...input.views, ...values.lines],
    each: [...readsOf(input, "x", body), ...(/\bi\b/.test(body) ? ["var i = k;"] : []), ...lines],
    words,
  };
}

/** What becomes of the elements that a condition holds for. */
export interface KeptAs {
  readonly program: Program;
  readonly to: ElementType;
}

/** Add up what a text gives for each element, from left to right, and give the total. The scalars are those of the params' values. */
export interface SumLoops {
  reduce(input: Numbers, length: number, scalars: readonly ScalarValue[], start: number): number;
  /** Writes the sum up to each element, or before it. The output is no memory of the input. */
  scan(
    input: Numbers,
    length: number,
    scalars: readonly ScalarValue[],
    start: number,
    output: Numbers,
    exclusive: boolean,
  ): number;
}

export function sumLoops(
  program: Program,
  from: ElementType,
  { name, kind }: ElementType,
  params: DeclaredParams | undefined,
): SumLoops {
  const { before, each, words } = elementText(program, from, params);
  const [word] = words;
  const sums = { f32: `Math.fround(sum + Math.fround(${word}))`, f64: `sum + ${word}` };
  const next = kind === "float" ? sums[name as keyof typeof sums] : `(sum + ${word}) | 0`;
  const loop = (storeBefore: string, storeAfter: string): readonly string[] => [
    "for (var k = 0; k < length; k++) {",
    ...each,
    storeBefore,
    `sum = ${next};`,
    storeAfter,
    "}",
  ];
  const begin = [...before, `var sum = ${kind === "float" ? "+start" : "start | 0"};`];
  const end = `return sum${kind === "unsigned" ? " >>> 0" : ""};`;
  const store = "output[k] = sum;";
  return evaluated(
    [
      "return {",
      "reduce(input, length, scalars, start) {",
      ...begin,
      ...loop("", ""),
      end,
      "},",
      "scan(input, length, scalars, start, output, exclusive) {",
      ...begin,
      "if (exclusive) {",
      ...loop(store, ""),
      end,
      "}",
      ...loop("", store),
      // If the sum itself were given, V8 11.3 would keep it in memory where it puts this loop into an async function: twice the time.
      "return length > 0 ? output[length - 1] : start;",
      "},",
      "};",
    ].join("\n"),
  ) as SumLoops;
}

/** What a loop moves: indices, words that the condition reads as `x`, or elements of as many words of an array beside. */
type Moved = "index" | "x" | number;

/** So many words of an element are moved by a statement each. */
const MOST_MOVES = 4;

/** Statements that copy an element to a place. */
function moveLines(to: string, place: string, moved: Moved): readonly string[] {
  if (typeof moved === "string" || moved === 1) {
    return [`${to}[${place}] = ${moved === "index" ? "k" : moved === "x" ? "x_0" : "from[k]"};`];
  }
  const copy = (word: string | number): string =>
    `${to}[(${place}) * ${moved} + ${word}] = from[k * ${moved} + ${word}];`;
  return moved <= MOST_MOVES
    ? Array.from({ length: moved }, (_, word) => copy(word))
    : [`for (var w = 0; w < ${moved}; w++) { ${copy("w")} }`];
}

/** What stands before a loop that stores what a text gives for an element, and the statements that store it as element `kept`. */
function storesOf(
  { before, each, words }: ElementText,
  to: ElementType,
): Pick<ElementText, "before" | "each"> {
  const output = accessOf(to, "to");
  return {
    before: [...before, ...output.views],
    each: [...each, "{", "let k = kept;", ...output.start, ...output.write(words), "}"],
  };
}

/**
 * A loop that moves elements, or stores what becomes of them. Up to the last one that is kept, it overwrites what it has written unless that is kept: no branch depends on the
 * condition.
 */
function keepText(
  { before, each, words }: ElementText,
  moved: Moved,
  { rest, flags }: Pick<Moves, "rest" | "flags">,
  stores?: Pick<ElementText, "before" | "each">,
): string {
  const isKept = `+(${words[0]})${flags ? " & +(flags[k] !== 0)" : ""}`;
  return [
    "return function (input, end, scalars, { from, to, rest, flags }) {",
    ...before,
    ...(stores?.before ?? []),
    "var kept = 0;",
    ...(rest
      ? []
      : ["for (; end > 0; end--) {", "var k = end - 1;", ...each, `if (${isKept}) { break; }`, "}"]),
    "for (var k = 0; k < end; k++) {",
    ...(moved === "x" ? ["var x_0 = input[k];"] : []),
    ...each,
    `var isKept = ${isKept};`,
    ...(stores?.each ?? moveLines("to", "kept", moved)),
    ...(rest ? moveLines("rest", "k - kept", moved) : []),
    "kept = (kept + isKept) | 0;",
    "}",
    "return kept >>> 0;",
    "};",
  ].join("\n");
}

/** The loops of a condition. */
export function conditionLoops(
  program: Program,
  type: ElementType,
  params: DeclaredParams | undefined,
  keptAs?: KeptAs,
): ConditionLoops {
  const text = elementText(program, type, params);
  const { before, each, words } = text;
  const [condition] = words;
  const stores = keptAs && storesOf(elementText(keptAs.program, type, params), keptAs.to);
  const lines = [
    "return {",
    "count(input, length, scalars) {",
    ...before,
    "var sum = 0;",
    "for (var k = 0; k < length; k++) {",
    ...each,
    `sum = (sum + +(${condition})) | 0;`,
    "}",
    "return sum >>> 0;",
    "},",
    "find(input, start, end, scalars, wanted) {",
    ...before,
    "var step = start < end ? 1 : -1;",
    "for (var k = start; k !== end; k += step) {",
    ...each,
    `if ((${condition}) === wanted) { return k; }`,
    "}",
    "return -1;",
    "},",
    "};",
  ];
  const keeps = new Map<string, ConditionLoops["keep"]>();
  return {
    ...(evaluated(lines.join("\n")) as Pick<ConditionLoops, "count" | "find">),
    keep(input, length, scalars, moves) {
      const { from, size, rest, flags } = moves;
      // Floats may lose the bits of a NaN on their way through `x`.
      const isSeen = from?.buffer === input.buffer && (type.name === "u32" || type.name === "i32");
      const moved = from === undefined ? "index" : isSeen ? "x" : size;
      const key = [moved, rest !== undefined, flags !== undefined].join();
      const loop =
        keeps.get(key) ?? (evaluated(keepText(text, moved, moves, stores)) as ConditionLoops["keep"]);
      keeps.set(key, loop);
      return loop(input, length, scalars, moves);
    },
  };
}

/**
 * Stores the class that a text gives for each element, and adds the elements of each class to its count. A fraction is cut off, and then what is no
 * class, or NaN, counts as the last one.
 */
export type ClassLoop = (
  input: Numbers,
  length: number,
  scalars: readonly ScalarValue[],
  counts: Int32Array,
  classes: Uint8Array,
) => void;

/** A loop that stores the classes that a text gives. `isLong`: whether they are bigints. */
export function classLoop(
  program: Program,
  from: ElementType,
  params: DeclaredParams | undefined,
  isLong: boolean,
): ClassLoop {
  const { before, each, words } = elementText(program, from, params);
  return evaluated(
    [
      "return function (input, length, scalars, counts, classes) {",
      ...before,
      "var count = counts.length, last = count - 1;",
      "for (var k = 0; k < length; k++) {",
      ...each,
      `var number = ${isLong ? `Number(${words[0]})` : `+(${words[0]})`};`,
      // The branch does not depend on the classes, but on whether there is one.
      "var index = number > -1 && number < count ? number | 0 : last;",
      "classes[k] = index;",
      "counts[index] = counts[index] + 1;",
      "}",
      "};",
    ].join("\n"),
  ) as ClassLoop;
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
