import { describe, expect } from "vitest";
import { sourcesOf } from "../../src/codegen/device_blelloch.ts";
import { linkedScan } from "../../src/codegen/linked.ts";
import { linked as linkedGpu } from "../../src/codegen/linked_gpu.ts";
import { plainKernels } from "../../src/codegen/linked_kernels.ts";
import { linked as linkedSoftware } from "../../src/codegen/linked_software.ts";
import { ArgumentError, DeviceLostError, LimitError } from "../../src/errors.ts";
import { open } from "../../src/node.ts";
import type { Operator } from "../../src/operators.ts";
import { add, max, monoid, operator, operators } from "../../src/operators.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { contextOf } from "../../src/runtime/context.ts";
import { givenOf } from "../../src/runtime/hand.ts";
import { scanPlainly } from "../../src/runtime/plain_scan.ts";
import { u32 } from "../../src/types.ts";
import { expectSameBits } from "../support/compare.ts";
import { adapter, untyped, useSoftwareFold } from "../support/fold.ts";
import { factsWith, linkedKernels, plainOperators } from "../support/kernels.ts";
import { around } from "../support/lengths.ts";
import { failures, useNullDevice } from "../support/null_device.ts";
import { anyItems } from "../support/random.ts";
import { rows, testInTurn } from "../support/rows.ts";

const test = testInTurn({ of: 3 });

const fold = useSoftwareFold();
const nullDevice = useNullDevice();
const itemsOf = (length: number): Uint32Array<ArrayBuffer> =>
  anyItems("u32", length, `plain ${length}`) as Uint32Array<ArrayBuffer>;

test("the operators that are plain are those that combine the values themselves, and are what they are to plans", () => {
  const names = plainOperators.map(({ name }) => name);
  expect(names).toEqual(["add", "mul", "min", "max", "and", "or", "xor"]);
  for (const op of plainOperators) {
    const { identity, domain, combine } = monoid(op, u32, "test");
    expect(op.u32Identity).toBe(identity);
    expect(domain.fromStored).toBeUndefined();
    expect(op.combine).toBe(combine);
  }
});

test("what is linked is of the algorithm that an adapter's row has", () => {
  expect(() => linkedScan("hillis-steele", sourcesOf(), { software: false })).toThrow(
    "the row for plain u32 is of blelloch, and hillis-steele is linked",
  );
  expect(() => linkedScan("blelloch", sourcesOf(), { software: true })).toThrow(
    "the row for plain u32 is of hillis-steele, and blelloch is linked",
  );
});

test("every linked kernel compiles", async () => {
  const kernels = linkedKernels();
  expect(kernels).toHaveLength(2 * 3 * 7 * 2);
  expect(await failures(nullDevice(), kernels)).toEqual([]);
});

test("linked kernels have the uniform that they read, and no more", () => {
  for (const { title, code } of linkedKernels()) {
    const [, members = ""] = /struct Params \{\n([^}]*)\}/.exec(code) ?? [];
    const { params } = title.startsWith("linkedGpu") ? linkedGpu : linkedSoftware;
    expect(members).toBe(params.map((name) => `  ${name}: u32,\n`).join(""));
    for (const [, name] of code.matchAll(/params\.(\w+)/g)) {
      expect(params, title).toContain(name);
    }
  }
});

