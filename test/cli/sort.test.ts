import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test, vi } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { Scalar } from "../../src/algebra/types.ts";
import { runPrimitive } from "../../src/cli/primitive.ts";
import { Fold } from "../../src/gpu/fold.ts";
import { sort as aSort, sortExamples, sortHelp } from "../../src/primitives/sort.ts";
import { argSortReference, sortReference } from "../../src/reference/sort.ts";
import { SIMULATED, unixMissing } from "../support/adapter.ts";
import { failsIn, program } from "../support/command.ts";
import { done, useNpyFolder } from "../support/npy_folder.ts";
import { randomItems } from "../support/random.ts";

// Sorts in the command.

const { u32, i32, f32, u64, f64 } = elementTypes;
const files = useNpyFolder();
const { put, fileOf, run } = files;
const dataOf = (name: string): Scalar[] => fileOf(name).data;

test("sorts floats in the order of their numbers, of any shape, in one dimension", () => {
  const numbers = Float32Array.of(3, Number.NaN, 0, -0, -Infinity, 7);
  put("x.npy", f32, numbers, [2, 3]);
  expect(run("sort", "x.npy", "-o", "s.npy")).toEqual(done);
  expect(fileOf("s.npy")).toEqual({ type: "f32", shape: [6], data: [-Infinity, -0, 0, 3, 7, Number.NaN] });
  expect(run("argsort", "x.npy", "-o", "p.npy")).toEqual(done);
  expect(fileOf("p.npy")).toEqual({ type: "u32", shape: [6], data: [4, 3, 2, 0, 5, 1] });
  expect(run("argsort", "x.npy", "-o", "p.npy", "--descending")).toEqual(done);
  expect(dataOf("p.npy")).toEqual([1, 5, 0, 2, 3, 4]);
  // The input's own place.
  expect(run("sort", "x.npy", "-o", "x.npy", "--descending", "--algorithm", "hillis-steele")).toEqual(done);
  expect(dataOf("x.npy")).toEqual([Number.NaN, 7, 3, 0, -0, -Infinity]);
});

test("sorts by several keys, each in its order", () => {
  const [cities, ages, names] = [
    [2, 1, 2, 1],
    [30, 41, 52, 7],
    [0, 1, 2, 3],
  ];
  put("city.npy", u32, Uint32Array.from(cities));
  put("age.npy", f32, Float32Array.from(ages));
  put("name.npy", u64, BigUint64Array.from(names, BigInt));
  const keys = ["city.npy", "--then-by", "age.npy", "--orders", "ascending,descending"];
  expect(run("argsort", ...keys, "-o", "p.npy")).toEqual(done);
  expect(dataOf("p.npy")).toEqual([1, 3, 2, 0]);
  const values = ["--values", "name.npy", "--values-out", "n.npy"];
  expect(run("sort", ...keys, "-o", "c.npy", "--then-by-out", "a.npy", ...values)).toEqual(done);
  expect([fileOf("c.npy"), fileOf("a.npy"), fileOf("n.npy")]).toEqual([
    { type: "u32", shape: [4], data: [1, 1, 2, 2] },
    { type: "f32", shape: [4], data: [41, 7, 52, 30] },
    { type: "u64", shape: [4], data: [1n, 3n, 2n, 0n] },
  ]);
  const fails = (message: RegExp, ...args: string[]): void =>
    failsIn(files.path, message, [...args, ...SIMULATED]);
  fails(/1 --then-by file and 0 --then-by-out files/, "sort", ...keys, "-o", "c.npy");
  fails(/--orders.*ascending or descending/, "argsort", ...keys.slice(0, 4), "up,down", "-o", "c.npy");
  fails(/--orders has 1 order; it takes 2/, "argsort", ...keys.slice(0, 4), "ascending", "-o", "c.npy");
  fails(/--orders.*cannot be used with.*--descending/, "argsort", ...keys, "--descending", "-o", "c.npy");
});

