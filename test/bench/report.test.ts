import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runCuda } from "../../bench/cuda.ts";
import { plotsOf } from "../../bench/plot.ts";
import type { Report } from "../../bench/report.ts";
import { leftOutNote, lineHead, lineOf, tablesOf, textOf } from "../../bench/report.ts";
import type { Row } from "../../bench/run.ts";
import { rowFrom, withRatios } from "../../bench/run.ts";
import type { CaseSet } from "../../bench/suite.ts";
import { needsUnix } from "../support/adapter.ts";

const LENGTHS = [2 ** 16, 1_000_003, 2 ** 24];

/** Rows of a copy, and of others that are `times` times slower. */
function rowsOf(
  others: readonly (Omit<Row, "length" | "type"> extends infer R ? Partial<R> & { times: number } : never)[],
): Row[] {
  return LENGTHS.flatMap((length) => {
    const copy = length / 1000;
    const timing = (times: number) => ({
      median: times * copy,
      quartiles: [times * copy * 0.9, times * copy * 1.2] as const,
      runs: 31,
    });
    return [
      rowFrom({ implementation: "copy", primitive: "copy", type: "u32", length }, timing(1), copy),
      ...others.map(({ times, ...what }) =>
        rowFrom(
          { implementation: "wavefold", primitive: "scan", type: "u32", op: "add", ...what, length },
          timing(times),
          copy,
        ),
      ),
    ];
  });
}

const rows = withRatios(
  rowsOf([
    { times: 1.5 },
    { times: 2, algorithm: "blelloch" },
    { times: 1.75, inPlace: true },
    { times: 3, implementation: "theirs 1.2" },
    { times: 0.75, primitive: "reduce" },
  ]),
);
const report: Report = {
  wavefold: "0.1.0",
  commit: "abc123",
  date: "2026-11-21T00:00:00.000Z",
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
  cpu: "some",
  rows,
  recording: [
    { primitive: "scan", length: 2 ** 16, first: 80, later: { median: 2.5, quartiles: [2.25, 3], runs: 9 } },
  ],
  notes: ["f64 was left out"],
  wrong: ["scan<u32> is wrong: element 3"],
};

describe("the table", () => {
  it("has a column for each way, and a line for each length", () => {
    const lines = tablesOf(rows).split("\n");
    expect(lines.filter((line) => /^(exclusive scan|reduce)</.test(line))).toEqual([
      "exclusive scan<u32, add>",
      "reduce<u32, add>",
    ]);
    const head = lines.find((line) => line.includes("length")) ?? "";
    for (const column of ["copy", "wavefold", "wavefold blelloch", "wavefold in place", "theirs 1.2"]) {
      expect(head).toContain(` ${column} `);
    }
    const line = lines.find((one) => one.includes("1000003")) ?? "";
    expect(line.split("│").map((cell) => cell.trim())).toEqual([
      "",
      "1000003",
      "1000 ±150",
      ...["1500 ±225", "1.50", "5.3", "2000 ±300", "2.00", "4.0", "1750 ±263", "1.75", "4.6"],
      ...["3000 ±450 (2.00 of ours)", "3.00", "2.7"],
      "",
    ]);
  });

  it("stands before how it was verified and what was left out", () => {
    const text = textOf(report);
    expect(text).toMatch(/^exclusive scan<u32, add>\n┌/);
    expect(text).toMatch(/\nMedians of 31 runs\. Every element was verified\.\n/);
    expect(text).toMatch(
      /record\(\) of a scan at 2\^16: 2\.50 µs of the host \(quartiles 2\.25 and 3\.00\), the first time 80 µs/,
    );
    expect(text).toMatch(/\nnote: f64 was left out\nWRONG: scan<u32> is wrong: element 3$/);
  });

  it("says which results the GPU verified, and how", () => {
    const [first, ...others] = rows;
    const onGpu = { ...first, length: 2 ** 24, runs: 5, verifiedOn: "gpu" } as Row;
    expect(textOf({ ...report, rows: [onGpu, ...others] })).toMatch(
      /\nMedians of 5 to 31 runs\. Every element was verified: up to 2\^20 elements by the CPU, and of longer arrays by checks on the GPU/,
    );
    expect(textOf({ ...report, rows: [] })).toMatch(/^Nothing was timed\.\n/);
  });
});

