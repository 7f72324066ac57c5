import { describe, expect, test } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { narrowTypes } from "../../src/algebra/narrow_types.ts";
import { add, max } from "../../src/algebra/operators.ts";
import type { ScalarType } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { Algorithm } from "../../src/kernels/algorithms.ts";
import type { BindingKind } from "../../src/kernels/kernel.ts";
import type { Limits } from "../../src/plan/device_facts.ts";
import { planMap } from "../../src/plan/map_elements.ts";
import { planNarrow } from "../../src/plan/narrow.ts";
import type { ReduceOptions } from "../../src/plan/reduce.ts";
import { planSort } from "../../src/plan/sort.ts";
import { algorithmNames } from "../support/fold.ts";
import type { Shape, TitledKernel } from "../support/kernels.ts";
import { eachFileOnce, factsWith, kernelsOf, mappedKernelsOf } from "../support/kernels.ts";
import { mapRows } from "../support/maps.ts";
import { nagaFailures } from "../support/naga.ts";
import { failures, useNullDevice } from "../support/null_device.ts";
import { once } from "../support/once.ts";
import { planCompact, planReduce, planScan } from "../support/plans.ts";

const device = useNullDevice();

const bufferLayouts = {
  uniform: { type: "uniform" },
  digit: { type: "uniform", hasDynamicOffset: true },
  params: { type: "uniform", hasDynamicOffset: true },
  read: { type: "read-only-storage" },
  read_write: { type: "storage" },
} as const satisfies Record<BindingKind, GPUBufferBindingLayout>;

async function pipelineFailure({ title, kernel }: TitledKernel): Promise<string[]> {
  if (kernel === undefined) {
    return [];
  }
  const layout = device().createBindGroupLayout({
    entries: [...kernel.bindings.values()].map(({ number, kind }) => ({
      binding: number,
      visibility: 4,
      buffer: bufferLayouts[kind],
    })),
  });
  try {
    await device().createComputePipelineAsync({
      layout: device().createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module: device().createShaderModule({ code: kernel.code }), entryPoint: kernel.entryPoint },
    });
    return [];
  } catch (cause) {
    return [`${title}: ${String(cause)}`];
  }
}

/** The limits of a work-group, of all that a device has. */
const sizesOf = (limits: GPUSupportedLimits): Partial<Limits> => ({
  maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
  maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
  maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
});

interface Row {
  readonly type: ScalarType;
  readonly algorithm: Algorithm;
  readonly shape: Shape;
}

const row = (type: ScalarType, algorithm: Algorithm, workGroupSize: number, itemsPerThread: number): Row => ({
  type,
  algorithm,
  shape: { workGroupSize, itemsPerThread },
});

/**
 * Every type, and each pair of an algorithm, a shape of work-groups and a size of types. What has kernels of its own by subgroups alone, as
 * words and doubles have, is there by subgroups. Words have in-kernel functions that others lack.
 */
const table: readonly Row[] = [
  row(f16, "hillis-steele", 1, 2),
  row(i32, "blelloch", 1, 2),
  row(u64, "subgroup", 1, 2),
  row(f32, "hillis-steele", 96, 3),
  row(i64, "blelloch", 96, 3),
  row(f16, "subgroup", 96, 3),
  row(f64, "hillis-steele", 1024, 4),
  row(f16, "blelloch", 1024, 4),
  row(u32, "subgroup", 1024, 4),
  row(f64, "subgroup", 32, 4),
  row(u32, "blelloch", 100, 1),
];

// Of the kernels that the file has compiled, and of those that naga has.
const notCompiled = eachFileOnce();
const notCompiledByNaga = eachFileOnce();

const isPortable = ({ code }: TitledKernel): boolean => !/^enable subgroups;/m.test(code);

