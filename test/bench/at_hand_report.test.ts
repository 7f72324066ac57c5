import { describe, expect, it } from "vitest";
import type { AtHandRow } from "../../bench/at_hand.ts";
import type { AtHandReport } from "../../bench/at_hand_report.ts";
import { atHandHead, atHandLine, atHandText, crossingOf } from "../../bench/at_hand_report.ts";
import type { Timing } from "../../bench/timer.ts";

const timing = (median: number): Timing => ({
  median,
  quartiles: [median * 0.9, median * 1.1],
  runs: 31,
});

/** A row whose call takes `times` times the time of its loop. */
const row = (length: number, times: number, more: Partial<AtHandRow> = {}): AtHandRow => ({
  primitive: "scan",
  type: "u32",
  length,
  bytesIn: 4 * length,
  bytesOut: 4 * length,
  loop: timing(length),
  copy: timing(length / 4),
  parts: {
    memcpyIn: timing(length / 10),
    copyIn: timing(length / 20),
    copyOut: timing(length / 40),
    memcpyOut: timing(length / 50),
  },
  first: 250_000,
  call: timing(length * times),
  toParts: times / 0.195,
  toLoop: 1 / times,
  ...more,
});

const report: AtHandReport = {
  wavefold: "0.1.0",
  commit: "abc123",
  date: "2026-11-23T00:00:00.000Z",
  device: {
    name: "Some GPU",
    vendor: "some",
    architecture: "",
    driver: "driver 1.2",
    software: false,
    features: [],
    subgroupSizes: [32, 32],
  },
  node: "v20",
  cpu: "some CPU",
  atHand: [
    row(2 ** 16, 0.5),
    row(1000, 20),
    row(1000, 20, { primitive: "reduce" }),
    row(1000, 20, { primitive: "compact" }),
  ],
  notes: ["u32 from 2^30 on was left out"],
  wrong: ["reduce<u32> at hand is wrong: it is 3"],
};

describe("the table", () => {
  const textOf = (of: AtHandReport): string => `${atHandHead(of)}\n${atHandText(of)}`;
  const lines = textOf(report).split("\n");

  it("has a line for each length, which ends in the ratios", () => {
    const head = lines.find((line) => line.includes("length")) ?? "";
    const cells = (line: string): string[] => line.split("│").map((cell) => cell.trim());
    expect(cells(head)).toEqual([
      "",
      ...["length", "loop", "there and back", "memcpy in", "copy in", "copy out", "memcpy out"],
      ...["first call", "call", "x parts", "x loop"],
      "",
    ]);
    const [short, long] = lines.filter((line) => /│ (1000|2\^16) +│/.test(line));
    expect(cells(short ?? "")).toEqual([
      "",
      ...[
        "1000",
        "1.00 ±0.10",
        "0.250 ±0.025",
        "0.100 ±0.010",
        "0.050 ±0.005",
        "0.025 ±0.003",
        "0.020 ±0.002",
      ],
      ...["250", "20.0 ±2.0", "102.56", "0.050"],
      "",
    ]);
    expect(cells(long ?? "").slice(-4)).toEqual(["32.8 ±3.3", "2.56", "2.00", ""]);
  });

  it("comes after a line for each row", () => {
    expect(report.atHand.slice(0, 1).map(atHandLine)).toEqual([
      "scan<u32, add> at 2^16       ms: loop 65.5 ±6.6, call 32.8 ±3.3, x loop 2.00",
    ]);
  });

  it("stands between where it ran and what was left out", () => {
    expect(lines[0]).toBe("Some GPU, driver 1.2; wavefold 0.1.0, commit abc123");
    expect(lines[1]).toBe("some CPU; Node.js v20");
    expect(lines).toContain("scan<u32, add> at hand");
    expect(lines).toContain("reduce<u32, add> at hand");
    expect(lines).toContain("compact<u32> at hand, half kept");
    expect(lines.slice(-2)).toEqual([
      "note: u32 from 2^30 on was left out",
      "WRONG: reduce<u32> at hand is wrong: it is 3",
    ]);
  });

  it("says on a software adapter, and only there, that it says nothing about a GPU", () => {
    expect(lines.join("\n")).not.toContain("software");
    const software = textOf({ ...report, device: { ...report.device, software: true } });
    expect(software.split("\n")[2]).toBe(
      "This is a software adapter, which computes on the CPU: these figures say nothing about a GPU.",
    );
  });

  it("is left out where nothing was timed", () => {
    expect(textOf({ ...report, atHand: [] }).split("\n")).toHaveLength(6);
  });
});

describe("from which length on", () => {
  it.each([
    ["some on", [2, 0.9, 0.4], "is faster than the loop from 2^16 on, of the lengths that were timed"],
    ["the first", [0.9, 0.8, 0.4], "is faster than the loop from 2^10 on, of the lengths that were timed"],
    ["none", [2, 1, 1.5], "was never faster than the loop, up to 2^20"],
    ["some, and not the last", [0.5, 0.9, 1], "was faster than the loop at 2^10, 2^16, but not at 2^20"],
    [
      "the last, and one before",
      [0.5, 2, 0.9],
      "is faster than the loop from 2^20 on, of the lengths that were timed",
    ],
  ])("the call is faster: %s", (_, [a = 0, b = 0, c = 0], what) => {
    expect(crossingOf([row(2 ** 10, a), row(2 ** 16, b), row(2 ** 20, c)])).toBe(
      `On this machine, scan<u32, add> at hand ${what}.`,
    );
  });
});
