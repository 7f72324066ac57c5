import { builtinResult, takesFloats } from "../../text/builtins.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { commonType, concrete, isAbstract, scalar, textOfType } from "../../text/wgsl_types.ts";
import { builtinWords } from "../builtin_texts.ts";
import type { Layout } from "../compile/layout.ts";
import { fits, isInteger, told } from "./operators.ts";

// What calls take: https://www.w3.org/TR/WGSL/#constructor-builtin-function, #builtin-functions

const counted = (count: number): string => `${count} ${count === 1 ? "argument" : "arguments"}`;

/** What is wrong with arguments for parameters; undefined if nothing is. */
export function argumentsProblem(
  name: string,
  args: readonly Type[],
  parameters: readonly Type[],
): string | undefined {
  if (args.length !== parameters.length) {
    return `${name} takes ${counted(parameters.length)}, and here are ${args.length}`;
  }
  const wrong = parameters.findIndex((parameter, at) => !fits(args[at] as Type, parameter));
  return wrong < 0
    ? undefined
    : `${name} takes ${told(parameters[wrong] as Type)} as argument ${wrong + 1}, and this is ${told(args[wrong] as Type)}`;
}

const scalarIn = (type: Type): Type => (type.kind === "vector" || type.kind === "matrix" ? type.of : type);

/** How many of the scalars of a vector or a matrix an argument gives. */
const scalarsIn = (type: Type): number =>
  type.kind === "vector" ? type.count : type.kind === "scalar" ? 1 : 0;

function partsProblem(
  type: Extract<Type, { kind: "vector" | "matrix" }>,
  args: readonly Type[],
): string | undefined {
  const text = textOfType(type);
  const [first] = args;
  const isConversion = args.length === 1 && first?.kind === type.kind;
  if (isConversion) {
    const isSized =
      type.kind === "vector"
        ? first.kind === "vector" && first.count === type.count
        : first.kind === "matrix" && first.columns === type.columns && first.rows === type.rows;
    return isSized ? undefined : `${text} is not made of ${told(first)}`;
  }
  const wrong = args.find(
    (arg) => arg.kind !== "unknown" && (scalarsIn(arg) === 0 || !fits(scalarIn(arg), type.of)),
  );
  if (wrong !== undefined) {
    return `${text} is made of ${textOfType(type.of)}, and not of ${told(wrong)}`;
  }
  const count = type.kind === "vector" ? type.count : type.columns * type.rows;
  const given = args.reduce((sum, arg) => sum + scalarsIn(arg), 0);
  const isSplat = type.kind === "vector" && args.length === 1 && first?.kind === "scalar";
  return isSplat || given === count || args.some(({ kind }) => kind === "unknown")
    ? undefined
    : `${text} is made of ${count} numbers, and here are ${given}`;
}

/** What is wrong with what a value is made of; undefined if nothing is. */
export function constructorProblem(type: Type, args: readonly Type[]): string | undefined {
  if (args.length === 0 && type.kind !== "pointer" && type.kind !== "atomic") {
    return undefined;
  }
  const text = textOfType(type);
  switch (type.kind) {
    case "scalar": {
      const [first] = args;
      return args.length > 1 || (first?.kind !== "scalar" && first?.kind !== "unknown")
        ? `${text}(…) takes a number or a bool, and here ${args.length === 1 && first ? `is ${told(first)}` : `are ${args.length}`}`
        : undefined;
    }
    case "vector":
    case "matrix":
      return partsProblem(type, args);
    case "array":
      return type.count === undefined
        ? `${text} has no length, so no value is made of it`
        : argumentsProblem(text, args, new Array<Type>(type.count).fill(type.of));
    case "struct":
      return argumentsProblem(text, args, [...type.members.values()]);
    default:
      return `no value is made of the type ${text}`;
  }
}

/** How many arguments the functions take at which threads meet, and atomics. */
function countOf(name: string): number | undefined {
  if (/Barrier$|^subgroupElect$/.test(name)) {
    return 0;
  }
  if (/^(?:subgroupShuffle|subgroupBroadcast$|quadBroadcast$)/.test(name)) {
    return 2;
  }
  if (/^(?:subgroup|quad)[A-Z]|^(?:workgroupUniformLoad|arrayLength|atomicLoad)$/.test(name)) {
    return 1;
  }
  return name === "atomicCompareExchangeWeak" ? 3 : name.startsWith("atomic") ? 2 : undefined;
}

