import { symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { SIMULATED } from "../support/adapter.ts";
import { failsIn } from "../support/command.ts";
import { done, useNpyFolder } from "../support/npy_folder.ts";

// Segments and runs in the command.

const { u32, i32, i64, f32, u64, f64 } = elementTypes;
const files = useNpyFolder();
const { put, run } = files;
const fileOf = (name: string) => {
  const { shape, data } = files.fileOf(name);
  return { shape, data };
};

test("rows: those of the last dimension, or of a given length", () => {
  put("m.npy", u32, Uint32Array.of(1, 2, 3, 4, 5, 6), [2, 3]);
  expect(run("scan", "m.npy", "-o", "s.npy", "--rows")).toEqual(done);
  expect(fileOf("s.npy")).toEqual({ shape: [2, 3], data: [1, 3, 6, 4, 9, 15] });
  expect(run("reduce", "m.npy", "-o", "t.npy", "--rows")).toEqual(done);
  expect(fileOf("t.npy")).toEqual({ shape: [2], data: [6, 15] });
  expect(run("scan", "m.npy", "-o", "s.npy", "--rows", "2", "--exclusive", "--initial", "10")).toEqual(done);
  expect(fileOf("s.npy")).toEqual({ shape: [2, 3], data: [10, 11, 10, 13, 10, 15] });
  expect(run("reduce", "m.npy", "-o", "t.npy", "--rows", "2", "--map", "x * x")).toEqual(done);
  expect(fileOf("t.npy")).toEqual({ shape: [3], data: [5, 25, 61] });
  put("e.npy", f32, new Float32Array(0), [0, 3]);
  expect(run("reduce", "e.npy", "-o", "t.npy", "--rows")).toEqual(done);
  expect(fileOf("t.npy")).toEqual({ shape: [0], data: [] });
});

test("columns: as many as the last dimension has, or a given number", () => {
  put("m.npy", u32, Uint32Array.of(1, 2, 3, 4, 5, 6), [2, 3]);
  expect(run("scan", "m.npy", "-o", "s.npy", "--columns")).toEqual(done);
  expect(fileOf("s.npy")).toEqual({ shape: [2, 3], data: [1, 2, 3, 5, 7, 9] });
  expect(run("reduce", "m.npy", "-o", "t.npy", "--columns")).toEqual(done);
  expect(fileOf("t.npy")).toEqual({ shape: [3], data: [5, 7, 9] });
  expect(run("reduce", "m.npy", "-o", "t.npy", "--columns", "2")).toEqual(done);
  expect(fileOf("t.npy")).toEqual({ shape: [2], data: [9, 12] });
});

test("an axis of a file, or of elements without a header", () => {
  put("c.npy", u32, Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), [2, 3, 2]);
  expect(run("scan", "c.npy", "-o", "s.npy", "--axis", "1")).toEqual(done);
  expect(fileOf("s.npy")).toEqual({ shape: [2, 3, 2], data: [1, 2, 4, 6, 9, 12, 7, 8, 16, 18, 27, 30] });
  expect(run("reduce", "c.npy", "-o", "t.npy", "--axis", "-2")).toEqual(done);
  expect(fileOf("t.npy")).toEqual({ shape: [2, 2], data: [9, 12, 27, 30] });
  expect(run("reduce", "c.npy", "-o", "t.npy", "--shape", "4,3", "--axis", "0")).toEqual(done);
  expect(fileOf("t.npy")).toEqual({ shape: [3], data: [22, 26, 30] });
});

test("heads: a flag or a bit for each element", () => {
  put("x.npy", f32, Float32Array.of(1, 2, 3, 4, 5));
  put("h.npy", u32, Uint32Array.of(0, 0, 1, 0, 7));
  expect(run("scan", "x.npy", "-o", "s.npy", "--heads", "h.npy")).toEqual(done);
  expect(fileOf("s.npy").data).toEqual([1, 3, 3, 7, 5]);
  expect(run("reduce", "x.npy", "-o", "t.npy", "--heads", "h.npy", "--op", "max")).toEqual(done);
  expect(fileOf("t.npy")).toEqual({ shape: [3], data: [2, 4, 5] });
  put("b.npy", u32, Uint32Array.of(0b10100));
  expect(run("reduce", "x.npy", "-o", "t.npy", "--head-bits", "b.npy", "--op", "max")).toEqual(done);
  expect(fileOf("t.npy")).toEqual({ shape: [3], data: [2, 4, 5] });
});