describe.each([
  ["gpu", linkedGpu],
  ["software", linkedSoftware],
])("linked for %s", (_, linked) => {
  const { tile } = linked;
  test.each(
    rows(
      plainOperators.map((op) => [op.name, op] as const),
      // The sum takes the most lengths: not in both in one run of the quick tier.
      { of: 6, shift: linked === linkedGpu ? 0 : 3 },
    ),
  )("%s, at every edge", async (_name, op) => {
    const lengths =
      op.name === "add" ? [1, 3, 4, 5, ...around(tile), 3 * tile + 5, tile ** 2 + 1] : [tile + 3];
    for (const length of lengths) {
      const data = itemsOf(length);
      for (const exclusive of [false, true]) {
        const actual = await scanPlainly(
          plainKernels(linked),
          contextOf(fold().device),
          givenOf(data),
          op,
          exclusive,
        );
        const expected = scanReference(data, { op: untyped(op), exclusive });
        expectSameBits(
          actual as Uint32Array,
          expected,
          `${length}, ${exclusive ? "exclusive" : "inclusive"}`,
        );
      }
    }
  });

  test("a device with less room than most has no such scan", async () => {
    const context = contextOf(fold().device);
    for (const limits of [
      { maxComputeInvocationsPerWorkgroup: linked.workGroupSize - 1 },
      { maxComputeWorkgroupSizeX: linked.workGroupSize - 1 },
      { maxComputeWorkgroupsPerDimension: 1 },
      { maxStorageBufferBindingSize: 4 * tile },
      { maxBufferSize: 4 * tile },
    ]) {
      const less = { ...context, facts: factsWith({}, limits) };
      const scan = scanPlainly(plainKernels(linked), less, givenOf(itemsOf(tile + 1)), plain(add), false);
      expect(await scan).toBeUndefined();
    }
  });
});

const plain = (op: Operator) => op as (typeof plainOperators)[number];

/** Whether the last of the device's kernels were linked beforehand, after a call on a new device. */
async function scansPlainly(call: (fold: Awaited<ReturnType<typeof open>>) => Promise<unknown>) {
  const one = await open({ adapter });
  await call(one).catch(() => undefined);
  const codes = [...contextOf(one.device).pipelines.keys()];
  one.destroy();
  return codes.map((code) => code.includes("output_base") && !code.includes("input_base"));
}

class Numbers extends Uint32Array {}

const first = operator({
  name: "first",
  type: u32,
  identity: 0xffffffff,
  combine: "select(earlier, later, earlier == 0xffffffffu)",
  reference: (earlier, later) => (earlier === 0xffffffff ? later : earlier),
});

test("what is plain, and what is not", async () => {
  const data = itemsOf(20_000);
  const kernelsOf = (length: number) => new Array<boolean>(length).fill(true);
  expect(await scansPlainly((one) => one.scan(data.subarray(0, 5)))).toEqual(kernelsOf(1));
  expect(await scansPlainly((one) => one.scan(data))).toEqual(kernelsOf(3));
  expect(await scansPlainly((one) => one.scan(data, { op: max, exclusive: true }))).toEqual(kernelsOf(3));
  for (const call of [
    (one) => one.scan(data, { itemsPerThread: 4 }),
    (one) => one.scan(data, { map: "x + 1u" }),
    (one) => one.scan(data, { op: first }),
    (one) => one.scan(data, { op: operators.logicalOr }),
    (one) => one.scan(new Numbers(5)),
    (one) => one.scan(Int32Array.from(data)),
  ] as Parameters<typeof scansPlainly>[0][]) {
    expect(await scansPlainly(call)).toContain(false);
  }
});

test("parts of an array, and none of it", async () => {
  const data = itemsOf(700);
  const part = data.subarray(33, 650);
  expectSameBits(await fold().scan(part), scanReference(part.slice()), "part");
  expect(await fold().scan(data.subarray(3, 3))).toEqual(new Uint32Array());
});

test("what is wrong is said as for any other scan", async () => {
  const data = itemsOf(5);
  await expect(fold().scan(data, { op: null as never })).rejects.toThrow(ArgumentError);
  await expect(fold().scan(data, { op: "add" as never })).rejects.toThrow(
    "scan: op is add; it takes add, max or another of Wavefold's operators, or operator(…)",
  );
  await expect(fold().scan([3, 1] as never)).rejects.toThrow(ArgumentError);
  await expect(fold().scan(null as never)).rejects.toThrow("scan");
  const one = await open({ adapter });
  contextOf(one.device).facts = factsWith({ software: true }, { maxStorageBufferBindingSize: 16 });
  await expect(one.scan(data)).rejects.toThrow(LimitError);
  one.destroy();
  await expect(one.scan(data.slice(0, 4))).rejects.toThrow(DeviceLostError);
});