/** What is wrong with the arguments of a function with effects, or of arrayLength. */
function effectsProblem(name: string, args: readonly Type[], count: number): string | undefined {
  const [first, second] = args;
  if (args.length !== count) {
    return `${name} takes ${counted(count)}, and here are ${args.length}`;
  }
  if (first === undefined) {
    return undefined;
  }
  const to = first.kind === "pointer" ? first.to : undefined;
  if (name.startsWith("atomic")) {
    return to?.kind !== "atomic"
      ? `${name} takes a pointer to an atomic, as in &x, and this is ${told(first)}`
      : argumentsProblem(name, args, [first, ...new Array<Type>(count - 1).fill(to.of)]);
  }
  if (name === "arrayLength") {
    return to?.kind === "array" && to.count === undefined
      ? undefined
      : `arrayLength takes a pointer to an array without a length, as in &x, and this is ${told(first)}`;
  }
  if (name === "workgroupUniformLoad") {
    return to ? undefined : `${name} takes a pointer to work-group memory, and this is ${told(first)}`;
  }
  return second === undefined || isInteger(second)
    ? undefined
    : `${name} takes a lane, which is a u32, and this is ${told(second)}`;
}

/** The types that the arguments have, when numbers without a type have taken that of the others. */
export function settledTypes(name: string, args: readonly Type[]): readonly Type[] | undefined {
  const own = (type: Type): Type => {
    const isFloat = takesFloats.has(name) && isAbstract(scalarIn(type));
    const of = isFloat ? scalar("f32") : concrete(scalarIn(type));
    return type.kind === "vector" || type.kind === "matrix" ? { ...type, of } : isAbstract(type) ? of : type;
  };
  const count = freeCount(name, args);
  const parts = args.slice(0, count).map(scalarIn);
  const [first] = parts;
  const common = parts.reduce<Type | undefined>((all, part) => all && commonType(all, part), first);
  if (common === undefined) {
    return undefined;
  }
  const of = own(common);
  return args.map((type, at) => {
    if (at >= count) {
      return concrete(type);
    }
    return type.kind === "vector" || type.kind === "matrix" ? { ...type, of } : of;
  });
}

const freeCount = (name: string, args: readonly Type[]): number =>
  Object.hasOwn(alike, name) ? (alike[name] ?? 0) : args.length;

/** How many of the first arguments of a function have one type, where not all have. */
const alike: Readonly<Record<string, number>> = {
  select: 2,
  ldexp: 1,
  extractBits: 1,
  insertBits: 2,
  bitcast: 1,
} satisfies Readonly<Record<string, number>>;

/** What is wrong with a call of one of WGSL's functions; undefined if nothing is. */
export function builtinProblem(
  name: string,
  args: readonly Type[],
  to: Type | undefined,
  layout: Layout,
): string | undefined {
  const count = countOf(name);
  if (count !== undefined) {
    return effectsProblem(name, args, count);
  }
  if (/^(?:texture|dpd|fwidth)/.test(name)) {
    return `the simulator runs compute shaders on buffers, and has no ${name}`;
  }
  if (args.some(({ kind }) => kind === "unknown")) {
    return undefined;
  }
  const condition = name === "select" ? args[2] : name === "all" || name === "any" ? args[0] : undefined;
  const of = condition && scalarIn(condition);
  if (condition && !(of?.kind === "scalar" && of.name === "bool")) {
    return `${name} takes a bool, or a vector of them, and here is ${told(condition)}`;
  }
  const types = args.length > 0 ? settledTypes(name, args) : args;
  if (types === undefined) {
    const free = args.slice(0, freeCount(name, args));
    return `${name} takes values of one type, and here are ${free.map(told).join(" and ")}`;
  }
  try {
    const words = types.map((type) => ({ type, words: new Array<string>(layout.wordsOf(type)).fill("x") }));
    const result = builtinResult(name, types, to);
    if (result?.kind === "unknown") {
      return `${name} takes no ${args.map(told).join(" and ")}`;
    }
    const made = builtinWords(name, words, result ?? { kind: "unknown" });
    return made === undefined ? `the simulator has no function ${name}` : undefined;
  } catch (cause) {
    if (cause instanceof TypeError) {
      return cause.message;
    }
    throw cause;
  }
}
