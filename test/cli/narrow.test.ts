import { Buffer } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Dtype } from "../../src/cli/dtypes.ts";
import { arrays } from "../../src/cli/dtypes.ts";
import { parseElements } from "../../src/cli/npy.ts";
import { bytesOfEach, reverseBytes, typeRead } from "../../src/cli/stored.ts";
import { SIMULATED } from "../support/adapter.ts";
import { failsIn, runIn, writtenIn } from "../support/command.ts";
import { npyBytes, npyHeaderText } from "../support/npy_bytes.ts";
import { done, useNpyFolder } from "../support/npy_folder.ts";
import { randomBits } from "../support/random.ts";

const files = useNpyFolder();
const bits = randomBits("narrow");

/** Writes numbers in a dtype, which may be big-endian. */
function put(
  name: string,
  descr: string,
  numbers: readonly number[],
  shape: readonly number[] = [numbers.length],
): void {
  const dtype = descr.replace(">", "<") as Dtype;
  const array = new arrays[dtype](numbers.length) as Uint8Array;
  array.set(numbers);
  const stored = new Uint8Array(array.buffer);
  if (descr !== dtype) {
    reverseBytes(stored, dtype);
  }
  writeFileSync(join(files.path, name), npyBytes(npyHeaderText(descr, shape), stored));
}

/** What a file holds: its dtype and its numbers. */
function fileOf(name: string) {
  const { dtype, data, shape } = parseElements(readFileSync(join(files.path, name)), name);
  return { dtype, shape, numbers: Array.from(data as ArrayLike<number>) };
}

const narrow = ["|b1", "|u1", "|i1", "<u2", "<i2", ">u2", ">i2"] as const;
/** Numbers of a dtype: its least and greatest among them, and some twice. */
function numbersOf(descr: string, length: number): number[] {
  const dtype = descr.replace(">", "<") as Dtype;
  const each = new arrays[dtype](length) as Uint8Array;
  each.set(Array.from({ length }, () => (bits() % 4 === 0 ? bits() % 3 : bits())));
  const [least, greatest] = descr[1] === "i" ? [1 << (8 * bytesOfEach(dtype) - 1), -1] : [0, -1];
  each.set([least, greatest, (least as number) - 1]);
  return Array.from(each, (one) => (descr === "|b1" ? one & 1 : one));
}
/** A literal of WGSL. */
const literal = (descr: string, value: number): string => (descr[1] === "i" ? `${value}i` : `${value}u`);