/** WebGPU's names of what a kernel uses are in its text, and its directives name no more than that. */
function expectEnabled({ title, code }: TitledKernel): void {
  const text = code.replace(/^enable .*|\/\/.*/gm, "");
  expect(/\benable f16;/.test(code), title).toBe(/\bf16\b/.test(text));
  expect(/\benable subgroups;/.test(code), title).toBe(/\bsubgroup[A-Z]\w*\(/.test(text));
}

/** A function for a kernel of the caller's. */
const callable = /^(work_group|coalesced|thread_tile)_/;

/** A function is there to be called, and an entry point to be dispatched. */
function expectUsed({ title, code }: TitledKernel, type: ScalarType): void {
  const functions = [...code.matchAll(/^fn (\w+)/gm)].map(([, name = ""]) => name);
  const words = code.match(/\w+/g) ?? [];
  const uses = new Map<string, number>();
  for (const word of words) {
    uses.set(word, (uses.get(word) ?? 0) + 1);
  }
  const unused = functions.filter(
    (name) =>
      (uses.get(name) ?? 0) < 2 &&
      !callable.test(name) &&
      !new RegExp(`@compute[^{]*fn ${name}\\b`).test(code),
  );
  expect(unused, title).toEqual([]);
  const text = functions.join(" ");
  // A scatter may combine its items as wider ones.
  expect(/_f64\b|_f64_/.test(text) && type.name !== "f64" && !/<f64/.test(title), title).toBe(false);
  expect(/mul_u64/.test(text) && !/mul/.test(title), title).toBe(false);
  expect(type.bytes < 8 && /_u64/.test(text) && !/<[uif]64/.test(title), title).toBe(false);
}

describe.each(table)("$type.name, $algorithm, $shape.workGroupSize × $shape.itemsPerThread", (one) => {
  const { type, algorithm, shape } = one;
  const marks = [`of ${type.bytes} bytes`, algorithm];
  // Some kernels of exactAdd have as many threads as the device lets them.
  // A work-group of 1024 threads is more than the device takes, though not more than its compiler does.
  const isLarge = shape.workGroupSize > 256;
  const make = () => kernelsOf(type, algorithm, shape, isLarge ? undefined : sizesOf(device().limits));
  const made = once(make);

  test("every kernel compiles, and is a pipeline that fits the bindings that it names", async () => {
    const kernels = await made();
    expect(kernels.length).toBeGreaterThan(20);
    const taken = notCompiled(kernels, marks);
    const alone = taken.filter(({ kernel }) => isLarge || kernel === undefined);
    expect(await failures(device(), alone)).toEqual([]);
    const pipelines = taken.filter((kernel) => !alone.includes(kernel));
    expect((await Promise.all(pipelines.map(pipelineFailure))).flat()).toEqual([]);
  });

  test("nothing unused is enabled, nor is it in the WGSL", async () => {
    for (const kernel of await made()) {
      expectEnabled(kernel);
      if (algorithm !== "subgroup") {
        expectUsed(kernel, type);
      }
    }
  });

  test.runIf(type === u64)("same input, same text", async () => {
    const textsOf = (kernels: readonly TitledKernel[]) => kernels.map(({ title, code }) => [title, code]);
    expect(textsOf(await make())).toEqual(textsOf(await made()));
  });

  // Naga refuses `enable subgroups;`.
  test.skipIf(algorithm === "subgroup")("naga compiles every portable kernel", async () => {
    const kernels = notCompiledByNaga((await made()).filter(isPortable), marks);
    expect(nagaFailures(kernels).slice(0, 5)).toEqual([]);
  });
});

const mappedShapes = [
  { workGroupSize: 1, itemsPerThread: 2 },
  { workGroupSize: 96, itemsPerThread: 3 },
  { workGroupSize: 32, itemsPerThread: 8 },
];
/** Each map, with each algorithm and each shape by turns. */
const mapped = mapRows.map((row, at) => ({
  row,
  algorithm: algorithmNames[at % 3] ?? "blelloch",
  shape: mappedShapes[Math.floor(at / 3) % 3] ?? { workGroupSize: 1, itemsPerThread: 2 },
}));

describe.each(mapped)("map $row.title, $algorithm: $shape.workGroupSize × $shape.itemsPerThread", (one) => {
  const made = once(() => mappedKernelsOf(one.row, one.algorithm, one.shape));

  test("every pipeline compiles", async () => {
    const kernels = await made();
    expect(kernels.length).toBeGreaterThan(8);
    const taken = notCompiled(kernels, [one.row.title]);
    expect((await Promise.all(taken.map(pipelineFailure))).flat()).toEqual([]);
    for (const kernel of kernels) {
      expectEnabled(kernel);
      // A kernel that loads items maps them, and one of elements does not.
      expect(/\bmap_value\b/.test(kernel.code), kernel.title).toBe(
        /^wavefold (scan_\w+ of|reduce|compact) items/.test(kernel.title),
      );
    }
  });
});

test("naga compiles every portable kernel of maps", async () => {
  const made = await Promise.all(
    mapRows.map(async (row, at) => {
      const kernels = await mappedKernelsOf(row, "blelloch", {
        workGroupSize: 32,
        itemsPerThread: at % 2 === 0 ? 8 : 3,
      });
      return notCompiledByNaga(kernels.filter(isPortable), [row.title]);
    }),
  );
  const kernels = made.flat();
  expect(nagaFailures(kernels).slice(0, 5)).toEqual([]);
  expect(kernels.some(({ code }) => /^enable f16;/m.test(code))).toBe(true);
});

test.for(Object.values(narrowTypes))("every kernel of $name compiles, by naga, too", async (narrow) => {
  const halves = factsWith({ features: new Set(["shader-f16"]) });
  const from = { from: narrow, maxLength: 1e5 } as const;
  const plans = await Promise.all(
    algorithmNames.flatMap((algorithm) => {
      const shaped = { algorithm, maxLength: 1e5, workGroupSize: 32, itemsPerThread: 4 } as const;
      return [
        ...[f32, narrow.wide].map((type) =>
          planNarrow({ ...shaped, from: narrow, type }, factsWith(), (own) =>
            planScan({ ...own, passes: "single" }, factsWith()),
          ),
        ),
        planNarrow({ ...shaped, from: narrow, type: i32, op: max }, factsWith(), (own) =>
          planReduce(own as ReduceOptions, factsWith()),
        ),
        planNarrow({ ...shaped, type: narrow, where: "x > 3" }, factsWith(), (own) =>
          planCompact(own, factsWith()),
        ),
      ];
    }),
  );
  // Of 16 bytes of f16, a vector has eight items.
  plans.push(await planNarrow({ ...from, type: f16, map: "f16(x)" }, halves, (own) => planMap(own, halves)));
  plans.push(
    await planNarrow({ type: narrow, maxLength: 1e5 }, factsWith(), (own) => planSort(own, factsWith())),
  );
  const kernels = plans
    .flatMap((plan) => plan.kernels)
    .map((kernel) => ({ title: kernel.label, code: kernel.code, kernel }));
  const texts = new Map(kernels.map((kernel) => [kernel.code, kernel]));
  expect((await Promise.all([...texts.values()].map(pipelineFailure))).flat()).toEqual([]);
  expect(nagaFailures(kernels.filter(isPortable))).toEqual([]);
});

test("naga refuses what is wrong: types, and a text that is no WGSL", () => {
  const codes = ["fn f() -> u32 { return 1.5f; }", "fn f() -> u32 { return 0x1p-14h; }", "fn f("];
  expect(nagaFailures(codes.map((code) => ({ title: "broken", code })))).toHaveLength(codes.length);
});

test("a file is taken once with each mark, in whatever size, and every function of callers' kernels", async () => {
  const options = {
    type: u32,
    op: add,
    maxLength: 1e5,
    workGroupSize: 32,
    itemsPerThread: 4,
    map: "x + 1u",
  } as const;
  const kernelsOfScan = async (changes: object): Promise<TitledKernel[]> =>
    (await planScan({ ...options, ...changes }, factsWith(), ["vectors"])).kernels.map((kernel) => ({
      title: kernel.label,
      code: kernel.code,
      kernel,
    }));
  const taken = eachFileOnce();
  const kernels = await kernelsOfScan({});
  expect(taken(kernels, ["u32"])).not.toEqual([]);
  expect(taken(await kernelsOfScan({ workGroupSize: 64, itemsPerThread: 8 }), ["u32"])).toEqual([]);
  expect(taken(kernels, ["u32", "another"])).not.toEqual([]);
  const code = "const SIZE = 8u;";
  expect(taken([{ title: "a function", code }], ["u32"])).toHaveLength(1);
  expect(taken([{ title: "a function", code }], ["u32"])).toHaveLength(1);
});
