import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { TypeName } from "../../src/algebra/types.ts";
import { dumpElements, parseElements } from "../../src/cli/npy.ts";
import { SIMULATED } from "../support/adapter.ts";
import { failsIn, runIn } from "../support/command.ts";

let folder = "";
const put = (
  name: string,
  type: TypeName,
  data: ScalarArray,
  shape: readonly number[] = [data.length],
): void => writeFileSync(join(folder, name), dumpElements({ type: elementTypes[type], data, shape }));
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-gather-"));
  put("values.npy", "f64", Float64Array.of(0.5, 2, Number.NaN, -1));
  put("positions.npy", "u32", Uint32Array.of(3, 0, 1, 1), [2, 2]);
  put("far.npy", "u32", Uint32Array.of(3, 4, 9));
  put("floats.npy", "f32", Float32Array.of(1));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("values come in the positions' shape", () => {
  const args = ["gather", "values.npy", "positions.npy", "-o", "out.npy", ...SIMULATED];
  expect(runIn(folder, args).stderr).toBe("");
  expect(parseElements(readFileSync(join(folder, "out.npy")), "out.npy").shape).toEqual([2, 2]);
});

test("positions of files without a header are u32, whatever type the values have", () => {
  writeFileSync(join(folder, "values.txt"), "0.5 -2\n8");
  writeFileSync(join(folder, "positions.txt"), "2 0 2");
  const text = ["gather", "values.txt", "positions.txt", "--text", "f16", "-o", "-", ...SIMULATED];
  expect(runIn(folder, text)).toEqual({ status: 0, stdout: "8.0\n0.5\n8.0\n", stderr: "" });
  writeFileSync(join(folder, "values.raw"), new Uint8Array(BigUint64Array.of(7n, 2n ** 63n).buffer));
  writeFileSync(join(folder, "positions.raw"), new Uint8Array(Uint32Array.of(1, 1, 0).buffer));
  const raw = ["gather", "values.raw", "positions.raw", "--raw", "u64", "-o", "out.raw", ...SIMULATED];
  expect(runIn(folder, raw)).toEqual({ status: 0, stdout: "", stderr: "" });
  const bytes = new Uint8Array(readFileSync(join(folder, "out.raw")));
  expect([...new BigUint64Array(bytes.buffer)]).toEqual([2n ** 63n, 2n ** 63n, 7n]);
});

test("errors name the file, before there is an adapter", () => {
  const gather = (...args: string[]): string[] => ["gather", ...args, "-o", "x.npy", "--adapter", "gpu"];
  const past = /gather<f64>: far\.npy\[1\] is 4; it takes less than 4, the number of values/;
  failsIn(folder, past, gather("values.npy", "far.npy"));
  failsIn(
    folder,
    /floats\.npy: it holds f32; positions are whole numbers/,
    gather("values.npy", "floats.npy"),
  );
  failsIn(folder, /none\.npy/, gather("none.npy", "far.npy"));
});
