import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { beforeEach, expect, test, vi } from "vitest";
import type { DoctorReport } from "../../src/cli/doctor.ts";
import { doctor } from "../../src/cli/doctor.ts";
import { DeviceLostError } from "../../src/errors.ts";
import type { Fold, NodeOpenOptions } from "../../src/node.ts";

// What the command does when the test of single passes loses the device, and when results are wrong. Neither happens on an
// adapter that works, so a stand-in takes its place.

const { said, opened, state } = vi.hoisted(() => ({
  said: [] as string[],
  opened: [] as unknown[],
  state: { loses: false },
}));

vi.mock(import("../../src/cli/print.ts"), async (original) => ({
  ...(await original()),
  print: async (text: string) => void said.push(text),
}));
vi.mock(import("../../src/cli/options.ts"), async (original) => ({
  ...(await original()),
  withFold: async <Result>(_: unknown, work: (fold: Fold) => Promise<Result>, more: NodeOpenOptions = {}) => {
    opened.push(more);
    if (state.loses && more.testSinglePass) {
      throw new DeviceLostError("openFold: the device was lost");
    }
    const fail = async (): Promise<never> => {
      throw new Error("it is wrong");
    };
    return work({
      adapterInfo: { vendor: "stand-in" },
      software: false,
      device: { features: new Set(["timestamp-query"]), limits: { maxBufferSize: 7 } },
      scan: fail,
      reduce: fail,
      compact: fail,
    } as unknown as Fold);
  },
}));

async function reportOf(types: string[]): Promise<{ report: DoctorReport; problem: unknown }> {
  const folder = mkdtempSync(join(tmpdir(), "wavefold-doctor-"));
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const json = join(folder, "report.json");
    const problem = await doctor({ adapter: "auto", types, json }).catch((cause: unknown) => cause);
    return { report: JSON.parse(readFileSync(json, "utf8")) as DoctorReport, problem };
  } finally {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  }
}

beforeEach(() => {
  said.length = 0;
  opened.length = 0;
});

test("a device that the test loses is opened again without the test", async () => {
  state.loses = true;
  const { report, problem } = await reportOf(["f16"]);
  expect(problem).toBeUndefined();
  expect(opened).toEqual([{ testSinglePass: true }, {}]);
  expect(report.works).toBe(true);
  expect(report.singlePass).toMatchObject({ passed: false, detail: "openFold: the device was lost" });
  expect(said.join("")).toContain(
    "note    single pass: it does not work here, so data is read twice by default: openFold: the device was lost\n",
  );
});

test("a wrong result fails the command, once the report is written", async () => {
  state.loses = false;
  const { report, problem } = await reportOf(["u32", "f16"]);
  expect(opened).toEqual([{ testSinglePass: true }]);
  // Without the feature subgroups, 64 of the 96 checks are run.
  expect(report.selfTest).toMatchObject({ passed: 0, failed: 64 });
  expect(report.selfTest?.failures[0]?.detail).toBe("it is wrong");
  expect(problem).toMatchObject({
    name: "UsageError",
    message: "doctor: Wavefold does not work here: 64 of 64 checks failed",
  });
  const text = said.join("");
  expect(text).toMatch(/\nfailed: inclusive scan<u32, add> \(blelloch\): it is wrong\n/);
  expect(text).toMatch(/\nFAILED {2}self-test of u32: 64 of 64 checks failed, the first is /);
  expect(text.endsWith("\n\nWavefold does not work here: 64 of 64 checks failed.\n")).toBe(true);
});
