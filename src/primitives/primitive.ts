import { kindOfArray } from "../algebra/array_kinds.ts";
import type { AnyArray } from "../algebra/arrays.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import type { DeviceFacts } from "../plan/device_facts.ts";
import type { Plan, RangeName } from "../plan/plan.ts";
import type { PlanFacts } from "../plan/plan_facts.ts";
import { givenAs } from "../plan/ranges.ts";
import type { OptionsOf } from "./option_names.ts";

// What a primitive is: the arrays and options that it takes, what it gives, and its plan. Its forms are functions over this: calls on
// arrays at hand and on the GPU, and recordings (`src/gpu/forms/`), the command (`src/cli/primitive.ts`), and the fuzz.

/** An array that a primitive reads. */
export interface Operand<Name extends string = string> {
  /** What calls name it. */
  readonly name: Name;
  /** The range that recordings give for it. The operand of the range `input` decides the length. */
  readonly range: RangeName;
  /** Whether it is given as an object of arrays. Each array of that is an operand, whose name and range end with its name: `with.y`. */
  readonly isByName?: boolean;
  /**
   * Whether it is one of the options that only calls take, and may be left out. All others are arguments, in the order of the list. If it
   * is given as a list, each array of that is an operand, whose name and range have its place: `values[0]`.
   */
  readonly isOption?: boolean;
  /** The argument that it stands behind: a call takes both as one list, or that alone. Then it is a list of arrays. */
  readonly behind?: string;
  /**
   * The option that it stands in, as offsets do in `segments`; or the number in whose place it stands, if that has its name. It is an array only
   * if it is on the GPU: see {@link Request.words}.
   */
  readonly inside?: string;
  /** Whether it is an operand only if it is on the GPU. Otherwise the request finds what was given among the options. */
  readonly mayBeAtHand?: boolean;
  /** Whether the call writes it, too. */
  readonly isWritten?: boolean;
  /** Whether the option `type` names the type of its elements. */
  readonly isNamed?: boolean;
  /** Whether `type` may also name a wider type, which the request checks. */
  readonly isWidened?: boolean;
  /** Whether `type` names the type of what its elements become, and the option `from` that of the elements. */
  readonly isMapped?: boolean;
  /** Whether it has an element for each one of the input, or the operand that it has one for each of. */
  readonly isOneEach?: boolean | string;
  /**
   * If it is not the input, and its length may be on the GPU: the range that has the length. The plan has an option of the same name.
   */
  readonly count?: RangeName;
}

/** An array that a primitive makes. */
export interface Result<Name extends string = string> {
  /** What a call with several results names it. */
  readonly name: Name;
  /** The range that recordings give for it. */
  readonly range: RangeName;
  readonly type: ElementType;
  /** The most elements. */
  readonly most: number;
  /** What says how many there are, if only the GPU knows: the input's length, or the range `count`. Otherwise there are `most`. */
  readonly length?: "input" | "count";
  /** The operand that it is an array like. */
  readonly like?: string;
  /** Whether a call leaves some of its elements as they are: in memory of the call's own, these are 0. */
  readonly hasGaps?: boolean;
  /** Whether calls at hand give its only element. */
  readonly isElement?: boolean;
  /** What they give for it, if not the element itself. */
  atHand?(element: never): unknown;
  /** The shape that it has in a file: the input's, or this one. Otherwise it has one dimension. */
  readonly shape?: "input" | readonly number[];
}

/** What a call was given: nobody has checked the options. Operands go by their names, and those that are left out are missing. */
export interface Given<Options> {
  readonly types: Readonly<Record<string, ElementType>>;
  /** The elements of each operand. If only the GPU knows how many there are, the most. */
  readonly lengths: Readonly<Record<string, number>>;
  /** The operands, if they are at hand. */
  readonly arrays?: Readonly<Record<string, AnyArray>>;
  /** The types of the arrays of each list, if operands were given as lists. */
  readonly lists?: Readonly<Record<string, readonly ElementType[]>>;
  /** Whether only the GPU knows the length of the input. */
  readonly isCounted: boolean;
  /** All operands whose lengths only the GPU knows, if there are any. */
  readonly counted?: readonly string[];
  readonly options: Options;
  readonly facts: DeviceFacts;
}

/** What follows from a call's arguments. */
export interface Request<Results extends string = string> {
  /** How messages begin: `histogram<u32>`. */
  readonly title: string;
  /** The options of the plan, beside `maxLength` and `lengthOnGpu`. */
  readonly options: object;
  /** What tells plans apart in the place of those of the options that are objects made for the call. */
  readonly named?: Readonly<Record<string, unknown>> | undefined;
  /** The numbers that a recording takes beside the length. */
  readonly numbers?: Readonly<Record<string, number>>;
  /** The value that it takes as `initial`. */
  readonly initial?: unknown;
  /** Further ranges of the recording, and the operand whose array each one is. */
  readonly aliases?: { readonly [Name in RangeName]?: string } | undefined;
  readonly results: readonly Result<Results>[];
  /** What calls give of their results. Without it, a call gives its only result, or an object of all by their names. */
  give?(results: readonly unknown[]): unknown;
  /** For calls at hand: what is uploaded for the operands inside options, or in the place of numbers. */
  readonly words?: Readonly<Record<string, Uint32Array>>;
  /** Bytes of the longest item in the plan's scratch, if no array has items as long. */
  readonly itemBytes?: number;
  /** Whether ranges that are too long for a binding go in windows. Without it, they are refused. */
  goesInWindows?(): boolean;
  /**
   * Checks what operands at hand hold, before anything is uploaded. The CPU's loops call it where they find what is wrong: they look at each
   * element in any case. @throws {ArgumentError}
   */
  requireContents?(): void;
  /** Bytes of the plan's scratch, about: calls at hand wait until there is memory for it. The default is 0. */
  readonly scratchBytes?: number;
}

