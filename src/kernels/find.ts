import anywhere from "#shaders/device/find/anywhere.wgsl";
import fromEnd from "#shaders/device/find/from_end.wgsl";
import fromStart from "#shaders/device/find/from_start.wgsl";
import findItems from "#shaders/device/kernels/find_items.wgsl";
import storeAnswer from "#shaders/device/kernels/store_answer.wgsl";
import { expressionFiles } from "../algebra/expression_files.ts";
import type { ElementType } from "../algebra/types.ts";
import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { conditionSources } from "./condition.ts";
import { carriedAs, itemsOfVector, valueFromItem, vectorText } from "./contract.ts";
import type { Arrangement, Kernel } from "./kernel.ts";
import { inputFor, isWide, lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

/** What is asked about the items for which a condition holds. */
export type Question = "any" | "all" | "findFirst" | "findLast";

/** In which order items are searched, and what their scores mean. */
const orderFor = (question: Question): readonly SourceText[] => [
  generated(`const MEANT = ${question !== "all"};`),
  question === "findFirst" ? fromStart : question === "findLast" ? fromEnd : anywhere,
];

/** What a kernel of a search is generated for. */
export interface FindKernelOptions {
  readonly question: Question;
  readonly type: ElementType;
  readonly where: string;
  readonly arrangement: Arrangement;
  readonly lengthOnGpu: boolean;
  readonly sizes: Sizes;
}

/** The kernel that searches the items. */
export function findKernel(options: FindKernelOptions): Kernel {
  const { question, type, where, arrangement, lengthOnGpu, sizes } = options;
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
      conditionSources(type, where),
      ...inputFor(arrangement),
      lengthFile(lengthOnGpu),
      ...orderFor(question),
      findItems,
    ],
    sizes,
    { vector },
  );
}

/** The kernel that stores the answer. */
export const answerKernel = (question: Question, sizes: Sizes): Kernel =>
  linkKernel("wavefold store answer", "store_answer", [...orderFor(question), storeAnswer], sizes);