describe("lines", () => {
  it("have a row each, in columns", () => {
    const one = rows.filter(({ length }) => length === 1_000_003).map(lineOf);
    expect([lineHead, ...one].map((line) => line.replaceAll(/ {2,}/g, " | "))).toEqual([
      " | length | µs | copies | GB/s",
      "copy<u32> | 1000003 | 1000 ±150 | 1.00 | 8.0",
      "exclusive scan<u32, add> | 1000003 | 1500 ±225 | 1.50 | 5.3",
      "exclusive scan<u32, add>, blelloch | 1000003 | 2000 ±300 | 2.00 | 4.0",
      "exclusive scan<u32, add>, in place | 1000003 | 1750 ±263 | 1.75 | 4.6",
      "exclusive scan<u32, add>, theirs 1.2 | 1000003 | 3000 ±450 | 3.00 | 2.7",
      "reduce<u32, add> | 1000003 | 750 ±113 | 0.75 | 5.3",
    ]);
    expect(new Set(one.map((line) => line.length)).size).toBe(1);
  });
});

describe("what was left out", () => {
  it("is told by types and lengths, with the cause and the cure", () => {
    const set = (type: "u32" | "f64", length: number, op: "add" | "max" = "add"): CaseSet => ({
      ...{ type, op, length },
      cases: [],
    });
    expect(
      leftOutNote([set("u32", 1024), set("u32", 1000), set("f64", 2 ** 20, "max")], "it is late", "Do more."),
    ).toBe(
      "it is late, so these were left out, in part or whole: u32 at 2^10, 1000; f64 (max) at 2^20. Do more.",
    );
  });
});

describe("plots", () => {
  it("draw every series, with its name and a point for each length", () => {
    const plots = plotsOf(report);
    expect(plots.map(({ name }) => name)).toEqual(["some-gpu-throughput-u32.svg", "some-gpu-ratio-u32.svg"]);
    for (const { svg } of plots) {
      expect(svg).toMatch(/^<svg /);
      const texts = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
      for (const label of [
        "copy",
        "scan",
        "scan, blelloch",
        "scan, in place",
        "scan, theirs 1.2",
        "reduce",
      ]) {
        expect(texts).toContain(label);
      }
      for (const text of ["2¹⁶", "2²⁴", "elements"]) {
        expect(texts).toContain(text);
      }
      expect(texts.join("\n")).toMatch(
        /Some GPU, u32: .*\ndriver 1\.2; commit abc123; medians, every element verified/,
      );
      // A line goes through its points: M x y L x y L x y, or the same drawn as a polyline.
      expect(svg.match(/<(path|polyline)[^>]*fill="none"[^>]*>/g)?.length).toBeGreaterThanOrEqual(6);
    }
  });
});

