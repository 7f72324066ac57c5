import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { callOnCpu, callOnGpu, sortedData, verifyOutputs } from "../../site/at_hand.ts";
import type { Choice, PrimitiveName } from "../../site/choices.ts";
import { examples, isPlanned, ownClass, ownKey, ownOperator, predicates } from "../../site/choices.ts";
import type { Numbers } from "../../site/code.ts";
import { codeOf } from "../../site/code.ts";
import { countingArray, parseNumbers, runsArray } from "../../site/data.ts";
import type { DescribedChoice } from "../../site/described.ts";
import { takesSorted } from "../../site/described.ts";
import { onCpu } from "../../site/verify.ts";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max, mul } from "../../src/algebra/operators.ts";
import { onSite } from "../../src/primitives/described.ts";
import { expectImports, runBlocks } from "../support/code_blocks.ts";
import { useSoftwareFold } from "../support/fold.ts";

const fold = useSoftwareFold();

const choiceOf = (details: Partial<Choice>): Choice => ({
  described: undefined,
  primitive: "scan",
  type: "u32",
  op: add as Operator as Operator<string>,
  own: undefined,
  exclusive: false,
  predicate: undefined,
  algorithm: undefined,
  passes: undefined,
  segments: undefined,
  key: undefined,
  indices: false,
  number: undefined,
  classes: undefined,
  descending: false,
  ...details,
});
/** What is chosen for a primitive that is described. */
function describedChoice(name: string, given: Partial<Omit<DescribedChoice, "described">>): Choice {
  const type = given.type ?? "u32";
  const described = onSite.find(({ primitive }) => primitive.name === name);
  if (described === undefined) {
    throw new Error(`${name} is not described`);
  }
  return choiceOf({
    primitive: name as PrimitiveName,
    type,
    described: {
      twins: {},
      arrays: {},
      ...given,
      options: { ...(type === "f16" && { type: elementTypes.f16 }), ...given.options },
      type,
      described,
    },
  });
}
const typed = (type: Choice["type"], text = "3 1 7 0 4 1 6 3"): Numbers => ({
  source: "typed",
  data: parseNumbers(text, type),
});
const latest = ownOperator(examples.latest) as Operator as Operator<string>;

