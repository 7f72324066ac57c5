import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { dumpElements, parseElements } from "../../src/cli/npy.ts";
import { failsIn, runIn } from "../support/command.ts";
import { testInTurn } from "../support/rows.ts";

const test = testInTurn({ of: 1 });
const SOFTWARE = ["--adapter", "software"];

test("wavefold scan and reduce take --op exactAdd", () => {
  const folder = mkdtempSync(join(tmpdir(), "wavefold-exact-"));
  try {
    const data = Float32Array.of(1e8, 1, -1e8, 0.5);
    writeFileSync(join(folder, "in.npy"), dumpElements({ type: elementTypes.f32, data, shape: [4] }));
    const scan = ["scan", "in.npy", "-o", "out.npy", "--op", "exactAdd", ...SOFTWARE];
    expect(runIn(folder, scan)).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(parseElements(readFileSync(join(folder, "out.npy")), "out.npy").data).toEqual(
      Float32Array.of(1e8, 1e8, 1, 1.5),
    );
    const reduce = ["reduce", "in.npy", "--op", "exactAdd", ...SOFTWARE];
    expect(runIn(folder, reduce)).toEqual({ status: 0, stdout: "1.5\n", stderr: "" });
    writeFileSync(join(folder, "in.txt"), "1 2");
    failsIn(folder, /exactAdd has no meaning on u32; it takes f16, f32, f64/, [
      "reduce",
      "in.txt",
      "--text",
      "u32",
      "--op",
      "exactAdd",
      ...SOFTWARE,
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
