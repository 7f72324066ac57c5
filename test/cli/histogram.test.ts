import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { TypeName } from "../../src/algebra/types.ts";
import { dumpElements, parseElements } from "../../src/cli/npy.ts";
import { SIMULATED } from "../support/adapter.ts";
import type { Ended } from "../support/command.ts";
import { failsIn, runIn } from "../support/command.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-histogram-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const put = (name: string, type: TypeName, data: ScalarArray): void =>
  writeFileSync(join(folder, name), dumpElements({ type: elementTypes[type], data, shape: [data.length] }));
const countsIn = (name: string): number[] =>
  Array.from(parseElements(readFileSync(join(folder, name)), name).data as Uint32Array);
const run = (...args: string[]): Ended => runIn(folder, ["histogram", ...args, ...SIMULATED]);
const done: Ended = { status: 0, stdout: "", stderr: "" };

describe("wavefold histogram", () => {
  test("counts elements of a file", () => {
    put("in.npy", "i32", Int32Array.of(-5, -4, 0, 4, 5, 6));
    expect(run("in.npy", "-o", "out.npy", "--bins", "2", "--range=-5,5")).toEqual(done);
    const { type, data, shape } = parseElements(readFileSync(join(folder, "out.npy")), "out.npy");
    expect([type.name, Array.from(data as Uint32Array), shape]).toEqual(["u32", [2, 3], [2]]);
    expect(run("in.npy", "-o", "out.npy", "--bins", "3", "--bin", "i / 2u")).toEqual(done);
    expect(countsIn("out.npy")).toEqual([2, 2, 2]);
  });

  test("takes edges as numbers and as a file, and weights", () => {
    put("in.npy", "f64", Float64Array.of(0.5, 1, 2, 3));
    put("edges.npy", "f32", Float32Array.of(0, 1, 2));
    put("weights.npy", "f32", Float32Array.of(1, 2, 4, 8));
    for (const edges of ["0,1,2", "edges.npy"]) {
      expect(run("in.npy", "-o", "out.npy", "--edges", edges, "--weights", "weights.npy")).toEqual(done);
      const { type, data } = parseElements(readFileSync(join(folder, "out.npy")), "out.npy");
      expect([type.name, Array.from(data as Float32Array)]).toEqual(["f32", [1, 6]]);
    }
    put("weights.npy", "f64", Float64Array.of(1e16, 1, 2, -1e16));
    const bins = ["--bins", "1", "--range", "0,3"];
    expect(run("in.npy", "-o", "out.npy", ...bins, "--weights", "weights.npy", "--op", "exactAdd")).toEqual(
      done,
    );
    const { type, data } = parseElements(readFileSync(join(folder, "out.npy")), "out.npy");
    expect([type.name, Array.from(data as Float64Array)]).toEqual(["f64", [3]]);
    expect(run("in.npy", "-o", "out.npy", "--edges=-inf,1,inf")).toEqual(done);
    expect(countsIn("out.npy")).toEqual([1, 3]);
  });

  test("takes channels, and a second dimension, and writes two dimensions", () => {
    put("in.npy", "u32", Uint32Array.of(0, 9, 1, 9, 2, 3));
    put("y.npy", "f32", Float32Array.of(0, 0.5, 1, 1, 0, 1));
    const bins = ["--bins", "2", "--range", "0,10"];
    const found = () => {
      const { data, shape } = parseElements(readFileSync(join(folder, "out.npy")), "out.npy");
      return [Array.from(data as Uint32Array), shape];
    };
    expect(run("in.npy", "-o", "out.npy", ...bins, "--channels", "2")).toEqual(done);
    expect(found()).toEqual([
      [3, 0, 1, 2],
      [2, 2],
    ]);
    const ofY = ["-y", "y.npy", "--y-bins", "3", "--y-range", "0,1"];
    expect(run("in.npy", "-o", "out.npy", ...bins, ...ofY)).toEqual(done);
    expect(found()).toEqual([
      [2, 0, 2, 0, 1, 1],
      [2, 3],
    ]);
  });

  test("takes text, and prints text", () => {
    writeFileSync(join(folder, "in.txt"), "18446744073709551615 5 0 7");
    const args = ["in.txt", "--text", "u64", "-o", "-", "--edges", "0,6,18446744073709551615"];
    expect(run(...args)).toEqual({ ...done, stdout: "2\n2\n" });
  });

  test("says what is wrong, and leaves nothing behind", () => {
    put("in.npy", "u32", Uint32Array.of(1, 2, 3));
    put("short.npy", "u32", Uint32Array.of(1));
    const fails = (message: RegExp, ...args: string[]): void =>
      failsIn(folder, message, ["histogram", "in.npy", "-o", "out.npy", ...args, ...SIMULATED]);
    fails(/takes --edges, or --bins and --range, or --bins and --bin; it was given none of them/);
    fails(/takes --edges, .*; it was given --bins$/m, "--bins", "4");
    fails(/It takes a whole number/, "--bins", "x", "--range", "0,1");
    fails(/--range is "0,a", which is no file; it takes numbers/, "--bins", "4", "--range", "0,a");
    fails(/it was given --bins and --edges/, "--bins", "4", "--edges", "0,1");
    fails(/--range is \[1, 0\]/, "--bins", "4", "--range", "1,0");
    fails(/edges\[1\] is 3, as is edges\[0\]/, "--edges", "3,3");
    fails(/--edges is "0,1,a", which is no file; it takes numbers divided by commas, or/, "--edges", "0,1,a");
    fails(/edges\[1\] is 9, and --edges\[0\] is 18446744073709551615n;/, "--edges", "18446744073709551615,9");
    fails(/none\.npy/, "--edges", "none.npy");
    fails(
      /^wavefold: short\.npy: it holds 1 weight, and in\.npy holds 3 elements/,
      "--edges",
      "0,1",
      "--weights",
      "short.npy",
    );
    fails(/--op is only for --weights; it takes --weights, too/, "--edges", "0,1", "--op", "max");
  });
});
