import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { dumpElements, parseElements } from "../../src/cli/npy.ts";
import { SIMULATED } from "../support/adapter.ts";
import { failsIn, runIn } from "../support/command.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-params-"));
  const data = Float32Array.of(0.125, 0.875, 0.25, 0.625);
  writeFileSync(join(folder, "in.npy"), dumpElements({ type: f32, data, shape: [4] }));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const half = ["--param", "limit=0.5"];

describe.each([SIMULATED, ["--adapter", "cpu"]])("--param, %s", (...adapter) => {
  test.each([
    ["compact", ["--where", "x > limit", ...half], [0.875, 0.625]],
    [
      "scan",
      ["--map", "x * by + f32(more)", "--param", "by=2", "--param", "more=u32:1"],
      [1.25, 4, 5.5, 7.75],
    ],
    ["partition", ["--where", "x > limit", ...half], [0.875, 0.625, 0.125, 0.25]],
    ["sort", ["--key", "abs(x - limit)", ...half], [0.625, 0.25, 0.125, 0.875]],
    ["histogram", ["--bins", "2", "--bin", "x * f32(by)", "--param", "by=i32:2"], [2, 2]],
    ["reduce", ["--key", "u32(x > limit)", "--key-type", "u32", ...half], [0.125, 0.875, 0.25, 0.625]],
  ])("%s %j", (command, flags, wanted) => {
    const { status, stderr } = runIn(folder, [command, "in.npy", "-o", "out.npy", ...flags, ...adapter]);
    expect([status, stderr]).toEqual([0, ""]);
    const { data } = parseElements(readFileSync(join(folder, "out.npy")), "out.npy");
    expect(Array.from(data as Float32Array)).toEqual(wanted);
  });
});

test.each([
  ["limit", /It takes a name and a value, such as limit=0.5, which is an f32, or limit=u32:5/],
  ["limit=vec3f:1", /Allowed choices are u32, /],
  ["limit=u8:1", /u8 has 64 bits to NumPy, and 8 to others: write u64 or <u8\.$/m],
  ["limit=u32:-5", /limit is of u32; it takes a whole number from 0 to 4294967295/],
  ["limit=half", /limit is of f32; it takes a number/],
  ["x=1", /params: x is the name of a parameter that texts have/],
])("--param %s is refused", (param, message) => {
  const args = ["compact", "in.npy", "-o", "out.npy", "--where", "x > limit", "--param", param, ...SIMULATED];
  failsIn(folder, message, args);
});