/** How much lighter one colour is than another, as WCAG 2 has it. */
function contrast(...colours: readonly [string, string]): number {
  const [a = 0, b = 0] = colours.map((colour) => {
    const digits = colour.length === 4 ? colour.replaceAll(/[0-9a-f]/g, "$&$&") : colour;
    const [red = 0, green = 0, blue = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(digits.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  });
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

describe.each(["wide", "narrow"] as const)("a %s plot", (form) => {
  const plots = plotsOf({ ...report, commit: undefined } as unknown as Report, form);

  it("names the card, and no commit if none is known", () => {
    for (const { svg } of plots) {
      expect(svg).toContain("Some GPU");
      expect(svg).not.toMatch(/commit|undefined/);
    }
  });

  it("has text and lines that are read on the light ground, and on the dark one", () => {
    for (const { svg } of plots) {
      const [, rules = ""] = /@media \(prefers-color-scheme:dark\)\{(.*)\}<\/style>/.exec(svg) ?? [];
      const dark = new Map(
        Array.from(rules.matchAll(/\[(\w+="#\w+")\]\{\w+:(#\w+)\}/g), ([, from, to]) => [from, to] as const),
      );
      const ground = /<rect[^>]* (fill="(#\w+)")/.exec(svg) ?? [];
      const shown = new Set([
        ...Array.from(svg.matchAll(/<text[^>]* (fill="#\w+")/g), ([, fill]) => fill),
        // Grid lines are faint. Lines of the data and of axes are not.
        ...Array.from(
          svg.matchAll(/ (stroke="#\w+") (?:stroke-width="[1-9]|stroke-linecap)/g),
          ([, stroke]) => stroke,
        ),
      ]);
      expect(shown.size).toBeGreaterThan(8);
      for (const one of shown) {
        const light = /#\w+/.exec(one ?? "")?.[0] ?? "";
        expect(contrast(light, ground[2] ?? ""), one).toBeGreaterThan(4.5);
        expect(contrast(dark.get(one) ?? light, dark.get(ground[1]) ?? ""), `${one}, dark`).toBeGreaterThan(
          4.5,
        );
      }
    }
  });
});

describe("a peer on CUDA", () => {
  needsUnix();
  let folder: string;
  let source: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "wavefold-peer-"));
    source = join(folder, "theirs.cu");
    writeFileSync(source, "// source\n");
    vi.stubEnv("PATH", `${folder}:/usr/bin:/bin`);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  const script = (name: string, body: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  const sets: CaseSet[] = LENGTHS.map((length) => ({
    type: "u32",
    op: "add",
    length,
    cases: [{ primitive: "scan", inPlace: false }],
  }));
  const run = (own = sets) => runCuda(source, own, rows, () => {});
  const result = (length: number, more: object): object => ({
    primitive: "scan",
    type: "u32",
    length,
    median: 2 * (length / 1000),
    quartiles: [1, 2],
    runs: 31,
    verified: true,
    problem: "",
    ...more,
  });
  /** An nvcc that "builds" a program which prints results. */
  const fakeCompiler = (results: readonly object[]): void => {
    const text = JSON.stringify({ name: "Theirs 3.1", results });
    writeFileSync(join(folder, "printed.json"), text);
    script(
      "nvcc",
      `echo "$@" > ${folder}/nvcc-args
for last in "$@"; do if [ "$previous" = -o ]; then out=$last; fi; previous=$last; done
printf '#!/bin/sh\\necho "$@" > ${folder}/args\\ncat ${folder}/printed.json\\n' > "$out" && chmod +x "$out"`,
    );
  };

  it("is built, asked for the same lengths, and gets rows beside ours", async () => {
    fakeCompiler([
      result(2 ** 16, {}),
      result(2 ** 24, {}),
      result(2 ** 24, { primitive: "copy", median: 2 ** 24 / 1000 }),
    ]);
    const { rows: found, notes, wrong } = await run();
    expect({ notes, wrong }).toEqual({ notes: [], wrong: [] });
    expect(readFileSync(join(folder, "nvcc-args"), "utf8")).toMatch(/^-O3 .*-arch=native .*theirs\.cu\n$/);
    expect(readFileSync(join(folder, "args"), "utf8").trim().split(" ")).toEqual(
      LENGTHS.flatMap((length) => [`copy:u32:${length}`, `scan:u32:${length}`]),
    );
    const all = withRatios([...rows, ...found]).slice(rows.length);
    expect(
      all.map(({ implementation, length, toCopy, toWavefold }) => [
        implementation,
        length,
        toCopy,
        toWavefold,
      ]),
    ).toEqual([
      ["Theirs 3.1", 2 ** 16, 2, 2 / 1.5],
      ["Theirs 3.1", 2 ** 24, 2, 2 / 1.5],
      ["Theirs 3.1 (copy)", 2 ** 24, 1, undefined],
    ]);
    expect(tablesOf([...rows, ...all])).toContain("(1.33 of ours)");
  });

  it("has no row for what it did not verify, or could not run", async () => {
    fakeCompiler([
      result(2 ** 16, { verified: false, problem: "element 5 is 1, and the CPU has 2" }),
      { primitive: "scan", type: "u32", length: 2 ** 24, verified: false, problem: "out of memory" },
    ]);
    const { rows: found, notes, wrong } = await run();
    expect(found).toEqual([]);
    expect(wrong).toEqual(["Theirs 3.1 scan<u32> at 65536 is wrong: element 5 is 1, and the CPU has 2"]);
    expect(notes).toEqual([`Theirs 3.1 scan<u32> at ${2 ** 24} was left out: out of memory`]);
  });

  it("is taken as it is where it was built before", async () => {
    script("theirs", `echo '{"name": "Built", "results": []}'`);
    expect(await run()).toEqual({ rows: [], notes: [], wrong: [] });
  });

  it.each([
    ["there is no nvcc", () => {}, /^theirs: it was left out: there is no nvcc on the PATH$/],
    [
      "nvcc fails",
      () => script("nvcc", "echo 'theirs.cu(1): error: no' >&2; exit 2"),
      /^theirs: it was left out: nvcc failed: theirs\.cu\(1\): error: no$/,
    ],
    [
      "it fails",
      () => script("theirs", "echo 'there is no CUDA device' >&2; exit 1"),
      /^theirs: it was left out: it failed: there is no CUDA device$/,
    ],
    ["it prints no JSON", () => script("theirs", "echo hello"), /^theirs: what it printed is no JSON$/],
  ])("is left out, with the reason, when %s", async (_, prepare, message) => {
    prepare();
    if (process.env.PATH?.split(":").some((one) => one === "/usr/local/bin")) {
      throw new Error("the PATH holds the folder alone");
    }
    const { rows: found, notes, wrong } = await run();
    expect({ found, wrong }).toEqual({ found: [], wrong: [] });
    expect(notes).toEqual([expect.stringMatching(message)]);
  });

  it("is not asked for what CUDA lacks", async () => {
    const { notes } = await run([
      { type: "struct16", op: "add", length: 64, cases: [{ primitive: "scan", inPlace: false }] },
    ]);
    expect(notes).toEqual(["theirs: it was left out: it has none of what was timed"]);
  });
});