test("a merge writes values where it has values of both arrays", () => {
  put("a.npy", u32, Uint32Array.of(1, 5));
  put("b.npy", u32, Uint32Array.of(2, 5, 9));
  put("c.npy", u32, Uint32Array.of(2, 5));
  const merged = ["merge", "a.npy", "b.npy", "-o", "moved-keys.npy"];
  const [values, others, output] = [
    ["--values", "a.npy"],
    ["--other-values", "b.npy"],
    ["--values-out", "moved.npy"],
  ] as const;
  expect(run(...merged, ...values, ...others, ...output)).toEqual(done);
  expect(dataOf("moved.npy")).toEqual([1, 2, 5, 5, 9]);
  const fails = (message: RegExp, ...args: string[]): void =>
    failsIn(files.path, message, [...args, ...SIMULATED]);
  fails(/0 --values files and 1 --values-out file/, ...merged, ...output);
  fails(/1 --values file and 0 --values-out files/, ...merged, ...values, ...others);
  fails(/--other-values is missing; it takes an array beside --values/, ...merged, ...values, ...output);
  fails(/--values is missing; it takes an array beside --other-values/, ...merged, ...others);
  const twice = ["map", "a.npy", "-o", "m.npy", "--map", "x + y", "--with", "y=c.npy", "--with", "y=c.npy"];
  fails(/--with has y twice/, ...twice);
  fails(/b\.npy: it holds 3 elements, and a\.npy holds 2/, ...twice.slice(0, 6), "--with", "y=b.npy");
  fails(/--edge is missing/, ...twice.slice(0, 4), "--map", "before", "--neighbours", "before=-1");
});

test("sorts by keys, by their type, and by some of their bits", () => {
  const data = randomItems(i32, 1500, "by keys") as Int32Array;
  put("x.npy", i32, data);
  const low = (x: number): number => (x >>> 0) % 7;
  expect(run("sort", "x.npy", "-o", "s.npy", "--key", "u32(x) % 7u", "--key-type", "u32")).toEqual(done);
  const byKey = { key: low as (x: unknown) => number, keyType: u32 };
  expect(dataOf("s.npy")).toEqual(Array.from(sortReference(data, byKey)));
  expect(run("argsort", "x.npy", "-o", "p.npy", "--key", "u32(x) % 7u", "--key-type", "u32")).toEqual(done);
  expect(dataOf("p.npy")).toEqual(Array.from(argSortReference(data, byKey)));
  expect(run("sort", "x.npy", "-o", "s.npy", "--bits", "3,11", "--descending")).toEqual(done);
  const byBits = { bits: [3, 11], descending: true } as const;
  expect(dataOf("s.npy")).toEqual(Array.from(sortReference(data, byBits)));
  expect(dataOf("s.npy")).not.toEqual(Array.from(sortReference(data, { descending: true })));
});

test("values move with their elements: one file, and several of other types", () => {
  const data = Uint32Array.from(randomItems(u32, 900, "keys") as Uint32Array, (x) => x % 100);
  const positions = argSortReference(data);
  const moved = (values: ScalarArray): Scalar[] => Array.from(positions, (at) => values[at] as Scalar);
  const floats = Float64Array.from(data, (_, at) => at / 7);
  const names = Int32Array.from(data, (_, at) => -at);
  put("x.npy", u32, data, [9, 100]);
  put("f.npy", f64, floats);
  put("i.npy", i32, names, [900, 1]);
  expect(run("sort", "x.npy", "-o", "s.npy", "--values", "i.npy", "--values-out", "i2.npy")).toEqual(done);
  expect(fileOf("s.npy")).toEqual({ type: "u32", shape: [900], data: Array.from(sortReference(data)) });
  expect(fileOf("i2.npy")).toEqual({ type: "i32", shape: [900], data: moved(names) });
  const both = ["--values", "f.npy", "--values", "i.npy", "--values-out", "f2.npy", "--values-out", "i.npy"];
  expect(run("sort", "x.npy", "-o", "x.npy", ...both)).toEqual(done);
  expect(dataOf("x.npy")).toEqual(Array.from(sortReference(data)));
  expect(fileOf("f2.npy")).toEqual({ type: "f64", shape: [900], data: moved(floats) });
  expect(dataOf("i.npy")).toEqual(moved(names));
});

test("values of f16, whose bits an array of another type may hold", () => {
  const { f16 } = elementTypes;
  // 1, 2 and 0.5.
  const halves = arrayOver(f16, Uint16Array.of(0x3c00, 0x4000, 0x3800).buffer) as ScalarArray;
  put("x.npy", u32, Uint32Array.of(2, 9, 0));
  put("h.npy", f16, halves);
  expect(run("sort", "x.npy", "-o", "s.npy", "--values", "h.npy", "--values-out", "v.npy")).toEqual(done);
  expect(dataOf("s.npy")).toEqual([0, 2, 9]);
  const bytes = readFileSync(join(files.path, "v.npy")).subarray(-6);
  expect(Array.from(new Uint16Array(Uint8Array.from(bytes).buffer))).toEqual([0x3800, 0x3c00, 0x4000]);
});

