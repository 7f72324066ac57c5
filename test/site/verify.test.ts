import { expect, test } from "vitest";
import { ownOperator, ownPredicate, predicates, typeNames } from "../../site/choices.ts";
import { countingArray, parseNumbers, parseValue, randomArray, readerOf } from "../../site/data.ts";
import type { Task } from "../../site/verify.ts";
import { onCpu, verify } from "../../site/verify.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max, mul } from "../../src/algebra/operators.ts";
import type { Value } from "../../src/algebra/types.ts";
import type { Grouping } from "../../src/plan/grouping.ts";
import { groupedScanFrom } from "../../src/reference/grouping.ts";
import { useSoftwareFold } from "../support/fold.ts";

const fold = useSoftwareFold();

const grouping: Grouping = {
  algorithm: "blelloch",
  passes: "reduce-then-scan",
  workGroupSize: 8,
  itemsPerThread: 2,
  subgroupSize: 4,
};
const task = (details: Partial<Task>): Task => ({
  primitive: "scan",
  type: "u32",
  op: add as Operator as Operator<string>,
  own: false,
  exclusive: false,
  predicate: undefined,
  data: randomArray(details.type ?? "u32", details.op?.name ?? "add", 200, 7),
  ...details,
});

test("one wrong bit is found, whatever the type", () => {
  for (const type of typeNames.filter((name) => name !== "f32" && name !== "f16")) {
    const one = task({ type });
    const output = onCpu(one, type === "f64" ? grouping : undefined);
    expect(verify(one, output, grouping).ok, type).toBe(true);
    const bytes = new Uint8Array(output.buffer as ArrayBuffer);
    const last = output.byteLength - elementTypes[type].bytes;
    bytes[last] = (bytes[last] ?? 0) ^ 1;
    expect(verify(one, output, grouping), type).toMatchObject({
      ok: false,
      text: expect.stringMatching(/^At 199 /),
    });
    expect(verify(one, (output as Uint32Array).slice(1), grouping).text, type).toBe(
      "The GPU gives 199 values, and the CPU 200.",
    );
  }
});

test("a float may be off by its bound, and by no more", () => {
  for (const op of [add, mul]) {
    for (const exclusive of [false, true]) {
      const one = task({ type: "f32", op: op as Operator as Operator<string>, exclusive });
      const output = onCpu(one) as Float32Array;
      expect(verify(one, output, grouping).ok).toBe(true);
      output[150] = (output[150] ?? 0) * (1 + 2 ** -22) + 2 ** -24;
      expect(verify(one, output, grouping).ok).toBe(true);
      output[150] += 0.02;
      expect(verify(one, output, grouping)).toMatchObject({
        ok: false,
        text: expect.stringContaining("At 150 the GPU has"),
      });
    }
  }
  const least = task({ type: "f32", op: max as Operator as Operator<string> });
  const output = onCpu(least) as Float32Array;
  output[3] = (output[3] ?? 0) + 2 ** -20;
  expect(verify(least, output, grouping).ok).toBe(false);
});

/** Groupings in which few items, tiles, groups, levels or subgroups each make the longest chain of additions. */
const chains: readonly { title: string; grouping: Grouping; length: number }[] = [
  { title: "two passes", grouping, length: 4000 },
  ...[1, 2, 8].map((fanOut) => ({
    title: `groups of ${fanOut}`,
    grouping: { ...grouping, passes: "single", lookBack: { byVotes: false, fanOut } } as const,
    length: 4000,
  })),
  {
    title: "one group",
    grouping: {
      ...grouping,
      algorithm: "hillis-steele",
      passes: "single",
      lookBack: { byVotes: false, fanOut: 256 },
    },
    length: 4000,
  },
  {
    title: "subgroups",
    grouping: {
      ...grouping,
      algorithm: "subgroup",
      workGroupSize: 256,
      passes: "single",
      lookBack: { byVotes: true, fanOut: 4 },
    },
    length: 2000,
  },
  {
    title: "subgroups in two passes",
    grouping: { ...grouping, algorithm: "subgroup", workGroupSize: 64 },
    length: 4000,
  },
  {
    title: "vectors of a thread",
    grouping: {
      ...grouping,
      itemsPerThread: 64,
      itemsPerVector: 4,
      passes: "single",
      lookBack: { byVotes: false, fanOut: 2 },
    },
    length: 4000,
  },
];

