import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileFor, traitsOf } from "../../src/adapters/adapter.ts";
import { describedAdapters } from "../../src/adapters/described.ts";
import type { ExplainReport } from "../../src/cli/explain.ts";
import { formatBytes } from "../../src/cli/explain.ts";
import { explained } from "../../src/cli/explain_plans.ts";
import { commandOf, flagOf, nameOf } from "../../src/cli/primitives.ts";
import { primitives } from "../../src/primitives/described.ts";
import { failsIn, runIn } from "../support/command.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-explain-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const NVIDIA = ["--adapter", "nvidia"] as const;
const text = (...args: string[]): string => {
  const { status, stdout, stderr } = runIn(folder, ["explain", ...args]);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return stdout;
};
const report = (...args: string[]): ExplainReport => JSON.parse(text(...args, "--json")) as ExplainReport;
const isFold = (name: string): boolean => name === "scan" || name === "reduce";
/** The options that a primitive cannot do without. */
const needed = (name: string): readonly string[] =>
  ({ topK: ["-k", "3"], nth: ["-n", "3"], histogram: ["--bins", "4"] })[name] ?? [];
const kernelsOf = ({ dispatches }: ExplainReport): string[] => dispatches.map(({ kernel }) => kernel);

describe("the text", () => {
  test("says the way, why, the sizes, the dispatches and what they move", () => {
    const lines = text("scan", "--type", "f32", "--length", "2^20", ...NVIDIA).split("\n");
    expect(lines[0]).toBe("scan<f32, add>, 1048576 items, on an NVIDIA GPU as described: no GPU was asked");
    expect(lines).toContain("way      a single pass");
    expect(lines.join("\n")).toMatch(
      /^sizes {4}\d+ threads × \d+ items, .*; singlePass in src\/adapters\/nvidia\.ts/m,
    );
    expect(lines.join("\n")).toMatch(
      /^1 {2}scan_single_pass +\d+ +\d+ {2}input 4 MiB, .* {2}output 4 MiB, /m,
    );
    expect(lines.join("\n")).toMatch(
      /^moves {4}8 MiB, as 1\.00 copies of the input \(reads 4 MiB, writes 4 MiB\)$/m,
    );
    expect(lines.join("\n")).not.toContain("shaders/");
  });

  test("says the length on the GPU, and what is only the most", () => {
    const told = text("compact", "--where", "x > 3u", "--length-on-gpu", ...NVIDIA);
    expect(told).toMatch(/output ≤ 4 MiB/);
    expect(told).toMatch(/^moves {4}at most 8\.01 MiB/m);
    expect(told).toContain("The length is on the GPU");
  });

  test("plans without subgroups, on an adapter that has them", () => {
    const told = text("compact", "--length-on-gpu", "--no-subgroups", ...NVIDIA);
    expect(told).toContain("on an NVIDIA GPU without subgroups as described");
    expect(told).toContain(
      "Threads combine by the algorithm blelloch, as the row says or for lack of subgroups.",
    );
    expect(told).toMatch(/^1 {2}compact_single_pass /m);
  });

  test("has dispatches that come again and again once", () => {
    const told = text("nth", "-n", "10", "--adapter", "gpu");
    expect(told.match(/count_left/g)).toHaveLength(1);
    expect(told).toMatch(/^ {3}these 2 again, 6 times, up to dispatch 15$/m);
    expect(kernelsOf(report("nth", "-n", "10", "--adapter", "gpu"))).toHaveLength(16);
  });

  test("lists the files of each kernel, one a line", () => {
    const told = text("scan", "--files", "--adapter", "gpu");
    expect(told).toMatch(/^files of reduce_tiles \(dispatch 1\)$/m);
    expect(told).toMatch(
      /^ {2}shaders\/device\/kernels\/reduce_tiles\.wgsl +the entry point +reduce_tiles\b/m,
    );
    expect(told).toMatch(/^ {2}shaders\/device\/io\/carry_spine\.wgsl +what comes before a tile +spine, /m);
    expect(told).toMatch(/^ {2}generated +WORK_GROUP_SIZE, /m);
    const own = text("scan", "--files", ...NVIDIA);
    expect(own).toMatch(/with_row \(in place of that of shaders\/device\/tiles\/subgroup\.wgsl\)/);
  });

  test("is what the guide shows", () => {
    const guide = readFileSync("docs/guides/how-it-works.md", "utf8");
    const [, shown = ""] = /^```text\n(scan<[\s\S]*?)```$/m.exec(guide) ?? [];
    expect(shown).toBe(text("scan", "--type", "f32", "--length", "2^20", ...NVIDIA));
  });

  test("tells bytes in units", () => {
    expect([0, 512, 1023, 1024, 4_000_000, 2 ** 31].map(formatBytes)).toEqual([
      "0 bytes",
      "512 bytes",
      "1023 bytes",
      "1 KiB",
      "3.81 MiB",
      "2 GiB",
    ]);
  });
});

