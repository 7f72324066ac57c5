import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { nthReference, topKReference } from "../../src/reference/sort.ts";
import { SIMULATED } from "../support/adapter.ts";
import { failsIn } from "../support/command.ts";
import { done, useNpyFolder } from "../support/npy_folder.ts";
import { randomItems } from "../support/random.ts";

// Selections in the command.

const { u32, i32, f32, u64 } = elementTypes;
const files = useNpyFolder();
const { put, fileOf, run } = files;

test("topk writes the greatest elements and their positions", () => {
  const data = randomItems(i32, 3000, "topk") as Int32Array;
  put("x.npy", i32, data, [30, 100]);
  expect(run("topk", "x.npy", "-k", "20", "-o", "b.npy", "--indices-out", "p.npy")).toEqual(done);
  const { values, indices } = topKReference(data, 20);
  expect(fileOf("b.npy")).toEqual({ type: "i32", shape: [20], data: Array.from(values) });
  expect(fileOf("p.npy")).toEqual({ type: "u32", shape: [20], data: Array.from(indices) });
  // More than there are, into the input's own place.
  expect(run("topk", "x.npy", "-k", "4000", "-o", "x.npy", "--smallest")).toEqual(done);
  expect(fileOf("x.npy").data).toEqual(Array.from(data.slice().sort()));
});

test("topk takes some of the bits, and nth the order", () => {
  const data = randomItems(u64, 1000, "nth") as BigUint64Array;
  put("x.npy", u64, data);
  const low = ["--bits", "3,11"];
  expect(run("topk", "x.npy", "-k", "5", "-o", "b.npy", ...low)).toEqual(done);
  expect(fileOf("b.npy").data).toEqual(Array.from(topKReference(data, 5, { bits: [3, 11] }).values));
  const { value, index } = nthReference(data, 400, { descending: true });
  expect(run("nth", "x.npy", "-n", "400", "--descending")).toEqual({
    ...done,
    stdout: `${index} ${value}\n`,
  });
});

test("topk and nth take text", () => {
  writeFileSync(join(files.path, "x.txt"), "3\n-1\n7\nnan\n");
  const text = ["x.txt", "--text", "f32"];
  expect(run("nth", ...text, "-n", "1")).toEqual({ ...done, stdout: "0 3.0\n" });
  expect(run("topk", ...text, "-k", "2", "-o", "-")).toEqual({ ...done, stdout: "nan\n7.0\n" });
});

test("topk takes keys that are computed", () => {
  writeFileSync(join(files.path, "x.txt"), "3\n-1\n7\nnan\n");
  const negated = ["--key", "u32(abs(x))", "--key-type", "u32"];
  expect(run("topk", "x.txt", "--text", "i32", "-k", "1", "-o", "-", ...negated).status).toBe(1);
  writeFileSync(join(files.path, "i.txt"), "3\n-9\n7\n");
  expect(run("topk", "i.txt", "--text", "i32", "-k", "1", "-o", "-", ...negated).stdout).toBe("-9\n");
});

const refused: readonly (readonly [message: RegExp, ...args: string[]])[] = [
  [/-k/, "topk", "x.npy", "-o", "b.npy"],
  [/-k is 0; it takes a whole number from 1/, "topk", "x.npy", "-k", "0", "-o", "b.npy"],
  [/whole number/, "topk", "x.npy", "-k", "some", "-o", "b.npy"],
  [/two outputs would go there/, "topk", "x.npy", "-k", "1", "-o", "b.npy", "--indices-out", "./b.npy"],
  [/--indices-out takes a file/, "topk", "x.npy", "-k", "1", "-o", "b.npy", "--indices-out", "-"],
  [
    /--key-type is u32; it takes a type only beside --key/,
    "topk",
    "x.npy",
    "-k",
    "1",
    "-o",
    "b.npy",
    "--key-type",
    "u32",
  ],
  [/--bits is \[3, 40\]/, "topk", "x.npy", "-k", "1", "-o", "b.npy", "--bits", "3,40"],
  [/-n is 3, and there are 3 elements; it takes 0 to 2/, "nth", "x.npy", "-n", "3"],
  [/none\.npy/, "nth", "none.npy", "-n", "0"],
  [/the predicate|the key/, "nth", "x.npy", "-n", "0", "--key", "x +"],
];
test.for(refused)("what is refused leaves nothing behind: %s", ([message, ...args]) => {
  put("x.npy", f32, Float32Array.of(3, 1, 7));
  failsIn(files.path, message, [...args, ...SIMULATED]);
});

