import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Fold } from "../../src/gpu/fold.ts";
import * as wavefold from "../../src/index.ts";
import { minMax, momentsOf, variance } from "../../src/monoids/index.ts";
import { GPUBufferUsage } from "../../src/node.ts";
import { useFold } from "../support/fold.ts";

const text = readFileSync("docs/guides/which-function.md", "utf8");
const opened = useFold();

/** The calls in the second column of each table. */
const calls = [
  ...new Set(
    text
      .split("\n")
      .map((line) => line.split(" | ")[1] ?? "")
      .flatMap((cell) => Array.from(cell.matchAll(/`(fold\.[^`]*\))`/g), ([, call = ""]) => call)),
  ),
];

/** What the page says that its calls take. */
async function given(fold: Fold): Promise<Record<string, unknown>> {
  const a = Float32Array.of(0.5, 2, 8, 1, 4, 2);
  const keys = Uint32Array.of(7, 3, 7, 3, 3, 9);
  const spread = variance();
  const range = minMax(wavefold.f32);
  return {
    ...wavefold,
    fold,
    a,
    keys,
    n: Uint32Array.of(3, 0, 2, 1, 1, 2),
    positions: Uint32Array.of(5, 0),
    sorted: await fold.sort(keys, { values: a }),
    spread,
    moments: spread.type.from([...a].map(momentsOf)),
    range,
    ranges: range.type.from([...a].map((value) => ({ min: value, max: value }))),
    buffer: fold.device.createBuffer({ size: 64, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC }),
  };
}

/** What a call gives. */
async function resultOf(call: string, values: Readonly<Record<string, unknown>>): Promise<unknown> {
  const names = Object.keys(values);
  const program = Function(...names, `"use strict"; return (async () => await ${call})()`);
  return await (program(...names.map((name) => values[name])) as Promise<unknown>);
}

describe("each call of the page exists, and runs", () => {
  test.each(calls)("%s", async (call) => {
    const fold = opened();
    for (const [, name = ""] of call.matchAll(/\bfold\.(\w+)/g)) {
      expect(Object.hasOwn(Fold.prototype, name), name).toBe(true);
    }
    const result = await resultOf(call, await given(fold));
    expect(result).toBeDefined();
    (result as { destroy?(): void }).destroy?.();
  });
});

test("the page names each call of Fold", () => {
  const ofDevice = ["constructor", "device", "machine", "explain"];
  ofDevice.push("adapterInfo", "software", "singlePassTest", "trim", "destroy");
  const names = Object.getOwnPropertyNames(Fold.prototype).filter((name) => !ofDevice.includes(name));
  expect(names.length).toBeGreaterThan(25);
  expect(names.filter((name) => !calls.some((call) => call.includes(`fold.${name}(`)))).toEqual([]);
});

// The rows that stand for an equivalence: their results are those of what stands in the first column.
test.each([
  ['fold.all(a, { where: "x > 3" })', false],
  ['fold.findFirst(a, { where: "x > 3" })', 2],
  ["fold.unique(await fold.sort(a))", Float32Array.of(0.5, 1, 2, 4, 8)],
  ["fold.scatter(a, n, { length: 10, op: exactAdd })", Float32Array.of(2, 5, 10, 0.5, 0, 0, 0, 0, 0, 0)],
  ["fold.reduce(a, { segments: { offsets: [0, 2, 6] } })", Float32Array.of(2.5, 15)],
  [
    'fold.scan(sorted.keys, { map: "1u", exclusive: true, segments: { keys: sorted.keys } })',
    Uint32Array.of(0, 1, 2, 0, 1, 0),
  ],
  ["fold.nth(a, 3)", { value: 2, index: 5 }],
  ["fold.nth(a, 2)", { value: 2, index: 1 }],
  ['fold.searchSorted(sorted.keys, n, { side: "right" })', Uint32Array.of(3, 0, 0, 0, 0, 0)],
] as const)("%s gives what the page says", async (call, expected) => {
  expect(calls).toContain(call);
  expect(await resultOf(call, await given(opened()))).toEqual(expected);
});