describe("the report", () => {
  test("has all of it as JSON, in place of the text", () => {
    const told = report("sort", "--length", "16Mi", "--files", ...NVIDIA);
    expect(told).toMatchObject({
      version: 1,
      primitive: "sort",
      title: "sort<u32>",
      length: 2 ** 24,
      adapter: { described: true, file: "src/adapters/nvidia.ts" },
      sizesFrom: "src/adapters/nvidia.ts",
    });
    expect(told.dispatches).toHaveLength(5);
    const dispatches = told.kernels?.flatMap((kernel) => kernel.dispatches) ?? [];
    expect(dispatches.sort()).toEqual([1, 2, 3, 4, 5]);
    expect(told.kernels?.[0]?.files.map(({ name }) => name)).toContain(
      "shaders/device/kernels/histogram.wgsl",
    );
  });

  test("goes to a file beside the text", () => {
    const told = text("reduce", "--json", "report.json", ...NVIDIA);
    expect(told).toMatch(/^reduce<u32, add>/);
    const written = JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as ExplainReport;
    expect(written).toEqual(report("reduce", ...NVIDIA));
    expect(written.kernels).toBeUndefined();
  });

  test("is for the machine's adapter, if none is named", () => {
    const told = report("scan", "--length", "1000000");
    expect(told.adapter.described).toBe(false);
    expect(told.adapter.name).not.toBe("");
    expect(told.dispatches.length).toBeGreaterThan(0);
    const files = [true, false].flatMap((software) =>
      ["nvidia", ""].map((vendor) => `src/adapters/${fileFor({ software, vendor })}`),
    );
    expect(files).toContain(told.adapter.file);
  });
});

describe("which machine takes the call at hand", () => {
  const adapters = ["nvidia", "gpu", "software"] as const;
  const rows = explained.flatMap(({ name, takes }) =>
    adapters.map((adapter) => [name, adapter, takes.includes("rows") && isFold(name)] as const),
  );

  test.each(rows)("%s, %s, as the table says", (name, adapter, hasSegments) => {
    const { cpuLengths } = traitsOf(describedAdapters[adapter]);
    for (const rows of hasSegments ? [[], ["--rows", "8"]] : [[]]) {
      const method = rows.length > 0 ? "segments" : name;
      const most: number = { ...cpuLengths }[method] ?? cpuLengths.others;
      const lengths = most === Infinity ? [8, 2 ** 24] : [most, most + 8];
      const found = lengths.map((length) => {
        const told = report(name, ...needed(name), ...rows, "--length", String(length), "--adapter", adapter);
        return told.atHand?.machine;
      });
      expect(found).toEqual(most === Infinity ? ["cpu", "cpu"] : ["cpu", "gpu"]);
    }
  });

  test("is told in a line, and not where there is no such call", () => {
    expect(text("scan", "--length", "1000", ...NVIDIA)).toMatch(
      /^at hand {2}on the CPU\. Up to \d+ elements, the CPU is faster than the way to the GPU and back\.$/m,
    );
    expect(text("scan", "--length", "1000", "--passes", "single", ...NVIDIA)).toMatch(
      /^at hand {2}on the GPU\. The CPU has no kernels, and an option names some\.$/m,
    );
    const exactly = (length: number) =>
      report("scan", "--type", "f64", "--op", "exactAdd", "--length", String(length), ...NVIDIA).atHand;
    expect(exactly(4096)?.why).toContain("Up to 4096 elements");
    expect([4096, 4104].map((length) => exactly(length)?.machine)).toEqual(["cpu", "gpu"]);
    expect(text("sort", "--adapter", "software")).toMatch(/^at hand {2}on the CPU\. The adapter computes/m);
    expect(report("scan", "--length-on-gpu", ...NVIDIA).atHand).toBeUndefined();
  });
});