test("elements without a header, as text, and none at all", () => {
  writeFileSync(join(files.path, "x.txt"), "7 -1\n3");
  const text = ["x.txt", "--text", "i64", "-o", "-"];
  expect(run("sort", ...text)).toEqual({ ...done, stdout: "-1\n3\n7\n" });
  expect(run("argsort", ...text)).toEqual({ ...done, stdout: "1\n2\n0\n" });
  put("v.npy", f32, Float32Array.of(0.5, 0.25, 1));
  expect(run("sort", ...text, "--values", "v.npy", "--values-out", "w.npy").stdout).toBe("-1\n3\n7\n");
  expect(dataOf("w.npy")).toEqual([0.25, 1, 0.5]);
  writeFileSync(join(files.path, "x.bin"), BigUint64Array.of(2n ** 40n, 3n, 2n ** 63n));
  expect(run("sort", "x.bin", "--raw", "u64", "-o", "s.bin", "--descending")).toEqual(done);
  const sorted = new BigUint64Array(new Uint8Array(readFileSync(join(files.path, "s.bin"))).buffer);
  expect(Array.from(sorted)).toEqual([2n ** 63n, 2n ** 40n, 3n]);
  put("e.npy", u64, new BigUint64Array(0), [0, 4]);
  const values = ["--values", "e.npy", "--values-out", "v.npy"];
  expect(run("sort", "e.npy", "-o", "s.npy", ...values)).toEqual(done);
  expect([fileOf("s.npy"), fileOf("v.npy")]).toEqual([
    { type: "u64", shape: [0], data: [] },
    { type: "u64", shape: [0], data: [] },
  ]);
});

test("all outputs are written, or none", ({ skip }) => {
  skip(unixMissing !== undefined, unixMissing);
  // The file of f64 is larger than the shell lets files be.
  const count = 10_000;
  put("x.npy", u32, new Uint32Array(count));
  put("large.npy", f64, new Float64Array(count));
  const before = readdirSync(files.path);
  const small = ["--values", "x.npy", "--values-out", "small.npy"];
  const large = ["--values", "large.npy", "--values-out", "sorted.npy"];
  const args = ["sort", "x.npy", "-o", "s.npy", ...small, ...large, ...SIMULATED];
  const { status, stderr } = spawnSync(
    "bash",
    ["-c", 'ulimit -f 64; exec "$@"', "bash", process.execPath, program, ...args],
    { cwd: files.path, encoding: "utf8" },
  );
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "wavefold: sorted.npy: the file would be larger than the system lets it be\n",
  });
  expect(readdirSync(files.path)).toEqual(before);
});

