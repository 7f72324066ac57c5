import type { AnyArray } from "../algebra/arrays.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import type { OptionKind, OptionNames } from "../options.ts";
import type { DeviceFacts } from "../plan/device_facts.ts";
import type { Plan, RangeName } from "../plan/plan.ts";
import type { PlanFacts } from "../plan/plan_facts.ts";

// What a primitive is: the arrays and options that it takes, what it gives, and its plan. Its forms are functions over this: calls on
// arrays at hand and on the GPU, and recordings (`src/gpu/forms/`), the command (`src/cli/primitive.ts`), and the fuzz.

/** An array that a primitive reads. */
export interface Operand<Name extends string = string> {
  /** What calls name it. */
  readonly name: Name;
  /** The range that recordings give for it. The operand of the range `input` decides the length. */
  readonly range: RangeName;
  /** Another range that is the same array. */
  readonly also?: RangeName;
  /**
   * Whether it is one of the options that only calls take, and may be left out. All others are arguments, in the order of the list. If it
   * is given as a list, each array of that is an operand, whose name and range have its place: `values[0]`.
   */
  readonly isOption?: boolean;
  /** The option that it stands in, as offsets do in `segments`. It is an array only if it is on the GPU: see {@link Request.words}. */
  readonly inside?: string;
  /** Whether the option `type` names the type of its elements. */
  readonly isNamed?: boolean;
  /** Whether it has an element for each one of the input. */
  readonly isOneEach?: boolean;
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
  /** Whether calls at hand give its only element. */
  readonly isElement?: boolean;
  /** What they give for it, if not the element itself. */
  atHand?(element: never): unknown;
  /** The shape that it has in a file: the input's, or this one. Otherwise it has one dimension. */
  readonly shape?: "input" | readonly number[];
  /** Whether calls do not give it. The plan needs room for it. */
  readonly isDropped?: boolean;
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
  /** The numbers that a recording takes beside the length. */
  readonly numbers?: Readonly<Record<string, number>>;
  readonly results: readonly Result<Results>[];
  /** What calls give of their results. Without it, a call gives its only result, or an object of all by their names. */
  give?(results: readonly unknown[]): unknown;
  /** For calls at hand: what is uploaded for the operands inside options. */
  readonly words?: Readonly<Record<string, Uint32Array>>;
  /** Bytes of the longest item in the plan's scratch, if no array has items as long. */
  readonly itemBytes?: number;
  /** Bytes of the plan's scratch, about: calls at hand wait until there is memory for it. The default is 0. */
  readonly scratchBytes?: number;
}

/** The options of a primitive. */
export interface OptionsOf {
  /** The method of `Fold`. That for recordings is `prepare` and this, unless `recordedBy` says otherwise. */
  readonly name: string;
  /** The primitive whose recordings do the same, with an option for plans: `argSort` is recorded as a sort with `indices`. */
  readonly recordedBy?: string;
  /** The options of calls and of plans, beside `maxLength` and `lengthOnGpu`. */
  readonly options: Readonly<Record<string, OptionKind | "boolean">>;
  /** The options that only calls take. */
  readonly callOptions?: OptionNames;
  /** The options that only a call on arrays on the GPU takes. */
  readonly gpuOptions?: OptionNames;
  /** The options that only plans take. */
  readonly planOptions?: OptionNames;
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
  /** What to call instead, for options that callers may expect and that it does not take. */
  readonly instead?: Readonly<Record<string, string>>;
  /**
   * The arrangements of ranges that its plan has kernels for, if it scans or reduces them. Such a plan may take subgroups, and may read its
   * data once.
   */
  readonly arrangements?: readonly Arrangement[];
  /** The loops among which the CPU has one of its name: see the table in `src/gpu/at_hand/cpu_calls.ts`. */
  readonly onCpu?: "moves" | "searches" | "selections" | "sorts" | "conditions";
  /** Checks a call. @throws {ArgumentError} {@link LimitError} */
  request(given: Given<Options>): Request<Results>;
  /** Plans it, for ranges in some of its arrangements. @throws {ArgumentError} {@link LimitError} {@link FeatureError} */
  plan(options: never, facts: PlanFacts, arrangements: readonly Arrangement[]): Plan | Promise<Plan>;
}

/** The names of the options of calls, on arrays at hand or on the GPU. */
export const callNames = ({ options, callOptions, gpuOptions }: OptionsOf, isOnGpu = false): OptionNames => ({
  ...options,
  ...callOptions,
  ...(isOnGpu && gpuOptions),
});

/** The names of the options of `prepare…`. */
export const planNames = ({ options, planOptions }: OptionsOf): OptionNames => ({
  ...options,
  ...planOptions,
  maxLength: true,
  lengthOnGpu: "boolean",
});
