import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import { ArgumentError, LimitError, openFold, WavefoldError } from "../../src/node.ts";
import type { Filled } from "../../src/primitives/example_calls.ts";
import { asArray } from "../../src/primitives/example_calls.ts";
import type { Operand } from "../../src/primitives/primitive.ts";
import { planAs, useAdapters, useFold } from "../support/fold.ts";
import { errorOf } from "../support/option_checks.ts";
import { described } from "../support/primitives.ts";
import { limitsWithBinding } from "../support/short_bindings.ts";
import { particle } from "../support/sorts.ts";
import { watched } from "../support/watched_device.ts";
import type { ExampleCall, Options } from "./calls.ts";
import { arraysOf, exampleCalls, isPrepared, made, prepared, uploaded } from "./calls.ts";

// What arrays calls of described primitives refuse, and the memory that comes back.

const fold = useFold();
const nextAdapter = useAdapters();
const LENGTH = 8;

/** Detaches an array's memory. */
const transfer = ({ buffer }: { readonly buffer: ArrayBufferLike }): unknown =>
  structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });

const destroy = (arrays: unknown): void => {
  for (const array of Object.values(arrays as Record<string, Partial<GpuArray>>)) {
    array.destroy?.();
  }
};

/** The arrays of a result, which may be one. */
const arraysIn = (result: unknown): readonly GpuArray[] =>
  "destroy" in (result as object) ? [result as GpuArray] : Object.values(result as Record<string, GpuArray>);