test("runs: run-length coding", () => {
  put("x.npy", u32, Uint32Array.of(4, 4, 7, 7, 7, 4));
  expect(run("runs", "x.npy", "-o", "v.npy", "--counts", "c.npy")).toEqual(done);
  expect(fileOf("v.npy").data).toEqual([4, 7, 4]);
  expect(fileOf("c.npy").data).toEqual([2, 3, 1]);
});

test("scans from the last element to the first, also of segments", () => {
  put("x.npy", u32, Uint32Array.of(3, 1, 7, 0, 4, 1));
  expect(run("scan", "x.npy", "-o", "s.npy", "--reverse")).toEqual(done);
  expect(fileOf("s.npy").data).toEqual([16, 13, 12, 5, 5, 1]);
  const ends = ["--reverse", "--exclusive", "--initial", "100"];
  expect(run("scan", "x.npy", "-o", "s.npy", ...ends, "--total")).toEqual({ ...done, stdout: "116\n" });
  expect(fileOf("s.npy").data).toEqual([113, 112, 105, 105, 101, 100]);
  for (const [segments, wanted] of [
    [
      ["--rows", "3"],
      [11, 8, 7, 5, 5, 1],
    ],
    [
      ["--columns", "3"],
      [3, 5, 8, 0, 4, 1],
    ],
    [
      ["--key", "x / 4u"],
      [4, 1, 7, 0, 4, 1],
    ],
  ] as const) {
    expect(run("scan", "x.npy", "-o", "s.npy", "--reverse", ...segments)).toEqual(done);
    expect(fileOf("s.npy").data, segments.join(" ")).toEqual(wanted);
  }
});

test("expand: the inverse of runs", () => {
  put("v.npy", f32, Float32Array.of(4, 7, 9));
  put("c.npy", i32, Int32Array.of(2, 0, 1));
  expect(run("expand", "v.npy", "--counts", "c.npy", "-o", "x.npy")).toEqual(done);
  expect(fileOf("x.npy")).toEqual({ shape: [3], data: [4, 4, 9] });
});

test("offsets, with segments that have no element, and keys with the key of each run", () => {
  put("x.npy", f32, Float32Array.of(1, 2, 3, 4));
  put("o.npy", u64, BigUint64Array.of(0n, 0n, 3n, 3n, 4n));
  expect(run("reduce", "x.npy", "-o", "t.npy", "--offsets", "o.npy")).toEqual(done);
  expect(fileOf("t.npy")).toEqual({ shape: [4], data: [0, 6, 0, 4] });
  put("k.npy", i32, Int32Array.of(-1, -1, 7, -1));
  expect(run("reduce", "x.npy", "-o", "t.npy", "--keys", "k.npy", "--unique", "u.npy")).toEqual(done);
  expect(fileOf("t.npy").data).toEqual([3, 3, 4]);
  expect(fileOf("u.npy").data).toEqual([-1, 7, -1]);
  expect(run("scan", "x.npy", "-o", "s.npy", "--keys", "k.npy", "--op", "max")).toEqual(done);
  expect(fileOf("s.npy").data).toEqual([1, 2, 3, 4]);
});

test("segments with gaps, from begins and ends", () => {
  put("x.npy", f32, Float32Array.of(9, 4, 3, 8, 2, 1));
  put("b.npy", u64, BigUint64Array.of(1n, 3n, 4n));
  put("e.npy", u64, BigUint64Array.of(3n, 3n, 6n));
  const spans = ["--begins", "b.npy", "--ends", "e.npy"];
  expect(run("reduce", "x.npy", "-o", "t.npy", ...spans)).toEqual(done);
  expect(fileOf("t.npy")).toEqual({ shape: [3], data: [7, 0, 3] });
  expect(run("scan", "x.npy", "-o", "t.npy", ...spans)).toEqual(done);
  expect(fileOf("t.npy").data).toEqual([0, 4, 7, 0, 2, 3]);
  expect(run("sort", "x.npy", "-o", "t.npy", ...spans)).toEqual(done);
  expect(fileOf("t.npy").data).toEqual([9, 3, 4, 8, 1, 2]);
  expect(run("topk", "x.npy", "-k", "1", "-o", "t.npy", "--indices-out", "i.npy", ...spans)).toEqual(done);
  expect([fileOf("t.npy"), fileOf("i.npy").data]).toEqual([
    { shape: [3, 1], data: [4, 0, 2] },
    [1, 4294967295, 4],
  ]);
  expect(run("reduce", "x.npy", "-o", "t.npy", "--begins", "b.npy").stderr).toContain(
    "--begins and --ends go together; --ends is missing",
  );
  expect(run("reduce", "x.npy", "-o", "t.npy", "--begins", "e.npy", "--ends", "b.npy").stderr).toContain(
    "segment 0 begins at 3 and ends at 1",
  );
});