describe.each(narrow)("elements of %s", (descr) => {
  const dtype = descr.replace(">", "<");
  const wide = descr[1] === "i" ? "<i4" : "<u4";
  const numbers = numbersOf(descr, 300);
  const middle = [...numbers].sort((a, b) => a - b)[150] as number;
  const isKept = (x: number): boolean => x > middle;
  const where = `x > ${literal(descr, middle)}`;
  const sorted = [...numbers].sort((a, b) => a - b);

  test("are written as they were where they are chosen", () => {
    put("in.npy", descr, numbers, [3, 100]);
    put(
      "mask.npy",
      "|b1",
      numbers.map((x) => Number(!isKept(x))),
    );
    const kept = numbers.filter(isKept);
    const rest = numbers.filter((x) => !isKept(x));

    expect(files.run("compact", "in.npy", "-o", "out.npy", "--where", where)).toEqual(done);
    expect(fileOf("out.npy")).toEqual({ dtype, shape: [kept.length], numbers: kept });
    expect(files.run("compact", "in.npy", "-o", "out.npy", "--flags", "mask.npy")).toEqual(done);
    expect(fileOf("out.npy")).toEqual({ dtype, shape: [rest.length], numbers: rest });
    expect(files.run("partition", "in.npy", "-o", "out.npy", "--where", where).stdout).toBe(
      `${kept.length}\n`,
    );
    expect(fileOf("out.npy")).toEqual({ dtype, shape: [300], numbers: [...kept, ...rest] });
    expect(files.run("topk", "in.npy", "-k", "9", "-o", "out.npy", "--indices-out", "at.npy")).toEqual(done);
    expect(fileOf("out.npy")).toEqual({ dtype, shape: [9], numbers: sorted.slice(-9).reverse() });
    expect(fileOf("at.npy").dtype).toBe("<u4");
    put("at.npy", "<i8", []);
    put("at.npy", "|u1", [2, 0, 2, 99], [2, 2]);
    expect(files.run("gather", "in.npy", "at.npy", "-o", "out.npy")).toEqual(done);
    expect(fileOf("out.npy")).toEqual({
      dtype,
      shape: [2, 2],
      numbers: [2, 0, 2, 99].map((at) => numbers[at]),
    });
    expect(files.run("nth", "in.npy", "-n", "0").stdout).toBe(
      `${numbers.indexOf(sorted[0] as number)} ${sorted[0]}\n`,
    );
  });

  test("are written as they were where they are moved", () => {
    put("in.npy", descr, numbers);
    put(
      "values.npy",
      "<i2",
      numbers.map((_, at) => -at),
    );
    const order = numbers
      .map((_, at) => at)
      .sort((a, b) => (numbers[a] as number) - (numbers[b] as number) || a - b);
    const sort = ["sort", "in.npy", "-o", "out.npy", "--values", "values.npy", "--values-out", "moved.npy"];
    expect(files.run(...sort, "--values", "in.npy", "--values-out", "again.npy")).toEqual(done);
    expect(fileOf("out.npy")).toEqual({ dtype, shape: [300], numbers: sorted });
    expect(fileOf("again.npy")).toEqual({ dtype, shape: [300], numbers: sorted });
    expect(fileOf("moved.npy")).toEqual({ dtype: "<i2", shape: [300], numbers: order.map((at) => -at + 0) });
    expect(files.run("argsort", "in.npy", "-o", "at.npy")).toEqual(done);
    expect(fileOf("at.npy")).toEqual({ dtype: "<u4", shape: [300], numbers: order });

    put("sorted.npy", descr, sorted);
    const first = sorted.filter((x, at) => x !== sorted[at - 1]);
    const counts = first.map((x) => sorted.filter((other) => other === x).length);
    expect(files.run("unique", "sorted.npy", "-o", "out.npy")).toEqual(done);
    expect(fileOf("out.npy")).toEqual({ dtype, shape: [first.length], numbers: first });
    expect(files.run("runs", "sorted.npy", "-o", "out.npy", "--counts", "counts.npy")).toEqual(done);
    expect(fileOf("out.npy").dtype).toBe(dtype);
    expect(fileOf("counts.npy")).toEqual({ dtype: "<u4", shape: [first.length], numbers: counts });
    expect(files.run("expand", "out.npy", "--counts", "counts.npy", "-o", "again.npy")).toEqual(done);
    expect(fileOf("again.npy")).toEqual({ dtype, shape: [300], numbers: sorted });
    const totals = [
      "reduce",
      "sorted.npy",
      "--map",
      "1u",
      "--type",
      "u32",
      "-o",
      "out.npy",
      "--unique",
      "keys.npy",
    ];
    expect(files.run(...totals, "--keys", "sorted.npy")).toEqual(done);
    expect(fileOf("keys.npy")).toEqual({ dtype, shape: [first.length], numbers: first });
    expect(fileOf("out.npy")).toEqual({ dtype: "<u4", shape: [first.length], numbers: counts });
    // A key that is computed is no element of a file.
    expect(files.run(...totals, "--key", "x")).toEqual(done);
    expect(fileOf("keys.npy")).toEqual({ dtype: wide, shape: [first.length], numbers: first });
  });

  test("have results of 32 bits where these are computed", () => {
    put("in.npy", descr, numbers, [3, 100]);
    let sum = 0;
    const sums = numbers.map((x) => {
      sum += x;
      return sum;
    });
    expect(files.run("scan", "in.npy", "-o", "out.npy")).toEqual(done);
    expect(fileOf("out.npy")).toEqual({ dtype: wide, shape: [3, 100], numbers: sums });
    expect(files.run("reduce", "in.npy").stdout).toBe(`${sum}\n`);
    expect(files.run("reduce", "in.npy", "--rows", "-o", "out.npy")).toEqual(done);
    expect(fileOf("out.npy")).toMatchObject({ dtype: wide, shape: [3] });
    const twice = ["compact", "in.npy", "-o", "out.npy", "--where", where, "--map"];
    expect(files.run(...twice, "x + x")).toEqual(done);
    expect(fileOf("out.npy")).toMatchObject({
      dtype: wide,
      numbers: numbers.filter(isKept).map((x) => 2 * x),
    });
    expect(files.run(...twice, "f32(x)", "--type", "f32")).toEqual(done);
    expect(fileOf("out.npy")).toMatchObject({ dtype: "<f4", numbers: numbers.filter(isKept) });
    expect(files.run(...twice.slice(0, -1), "--type", "f64")).toEqual(done);
    expect(fileOf("out.npy")).toMatchObject({ dtype: "<f8", numbers: numbers.filter(isKept) });
    expect(files.run("compact", "in.npy", "-o", "out.npy", "--where", where, "--indices")).toEqual(done);
    expect(fileOf("out.npy").dtype).toBe("<u4");
    expect(files.run("partition", "in.npy", "-o", "out.npy", "--where", where, "--indices").status).toBe(0);
    expect(fileOf("out.npy").dtype).toBe("<u4");
    expect(files.run("argmin", "in.npy").stdout).toBe(
      `${numbers.indexOf(sorted[0] as number)} ${sorted[0]}\n`,
    );
  });
});

