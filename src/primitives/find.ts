import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import type { OptionTable } from "../options.ts";
import type { ConditionOption, ConditionOptions, Question } from "../plan/find.ts";
import { planCount, planFind, requireCondition } from "../plan/find.ts";
import type { TuningOptions } from "../plan/options.ts";
import { TWO_BUFFERS } from "../plan/plan.ts";
import type { CallParamsOption } from "./call_options.ts";
import type { Examples } from "./examples.ts";
import { between, keysOf, pick } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import type { Primitive, Result } from "./primitive.ts";
import type { BufferRange, Length, ParamsRange, PartOption, PreparedPrimitive } from "./ranges.ts";

/** The options of `count`, `any`, `all`, `findFirst` and `findLast`. */
export interface HandConditionOptions<Name extends string>
  extends ConditionOption,
    CallParamsOption,
    Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** Where a count or a search reads and writes. */
export interface ConditionRanges extends PartOption, ParamsRange {
  /** The items. */
  readonly input: BufferRange;
  /**
   * Receives a u32, whatever it held: how many items were counted; 1 or 0 for `any` and `all`; or the index of the item that was found, which
   * counts from `firstIndex`, and 0xffffffff if there is none. For a count, it lies in another buffer than the ranges that are read. For a
   * search, it may lie in one of their buffers: apart from them, or at the start of the input.
   */
  readonly output: BufferRange;
  /** The number of items. */
  readonly length: Length;
}

/** A count or a search, compiled and with its scratch allocated. */
export interface PreparedCondition extends PreparedPrimitive<ConditionRanges> {}

type Options = HandConditionOptions<string>;
type ConditionPrimitive = Primitive<Options, "data", "answer">;

/** A primitive that asks about the elements for which a condition holds. */
const asking = (
  name: string,
  others: Pick<ConditionPrimitive, "plan" | "arrangements">,
  atHand?: Result["atHand"],
): ConditionPrimitive => ({
  name,
  onCpu: "conditions",
  operands: [{ name: "data", range: "input", isNamed: true }],
  options: {
    type: "type",
    where: "expression",
    params: "params",
    workGroupSize: "count",
    itemsPerThread: "count",
  } satisfies OptionTable<Options>,
  request({ types: { data }, options }) {
    const asked = { ...options, type: data };
    const title = requireCondition(name, asked, "data");
    const answer = { name: "answer", range: "output", type: u32, most: 1, isElement: true } as const;
    return {
      title,
      options: asked,
      results: [{ ...answer, ...(atHand && { atHand }) }],
    };
  },
  ...others,
});

const searching = (question: Question, atHand: Result["atHand"]): ConditionPrimitive =>
  asking(
    question,
    { plan: (options: ConditionOptions, facts) => planFind(question, options, facts) },
    atHand,
  );

/** The index that says that there is none, and what calls at hand give for it. */
const NONE = 0xffffffff;
const asIndex = (index: number): number => (index === NONE ? -1 : index);

/** How many elements a condition holds for. */
export const count = /* @__PURE__ */ asking("count", { plan: planCount, arrangements: TWO_BUFFERS });

/** Whether it holds for any element. */
export const any = /* @__PURE__ */ searching("any", Boolean);

/** Whether it holds for all of them. */
export const all = /* @__PURE__ */ searching("all", Boolean);

/** The index of the first element that it holds for. */
export const findFirst = /* @__PURE__ */ searching("findFirst", asIndex);

/** The index of the last one. */
export const findLast = /* @__PURE__ */ searching("findLast", asIndex);

/** Help of these primitives, which differs in what it says of the answer. */
const helpOf = (
  summary: string,
  says: string,
  ways: NonNullable<HelpOf<ConditionPrimitive>["ways"]> = findWays,
): HelpOf<ConditionPrimitive> => ({
  summary,
  says,
  operands: { data: "the elements" },
  options: {
    where:
      "the condition: WGSL that is true for the elements that it holds for, such as 'x > 0.5'; x is the element, i its index (u32)",
  },
  tries: { "above 10": { where: "x > 10" } },
  needs: ["where"],
  prints: ["answer"],
  ways,
  completed: ({ where = "x > 0", ...given }) => ({ where, ...given }),
});

const findWays: NonNullable<HelpOf<ConditionPrimitive>["ways"]> = {
  clear_bins: () => ({
    way: "one pass over the data, which ends early, between two dispatches of one work-group",
    why: ["Work-groups take tiles in turn, and end where no later tile can change the answer."],
    table: "moves",
  }),
};

export const countHelp: HelpOf<typeof count> = /* @__PURE__ */ helpOf(
  "count the elements that a condition holds for",
  "Prints how many elements the condition holds for.",
  {},
);
export const anyHelp: HelpOf<typeof any> = /* @__PURE__ */ helpOf(
  "say whether a condition holds for any element",
  "Prints true if the condition holds for any element, and false otherwise.",
);
export const allHelp: HelpOf<typeof all> = /* @__PURE__ */ helpOf(
  "say whether a condition holds for all elements",
  "Prints true if the condition holds for all elements, or if there are none, and false otherwise.",
);
export const findFirstHelp: HelpOf<typeof findFirst> = /* @__PURE__ */ helpOf(
  "find the first element that a condition holds for",
  "Prints the index of the first element that the condition holds for, or -1 if there is none.",
);
export const findLastHelp: HelpOf<typeof findLast> = /* @__PURE__ */ helpOf(
  "find the last element that a condition holds for",
  "Prints the index of the last element that the condition holds for, or -1 if there is none.",
);

/** Conditions that hold for one element at most, for all but one at least, for some values, and for some numbers of runs. */
export const countExamples: Examples<Options> = {
  of(type, length, random) {
    // Also that of the first element, of the last one, and of none.
    const at = pick(random, [0, Math.max(0, length - 1), between(random, 0, Math.floor(length * 1.25))]);
    const [run, runs] = [between(random, 1, 40), between(random, 2, 9)];
    const [{ key = "x", twins }] = keysOf(type);
    const numberOf = twins?.key ?? ((x: unknown) => x);
    const holds = (where: string, twin: (x: never, i: number) => unknown) => ({
      options: { where },
      twins: { where: twin },
    });
    const isGreat = (x: never): boolean => Number(numberOf(x)) > 1;
    return [
      holds(`i == ${at}u && ${key} > 1`, (x, i) => i === at && isGreat(x)),
      holds(`i != ${at}u || ${key} > 1`, (x, i) => i !== at || isGreat(x)),
      holds(`${key} > 1`, isGreat),
      holds(
        `let run = i / ${run}u;\nreturn run % ${runs}u == 1u;`,
        (_, i) => Math.floor(i / run) % runs === 1,
      ),
    ];
  },
};

/** Of what is found, recordings give positions. */
export const findExamples: Examples<Options> = { ...countExamples, positions: ["answer"] };

export const described: readonly Described[] = [
  { primitive: count, help: countHelp, examples: countExamples },
  { primitive: any, help: anyHelp, examples: countExamples },
  { primitive: all, help: allHelp, examples: countExamples },
  { primitive: findFirst, help: findFirstHelp, examples: findExamples },
  { primitive: findLast, help: findLastHelp, examples: findExamples },
];