describe("options", () => {
  const first = (...args: string[]): string => kernelsOf(report(...args))[0] ?? "";

  test.each([
    [["scan", "--algorithm", "blelloch", "--passes", "reduce-then-scan"], "reduce_tiles"],
    [["scan", "--rows", "64"], "scan_each_row"],
    [["scan", "--exclusive"], "scan_single_pass"],
    [["reduce", "--op", "max", "--type", "i32"], "reduce_tiles"],
    [["partition"], "count_tiles"],
    [["compact", "--passes", "single"], "compact_single_pass"],
    [["argSort", "--type", "f64"], "histogram"],
    [["argsort", "--type", "f64"], "histogram"],
    [["sort", "--length", "100"], "sort_by_comparing"],
    [["topk", "-k", "10"], "first_of_blocks"],
    [["histogram", "--bins", "16"], "clear_bins"],
    [["histogram", "--edges", "0,1,9"], "clear_bins"],
    [["searchSorted", "--side", "right"], "search_sorted"],
    [["unique", "--type", "f32"], "run_lengths"],
    [["runs"], "run_lengths"],
    [["unique", "--indices"], "run_lengths"],
    [["expand"], "scan_single_pass"],
  ])("%j begins with %s", (args, kernel) => {
    expect(first(...args, ...NVIDIA)).toMatch(kernel === "first_of_blocks" ? /^first_of_/ : kernel);
  });

  test.each(primitives)("$primitive.name has a command and a plan, with a way that is told", (described) => {
    const { numbers = [] } = described.primitive;
    const { stdout } = runIn(folder, [commandOf(described), "--help"]);
    for (const option of Object.keys(described.help.options)) {
      expect(stdout).toContain(`  ${flagOf(option)} `);
    }
    const { way } = report(
      nameOf(described),
      ...numbers.flatMap((number) => [flagOf(number), "10"]),
      ...NVIDIA,
    );
    expect(way).not.toMatch(/^\d+ dispatch/);
  });

  test("say what moves: values, and items that are sorted by a key", () => {
    const ranges = (told: ExplainReport): string[] =>
      told.dispatches.at(-1)?.writes.map(({ what }) => what) ?? [];
    expect(ranges(report("sort", "--values", ...NVIDIA))).toEqual(
      expect.arrayContaining(["output", "reordered"]),
    );
    const byKey = report("sort", "--values", "--key", "x % 10u", ...NVIDIA);
    expect(kernelsOf(byKey).slice(-2)).toEqual(["gather_items", "gather_items"]);
    expect(byKey.way).toContain("it sorts positions");
  });

  test.each([
    ["2^20", 2 ** 20],
    ["1000000", 1_000_000],
    ["64Ki", 65_536],
    ["16Mi", 2 ** 24],
  ])("--length %s", (given, length) => {
    expect(report("scan", "--length", given, ...NVIDIA).length).toBe(length);
  });
});

const refused: [message: RegExp, ...args: string[]][] = [
  [/explain: frob is none of scan, reduce, /, "frob"],
  [/explain sort: --op means nothing to it; it takes --key, /, "sort", "--op", "max"],
  [/explain histogram: --rows means nothing to it; it takes --bins/, "histogram", "--rows", "4"],
  [/explain topK: -k <count> is missing/, "topK"],
  [/explain nth: -n <count> is missing/, "nth"],
  [/nth<u32>: -n is 9, and there are 5 elements/, "nth", "-n", "9", "--length", "5"],
  [/topK<u32>: --bits is \[3, 40\]/, "topK", "-k", "1", "--bits", "3,40"],
  [/is no size; it takes numbers of elements/, "scan", "--length", "many"],
  [/It takes one number of elements/, "scan", "--length", "1Ki,2Ki"],
  [/--rows is 7, and --length is 1048576/, "sort", "--rows", "7"],
  [/longer data goes in windows, which explain does not show/, "scan", "--length", "2^30"],
  [/and has no meaning on f32/, "reduce", "--op", "and", "--type", "f32"],
  [/Allowed choices are nvidia, gpu, software/, "scan", "--adapter", "simulated"],
  [/'\(' is not closed/, "compact", "--where", "(x"],
];

test.each(refused)("%s is one line", (message, ...args) => {
  failsIn(folder, message, ["explain", ...(args.includes("simulated") ? args : [...args, ...NVIDIA])]);
});
