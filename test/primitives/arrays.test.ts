import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import { ArgumentError, LimitError, openFold, WavefoldError } from "../../src/node.ts";
import { givenAs } from "../../src/plan/ranges.ts";
import type { Filled } from "../../src/primitives/example_calls.ts";
import { asArray } from "../../src/primitives/example_calls.ts";
import type { Operand } from "../../src/primitives/primitive.ts";
import { pairedWith } from "../../src/primitives/primitive.ts";
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
/** The bytes of the longest binding, where a device has short ones. */
const BINDING = 4096;

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
  "destroy" in (result as object) ? [result as GpuArray] : Object.values(result as object).flatMap(arraysIn);

/** What errors name as the option, and what messages call the array. Arrays behind an argument are the further ones of its list. */
const namesOf = ({ name, behind }: Operand): readonly [option: string, shown: string] =>
  behind
    ? [behind, `elements of ${behind}\\[${Number(name.replace(/\D/g, "")) + 1}\\]`]
    : [givenAs(name), `(elements of )?${name.replace(/[[\]]/g, "\\$&")}`];

describe.each(described)("$primitive.name", (of) => {
  const calls = exampleCalls(of, u32, LENGTH);
  // That which has the most arrays.
  const call = calls.reduce((most, one) => (one.operands.length > most.operands.length ? one : most));
  // What may be no array is tested by hand: what stands inside options, and an initial value.
  const others = call.operands.map(({ operand }) => operand).filter(({ inside }) => !inside);
  const alwaysArrays = others.filter(({ mayBeAtHand }) => !mayBeAtHand);
  let there: Options = {};
  beforeAll(async () => {
    there = await uploaded(fold(), call);
  });
  afterAll(() => destroy(there));

  const refuses = async (arrays: Options, name: string, message: RegExp, more: Options = {}) => {
    const option = givenAs(name);
    const error = await errorOf(made(fold(), call, arrays, more));
    expect(error, String(error)).toBeInstanceOf(ArgumentError);
    expect(error.option, String(error)).toBe(option);
    expect(error.message).toMatch(message);
  };

  test.each(alwaysArrays)("$name that is no array of elements", async (operand) => {
    const { name } = operand;
    for (const none of [null, 5, "x", {}, [1, 2], () => 1, new DataView(new ArrayBuffer(8))]) {
      await refuses({ ...arraysOf(call), [name]: none }, namesOf(operand)[0], /has no element type|takes/);
    }
  });

  test.each(alwaysArrays)("$name on the GPU or not, unlike the others", async ({ name }) => {
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
      expect(error.message).toMatch(/ is on the GPU[;,]|GpuArray/);
    }
  });

  test.each(others)("$name that is gone, or is on another device", async (operand) => {
    const { name } = operand;
    const [option] = namesOf(operand);
    const host = arraysOf(call);
    transfer(host[name] as Uint32Array);
    await refuses(host, option, /transferred/);
    const arrays = await uploaded(fold(), call);
    arrays[name]?.destroy();
    await refuses(arrays, option, /destroyed/);
    const other = await openFold({ adapter: await nextAdapter() });
    const elsewhere = await uploaded(other, call);
    await refuses({ ...there, [name]: elsewhere[name] }, option, /another device/);
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
        const options = [
          ...others.map((one) => namesOf(one)[0]),
          ...Object.keys(of.primitive.options),
          undefined,
        ];
        expect(error instanceof WavefoldError || error.message.startsWith("it gave"), String(error)).toBe(
          true,
        );
        expect(options, String(error)).toContain(error.option);
      }
    },
  );

  test.each(others.filter(({ isNamed }) => isNamed))(
    "$name of another type than `type` says, or `from` beside a map",
    async ({ isMapped }) => {
      const option = isMapped ? "from" : "type";
      for (const arrays of [there, arraysOf(call)]) {
        await refuses(arrays, option, /(but (from|type) says|and type is) f32/, { [option]: f32 });
      }
    },
  );

  test.each(others.filter(({ isOneEach }) => isOneEach))("$name of another length", async (operand) => {
    const { name } = operand;
    const [option, shown] = namesOf(operand);
    const host = arraysOf(call);
    const filled = call.operands.find(({ operand }) => operand.name === name) as Filled;
    const paired = pairedWith(filled.operand, others) as Operand;
    const count = (host[paired.name] as ArrayLike<unknown>).length;
    for (const length of [count - 1, count + 1]) {
      const array = arrayOver(filled.type, new ArrayBuffer(length * filled.type.bytes)) as Uint32Array;
      const onGpu = await fold().upload(array);
      const message = new RegExp(`${length} ${shown} for ${count} `);
      await refuses({ ...host, [name]: array }, option, message);
      await refuses({ ...there, [name]: onGpu }, option, message);
      onGpu.destroy();
    }
  });

  test("all memory comes back: arrays, plans, and what calls keep", async () => {
    const { device, alive } = watched(fold().device);
    const one = await openFold({ device });
    // Of many examples, every second one.
    for (const [at, example] of calls.filter((_, at) => calls.length < 13 || at % 2 === 0).entries()) {
      // From the third one on, examples take turns at what is compiled anew.
      const turns = <Turn>(of: readonly [Turn, Turn]): readonly Turn[] =>
        at < 2 ? of : [of[at % 2] as Turn];
      const error = await errorOf(made(one, example, arraysOf(example)));
      const isRefused = example.isRefusedAtHand && error instanceof ArgumentError;
      expect(isRefused || error.message.startsWith("it gave"), String(error)).toBe(true);
      for (const isCounted of turns([false, true])) {
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
      for (const end of isPrepared(of)
        ? turns<"destroy" | typeof Symbol.dispose>(["destroy", Symbol.dispose])
        : []) {
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

  // Others go in windows, or check their arrays themselves.
  test.for(of.primitive.checksItself ? [] : [BINDING])(
    "arrays of more bytes than %i are refused",
    async () => {
      const most = BINDING / u32.bytes;
      const restore = planAs(fold(), { limits: limitsWithBinding(fold().device, BINDING) });
      try {
        for (const length of [most, most + 1]) {
          const long = exampleCalls(of, u32, length).find((one) =>
            Object.values(arraysOf(one)).every(
              (array) => Object(array).length <= length && !(Object(array).BYTES_PER_ELEMENT > u32.bytes),
            ),
          ) as ExampleCall;
          const arrays = await uploaded(fold(), long);
          const all = [
            made(fold(), long, arraysOf(long)),
            made(fold(), long, arrays).then((result) => destroy(arraysIn(result))),
            ...(isPrepared(of) ? [prepared(fold(), long).then((plan) => plan.destroy())] : []),
          ];
          for (const error of await Promise.all(all.map(errorOf))) {
            expect(error instanceof LimitError, String(error)).toBe(length > most);
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
            expect(error, String(error)).toBeInstanceOf(LimitError);
            expect(error.option).toBe(operand.name);
          }
          onGpu.destroy();
        }
      } finally {
        restore();
      }
    },
  );
});
