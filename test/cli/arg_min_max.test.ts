import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { dumpElements, parseElements } from "../../src/cli/npy.ts";
import { SIMULATED } from "../support/adapter.ts";
import { failsIn, runIn } from "../support/command.ts";

test("wavefold searchsorted writes places", () => {
  const folder = mkdtempSync(join(tmpdir(), "wavefold-search-"));
  try {
    const put = (name: string, data: Int32Array, shape: number[]): void =>
      writeFileSync(join(folder, name), dumpElements({ type: elementTypes.i32, data, shape }));
    put("sorted.npy", Int32Array.of(-5, 1, 1, 9), [4]);
    put("values.npy", Int32Array.of(1, 9, -6, 10), [2, 2]);
    const args = ["searchsorted", "sorted.npy", "values.npy", "-o", "out.npy", ...SIMULATED];
    const found = (...more: string[]): unknown => {
      expect(runIn(folder, [...args, ...more])).toEqual({ status: 0, stdout: "", stderr: "" });
      const { type, data, shape } = parseElements(readFileSync(join(folder, "out.npy")), "out.npy");
      return [type.name, Array.from(data as Uint32Array), shape];
    };
    expect(found()).toEqual(["u32", [1, 3, 0, 4], [2, 2]]);
    expect(found("--side", "right")).toEqual(["u32", [3, 4, 0, 4], [2, 2]]);
    writeFileSync(join(folder, "sorted.txt"), "1 2 3");
    writeFileSync(join(folder, "values.txt"), "2\n9");
    const text = ["searchsorted", "sorted.txt", "values.txt", "--text", "u64", "-o", "-", ...SIMULATED];
    expect(runIn(folder, text)).toEqual({ status: 0, stdout: "1\n3\n", stderr: "" });
    failsIn(folder, /It takes left, right|Allowed choices are left, right/, [...args, "--side", "up"]);
    writeFileSync(
      join(folder, "words.npy"),
      dumpElements({ type: elementTypes.u32, data: Uint32Array.of(1), shape: [1] }),
    );
    const types = /searchSorted<i32>: words\.npy holds u32; it takes i32, as sorted\.npy holds/;
    failsIn(folder, types, ["searchsorted", "sorted.npy", "words.npy", "-o", "x.npy", ...SIMULATED]);
    failsIn(folder, /none\.npy/, ["searchsorted", "none.npy", "values.npy", "-o", "x.npy", ...SIMULATED]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("wavefold argmin and argmax print an index and a value", () => {
  const folder = mkdtempSync(join(tmpdir(), "wavefold-arg-"));
  try {
    const data = Float64Array.of(3, 0.1, Number.NaN, 7, 7);
    writeFileSync(join(folder, "in.npy"), dumpElements({ type: elementTypes.f64, data, shape: [5] }));
    writeFileSync(join(folder, "in.txt"), "5 -9223372036854775808 5");
    writeFileSync(join(folder, "none.txt"), "");
    const printed = (stdout: string): object => ({ status: 0, stdout, stderr: "" });
    expect(runIn(folder, ["argmin", "in.npy", ...SIMULATED])).toEqual(printed("1 0.1\n"));
    expect(runIn(folder, ["argmax", "in.npy", ...SIMULATED])).toEqual(printed("3 7.0\n"));
    expect(runIn(folder, ["argmin", "in.txt", "--text", "i64", ...SIMULATED])).toEqual(
      printed("1 -9223372036854775808\n"),
    );
    failsIn(folder, /argMax: the array is empty/, ["argmax", "none.txt", "--text", "u32", ...SIMULATED]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