test("unique elements, their positions, and run lengths", () => {
  put("x.npy", u32, Uint32Array.of(4, 4, 7, 7, 7, 4));
  expect(run("unique", "x.npy", "-o", "u.npy")).toEqual(done);
  expect(fileOf("u.npy").data).toEqual([4, 7, 4]);
  expect(run("unique", "x.npy", "-o", "u.npy", "--indices")).toEqual(done);
  expect(fileOf("u.npy").data).toEqual([0, 2, 5]);
  expect(run("unique", "x.npy", "-o", "u.npy", "--counts", "c.npy")).toEqual(done);
  expect([fileOf("u.npy").data, fileOf("c.npy").data]).toEqual([
    [4, 7, 4],
    [2, 3, 1],
  ]);
});

test("keys that are computed, of the input or of another file", () => {
  put("x.npy", u32, Uint32Array.of(11, 12, 25, 27, 3));
  put("t.npy", f32, Float32Array.of(0.5, 0.75, 1, 1.5, 7));
  const byTens = ["--key", "x / 10u"];
  expect(run("scan", "x.npy", "-o", "s.npy", ...byTens)).toEqual(done);
  expect(fileOf("s.npy").data).toEqual([11, 23, 25, 52, 3]);
  const bySeconds = ["--keys", "t.npy", "--key", "i32(x) - 1", "--key-type", "i32"];
  expect(run("reduce", "x.npy", "-o", "r.npy", ...bySeconds, "--unique", "k.npy")).toEqual(done);
  expect(fileOf("r.npy").data).toEqual([23, 52, 3]);
  expect(fileOf("k.npy").data).toEqual([-1, 0, 6]);
  expect(run("unique", "x.npy", "-o", "u.npy", ...byTens)).toEqual(done);
  expect(fileOf("u.npy").data).toEqual([11, 25, 3]);
  expect(run("runs", "x.npy", "-o", "v.npy", "--counts", "c.npy", ...byTens)).toEqual(done);
  expect(fileOf("v.npy").data).toEqual([11, 25, 3]);
  expect(fileOf("c.npy").data).toEqual([2, 2, 1]);
  // The guide's line, of NumPy's default type.
  put("t.npy", f64, Float64Array.of(0.2, 0.9, 1.5, 3.1));
  const ones = ["--map", "1u", "--type", "u32", "--key", "u32_from_f64(x)", "--key-type", "u32"];
  expect(run("reduce", "t.npy", "-o", "c.npy", ...ones, "--unique", "k.npy")).toEqual(done);
  expect(fileOf("k.npy").data).toEqual([0, 1, 3]);
  expect(fileOf("c.npy").data).toEqual([2, 1, 1]);
});

