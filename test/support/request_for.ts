import { paramsOfCall } from "../../src/algebra/params.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import { inLists } from "../../src/plan/ranges.ts";
import type { Arguments, Filled } from "../../src/primitives/example_calls.ts";
import { asArray, joined, optionsWith } from "../../src/primitives/example_calls.ts";
import type { Primitive, Request } from "../../src/primitives/primitive.ts";

/** What follows from the arguments of a call: its results, and the plan's options. */
export function requestFor(
  facts: DeviceFacts,
  primitive: Primitive<never>,
  { operands, isCounted }: Pick<Arguments, "operands"> & { readonly isCounted: boolean },
  options: object,
): Request {
  const of = <T>(what: (one: Filled) => T): Record<string, T> =>
    Object.fromEntries(operands.map((one) => [one.operand.name, what(one)]));
  const types = of(({ type }) => type);
  const { params } = options as { readonly params?: unknown };
  const checked =
    params === undefined
      ? {}
      : { params: paramsOfCall(options, primitive.name, { ...facts, mostBytes: 2 ** 16 }) };
  return primitive.request({
    types,
    lists: Object.fromEntries(
      Object.entries(inLists(Object.entries(types))).filter(([, one]) => Array.isArray(one)),
    ) as never,
    lengths: of(({ room }) => room),
    isCounted,
    options: { ...joined(optionsWith(primitive, of(asArray)), options as never), ...checked } as never,
    facts,
  });
}
