import type { ConditionOption } from "../plan/find.ts";
import type { Condition, CpuArray, CpuCall, OnCpu } from "./call.ts";

// What is asked about the elements for which a caller's condition holds.

/** A question about the elements, whose answer is a number. */
const asking =
  (answerOf: (condition: Condition, data: CpuArray) => number): OnCpu =>
  async ({ arrays, request, condition }: CpuCall) => {
    const data = arrays.data as CpuArray;
    const { where } = request.options as ConditionOption;
    const loops = await condition(where, data.type);
    return loops && [Uint32Array.of(answerOf(loops, data))];
  };

/** How many elements the condition holds for. */
export const count: OnCpu = /* @__PURE__ */ asking((condition, data) => condition.count(data));

/** Whether the condition holds for any element. */
export const any: OnCpu = /* @__PURE__ */ asking((condition, data) =>
  Number(condition.find(data, 0, data.length, true) >= 0),
);

/** Whether it holds for all of them. */
export const all: OnCpu = /* @__PURE__ */ asking((condition, data) =>
  Number(condition.find(data, 0, data.length, false) < 0),
);

/** The index of the first element that it holds for. If there is none, -1 becomes 2^32 - 1. */
export const findFirst: OnCpu = /* @__PURE__ */ asking((condition, data) =>
  condition.find(data, 0, data.length, true),
);

/** The index of the last one. */
export const findLast: OnCpu = /* @__PURE__ */ asking((condition, data) =>
  condition.find(data, data.length - 1, -1, true),
);
