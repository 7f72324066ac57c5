import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SIMULATED } from "../support/adapter.ts";
import { runIn } from "../support/command.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-wrap-hint-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, values: readonly number[]): void =>
  writeFileSync(join(folder, name), Uint32Array.from(values));

test.each(["--version", "-V"])("%s prints the version", (option) => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(runIn(folder, [option])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

const HINT =
  "wavefold: hint: the whole sum is 4294967296, which is more than a u32 holds, so the result wrapped around 2^32; --type u64 gives all of it\n";

test("a sum of u32 that wrapped around is hinted at, and no other", () => {
  put("least.bin", [2 ** 32 - 1, 1]);
  put("most.bin", [2 ** 32 - 2, 1]);
  const reduce = (...args: string[]) => runIn(folder, ["reduce", ...args, "--raw", "u32", ...SIMULATED]);
  expect(reduce("least.bin")).toEqual({ status: 0, stdout: "0\n", stderr: HINT });
  expect(reduce("most.bin")).toEqual({ status: 0, stdout: "4294967295\n", stderr: "" });
  expect(reduce("most.bin", "--initial", "1").stderr).toBe(HINT);
  expect(reduce("least.bin", "--op", "xor").stderr).toBe("");
  const widened = reduce("least.bin", "--type", "u64");
  expect(widened).toEqual({ status: 0, stdout: "4294967296\n", stderr: "" });
  const scan = runIn(folder, ["scan", "least.bin", "--raw", "u32", "-o", "sums.bin", ...SIMULATED]);
  expect(scan).toEqual({ status: 0, stdout: "", stderr: HINT });
  // No prefix has the last element, but the total has it.
  const exclusive = (...args: string[]) =>
    runIn(folder, [
      "scan",
      "least.bin",
      "--raw",
      "u32",
      "-o",
      "sums.bin",
      "--exclusive",
      ...args,
      ...SIMULATED,
    ]);
  expect(exclusive().stderr).toBe("");
  expect(exclusive("--total").stderr).toBe(HINT);
});
