import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import { ArgumentError, WavefoldError } from "../../src/node.ts";
import { optionsAtHand } from "../../src/primitives/example_calls.ts";
import { callNames, planNames } from "../../src/primitives/option_names.ts";
import { argumentsAmong } from "../../src/primitives/primitive.ts";
import { useFold } from "../support/fold.ts";
import { errorOf, expectNoOptions, expectNoOthers } from "../support/option_checks.ts";
import { described, prepareName } from "../support/primitives.ts";
import type { ExampleCall, Options } from "./calls.ts";
import { arraysOf, exampleCall, exampleCalls, isPrepared, made, prepared, uploaded } from "./calls.ts";

const fold = useFold();

const rows = described.flatMap((of) => {
  const { primitive } = of;
  const { name, recordedBy, numbers = [], operands } = primitive;
  const onArrays = ["at hand", "on the GPU"].map((form) => {
    const kinds = callNames(primitive, form === "on the GPU");
    return {
      of,
      title: name,
      form,
      options: Object.keys(kinds),
      // Numbers are arguments, and arrays are tested with the operands.
      kinds: Object.entries({ ...kinds, ...Object.fromEntries(numbers.map((one) => [one, "count"])) }).filter(
        ([option]) => operands.every(({ name, inside }) => name !== option || inside === name),
      ),
    };
  });
  const plan = planNames(primitive);
  const recorded = {
    of,
    title: prepareName(primitive),
    form: "recorded",
    options: Object.keys(plan),
    kinds: Object.entries({ ...plan, maxLength: "count" }),
  };
  return isPrepared(of) && recordedBy === undefined ? [...onArrays, recorded] : onArrays;
});

/** Values of which no kind of option takes many. */
const values = [null, Number.NaN, -1, 1.5, 0, true, "?", {}, [], () => 1, Symbol.iterator, 10n] as const;

/** Whether an option of a kind takes a value never. */
function isWrong(kind: unknown, value: unknown): boolean {
  switch (kind) {
    case "count":
    case "counts":
      return !Number.isInteger(value) || (value as number) < 0;
    case "boolean":
      return typeof value !== "boolean";
    case "expression":
      return typeof value !== "string";
    case "type":
    case "operator":
      return true;
    case "numbers":
      return !Array.isArray(value) || value.length === 0;
    default:
      return Array.isArray(kind) && !kind.includes(value);
  }
}

/** What makes something on the device. */
const touches = [
  "createBuffer",
  "createShaderModule",
  "createComputePipelineAsync",
  "createCommandEncoder",
] as const;

describe.each(rows)("$title, $form", ({ of, form, title, options, kinds }) => {
  const calls = exampleCalls(of, u32, 8) as readonly [ExampleCall, ...ExampleCall[]];
  const arrays = new Map<ExampleCall, Options>();
  beforeAll(async () => {
    for (const call of calls) {
      arrays.set(call, form === "on the GPU" ? await uploaded(fold(), call) : arraysOf(call));
    }
  });
  afterAll(() => {
    for (const array of [...arrays.values()].flatMap(Object.values)) {
      (array as Partial<GpuArray>).destroy?.();
    }
  });

  /** Calls it with options beside those of an example, or in their place. */
  const run = (others: Options, call: ExampleCall = calls[0]): Promise<unknown> =>
    form === "recorded"
      ? prepared(fold(), call, others).then((plan) => plan.destroy())
      : made(fold(), call, arrays.get(call) as Options, others);
  /** The example that has an option, or the first one. */
  const callWith = (name: string): ExampleCall => calls.find((call) => name in call.options) ?? calls[0];

  test("undefined is as left out", async () => {
    const arraysGiven = calls[0].operands.map(({ operand }) => operand.name);
    const none = Object.fromEntries(
      options.filter((name) => !arraysGiven.includes(name)).map((name) => [name, undefined]),
    );
    const { options: ofCall } = calls[0];
    const needed =
      form === "recorded"
        ? calls[0].planned(contextOf(fold().device).facts)
        : form === "at hand"
          ? optionsAtHand(of.primitive, ofCall)
          : ofCall;
    const given = run({
      ...none,
      maxLength: undefined,
      ...needed,
      nonsense: undefined,
      ...(form === "recorded" && { maxLength: 8 }),
    });
    const [one, other] = [await given, await run({})];
    if (form === "at hand") {
      expect(one).toEqual(other);
    }
  });

  test("options that are none", async () => {
    const { primitive } = of;
    const { numbers = [] } = primitive;
    const given = arrays.get(calls[0]) as Options;
    const method = (fold() as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>)[title];
    const before =
      form === "recorded"
        ? []
        : [
            ...argumentsAmong(primitive.operands).map(({ name }) => given[name]),
            ...numbers.map((name) => calls[0].options[name]),
          ];
    await expectNoOptions(title, (none) => method?.call(fold(), ...before, none) as Promise<unknown>);
  });

  test("an option that there is not, and a word that is nearly one", () =>
    expectNoOthers(title, options, run));

  test.each(kinds)(
    "a value that is none of %s is refused before anything is made, and any other is taken",
    async (name, kind) => {
      for (const value of values) {
        const spies = touches.map((touch) => vi.spyOn(fold().device, touch));
        try {
          const error = await errorOf(run({ [name]: value }, callWith(name)));
          const what = `${name}: ${typeof value} ${String(typeof value === "object" ? JSON.stringify(value) : String(value))}, ${error}`;
          if (isWrong(kind, value)) {
            expect(error, what).toBeInstanceOf(ArgumentError);
            expect(error.option, what).toBe(name);
            expect(error.message, what).toContain(name);
            expect(kind === "boolean" ? error.message : "it takes true or false", what).toMatch(
              /it takes true or false$/,
            );
            expect(
              spies.flatMap(({ mock }) => mock.calls),
              what,
            ).toEqual([]);
          } else {
            expect(error instanceof WavefoldError || error.message.startsWith("it gave"), what).toBe(true);
          }
        } finally {
          for (const spy of spies) {
            spy.mockRestore();
          }
        }
      }
    },
  );
});

const sized = described.filter(({ primitive }) => "workGroupSize" in primitive.options);

test.each(sized)(
  "$primitive.name at hand refuses sizes before anything is made, of long arrays, too",
  async (of) => {
    // Longer arrays than these go to the GPU before a plan is made.
    const call = exampleCall(of, u32, 2 ** 18);
    const spies = touches.map((touch) => vi.spyOn(fold().device, touch));
    try {
      const error = await errorOf(made(fold(), call, arraysOf(call), { workGroupSize: 2 ** 20 }));
      expect(error).toBeInstanceOf(WavefoldError);
      expect(error.message).toContain("workGroupSize");
      expect(spies.flatMap(({ mock }) => mock.calls)).toEqual([]);
    } finally {
      for (const spy of spies) {
        spy.mockRestore();
      }
    }
  },
);