test("text and other places of results take numbers, as wide as they are", () => {
  put("in.npy", "|u1", [3, 1, 2]);
  put("counts.npy", "|u1", [2, 0, 1]);
  const expand = ["expand", "-", "--counts", "counts.npy", "-o", "-", "--text", "u32", ...SIMULATED];
  expect(Buffer.from(writtenIn(files.path, expand, "7 8 9").stdout).toString()).toBe("7\n7\n9\n");
  failsIn(files.path, /in\.npy: it holds uint8; words of bits are u32/, [
    "scan",
    "in.npy",
    "-o",
    "out.npy",
    "--head-bits",
    "in.npy",
    ...SIMULATED,
  ]);
});

describe("without a header", () => {
  const raw = { bool: "|b1", uint8: "|u1", int8: "|i1", uint16: "<u2", int16: "<i2" } as const;
  test.each(Object.entries(raw))("%s comes in and goes out", (name, dtype) => {
    const numbers = numbersOf(dtype, 100);
    const bytesOf = (all: readonly number[]): Buffer => {
      const stored = new arrays[dtype](all.length);
      stored.set(all);
      return Buffer.from(stored.buffer);
    };
    const piped = (...args: string[]): Buffer =>
      Buffer.from(writtenIn(files.path, [...args, "--raw", name, ...SIMULATED], bytesOf(numbers)).stdout);
    const one = literal(dtype, 1);
    const kept = numbers.filter((x) => x >= 1);
    expect(piped("compact", "-", "-o", "-", "--where", `x >= ${one}`)).toEqual(bytesOf(kept));
    expect(piped("sort", "-", "-o", "-")).toEqual(bytesOf([...numbers].sort((a, b) => a - b)));
    let sum = 0;
    const sums = Int32Array.from(numbers, (x) => {
      sum += x;
      return sum;
    });
    expect(piped("scan", "-", "-o", "-")).toEqual(Buffer.from(sums.buffer));
    expect(piped("reduce", "-").toString()).toBe(`${sum}\n`);
  });
});

describe("in several pieces", () => {
  /** More elements than a piece has, which without a GPU takes 1 MiB. */
  const LENGTH = 2 ** 18 + 3;
  const run = (...args: string[]) => runIn(files.path, [...args, "--adapter", "cpu"]);
  test.each(["|u1", ">i2"])("elements of %s are scanned and kept", (descr) => {
    const numbers = numbersOf(descr, LENGTH);
    put("in.npy", descr, numbers);
    const type = typeRead(descr.replace(">", "<") as Dtype);
    expect(run("scan", "in.npy", "-o", "out.npy")).toEqual(done);
    const { dtype, numbers: found } = fileOf("out.npy");
    expect(dtype).toBe(type.name === "u32" ? "<u4" : "<i4");
    let sum = 0;
    const wrong = found.findIndex((one, at) => {
      sum += numbers[at] as number;
      return one !== sum;
    });
    expect(wrong).toBe(-1);
    expect(found).toHaveLength(LENGTH);
    expect(run("compact", "in.npy", "-o", "out.npy", "--where", `x > ${literal(descr, 9)}`)).toEqual(done);
    const kept = numbers.filter((x) => x > 9);
    expect(fileOf("out.npy").shape).toEqual([kept.length]);
    expect(fileOf("out.npy").dtype).toBe(descr.replace(">", "<"));
    expect(fileOf("out.npy").numbers.findIndex((one, at) => one !== kept[at])).toBe(-1);
  });
});

describe("kernels of narrow types, which the command prints", () => {
  test.each([
    ["u8", "u32", 4],
    ["int8", "i32", 4],
    ["u16", "u32", 2],
    ["i16", "i32", 2],
  ])("explain reads items of %s in their bytes", (type, wide, times) => {
    for (const primitive of ["scan", "reduce", "compact", "sort", "histogram"]) {
      const bins = primitive === "histogram" ? ["--bins", "4"] : [];
      const text = runIn(files.path, [
        "explain",
        primitive,
        ...bins,
        "--type",
        type,
        "--length",
        "100000",
        "--adapter",
        "nvidia",
      ]);
      expect(text.stderr).toBe("");
      expect(text.stdout).toMatch(/ 100000 items, /);
    }
    const bytesRead = (name: string): number => {
      const { stdout } = runIn(files.path, [
        "explain",
        "scan",
        "--type",
        name,
        "--length",
        "65536",
        "--adapter",
        "nvidia",
      ]);
      return Number(/input (\d+) KiB/.exec(stdout)?.[1]);
    };
    expect(bytesRead(wide)).toBe(times * bytesRead(type));
  });

  test("emit prints the functions of 32 bits that values of such a type have in WGSL", () => {
    for (const [type, wide] of [
      ["u8", "u32"],
      ["i16", "i32"],
    ] as const) {
      const { stdout } = runIn(files.path, ["emit", "reduce", "--type", type, "--op", "max"]);
      const whole = runIn(files.path, ["emit", "reduce", "--type", wide, "--op", "max"]).stdout;
      expect(stdout).toBe(`// In WGSL, values of ${type} are ${wide}.\n${whole}`);
    }
  });
});