test("what it refuses, it refuses in one line, and writes nothing", () => {
  put("x.npy", u32, Uint32Array.of(4, 1, 2, 3));
  put("v.npy", u32, Uint32Array.of(0, 3));
  put("w.npy", u32, Uint32Array.of(4, 1, 2, 3));
  const sort = ["sort", "x.npy", "-o", "s.npy"];
  const wrong: readonly [string[], RegExp][] = [
    [["sort", "x.npy"], /sort: -o, --output <out\.npy> is missing: where the result goes/],
    [[...sort, "--key-type", "i32"], /sort<u32>: --key-type is i32; it takes a type only beside --key/],
    [["argsort", "x.npy", "-o", "p.npy", "--key-type", "i32"], /argSort<u32>: --key-type is i32/],
    [[...sort, "--key", "x", "--key-type", "u8"], /Allowed choices are u32, i32/],
    [[...sort, "--bits", "3"], /sort<u32>: --bits is \[3\]; it takes .*0 <= from < to <= 32/],
    [[...sort, "--bits", "3,33"], /sort<u32>.*bits.*3, 33.*0 <= from < to <= 32, the bits of a key of u32/],
    [[...sort, "--bits", "8,8"], /0 <= from < to/],
    [[...sort, "--key", "y + 1u"], /y/],
    [
      [...sort, "--values", "w.npy"],
      /given 1 --values file and 0 --values-out files; it takes one --values-out for each/,
    ],
    [[...sort, "--values-out", "w.npy"], /given 0 --values files and 1 --values-out file;/],
    [[...sort, "--values", "-", "--values-out", "o.npy"], /--values and --values-out take files/],
    [[...sort, "--values", "w.npy", "--values-out", "-"], /--values and --values-out take files/],
    [[...sort, "--values", "w.npy", "--values-out", "./s.npy"], /s\.npy: two outputs would go there/],
    [
      [...sort, "--values", "v.npy", "--values-out", "o.npy"],
      /v\.npy: it holds 2 values, and x\.npy holds 4 elements; it takes one value for each/,
    ],
    [[...sort, "--values", "none.npy", "--values-out", "o.npy"], /none\.npy: there is no such file/],
    [[...sort, "--values", "w.npy", "--values-out", "none/o.npy"], /the output's folder none does not exist/],
    [
      ["argsort", "x.npy", "-o", "p.npy", "--values", "w.npy"],
      /unknown option '--values'; wavefold argsort --help lists its options/,
    ],
  ];
  for (const [args, message] of wrong) {
    failsIn(files.path, message, [...args, ...SIMULATED]);
  }
});

test("sorts rows and segments on their own, in the input's shape", () => {
  const data = Int32Array.from(randomItems(i32, 600, "rows") as Int32Array, (x) => x % 50);
  put("x.npy", i32, data, [3, 2, 100]);
  const bits = Array.from(data);
  put(
    "v.npy",
    u32,
    Uint32Array.from(data, (_, at) => at),
  );
  for (const [given, segments] of [
    [["--rows"], { rows: 100 }],
    [["--rows", "200"], { rows: 200 }],
    [["--offsets", "o.npy"], { offsets: [0, 0, 7, 300, 600] }],
  ] as const) {
    put("o.npy", u32, Uint32Array.of(0, 0, 7, 300, 600));
    const positions = argSortReference(data, { segments });
    expect(run("argsort", "x.npy", "-o", "p.npy", ...given)).toEqual(done);
    expect(fileOf("p.npy")).toEqual({ type: "u32", shape: [3, 2, 100], data: Array.from(positions) });
    const values = ["--values", "v.npy", "--values-out", "w.npy"];
    expect(run("sort", "x.npy", "-o", "s.npy", ...values, ...given)).toEqual(done);
    const sorted = Array.from(positions, (at) => bits[at]);
    expect(fileOf("s.npy")).toEqual({ type: "i32", shape: [3, 2, 100], data: sorted });
    expect(dataOf("w.npy")).toEqual(Array.from(positions));
  }
  failsIn(files.path, /sort<i32>: rows of 7 items do not divide the 600 items of the array/, [
    ...["sort", "x.npy", "-o", "s.npy", "--rows", "7"],
    ...SIMULATED,
  ]);
  put("o.npy", u32, Uint32Array.of(0, 7, 3, 600));
  failsIn(files.path, /sort<i32>: offset 2 is 3, after 7; offsets start from 0, never fall, and end with/, [
    ...["sort", "x.npy", "-o", "s.npy", "--offsets", "o.npy"],
    ...SIMULATED,
  ]);
});

test("segments of offsets are sorted as segments of the longest one's length", async () => {
  const data = randomItems(u32, 600, "longest") as Uint32Array;
  const offsets = [0, 0, 7, 300, 600];
  put("x.npy", u32, data);
  put("o.npy", u32, Uint32Array.from(offsets));
  const sort = vi.spyOn(Fold.prototype, "sort");
  try {
    const pathOf = (name: string): string => join(files.path, name);
    await runPrimitive({ primitive: aSort, help: sortHelp, examples: sortExamples }, [pathOf("x.npy")], {
      offsets: pathOf("o.npy"),
      values: [pathOf("x.npy")],
      valuesOut: [pathOf("v.npy")],
      output: pathOf("s.npy"),
      adapter: SIMULATED[1],
    });
    // The least power of two that is not below it, so that plans are shared.
    expect(sort.mock.calls.map(([, options]) => options)).toMatchObject([{ maxSegmentLength: 512 }]);
  } finally {
    sort.mockRestore();
  }
  expect(dataOf("s.npy")).toEqual(Array.from(sortReference(data, { segments: { offsets } })));
  expect(dataOf("v.npy")).toEqual(dataOf("s.npy"));
});