/** Choices, with numbers that are the same each time. */
const cases: readonly { readonly choice: Choice; readonly numbers: Numbers }[] = [
  { choice: choiceOf({}), numbers: typed("u32") },
  {
    choice: choiceOf({ op: max as Operator as Operator<string>, exclusive: true, type: "i32" }),
    numbers: { source: "counting", length: 100 },
  },
  {
    choice: choiceOf({ type: "u64", algorithm: "blelloch", passes: "single" }),
    numbers: { source: "ones", length: 70 },
  },
  { choice: choiceOf({ op: latest, own: examples.latest }), numbers: typed("u32", "0 5 0 0 7 0") },
  { choice: choiceOf({ segments: { kind: "rows", rows: 4 } }), numbers: typed("u32") },
  {
    choice: choiceOf({ segments: { kind: "keys", typed: [1, 1, 2, 2, 2, 1, 1, 1] } }),
    numbers: typed("u32"),
  },
  {
    choice: choiceOf({ segments: { kind: "key", ...ownKey("x / 2u", "u32", "Math.floor(x / 2)") } }),
    numbers: typed("u32", "3 2 7 6 6 1 0 3"),
  },
  {
    choice: choiceOf({
      primitive: "reduce",
      type: "i32",
      segments: { kind: "key", ...ownKey("sqrt(f32(x))", "f32", "return Math.sqrt(x);") },
    }),
    numbers: typed("i32", "4 4 -1 -2 9 0 0"),
  },
  { choice: choiceOf({ primitive: "reduce" }), numbers: { source: "runs", length: 120 } },
  {
    choice: choiceOf({ primitive: "reduce", segments: { kind: "keys", typed: undefined } }),
    numbers: { source: "counting", length: 30 },
  },
  {
    choice: choiceOf({ primitive: "reduce", type: "i64", segments: { kind: "offsets", typed: undefined } }),
    numbers: { source: "runs", length: 30 },
  },
  {
    choice: choiceOf({ primitive: "compact", predicate: predicates.odd.of("i32"), type: "i32" }),
    numbers: typed("i32", "-3 2 5"),
  },
  {
    choice: choiceOf({ primitive: "unique", type: "f32" }),
    numbers: typed("f32", "0 -0 nan nan inf 1.5 1.5"),
  },
  { choice: choiceOf({ primitive: "runLengths" }), numbers: { source: "runs", length: 40 } },
  {
    choice: describedChoice("expandRuns", {
      type: "i64",
      arrays: {
        counts: { type: "u32", data: Uint32Array.from({ length: 30 }, (_, at) => at % 4), isRepeated: true },
      },
    }),
    numbers: { source: "counting", length: 30 },
  },
  {
    choice: describedChoice("expandRuns", {
      type: "f32",
      arrays: { counts: { type: "u32", data: Uint32Array.of(2, 0, 5) } },
    }),
    numbers: typed("f32", "1.5 2 nan"),
  },
  {
    choice: choiceOf({ primitive: "partition", predicate: predicates.third.of(), type: "f64" }),
    numbers: { source: "counting", length: 20 },
  },
  {
    choice: describedChoice("histogram", { options: { bins: 4, range: [0, 8] } }),
    numbers: typed("u32"),
  },
  {
    choice: choiceOf({ primitive: "partition", classes: 3, number: ownClass("x % 4u", "x % 4") }),
    numbers: typed("u32"),
  },
  {
    choice: describedChoice("histogram", {
      type: "f32",
      options: { edges: [-Infinity, 0, 2.5, 10] },
      arrays: { weights: { type: "u32", data: Uint32Array.of(1, 2, 3, 4, 5) } },
    }),
    numbers: typed("f32", "-3 2 7 nan 0"),
  },
  {
    choice: describedChoice("histogram", {
      options: { bins: 2, range: [0, 8] },
      arrays: { weights: { type: "f32", data: Float32Array.of(0.5, -2, 1.25, 0.25) } },
    }),
    numbers: typed("u32", "3 1 7 0"),
  },
  {
    choice: describedChoice("histogram", {
      type: "u64",
      options: { edges: [0n, 4, 9n] },
      arrays: { weights: { type: "i32", data: Int32Array.of(-7, 2 ** 30, -1, 2 ** 30) } },
    }),
    numbers: typed("u64", "3 1 7 0"),
  },
  {
    choice: describedChoice("histogram", {
      options: { bins: 3, bin: "i % 4u" },
      twins: { bin: (_, index) => index % 4 },
    }),
    numbers: typed("u32"),
  },
  {
    // Elements of u64 are bigints, and the numbers of bins are not.
    choice: describedChoice("histogram", {
      type: "u64",
      options: { bins: 3, bin: "u32(x) % 4u" },
      twins: { bin: (value) => BigInt(value) % 4n },
    }),
    numbers: typed("u64"),
  },
  { choice: choiceOf({ primitive: "unique", indices: true }), numbers: { source: "runs", length: 40 } },
  {
    choice: choiceOf({ segments: { kind: "headBits", typed: [0, 0, 7, 0, 0, 1, 1, 0] } }),
    numbers: typed("u32"),
  },
  {
    choice: choiceOf({ primitive: "reduce", type: "i32", segments: { kind: "headBits", typed: undefined } }),
    numbers: { source: "counting", length: 70 },
  },
  { choice: choiceOf({ primitive: "sort", descending: true, type: "u64" }), numbers: typed("u64") },
  { choice: choiceOf({ primitive: "argSort", type: "f32" }), numbers: typed("f32", "3 -1 7 -0 0 nan") },
  { choice: describedChoice("topK", { options: { k: 3 } }), numbers: typed("u32") },
  {
    choice: describedChoice("topK", {
      options: {
        k: 2,
        smallest: true,
        key: "x % 4u",
        keyType: elementTypes.u64,
        bits: [0, 2],
        segments: { rows: 4 },
      },
      twins: { key: (value) => Number(value) % 4 },
    }),
    numbers: typed("u32"),
  },
  { choice: describedChoice("topK", { type: "f16", options: { k: 2 } }), numbers: typed("f16") },
  {
    choice: describedChoice("nth", {
      options: { n: 4, descending: true, key: "f32(x) / 2.0", keyType: elementTypes.f32 },
      twins: { key: (value) => Number(value) / 2 },
    }),
    numbers: typed("u32"),
  },
  { choice: choiceOf({ segments: { kind: "columns", columns: 4 } }), numbers: typed("u32") },
  {
    choice: choiceOf({ primitive: "reduce", type: "f64", segments: { kind: "columns", columns: 2 } }),
    numbers: { source: "counting", length: 30 },
  },
  {
    choice: choiceOf({ segments: { kind: "heads", typed: [0, 0, 7, 0, 0, 1, 1, 0] }, exclusive: true }),
    numbers: typed("u32"),
  },
  {
    choice: choiceOf({ primitive: "reduce", type: "i32", segments: { kind: "heads", typed: undefined } }),
    numbers: { source: "counting", length: 30 },
  },
  { choice: choiceOf({ primitive: "argMin", type: "f32" }), numbers: typed("f32", "3 nan -1 7 -1") },
  { choice: choiceOf({ primitive: "argMax", type: "u64" }), numbers: typed("u64") },
  {
    choice: describedChoice("searchSorted", {
      arrays: { values: { type: "u32", data: parseNumbers("3 0 9 1", "u32") } },
    }),
    numbers: typed("u32"),
  },
  {
    choice: describedChoice("searchSorted", {
      type: "i64",
      options: { side: "right" },
      arrays: { values: { type: "i64", data: parseNumbers("-5 2 3", "i64") } },
    }),
    numbers: { source: "runs", length: 40 },
  },
  {
    choice: describedChoice("searchSorted", {
      type: "f16",
      arrays: { values: { type: "f16", data: parseNumbers("2 9", "f16") } },
    }),
    numbers: typed("f16"),
  },
  {
    choice: choiceOf({ primitive: "unique", key: ownKey("x / 10u", "u32", "Math.floor(x / 10)") }),
    numbers: typed("u32", "11 12 25 27 3 4"),
  },
  {
    choice: choiceOf({
      primitive: "runLengths",
      type: "f32",
      key: ownKey("i32(floor(x))", "i32", "Math.floor(x)"),
    }),
    numbers: typed("f32", "0.5 0.25 -0.5 1 1.5 3"),
  },
];

