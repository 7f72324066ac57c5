import { describe, expect, it } from "vitest";
import type { Row } from "../../bench/gap_rows.ts";
import { rowsOf } from "../../bench/gap_rows.ts";
import type { PartLeftOut } from "../../bench/parts_left_out.ts";
import { partsLeftOut, planWithout } from "../../bench/parts_left_out.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { decodeFloat16 } from "../../src/algebra/float16.ts";
import { useFold } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { planScan } from "../support/plans.ts";
import { randomWords } from "../support/random.ts";

const rows = rowsOf(30);

describe("the rows", () => {
  it("have a name each, and whole items, as many as a device with small buffers takes", () => {
    expect(new Set(rows.map(({ what }) => what)).size).toBe(rows.length);
    for (const largest of [20, 30]) {
      for (const { what, bytes, options } of rowsOf(largest)) {
        expect(bytes % options.type.bytes, what).toBe(0);
        expect(bytes, what).toBeLessThanOrEqual(2 ** largest);
      }
    }
  });

  it.each([
    ["exact scan, f16, 2^26, 8 binades", 8],
    ["exact scan, f16, 2^26, all binades", 30],
    ["exact scan, f32, 2^26, 40 binades", 40],
    ["exact scan, f32, 2^26, all binades", 254],
    ["exact scan, f64, 2^25, 60 binades", 60],
  ])("%s: the data have both signs, and %d exponents, all of numbers", (what, binades) => {
    const { word = (random: number) => random, options } = rows.find((row) => row.what === what) as Row;
    const words = randomWords(2 ** 14, what).map(word);
    const items =
      options.type.name === "f16"
        ? Array.from(new Uint16Array(words.buffer), decodeFloat16)
        : Array.from(new { f32: Float32Array, f64: Float64Array }[options.type.name as "f32"](words.buffer));
    expect(items.every(Number.isFinite)).toBe(true);
    const exponents = new Set(items.map((item) => Math.floor(Math.log2(Math.abs(item)))));
    expect(exponents.size).toBe(binades);
    expect(new Set(items.map(Math.sign))).toEqual(new Set([1, -1]));
  });
});

describe("parts left out", () => {
  const fold = useFold();
  // As on NVIDIA's GPUs, whose plans are those that are taken apart.
  const facts = factsWith(
    { vendor: "nvidia", subgroupMinSize: 32, subgroupMaxSize: 32 },
    {
      ...{ maxComputeInvocationsPerWorkgroup: 1024, maxComputeWorkgroupSizeX: 1024 },
      ...{ maxStorageBufferBindingSize: 2 ** 32 - 4, maxBufferSize: 2 ** 32 },
    },
  );
  const scans = rows.filter(
    ({ primitive, options, arrangement }) =>
      primitive === "scan" && !options.lengthOnGpu && options.op !== exactAdd && arrangement !== "in-place",
  );
  const parts = Object.keys(partsLeftOut) as PartLeftOut[];

  // Rows differ in their types and operators, and parts are in the texts around these: each row compiles without two of the parts.
  const rowsOfScans = scans.map((row, at) => [row.what, row, at] as const);
  it.each(rowsOfScans)("%s: it has each, and compiles without two", async (_, row, at) => {
    const { options, bytes, arrangement } = row;
    const plan = await planScan(
      { ...options, maxLength: Math.floor(bytes / options.type.bytes) },
      facts,
      arrangement === undefined ? ["vectors"] : ["vectors", arrangement],
    );
    const { device } = fold();
    const texts = new Set(plan.kernels.map(({ code }) => code));
    for (const [index, part] of parts.entries()) {
      const isCompiled = (index + parts.length - (at % parts.length)) % parts.length < 2;
      const without = planWithout(plan, part);
      expect(without, part).toBeDefined();
      for (const { code } of without?.kernels ?? []) {
        expect(texts.has(code), part).toBe(false);
        texts.add(code);
        if (!isCompiled) {
          continue;
        }
        const module = device.createShaderModule({ code });
        const { messages } = await module.getCompilationInfo();
        expect(messages.filter(({ type }) => type === "error").map(({ message }) => message)).toEqual([]);
      }
    }
  });

  it("are none of two passes", async () => {
    const [{ options }] = scans as [Row];
    const plan = await planScan({ ...options, maxLength: 2 ** 20, passes: "reduce-then-scan" }, facts);
    expect(parts.map((part) => planWithout(plan, part))).toEqual(parts.map(() => undefined));
  });
});
