import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { fixedArray, leavesOf, vec2, vec3, vec4 } from "../../src/algebra/fields.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { StructType } from "../../src/algebra/struct.ts";
import { struct } from "../../src/algebra/struct.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { workGroupAlgorithms } from "../../src/in_kernel/algorithms.ts";
import { threadTileShuffle, workGroupBroadcast } from "../../src/in_kernel/exchange.ts";
import { link } from "../../src/in_kernel/link.ts";
import { identityOf, numeric } from "../../src/in_kernel/numeric.ts";
import { workGroupSortPairs } from "../../src/in_kernel/sort.ts";
import type { Algorithm } from "../../src/kernels/algorithms.ts";
import { planColumns } from "../../src/plan/columns.ts";
import { planCombine } from "../../src/plan/combine_pairs.ts";
import { withFasterWays } from "../../src/plan/faster_ways.ts";
import { ALL_ARRANGEMENTS } from "../../src/plan/plan.ts";
import { examplePlans } from "../support/example_plans.ts";
import { algorithmNames, untyped } from "../support/fold.ts";
import type { TitledKernel } from "../support/kernels.ts";
import { eachFileOnce, factsWith, operatorFunctions, segmentedFunctions } from "../support/kernels.ts";
import { nagaFailures } from "../support/naga.ts";
import { failures, useNullDevice } from "../support/null_device.ts";
import { once } from "../support/once.ts";
import { planCompact, planReduce, planScan } from "../support/plans.ts";

// Structs whose fields are vectors, arrays and structs. Those of f16 run only where there is f16, and so they are compiled here.

// Names of ours, too: none of them may clash.
const Element = struct({ name: "Element", fields: { value: vec2(i32), is_some: f16 } });
const Value = struct({ name: "Value", fields: { element: Element, heads: fixedArray(u32, 2) } });
const types = [
  struct({ name: "Trio", fields: { a: f16, b: fixedArray(f16, 2) } }),
  struct({ name: "Halved", fields: { a: f16, b: vec3(f16), b_0: vec2(f16) } }),
  struct({ name: "Particle", fields: { id: u32, position: vec3(f32), velocity: vec3(f32), age: f32 } }),
  struct({ name: "Listed", fields: { a: u32, b: fixedArray(vec3(f32), 2), c: fixedArray(u64, 1) } }),
  struct({ name: "Input", fields: { a: i32, element: Value, is_some: fixedArray(Element, 2) } }),
  struct({ name: "Four", fields: { x: vec4(f16) } }),
] as unknown as readonly StructType[];

/** Kernels of a struct that have each file once, and functions for kernels. Infinities and −0 are in its identity. */
async function kernelsOf(type: StructType, algorithm: Algorithm): Promise<TitledKernel[]> {
  const view = new DataView(new ArrayBuffer(type.bytes));
  for (const { type: one, offset } of leavesOf(type)) {
    if (one.name === "f32") {
      view.setUint32(offset, 0x7f800000, true);
    } else if (one.name === "f16") {
      view.setUint16(offset, 0x8000, true);
    }
  }
  const identity = type.over(view.buffer as ArrayBuffer).get(0);
  const op = untyped(operator({ name: "last", type, identity, combine: "later" }));
  const without = untyped(operator({ name: "latest", type, combine: "later" }));
  const facts = factsWith();
  const own = { type, algorithm, workGroupSize: 32, itemsPerThread: 4, maxLength: 1e5 } as const;
  const base = { ...own, op };
  const plans = [
    ...(["single", "reduce-then-scan"] as const).flatMap((passes) => [
      planScan({ ...base, passes, exclusive: true, map: "x" }, facts, ALL_ARRANGEMENTS),
      planScan({ ...base, passes, initial: true, total: true }, facts),
      planScan({ ...base, passes, segments: "headBits", exclusive: true }, facts),
      planCompact({ ...own, passes, where: "i > 3u" }, facts),
    ]),
    planScan({ ...base, from: u32, map: `var made: ${type.name};\nreturn made;` }, facts),
    planReduce({ ...base, segments: { keys: type, unique: true } }, facts),
    planColumns("scan", { type, op, maxLength: 1e5 }, withFasterWays(facts), ALL_ARRANGEMENTS),
    planCombine({ type, op, maxLength: 1e4 }, facts),
    ...examplePlans(type, 1e5, facts),
  ];
  const kernels = (await Promise.all(plans)).flatMap((plan) => plan.kernels);
  const functions = [
    ...operatorFunctions(type, op, algorithm, 32, false, [8]),
    ...segmentedFunctions(type, op, algorithm, 32, [8]),
    ...operatorFunctions(type, without, algorithm, 32, false, [8]),
    threadTileShuffle({ type, tileSize: 8, workGroupSize: 32, algorithm: workGroupAlgorithms[algorithm] }),
    workGroupBroadcast({ type, workGroupSize: 32 }),
    workGroupSortPairs({ type: u32, values: type, workGroupSize: 32 }),
    identityOf({ type, op }),
  ];
  return [
    ...eachFileOnce()(
      kernels.map((kernel) => ({ title: `${type.name} ${kernel.label}`, code: kernel.code, kernel })),
      [type.name],
    ),
    ...functions.map(({ names, code }) => ({ title: `${type.name} ${names[0]}`, code })),
  ];
}

const device = useNullDevice();

const ofTypes = types.map((type, at) => ({ type, algorithm: algorithmNames[at % 3] ?? "blelloch" }));
describe.each(ofTypes)("$type.name", ({ type, algorithm }) => {
  const made = once(() => kernelsOf(type, algorithm));

  test(`Dawn compiles every kernel: ${algorithm}`, async () => {
    const kernels = await made();
    expect(kernels.length).toBeGreaterThan(30);
    expect(await failures(device(), kernels)).toEqual([]);
  });

  // Naga refuses `enable subgroups;`.
  if (algorithm !== "subgroup") {
    test("naga compiles every portable kernel", async () => {
      const kernels = (await made()).filter(({ code }) => !/^enable subgroups;/m.test(code));
      expect(kernels.length).toBeGreaterThan(30);
      expect(nagaFailures(kernels).slice(0, 5)).toEqual([]);
    });
  }
});

test("functions of structs that hold the same struct go together, and a kernel may declare neither", async () => {
  const Other = struct({ name: "Other", fields: { a: Element } });
  const functions = [Value, Other].map((type) => workGroupBroadcast({ type, workGroupSize: 32 }));
  const kernel = `
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
  _ = work_group_broadcast_Value(Value(), 1u, i);
  _ = work_group_broadcast_Other(Other(Element(vec2(1i), 2h)), 1u, i);
}`;
  const code = link(kernel, functions);
  expect(code.match(/struct Element/g)).toEqual(["struct Element"]);
  expect(await failures(device(), [{ title: "both", code }])).toEqual([]);
  expect(() => link(`struct Element { own: u32 }\n${kernel}`, functions)).toThrow(
    "its Element shadows a name",
  );
  const Another = struct({ name: "Element", fields: { other: u32 } });
  const clashing = [...functions, workGroupBroadcast({ type: Another, workGroupSize: 32 })];
  const both = kernel.replace("}", "  _ = work_group_broadcast_Element(Element(), 1u, i);\n}");
  expect(() => link(both, clashing)).toThrow("Element is given twice");
});

test("arithmetic comes with a struct that is deep inside", () => {
  const Deep = struct({
    name: "Deep",
    fields: { a: fixedArray(struct({ name: "In", fields: { a: u64 } }), 2) },
  });
  expect(numeric(Deep as never).names).toContain("add_u64");
});
