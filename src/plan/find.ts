import type { ByKind } from "../adapters/adapter.ts";
import { tableFor, traitsOf } from "../adapters/adapter.ts";
import { find as gpu } from "../adapters/gpu.ts";
import { find as nvidia } from "../adapters/nvidia.ts";
import { find as software } from "../adapters/software.ts";
import type { FindRow } from "../adapters/tables.ts";
import { u32 } from "../algebra/integers.ts";
import { itemsOfVector } from "../kernels/contract.ts";
import type { Question } from "../kernels/find.ts";
import { answerKernel, findKernel } from "../kernels/find.ts";
import { clearBinsKernel } from "../kernels/histogram.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import type { ConditionOptions } from "./count.ts";
import { requireCondition } from "./count.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { plainSizes, ungrouped } from "./one_dispatch_plan.ts";
import type { Pass, Plan, Scratch } from "./plan.ts";
import { bound, distinct, itemBytesOf, perArrangement } from "./plan.ts";

const tables: ByKind<FindRow> = { software, nvidia, gpu };

/** How the items may lie. They are in another buffer than the answer. */
const ARRANGEMENTS = ["vectors", "items"] as const;

/** The best score, and how many tiles were taken. */
const STATE_WORDS = 2;

/** Bytes that a thread loads at a time, if the caller chooses no items. */
const LOADED = 64;

/**
 * Plans a search for an item for which a condition holds. Work-groups raise a score, which is 0 at first; then what it means is stored.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planFind(question: Question, options: ConditionOptions, facts: DeviceFacts): Plan {
  const { type, where, lengthOnGpu = false } = options;
  const title = requireCondition(question, options);
  const { items, ...row } = tableFor(tables, facts);
  const shape = { ...row, items: Math.min(items, Math.max(1, Math.floor(LOADED / type.bytes))) };
  const { unrolled, ...others } = plainSizes(shape, title, type, options, facts);
  const sizes = { ...others, unrolled: unrolled && (traitsOf(facts).unrollsLong || !type.native.long) };
  const maxLength = requireMaxLength(title, options.maxLength, type.bytes, facts.limits);
  const state: Scratch = { name: "search", bytes: STATE_WORDS * u32.bytes };
  const clear = clearBinsKernel(sizes);
  const answer = answerKernel(question, sizes);
  const kernels = perArrangement(ARRANGEMENTS, (arrangement) =>
    findKernel({ question, type, where, arrangement, lengthOnGpu, sizes }),
  );
  return {
    title,
    maxLength,
    vector: itemsOfVector(type.bytes, sizes.items),
    kernels: distinct([clear, ...kernels.all, answer]),
    scratch: [state],
    needs: new Set(["input", "output", ...(lengthOnGpu ? (["length"] as const) : [])] as const),
    itemBytes: itemBytesOf(type.bytes, u32.bytes),
    indirectWords: 0,
    outputLength: () => 1,
    variants: ARRANGEMENTS.map((arrangement) => ({ arrangement })),
    groupingOf: ungrouped(title),
    passes(length, arrangement) {
      const kernel = kernels.of(arrangement);
      const tiles = Math.ceil(length / (sizes.workGroupSize * sizes.items));
      const search: Pass = {
        kernel,
        bindings: bound(kernel, { input: "input", search: state, length_buffer: "length" }),
        length,
        tiles: Math.min(row.workGroups, tiles),
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
