import anywhere from "#shaders/device/find/anywhere.wgsl";
import fromEnd from "#shaders/device/find/from_end.wgsl";
import fromStart from "#shaders/device/find/from_start.wgsl";
import findItems from "#shaders/device/kernels/find_items.wgsl";
import storeAnswer from "#shaders/device/kernels/store_answer.wgsl";
import { tablesFor } from "../adapters/adapter.ts";
import { expressionFiles } from "../algebra/expression_files.ts";
import { u32 } from "../algebra/integers.ts";
import type { DeclaredParams } from "../algebra/seen_params.ts";
import { paramsIn } from "../algebra/seen_params.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { conditionSources } from "../kernels/condition.ts";
import { carriedAs, itemsOfVector, valueFromItem, vectorText } from "../kernels/contract.ts";
import { clearBinsKernel } from "../kernels/histogram.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { inputFor, isWide, lengthFile, linkKernel } from "../kernels/kernel.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { requireCode } from "../text/callers.ts";
import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { ParamsOption, TuningOptions } from "./options.ts";
import { ofItems, plainSizes } from "./plain_plan.ts";
import type { Pass, Plan, Scratch } from "./plan.ts";
import { bound, distinct, itemTypesOf, perArrangement, rangesTaken, TWO_BUFFERS } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import { planRecording } from "./plan_recording.ts";

// Counts of the items for which a condition holds, and searches for one of them.

/** A condition over elements. */
export interface ConditionOption {
  /**
   * The condition: WGSL over the element `x` and its index `i` (u32), such as `"x > 0.5"`. It is an expression that is true, or a number that
   * is not zero, for the elements that the condition holds for; or statements that end in `return` of a bool.
   */
  readonly where: string;
}

/** The options of `prepareCount`, `prepareAny`, `prepareAll`, `prepareFindFirst` and `prepareFindLast`. */
export interface ConditionOptions<Name extends string = string>
  extends ConditionOption,
    ParamsOption,
    Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {
  /** The type of the items. */
  readonly type: ElementType<Name>;
  /** The most items of a recording: a whole number from 0 up. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** How messages begin of a call or a plan with a condition, once that and the type are checked. @throws {ArgumentError} */
export function requireCondition(
  name: string,
  { type, where }: { readonly type: unknown; readonly where: unknown },
  option?: "data",
): string {
  const title = `${name}<${requireType(type, name, option).name}>`;
  requireCode(title, "where", where, 'a WGSL expression over the element x and its index i, such as "x > 3"');
  return title;
}

/**
 * Plans a count: a sum of 1 for each item for which the condition holds.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planCount(
  options: ConditionOptions,
  facts: PlanFacts,
  arrangements: readonly Arrangement[],
): Plan {
  const counting = requireCondition("count", options);
  const { type: from, where: map, ...others } = options;
  const reduction = { ...others, from, type: u32, map, counting };
  return planRecording("reduce", reduction, facts, arrangements);
}

/** What is asked about the items for which a condition holds. */
export type Question = "any" | "all" | "findFirst" | "findLast";

/** In which order items are searched, and what their scores mean. */
const orderFor = (question: Question): readonly SourceText[] => [
  generated(`const MEANT = ${question !== "all"};`),
  question === "findFirst" ? fromStart : question === "findLast" ? fromEnd : anywhere,
];

/** What a kernel of a search is generated for. */
interface FindKernelOptions {
  readonly question: Question;
  readonly type: ElementType;
  readonly where: string;
  readonly params: DeclaredParams | undefined;
  readonly arrangement: Arrangement;
  readonly lengthOnGpu: boolean;
  readonly sizes: Sizes;
}

/** The kernel that searches the items. */
function findKernel(options: FindKernelOptions): Kernel {
  const { question, type, where, params, arrangement, lengthOnGpu, sizes } = options;
  const vector = isWide(arrangement) ? itemsOfVector(type.bytes, sizes.items) : 1;
  return linkKernel(
    `wavefold find <${type.name}>`,
    "find_items",
    [
      generated(
        [
          `alias Input = ${carriedAs(type)};`,
          vectorText(carriedAs(type), undefined, vector),
          valueFromItem(type),
          "fn keep(item: Input, index: u32) -> bool {",
          "  return keep_value(value_from_item(item), index + call.first_index) == MEANT;",
          "}",
        ].join("\n"),
      ),
      ...expressionFiles(type),
      ...conditionSources(type, where, params),
      ...inputFor(arrangement, type.packed),
      lengthFile(lengthOnGpu),
      ...orderFor(question),
      findItems,
    ],
    sizes,
    { vector },
  );
}

/** The kernel that stores the answer. */
const answerKernel = (question: Question, sizes: Sizes): Kernel =>
  linkKernel("wavefold store answer", "store_answer", [...orderFor(question), storeAnswer], sizes);

/** The best score, and how many tiles were taken. */
const STATE_WORDS = 2;

/** Bytes that a thread loads at a time, if the caller chooses no items. */
const LOADED = 64;

/** The most work-groups, each of which takes tiles until there are none: of 256 threads, as many as an H200 runs at a time. */
const MOST_WORK_GROUPS = 1056;

/**
 * Plans a search for an item for which a condition holds. Work-groups raise a score, which is 0 at first; then what it means is stored.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planFind(question: Question, options: ConditionOptions, facts: DeviceFacts): Plan {
  const { type, where, lengthOnGpu = false } = options;
  const params = paramsIn(options);
  const title = requireCondition(question, options);
  const shape = { ...tablesFor(facts).moves, items: Math.max(1, Math.floor(LOADED / type.bytes)) };
  const sizes = plainSizes(shape, title, type, options, facts);
  const maxLength = requireMaxLength(title, options.maxLength, type.bytes, facts.limits);
  const state: Scratch = { name: "search", bytes: STATE_WORDS * u32.bytes };
  const clear = clearBinsKernel(sizes);
  const answer = answerKernel(question, sizes);
  const kernels = perArrangement(TWO_BUFFERS, (arrangement) =>
    findKernel({ question, type, where, params, arrangement, lengthOnGpu, sizes }),
  );
  return {
    ...ofItems(title, maxLength, TWO_BUFFERS),
    vector: itemsOfVector(type.bytes, sizes.items),
    kernels: distinct([clear, ...kernels.all, answer]),
    scratch: [state],
    needs: rangesTaken({ input: true, output: true, length: lengthOnGpu }),
    itemTypes: itemTypesOf(type, u32),
    outputLength: () => 1,
    passes(length, arrangement) {
      const kernel = kernels.of(arrangement);
      const tiles = Math.ceil(length / (sizes.workGroupSize * sizes.items));
      const search: Pass = {
        kernel,
        bindings: bound(kernel, { input: "input", search: state, length_buffer: "length" }),
        length,
        tiles: Math.min(MOST_WORK_GROUPS, tiles),
      };
      return [
        {
          kernel: clear,
          bindings: { cleared: state },
          length: STATE_WORDS,
          tiles: Math.ceil(STATE_WORDS / sizes.workGroupSize),
        },
        ...(tiles > 0 ? [search] : []),
        { kernel: answer, bindings: { best: state, answer: "output" }, length, tiles: 1 },
      ];
    },
  };
}