/** A primitive. `Options` are those of a call, with its numbers; `Operands` and `Results` are the names of its arrays. */
export interface Primitive<
  Options = object,
  Operands extends string = string,
  Results extends string = string,
> extends OptionsOf {
  readonly operands: readonly Operand<Operands>[];
  /** The arguments that are numbers, such as `k`. They come after the operands, and are among `planOptions`. */
  readonly numbers?: readonly string[];
  /**
   * The arrangements of ranges that its plan has kernels for, if it scans or reduces them. Such a plan may take subgroups, and may read its
   * data once.
   */
  readonly arrangements?: readonly Arrangement[];
  /** Whether its request and its plan check all that they are given. Of others, the form checks features, sizes, and what can be bound. */
  readonly checksItself?: boolean;
  /** The loops among which the CPU has one of its name: see the table in `src/cpu/loops.ts`, and those over texts in `src/gpu/at_hand/cpu_texts.ts`. */
  readonly onCpu?: "moves" | "searches" | "selections" | "sorts" | "conditions" | "maps" | "merges";
  /** Checks a call. @throws {ArgumentError} {@link LimitError} */
  request(given: Given<Options>): Request<Results>;
  /** Plans it, for ranges in some of its arrangements. @throws {ArgumentError} {@link LimitError} {@link FeatureError} */
  plan(options: never, facts: PlanFacts, arrangements: readonly Arrangement[]): Plan | Promise<Plan>;
}

/** The operands that stand for a list of arrays; or for an object of arrays with these names. */
export const operandsOfList = (operand: Operand, names: readonly string[]): readonly Operand[] =>
  names.map((key) => {
    const place = operand.isByName ? `.${key}` : `[${key}]`;
    return {
      ...operand,
      name: `${operand.name}${place}`,
      range: `${givenAs(operand.range)}${place}` as RangeName,
    };
  });

/** @throws {ArgumentError} for an operand of another type than u32. `option` gives it. */
export function requireU32(type: ElementType | undefined, name: string, title: string, option = name): void {
  if (type === undefined || !isSameType(type, u32)) {
    const cure = type?.bytes === 8 ? `: Uint32Array.from(${name}, Number) has the same numbers` : "";
    throw new ArgumentError(`${title}: ${name} holds ${type?.name}; it takes u32${cure}`, option);
  }
}

/** The error for what is no array on the GPU beside one that is. `name` is what it is called. */
export const notOnGpuError = (
  caller: string,
  given: unknown,
  option: string,
  beside: string,
  name: string,
): ArgumentError =>
  new ArgumentError(
    `${caller}: ${name} is ${kindOfArray(given)}, and ${beside} is on the GPU; it takes an array on the GPU, as fold.upload makes one`,
    option,
  );

/** @throws {ArgumentError} if `named` is another type than that of an array on the GPU. `option` named it. */
export function requireNamed(caller: string, own: ElementType, named: unknown, option = "type"): void {
  if (named !== undefined && !isSameType(requireType(named, caller, option), own)) {
    throw new ArgumentError(
      `${caller}: the array on the GPU holds ${own.name}, but ${option} says ${(named as ElementType).name}`,
      option,
    );
  }
}

/**
 * Requires one flag, weight, value or count for each element of another operand.
 *
 * @throws {ArgumentError} if the host knows that their numbers differ. It may not know lengths that are on the GPU.
 */
export function requireOneEach(
  title: string,
  { lengths, counted = [] }: Pick<Given<object>, "lengths" | "counted">,
  of: string,
  name: string,
  { items = "elements", noun = name, option = name } = {},
): void {
  const { [of]: wanted = 0, [name]: given = 0 } = lengths;
  const isExact = !(counted.includes(of) || counted.includes(name));
  if (isExact ? given !== wanted : given < wanted) {
    throw new ArgumentError(
      `${title}: ${given} ${noun} for ${isExact ? "" : "at most "}${wanted} ${items}; it takes one for each`,
      option,
    );
  }
}

/** The operand that another one of the same call has an element for each of, if there is one. */
export const pairedWith = (operand: Operand, operands: readonly Operand[]): Operand | undefined => {
  const { isOneEach } = operand;
  return isOneEach
    ? operands.find(({ name, range }) => (isOneEach === true ? range === "input" : name === isOneEach))
    : undefined;
};

/** The operands that are arguments: the others are options, stand in options, or behind another argument. */
export const argumentsAmong = (operands: readonly Operand[]): readonly Operand[] =>
  operands.filter(({ isOption, inside, behind }) => !(isOption || inside || behind));

/** What a call takes as an argument: its array, or a list of that and of those that stand behind it. Arrays go by the operands' names. */
export function argumentOf(
  operands: readonly Operand[],
  name: string,
  arrays: Readonly<Record<string, unknown>>,
): unknown {
  const later = operands.filter(({ behind }) => behind === name).flatMap((one) => arrays[one.name] ?? []);
  return later.length === 0 ? arrays[name] : [arrays[name], ...later];
}

/** The options of primitives that order or compare elements by a key, which a text may compute. */
export const keyedOptions = { type: "type", key: "expression", params: "params", keyType: "type" } as const;
