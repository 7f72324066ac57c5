import { settable, valuesOf } from "../../src/algebra/array_values.ts";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import type { CpuArray, CpuCall, Numbers } from "../../src/cpu/call.ts";
import { argSort, sort } from "../../src/cpu/sort_loops.ts";
import type { Arguments } from "../../src/primitives/example_calls.ts";
import { asArray, optionsAtHand } from "../../src/primitives/example_calls.ts";
import type { Request } from "../../src/primitives/primitive.ts";
import { factsWith } from "../support/kernels.ts";
import type { Described } from "../support/primitives.ts";

// Calls of described primitives as the CPU gets them.

/** An array as loops of the CPU take it. */
export function cpuArray(type: ElementType, array: AnyArray): CpuArray {
  const { buffer, byteOffset, byteLength, length } = array as AnyArray & Uint32Array;
  const numbers =
    type.kind === "struct" ? new Uint32Array(buffer, byteOffset, byteLength / 4) : (array as Numbers);
  return { type, length, numbers };
}

/** A call, whose texts are computed by the twins of its example. */
export function cpuCall(
  { primitive }: Described,
  { operands, options: given, example }: Arguments,
): CpuCall & { readonly request: Request } {
  const options = {
    ...optionsAtHand(primitive, given ?? {}),
    ...(example.twins?.keyType !== undefined && { keyType: example.twins.keyType }),
  };
  const of = <T>(what: (one: (typeof operands)[number]) => T): Record<string, T> =>
    Object.fromEntries(operands.map((one) => [one.operand.name, what(one)]));
  const request = primitive.request({
    types: of(({ type }) => type),
    lengths: of(({ length }) => length),
    arrays: of((one) => asArray(one)),
    isCounted: false,
    options: options as never,
    facts: factsWith(),
  });
  const call: CpuCall & { readonly request: Request } = {
    arrays: of((one) => cpuArray(one.type, asArray(one))),
    request,
    addedToBins: async () => false,
    elementsInOrder: async () =>
      (await sort({ ...call, request: { ...request, results: request.results.slice(0, 1) } }))?.[0],
    positionsInOrder: async () => (await argSort(call))?.[0] as Uint32Array | undefined,
    async condition(text) {
      const made = await call.mapped(text, call.arrays.data as CpuArray, u32, true);
      const flags = made?.numbers as Uint32Array;
      return {
        count: () => flags.filter(Boolean).length,
        find(_, start, end, wanted) {
          const step = start < end ? 1 : -1;
          let at = start;
          while (at !== end && Boolean(flags[at]) !== wanted) {
            at += step;
          }
          return at === end ? -1 : at;
        },
        keep: () => Number.NaN,
      };
    },
    async mapped(text, from, to) {
      const name = Object.keys(given ?? {}).find((key) => (given as Record<string, unknown>)[key] === text);
      const twin = example.twins?.[name ?? ""] as (x: Value, i: number) => Value;
      const own =
        to ??
        (text.startsWith("i32(") ? i32 : text.startsWith("f32(") ? f32 : text === "x" ? from.type : u32);
      const read = valuesOf(
        from.type.kind === "struct"
          ? arrayOver(from.type, from.numbers.slice().buffer as ArrayBuffer)
          : (from.numbers as AnyArray),
        from.type,
      );
      const { array, set } = settable(arrayOver(own, new ArrayBuffer(from.length * own.bytes)), own);
      for (let at = 0; at < from.length; at++) {
        set(at, own.round(twin(read(at), at)));
      }
      return cpuArray(own, array);
    },
  };
  return call;
}
