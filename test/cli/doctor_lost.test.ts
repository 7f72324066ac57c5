import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { beforeEach, expect, test, vi } from "vitest";
import type { DoctorReport } from "../../src/cli/doctor.ts";
import { doctor } from "../../src/cli/doctor.ts";
import { DeviceLostError } from "../../src/errors.ts";
import { resultOf } from "../../src/gpu/tuning/litmus.ts";
import { litmusTests } from "../../src/kernels/litmus.ts";
import type { Fold, LitmusResult, NodeOpenOptions } from "../../src/node.ts";

// What the command does when the test of single passes loses the device, and when results are wrong. Neither happens on an
// adapter that works, so a stand-in takes its place.

const { said, opened, state } = vi.hoisted(() => ({
  said: [] as string[],
  opened: [] as unknown[],
  state: { loses: false, litmus: [] as LitmusResult[] },
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

// The stand-in has no memory to test.
vi.mock(import("../../src/gpu/tuning/run_litmus_tests.ts"), async (original) => ({
  ...(await original()),
  runLitmusTests: async () => state.litmus,
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

test("what WebGPU forbids fails the command, in a litmus test that something relies on", async () => {
  state.loses = false;
  state.litmus = litmusTests
    .filter(({ name }) => name === "tickets" || name === "coherence")
    .map((one) => resultOf(one, { instances: 1000, weak: 0, forbidden: 2 }, null, 1));
  const { report, problem } = await reportOf(["f16"]);
  expect(report).toMatchObject({ works: false, litmus: state.litmus });
  expect(problem).toMatchObject({
    name: "UsageError",
    message: "doctor: Wavefold does not work here: the litmus test of tickets failed",
  });
  expect(said.join("")).toMatch(
    /\nFAILED {2}litmus test of tickets: 2 of 1,000 times, a number was given twice or never/,
  );
  state.litmus = state.litmus.slice(1);
  expect((await reportOf(["f16"])).problem).toBeUndefined();
});