/** The numbers as the page has them: in order, if it searches them. */
function dataOf({ choice, numbers }: (typeof cases)[number]): ScalarArray {
  const data = arrayOf(choice.type, numbers);
  return choice.described && takesSorted(choice.described.described) ? sortedData(choice.type, data) : data;
}

function arrayOf(type: Choice["type"], numbers: Numbers): ScalarArray {
  switch (numbers.source) {
    case "typed":
      return numbers.data;
    case "counting":
    case "ones":
      return countingArray(type, numbers.length, numbers.source === "ones");
    case "runs":
      return runsArray(type, numbers.length);
    default:
      throw new Error(`${numbers.source} numbers are not the same each time`);
  }
}

const titleOf = ({ choice, numbers }: (typeof cases)[number]): string =>
  `${choice.primitive} of ${choice.type}, ${numbers.source}${choice.segments ? `, ${choice.segments.kind}` : ""}${choice.key ? `, by ${choice.key.key}` : ""}${choice.own ? `, ${choice.own.name}` : ""}${choice.described ? `, ${Object.keys({ ...choice.described.options, ...choice.described.arrays }).join(" ")}` : ""}`;

for (const one of cases) {
  test(`the code does what the page does: ${titleOf(one)}`, async () => {
    const { choice, numbers } = one;
    const text = codeOf(choice, numbers);
    const logged: unknown[] = [];
    expect(expectImports(text)).toBeGreaterThan(0);
    await runBlocks(titleOf(one), [{ language: "ts", text, note: "" }], {
      console: { log: (...values: unknown[]) => logged.push(...values) },
    });
    const data = dataOf(one);
    const expected = isPlanned(choice)
      ? [onCpu({ ...choice, primitive: choice.primitive as "scan", own: choice.own !== undefined, data })]
      : callOnCpu(choice, data).map((output) => output.data);
    expect(logged.map((value) => (ArrayBuffer.isView(value) ? value : [value]))).toEqual(
      expected.map((array, at) => (ArrayBuffer.isView(logged[at]) ? array : [...(array as Uint32Array)])),
    );
  });
}

test("the code type-checks", async () => {
  // In the repository, for its packages and its tsconfig.json.
  const place = resolve("build", "site-code-types");
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true });
  try {
    const others: typeof cases = (["u32", "i32", "f32", "f16", "u64", "i64", "f64"] as const).flatMap(
      (type) => [
        {
          choice: choiceOf({ type, op: mul as Operator as Operator<string> }),
          numbers: { source: "random", length: 9 },
        },
        { choice: choiceOf({ type }), numbers: typed(type) },
        {
          choice: choiceOf({ type, primitive: "sort" }),
          numbers: { source: "npy", name: "in.npy", firstByte: 128, length: 8 },
        },
      ],
    );
    const all = [...cases, ...others];
    for (const [at, { choice, numbers }] of all.entries()) {
      await writeFile(join(place, `${at}.ts`), codeOf(choice, numbers));
    }
    await writeFile(
      join(place, "tsconfig.json"),
      JSON.stringify({ extends: "../../tsconfig.json", include: ["*.ts", "../../src/wgsl-files.d.ts"] }),
    );
    const { stdout } = await promisify(execFile)(process.execPath, [
      resolve("node_modules/typescript/bin/tsc"),
      "-p",
      place,
    ]).catch((cause: { stdout: string }) => cause);
    expect(stdout).toBe("");
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});

test("a key of JavaScript that gives no number, or is none", () => {
  const { keyOf } = ownKey("x", "u32", "String(x)");
  expect(() => keyOf(3)).toThrow("The JavaScript of your key gives 3 for 3; it takes a number");
  expect(() => ownKey("x", "u32", "x +")).toThrow(/The JavaScript of your key is no JavaScript/);
  expect(() => ownKey("x", "u32", " ")).toThrow(
    /The JavaScript of your key is empty; it takes an expression/,
  );
});