describe.each(described)("$primitive.name", (of) => {
  const calls = exampleCalls(of, u32, LENGTH);
  // That which has the most arrays.
  const call = calls.reduce((most, one) => (one.operands.length > most.operands.length ? one : most));
  // What may stand inside options is tested by hand: it need not be an array.
  const others = call.operands.map(({ operand }) => operand).filter(({ inside }) => !inside);
  let there: Options = {};
  beforeAll(async () => {
    there = await uploaded(fold(), call);
  });
  afterAll(() => destroy(there));

  const refuses = async (arrays: Options, option: string, message: RegExp, more: Options = {}) => {
    const error = await errorOf(made(fold(), call, arrays, more));
    expect(error, error.stack).toBeInstanceOf(ArgumentError);
    expect(error.option, error.stack).toBe(option);
    expect(error.message).toMatch(message);
  };

  test.each(others)("$name that is no array of elements", async ({ name }) => {
    for (const none of [
      null,
      5,
      "x",
      {},
      [1, 2],
      () => 1,
      new Uint8Array(LENGTH),
      new DataView(new ArrayBuffer(8)),
    ]) {
      await refuses({ ...arraysOf(call), [name]: none }, name, /has no element type|takes/);
    }
  });

  test.each(others)("$name on the GPU or not, unlike the others", async ({ name }) => {
    const host = arraysOf(call);
    const isAlone = others.length === 1;
    for (const arrays of isAlone
      ? []
      : [
          { ...host, [name]: there[name] },
          { ...there, [name]: host[name] },
        ]) {
      const error = await errorOf(made(fold(), call, arrays));
      expect(error).toBeInstanceOf(ArgumentError);
      expect(error.message).toMatch(/ is on the GPU; it takes an array on the GPU/);
    }
  });

  test.each(others)("$name that is gone, or is on another device", async ({ name }) => {
    const host = arraysOf(call);
    transfer(host[name] as Uint32Array);
    await refuses(host, name, /transferred/);
    const arrays = await uploaded(fold(), call);
    arrays[name]?.destroy();
    await refuses(arrays, name, /destroyed/);
    const other = await openFold({ adapter: await nextAdapter() });
    const elsewhere = await uploaded(other, call);
    await refuses({ ...there, [name]: elsewhere[name] }, name, /another device/);
    other.destroy();
    destroy(arrays);
  });

  test.each(others)(
    "$name of other types is taken, or refused by an error that names it",
    async ({ name, isNamed }) => {
      for (const type of [...Object.values(elementTypes), particle] as ElementType[]) {
        const filled = call.operands.find(({ operand }) => operand.name === name);
        const bytes = new Uint8Array((filled?.length ?? 0) * type.bytes);
        const array = filled && asArray({ ...filled, type, bytes });
        const more = type.name === "f16" && isNamed ? { type } : {};
        const error = await errorOf(made(fold(), call, { ...arraysOf(call), [name]: array }, more));
        const options = [...others.map((one) => one.name), ...Object.keys(of.primitive.options), undefined];
        expect(error instanceof WavefoldError || error.message.startsWith("it gave"), error.stack).toBe(true);
        expect(options, error.stack).toContain(error.option);
      }
    },
  );

  test.each(others.filter(({ isNamed }) => isNamed))("$name of another type than `type` says", async () => {
    for (const arrays of [there, arraysOf(call)]) {
      await refuses(arrays, "type", /but type says f32/, { type: f32 });
    }
  });

  test.each(others.filter(({ isOneEach }) => isOneEach))("$name of another length", async ({ name }) => {
    const host = arraysOf(call);
    const filled = call.operands.find(({ operand }) => operand.name === name) as Filled;
    for (const length of [LENGTH - 1, LENGTH + 1]) {
      const array = arrayOver(filled.type, new ArrayBuffer(length * filled.type.bytes)) as Uint32Array;
      const onGpu = await fold().upload(array);
      const message = new RegExp(`${length} ${name} for ${LENGTH} `);
      await refuses({ ...host, [name]: array }, name, message);
      await refuses({ ...there, [name]: onGpu }, name, message);
      onGpu.destroy();
    }
  });

  test("all memory comes back: arrays, plans, and what calls keep", async () => {
    const { device, alive } = watched(fold().device);
    const one = await openFold({ device });
    for (const example of calls) {
      const error = await errorOf(made(one, example, arraysOf(example)));
      const isRefused = example.isRefusedAtHand && error instanceof ArgumentError;
      expect(isRefused || error.message.startsWith("it gave"), error.stack).toBe(true);
      for (const isCounted of [false, true]) {
        const arrays = await uploaded(one, example);
        const given = { ...arrays };
        const { name } = of.primitive.operands.find(({ range }) => range === "input") as Operand;
        if (isCounted && example.isCountable) {
          given[name] = await one.compact(arrays[name] as GpuArray, { where: "true" });
        }
        const results = arraysIn(await made(one, example, given));
        // Results do not need the arrays any more, even if these have their length.
        destroy(arrays);
        destroy(given);
        for (const array of results) {
          expect(array.isGone).toBe(false);
          await array.read();
          array[Symbol.dispose]();
          await expect(array.read()).rejects.toThrow(/destroyed/);
        }
        one.trim();
        expect(alive()).toEqual([]);
      }
      for (const end of isPrepared(of) ? (["destroy", Symbol.dispose] as const) : []) {
        const plan = await prepared(one, example);
        plan[end]();
        const encoder = device.createCommandEncoder();
        expect(() => plan.record(encoder, { length: 0 } as never)).toThrow(/destroyed/);
        // The digits of the runs of single passes stay with the device until then.
        one.trim();
        expect(alive()).toEqual([]);
      }
    }
    await made(one, call, arraysOf(call));
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("arrays that are longer than a binding are refused", async () => {
    const BINDING = 4096;
    const most = BINDING / u32.bytes;
    const restore = planAs(fold(), { limits: limitsWithBinding(fold().device, BINDING) });
    try {
      for (const length of [most, most + 1]) {
        const [long] = exampleCalls(of, u32, length) as [ExampleCall];
        const arrays = await uploaded(fold(), long);
        const all = [
          made(fold(), long, arraysOf(long)),
          made(fold(), long, arrays).then((result) => destroy(arraysIn(result))),
          ...(isPrepared(of) ? [prepared(fold(), long).then((plan) => plan.destroy())] : []),
        ];
        for (const error of await Promise.all(all.map(errorOf))) {
          expect(error instanceof LimitError, error.stack).toBe(length > most);
        }
        destroy(arrays);
      }
      const alone = call.operands.filter(
        ({ operand }) => others.includes(operand) && !operand.isOneEach && operand.range !== "input",
      );
      for (const { operand, type } of alone) {
        const array = arrayOver(type, new ArrayBuffer((most + 1) * type.bytes)) as Uint32Array;
        const onGpu = await fold().upload(array);
        for (const [arrays, long] of [
          [arraysOf(call), array],
          [there, onGpu],
        ] as const) {
          const error = await errorOf(made(fold(), call, { ...arrays, [operand.name]: long }));
          expect(error, error.stack).toBeInstanceOf(LimitError);
          expect(error.option).toBe(operand.name);
        }
        onGpu.destroy();
      }
    } finally {
      restore();
    }
  });
});