test("topk takes the greatest elements of each row", () => {
  const data = randomItems(f32, 600, "topk of rows") as Float32Array;
  put("x.npy", f32, data, [6, 100]);
  for (const [k, given, rows] of [
    [7, ["--rows"], 100],
    [50, ["--rows", "30"], 30],
  ] as const) {
    const { values, indices } = topKReference(data, k, { segments: { rows } });
    const shape = [600 / rows, Math.min(k, rows)];
    expect(run("topk", "x.npy", "-k", `${k}`, "-o", "b.npy", "--indices-out", "p.npy", ...given)).toEqual(
      done,
    );
    expect(fileOf("b.npy")).toEqual({ type: "f32", shape, data: Array.from(values) });
    expect(fileOf("p.npy")).toEqual({ type: "u32", shape, data: Array.from(indices) });
  }
});

test("topk takes the greatest elements of each segment between offsets", () => {
  put("x.npy", f32, Float32Array.of(3, -1, 7, 5));
  put("o.npy", u32, Uint32Array.of(0, 3, 4));
  const out = ["-o", "b.npy", "--indices-out", "p.npy"];
  expect(run("topk", "x.npy", "-k", "2", "--offsets", "o.npy", ...out)).toEqual(done);
  expect(fileOf("b.npy")).toEqual({ type: "f32", shape: [2, 2], data: [7, 3, 5, 0] });
  expect(fileOf("p.npy")).toEqual({ type: "u32", shape: [2, 2], data: [2, 0, 3, 0xffffffff] });
});

test("topk takes a number of each segment", () => {
  put("x.npy", f32, Float32Array.of(9, 3, 8, 7, 6, 5));
  put("o.npy", u32, Uint32Array.of(0, 3, 3, 5, 6));
  put("k.npy", elementTypes.i64, BigInt64Array.of(2n, 7n, 1n, 0n));
  for (const k of ["k.npy", "2,7,1,0"]) {
    const given = ["topk", "x.npy", "-k", k, "--offsets", "o.npy", "-o", "b.npy"];
    expect(run(...given, "--indices-out", "p.npy", "--offsets-out", "s.npy")).toEqual(done);
    expect(fileOf("b.npy")).toEqual({ type: "f32", shape: [3], data: [9, 8, 7] });
    expect(fileOf("p.npy")).toEqual({ type: "u32", shape: [3], data: [0, 2, 3] });
    expect(fileOf("s.npy")).toEqual({ type: "u32", shape: [5], data: [0, 2, 2, 3, 3] });
  }
  expect(run("topk", "x.npy", "-k", "1,0", "--rows", "3", "-o", "b.npy")).toEqual(done);
  expect(fileOf("b.npy").data).toEqual([9]);
});

test.for<readonly [RegExp, ...string[]]>([
  [/there are no offsets; leave --offsets-out out/, "-k", "1", "--offsets-out", "s.npy"],
  [/-k is 2 numbers for 3 segments; it takes one for each/, "-k", "1,2", "--rows", "1"],
  [/-k\[0\] is -1; it takes a whole number from 0/, "-k", "-1,2,3", "--rows", "1"],
  [/-k is an array; it takes a whole number, or beside segments/, "-k", "1,2"],
  [/-k is "none\.npy", which is no file/, "-k", "none.npy", "--rows", "1"],
])("numbers of segments that are wrong: %s", ([message, ...args]) => {
  put("x.npy", f32, Float32Array.of(3, 1, 7));
  failsIn(files.path, message, ["topk", "x.npy", "-o", "b.npy", ...args, ...SIMULATED]);
});