test("a function of JavaScript that gives no number", () => {
  const choice = describedChoice("nth", {
    options: { n: 0, key: "x" },
    twins: { key: String },
  });
  expect(() => callOnCpu(choice, Uint32Array.of(3))).toThrow(
    "The JavaScript of key gives 3 for 3; it takes a number",
  );
});

test("a result that has more items than the page shows", () => {
  const choice = describedChoice("histogram", { options: { bins: 2 ** 23, range: [0, 1] } });
  expect(() => callOnCpu(choice, Uint32Array.of(3))).toThrow(
    "The result has 8388608 items; the page shows 4194304 at most",
  );
});

test("one wrong element of any result is found", async () => {
  for (const one of cases.filter(({ choice }) => !isPlanned(choice))) {
    const { choice } = one;
    const data = dataOf(one);
    const expected = callOnCpu(choice, data);
    for (const at of expected.keys()) {
      const actual = callOnCpu(choice, data);
      expect(verifyOutputs(choice, data, actual, expected).ok).toBe(true);
      const bytes = new Uint8Array(actual[at]?.data.buffer as ArrayBuffer);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      expect(verifyOutputs(choice, data, actual, expected).ok, `${choice.primitive} ${at}`).toBe(false);
    }
    const short = expected.map((output) => ({ ...output, data: (output.data as Uint32Array).slice(1) }));
    expect(verifyOutputs(choice, data, short, expected).text).toMatch(/^The GPU gives /);
  }
});

test("sums of a histogram's weights may be off by their bound, and by no more", async () => {
  const length = 4096;
  const data = Uint32Array.from({ length }, (_, at) => (at * 7) % 100);
  const weights = Float32Array.from({ length }, (_, at) => Math.sin(at) * 3);
  const choice = describedChoice("histogram", {
    options: { bins: 10, range: [0, 100] },
    arrays: { weights: { type: "f32", data: weights } },
  });
  const expected = callOnCpu(choice, data);
  const actual = await callOnGpu(fold(), choice, data);
  expect(verifyOutputs(choice, data, actual, expected)).toMatchObject({
    ok: true,
    text: expect.stringMatching(/^10 values, each within the bound that rounding allows; at most /),
  });
  const sums = actual[0]?.data as Float32Array;
  // A bin has 410 weights at most, of at most 3 each. This is past their bound.
  sums[9] = (sums[9] ?? 0) + 410 * 3 * 411 * 2 ** -23;
  expect(verifyOutputs(choice, data, actual, expected)).toMatchObject({
    ok: false,
    text: expect.stringMatching(/^At 9 the GPU has /),
  });
  // In the first bin, what is no number, or may overflow, is off by nothing that could be told. The other bins are compared.
  for (const most of [Number.NaN, Number.POSITIVE_INFINITY, 3e38]) {
    weights.fill(most, 0, 2);
    const [wanted, found] = [callOnCpu(choice, data), callOnCpu(choice, data)];
    expect(verifyOutputs(choice, data, found, wanted).ok, String(most)).toBe(true);
    (found[0]?.data as Float32Array)[9] = 1e6;
    expect(verifyOutputs(choice, data, found, wanted), String(most)).toMatchObject({
      ok: false,
      text: expect.stringMatching(/^At 9 the GPU has /),
    });
  }
});

test("sums of segments may be off by their bound, and by no more", async () => {
  const data = Float32Array.from({ length: 4096 }, (_, at) => Math.sin(at) * 3);
  for (const [primitive, segments] of [
    ["scan", { kind: "rows", rows: 64 }],
    ["scan", { kind: "offsets", typed: undefined }],
    ["scan", { kind: "columns", columns: 64 }],
    ["reduce", { kind: "columns", columns: 32 }],
    ["reduce", { kind: "heads", typed: undefined }],
    ["reduce", { kind: "keys", typed: undefined }],
    ["scan", { kind: "key", ...ownKey("i32(floor(x))", "i32", "Math.floor(x)") }],
  ] as const) {
    const choice = choiceOf({ type: "f32", primitive, segments });
    const expected = callOnCpu(choice, data);
    const actual = await callOnGpu(fold(), choice, data);
    expect(verifyOutputs(choice, data, actual, expected), `${primitive} ${segments.kind}`).toMatchObject({
      ok: true,
      text: expect.stringContaining("within the bound"),
    });
    const sums = actual.at(-1)?.data as Float32Array;
    sums[sums.length - 1] = (sums.at(-1) ?? 0) + 0.01;
    expect(verifyOutputs(choice, data, actual, expected).ok).toBe(false);
  }
});