/** What is refused in one line, and writes nothing. */
const wrong: readonly [string[], RegExp][] = [
  [["reduce", "x.npy", "--rows", "2"], /many totals; it takes -o OUT\.npy/],
  [["reduce", "x.npy", "-o", "t.npy"], /reduce prints its one value/],
  [["reduce", "x.npy", "--reverse"], /unknown option '--reverse'/],
  [["scan", "x.npy", "-o", "-", "--reverse", "--total"], /--total and -o - both write to standard output/],
  [["scan", "x.npy", "-o", "t.npy", "--rows", "2", "--reverse", "--total"], /there is no total of all/],
  [
    ["reduce", "x.npy", "-o", "t.npy", "--rows", "2", "--unique", "u.npy"],
    /it takes --keys KEYS\.npy, too, or --key EXPR/,
  ],
  [["reduce", "x.npy", "-o", "t.npy", "--keys", "k.npy", "--unique", "-"], /--unique takes a file/],
  [["scan", "e.npy", "-o", "t.npy", "--rows"], /the last dimension, which is 0/],
  [["scan", "x.npy", "-o", "t.npy", "--rows", "3"], /rows of 3 items do not divide the 4 items/],
  [["reduce", "x.npy", "-o", "t.npy", "--rows", "3"], /rows of 3 items do not divide the 4 items/],
  [["reduce", "x.npy", "-o", "t.npy", "--rows"], /reduce: --rows without .* it takes --rows COUNT/],
  [["scan", "x.npy", "-o", "t.npy", "--rows"], /the input has one dimension; it takes --rows COUNT/],
  [["scan", "x.npy", "-o", "t.npy", "--rows", "0"], /whole number from 1 up/],
  [["scan", "x.npy", "-o", "t.npy", "--offsets", "o.npy"], /the last offset is 3/],
  [["scan", "x.npy", "-o", "t.npy", "--offsets", "h.npy"], /h\.npy: it holds f32; offsets are whole numbers/],
  [["scan", "x.npy", "-o", "t.npy", "--keys", "k.npy"], /keys has 2 elements for 4 items/],
  [["scan", "x.npy", "-o", "t.npy", "--keys", "k.npy", "--rows", "2"], /cannot be used with/],
  [["scan", "x.npy", "-o", "t.npy", "--key", "x", "--rows", "2"], /cannot be used with/],
  [["scan", "x.npy", "-o", "t.npy", "--key-type", "f32"], /scan: --key-type says what --key EXPR gives/],
  [
    ["unique", "x.npy", "-o", "t.npy", "--key-type", "f32"],
    /unique: --key-type is f32; it takes a type only beside --key/,
  ],
  [["scan", "x.npy", "-o", "t.npy", "--key", "x +"], /the key/],
  [["scan", "x.npy", "-o", "t.npy", "--rows", "2", "--total"], /no total of all/],
  [["scan", "x.npy", "-o", "t.npy", "--columns", "3"], /3 columns do not divide the 4 items/],
  [["scan", "x.npy", "-o", "t.npy", "--columns"], /the input has one dimension; it takes --columns COUNT/],
  [["scan", "x.npy", "-o", "t.npy", "--columns", "2", "--rows", "2"], /cannot be used with/],
  [
    ["scan", "x.npy", "-o", "t.npy", "--heads", "k.npy"],
    /k\.npy: it holds 2 flags, and x\.npy holds 4 elements/,
  ],
  [["scan", "x.npy", "-o", "t.npy", "--head-bits", "k.npy"], /headBits has 2 elements for 4 items/],
  [["scan", "x.npy", "-o", "t.npy", "--head-bits", "h.npy"], /h\.npy: it holds f32; words of bits are u32/],
  [["scan", "x.npy", "-o", "t.npy", "--head-bits", "k.npy", "--keys", "k.npy"], /cannot be used with/],
  [["expand", "x.npy", "-o", "t.npy"], /--counts <counts\.npy> is missing/],
  [["expand", "x.npy", "-o", "t.npy", "--counts", "h.npy"], /h\.npy: it holds f32; counts are whole numbers/],
  [
    ["expand", "x.npy", "-o", "t.npy", "--counts", "k.npy"],
    /k\.npy: it holds 2 counts, and x\.npy holds 4 values; it takes one count for each/,
  ],
  [
    ["expand", "x.npy", "-o", "t.npy", "--counts", "n.npy"],
    /n\.npy: counts\[1\] is -7; it takes 0 to 2\^32 - 1/,
  ],
  [["runs", "x.npy", "-o", "t.npy"], /--counts <counts\.npy> is missing/],
  [["runs", "x.npy", "-o", "t.npy", "--counts", "-"], /runs: --counts takes a file/],
  [
    ["unique", "x.npy", "-o", "u.npy", "--inverse", "c.npy", "--min-count", "2"],
    /takes --inverse or --min-count, and not both/,
  ],
  [["unique", "x.npy", "-o", "u.npy", "--counts", "-"], /unique: --counts takes a file/],
  [["unique", "x.npy", "-o", "u.npy", "--counts", "./u.npy"], /u\.npy: two outputs would go there/],
  [["runs", "x.npy", "-o", "k.npy", "--counts", "link.npy"], /link\.npy: two outputs would go there/],
  [
    ["reduce", "x.npy", "--key", "x", "-o", "new.npy", "--unique", "../to/new.npy"],
    /new\.npy: two outputs would go there/,
  ],
  [["scan", "x.npy", "-o", "s.npy", "--shape", "2,2"], /--shape takes --axis N, too/],
  [["scan", "x.npy", "-o", "s.npy", "--axis", "3"], /axis: 3; it takes a whole number from -1 to 0/],
  [["scan", "x.npy", "-o", "s.npy", "--axis", "x"], /It takes a whole number/],
];
test.each(wrong)("it refuses %j", (args, message) => {
  put("x.npy", u32, Uint32Array.of(1, 2, 3, 4));
  put("o.npy", u32, Uint32Array.of(0, 3));
  put("k.npy", u32, Uint32Array.of(0, 3));
  put("e.npy", u32, new Uint32Array(0), [3, 0]);
  put("h.npy", f32, Float32Array.of(0, 4));
  put("n.npy", i64, BigInt64Array.of(0n, -7n));
  symlinkSync("k.npy", join(files.path, "link.npy"));
  const inFolder = args.map((arg) => arg.replace("../to", `../${basename(files.path)}`));
  failsIn(files.path, message, [...inFolder, ...SIMULATED]);
});