test.each(chains)("the bound is that of a sum that is rounded up each time: $title", (chain) => {
  const data = Float32Array.from({ length: chain.length }, (_, at) => (at === 0 ? 1 : 0));
  // Only what stands for no item is added without rounding.
  const identity = -1;
  const up = {
    identity,
    reference: (earlier: Value, later: Value) =>
      earlier === identity
        ? later
        : later === identity
          ? earlier
          : ((earlier as number) + (later as number)) * (1 + 2 ** -23),
  };
  const prefixes = groupedScanFrom(up, undefined, [...data], false, chain.grouping).prefixes as number[];
  const output = (by: number): Float32Array => Float32Array.from(prefixes, (prefix) => 1 + (prefix - 1) * by);
  const one = task({ type: "f32", data });
  expect(verify(one, output(1), chain.grouping)).toMatchObject({ ok: true });
  // And it is not much wider.
  expect(verify(one, output(4), chain.grouping).ok).toBe(false);
});

test("the predicates say the same in WGSL as in JavaScript", async () => {
  const listed = {
    unsigned: "0 1 2 3 4 5 1000 4294967295",
    signed: "0 1 -1 2 -2 3 -3 2147483647 -2147483648",
    float: "0 -0 1 -1 0.5 -0.5 inf -inf nan",
  };
  for (const type of typeNames.filter((name) => name !== "f16")) {
    const data = parseNumbers(listed[elementTypes[type].kind as keyof typeof listed], type);
    const read = readerOf(data, type);
    for (const { title, of } of Object.values(predicates)) {
      const predicate = of(type);
      if (predicate !== undefined) {
        const kept = await fold().compact(data as Uint32Array, {
          where: predicate.where,
          indices: true,
          // Small tiles compile at once.
          workGroupSize: 8,
          itemsPerThread: 2,
          passes: "reduce-then-scan",
        });
        const expected = Array.from({ length: data.length }, (_, at) => at).filter((at) =>
          predicate.keep(read(at), at),
        );
        expect([...kept], `${title} of ${type}`).toEqual(expected);
      }
    }
  }
});

test("values that are typed are of the type, or an error says what it takes", () => {
  expect([...(parseNumbers("[1, 2;0x10]\n-3", "i32") as Int32Array)]).toEqual([1, 2, 16, -3]);
  expect([...(parseNumbers("-1 18446744073709551615".slice(3), "u64") as BigUint64Array)]).toEqual([
    2n ** 64n - 1n,
  ]);
  expect(parseValue("-Infinity", "f32", "It")).toBe(-Infinity);
  expect(parseValue("nan", "f64", "It")).toBeNaN();
  expect(parseValue("-0", "i32", "It")).toBe(0);
  for (const [text, type] of [
    ["1.5", "u32"],
    ["-1", "u64"],
    ["one", "f32"],
    ["", "f64"],
    ["2147483648", "i32"],
  ] as const) {
    expect(() => parseValue(text, type, "Number 2"), text).toThrow(`Number 2 is “${text}”; ${type} takes `);
  }
  expect([...(countingArray("f32", 3, false) as Float32Array)]).toEqual([1, 2, 3]);
});

test("what the visitor writes is checked when it is met", () => {
  const text = {
    name: "sum",
    type: "u32",
    identity: "0",
    combine: "earlier + later",
    script: "earlier + later",
  } as const;
  expect(ownOperator(text).reference?.(0xffffffff, 2)).toBe(1);
  expect(
    ownOperator({ ...text, script: "const both = earlier; return both + later" }).reference?.(1, 2),
  ).toBe(3);
  expect(() => ownOperator({ ...text, script: "earlier +" })).toThrow(
    "The JavaScript of your operator is no JavaScript",
  );
  expect(() => ownOperator({ ...text, script: " " })).toThrow("The JavaScript of your operator is empty");
  expect(() => ownOperator({ ...text, script: "'1'" }).reference?.(1, 2)).toThrow(
    "gives 1 for 1 and 2; it takes a number",
  );
  expect(() => ownOperator({ ...text, identity: "x" })).toThrow(
    "The identity is “x”; u32 takes whole numbers",
  );
  expect(() => ownOperator({ ...text, name: "a b" })).toThrow(
    "it takes letters, digits and single underscores",
  );
  expect(ownPredicate("x > 1u", "x > 1").keep(2, 0)).toBe(true);
});
