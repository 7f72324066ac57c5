import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { dumpElements, parseElements } from "../../src/cli/npy.ts";
import { SIMULATED } from "../support/adapter.ts";
import { failsIn, runIn } from "../support/command.ts";

test("wavefold scan and reduce take --op exactAdd", () => {
  const folder = mkdtempSync(join(tmpdir(), "wavefold-exact-"));
  try {
    const data = Float32Array.of(1e8, 1, -1e8, 0.5);
    writeFileSync(join(folder, "in.npy"), dumpElements({ type: elementTypes.f32, data, shape: [4] }));
    const scan = ["scan", "in.npy", "-o", "out.npy", "--op", "exactAdd", ...SIMULATED];
    expect(runIn(folder, scan)).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(parseElements(readFileSync(join(folder, "out.npy")), "out.npy").data).toEqual(
      Float32Array.of(1e8, 1e8, 1, 1.5),
    );
    const reduce = ["reduce", "in.npy", "--op", "exactAdd", ...SIMULATED];
    expect(runIn(folder, reduce)).toEqual({ status: 0, stdout: "1.5\n", stderr: "" });
    writeFileSync(join(folder, "in.txt"), "1 2");
    failsIn(folder, /exactAdd has no meaning on u32; it takes f16, f32, f64/, [
      "reduce",
      "in.txt",
      "--text",
      "u32",
      "--op",
      "exactAdd",
      ...SIMULATED,
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("--op exactAdd with segments, a map, f64 and a total", () => {
  const folder = mkdtempSync(join(tmpdir(), "wavefold-exact-"));
  const dataOf = (name: string): unknown => parseElements(readFileSync(join(folder, name)), name).data;
  const runs = (...args: string[]): void =>
    expect(runIn(folder, [...args, "--op", "exactAdd", ...SIMULATED])).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
  try {
    const { f32, f64, u32 } = elementTypes;
    const put = (name: string, type: never, data: never, shape: readonly number[]): void =>
      writeFileSync(join(folder, name), dumpElements({ type, data, shape }));
    const floats = Float32Array.of(1e8, 1, -1e8, 1e8, 0.5, 2);
    put("in.npy", f32 as never, floats as never, [2, 3]);
    put("doubles.npy", f64 as never, Float64Array.of(1e300, 1, -1e300, 0.25) as never, [4]);
    put("keys.npy", u32 as never, Uint32Array.of(1, 1, 1, 4, 4, 5) as never, [6]);
    runs("scan", "in.npy", "-o", "out.npy", "--rows");
    expect(dataOf("out.npy")).toEqual(Float32Array.of(1e8, 1e8, 1, 1e8, 1e8, 100000002.5));
    runs("reduce", "in.npy", "-o", "out.npy", "--rows");
    expect(dataOf("out.npy")).toEqual(Float32Array.of(1, 100000002.5));
    runs("reduce", "in.npy", "-o", "out.npy", "--keys", "keys.npy", "--unique", "unique.npy");
    expect(dataOf("out.npy")).toEqual(Float32Array.of(1, 1e8, 2));
    expect(dataOf("unique.npy")).toEqual(Uint32Array.of(1, 4, 5));
    runs("scan", "in.npy", "-o", "out.npy", "--columns", "--map", "x * 0.5");
    expect(dataOf("out.npy")).toEqual(Float32Array.of(5e7, 0.5, -5e7, 1e8, 0.75, -49999999));
    runs("scan", "doubles.npy", "-o", "out.npy");
    expect(dataOf("out.npy")).toEqual(Float64Array.of(1e300, 1e300, 1, 1.25));
    runs("scan", "doubles.npy", "-o", "out.npy", "--map", "mul_f64(x, f64_from_u32(2u))", "--exclusive");
    expect(dataOf("out.npy")).toEqual(Float64Array.of(0, 2e300, 2e300, 2));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
