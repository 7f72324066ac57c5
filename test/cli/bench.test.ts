import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AtHandReport } from "../../bench/at_hand_report.ts";
import { namesOf } from "../../bench/host.ts";
import { plotName, plotNames } from "../../bench/plot_names.ts";
import type { Report } from "../../bench/report.ts";
import type { AdapterTuning } from "../../src/plan/adapter_tuning.ts";
import { needsUnix, SOFTWARE, skipAll, swiftShaderMissing } from "../support/adapter.ts";
import type { Ended } from "../support/command.ts";
import { failsIn, program, runIn } from "../support/command.ts";
import { useSoftwareFold } from "../support/fold.ts";

const fold = useSoftwareFold();
const plotsCard = ({ device }: Report): string =>
  plotName(device.name, "ratio", "u32").replace("-ratio-u32.svg", "");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-bench-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]): Ended => runIn(folder, args);
const fails = (message: RegExp, ...args: string[]): void => failsIn(folder, message, args);

/** Without a terminal, lines say how far the work is. */
const progressOnly = /^bench: running \d+ steps\n(?:bench: \d+ of \d+ steps, now .*\n)*$/;

const tiny = ["--sizes", "256,300", "--quick", ...SOFTWARE];

describe("bench", () => {
  test("prints a table, and writes the record and the plots", () => {
    const { status, stdout, stderr } = run(
      ...["bench", ...tiny, "--types", "u32", "--json", "run.json", "--plot", "plots"],
    );
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(progressOnly);
    expect(stdout).toMatch(/^\S.*\(software\); wavefold \d/);
    const [lines = "", tables = ""] = stdout.split("\n\nexclusive scan<u32, add>\n");
    // Rows come as lines first, those of the longest arrays before the others.
    expect(
      Array.from(lines.matchAll(/^(\w+)[^<\n]*<.* (2\^8|300) .* ±/gm), ([, what, at]) => `${what} ${at}`),
    ).toEqual(
      ["300", "2^8"].flatMap((at) =>
        ["copy", "exclusive", "reduce", "compact"].map((what) => `${what} ${at}`),
      ),
    );
    expect(tables).toMatch(/^┌/);
    expect(stdout).toMatch(/│ 300 +│ +[\d.]+ ±[\d.]+ │ +[\d.]+ ±[\d.]+ │ +[\d.]+ │/);
    expect(stdout).toMatch(/record\(\) of a compact at 2\^16: [\d.]+ µs of the host/);
    const report = JSON.parse(readFileSync(join(folder, "run.json"), "utf8")) as Report;
    expect(report.device.software).toBe(true);
    expect(report.device.driver).not.toBe("");
    expect(report.commit).not.toBe("");
    expect(report.wrong).toEqual([]);
    expect(report.rows.map(({ primitive, type, length }) => `${primitive} ${type} ${length}`)).toEqual(
      [256, 300].flatMap((length) =>
        ["copy", "scan", "reduce", "compact"].map((primitive) => `${primitive} u32 ${length}`),
      ),
    );
    for (const { median, quartiles, toCopy } of report.rows) {
      expect(Math.min(median, toCopy, ...quartiles)).toBeGreaterThan(0);
    }
    const plots = ["ratio", "throughput"].map((name) => `${plotsCard(report)}-${name}-u32.svg`);
    expect(readdirSync(join(folder, "plots")).sort()).toEqual(plots);
    const plot = readFileSync(join(folder, "plots", plots[0] ?? ""), "utf8");
    expect(plot).toContain(">compact<");
    expect(plot).toContain(report.device.name);
  });

  test("takes no longer than it may, and says what it left out and how to get it", () => {
    const { status, stdout, stderr } = run(
      ...["bench", "--sizes", "1Ki,2Ki,4Ki", "--types", "u32,i32", "--seconds", "0.001", ...SOFTWARE],
      ...["--json", "run.json", "--plot", "plots"],
    );
    expect(status, stderr).toBe(0);
    expect(stdout).toContain("\nAt most 0.001 s; Ctrl-C ends it before that, and prints what is there.\n");
    expect(stdout).toMatch(/\n\nNothing was timed\.\n/);
    expect(stdout).toMatch(
      /note: the time \(0\.001 s\) was over, so these were left out, in part or whole: u32 at 2\^10, 2\^11, 2\^12; i32 at 2\^10, 2\^11, 2\^12\. --seconds takes longer, and /,
    );
    expect(JSON.parse(readFileSync(join(folder, "run.json"), "utf8"))).toMatchObject({ rows: [], wrong: [] });
    expect(readdirSync(join(folder, "plots"))).toEqual([]);
    fails(/It takes a number above 0/, "bench", "--seconds", "0", ...SOFTWARE);
  });

  test("fails where a result is wrong, after the others are reported", () => {
    mkdirSync(join(folder, "peers"));
    writeFileSync(
      join(folder, "peers", "idle.mjs"),
      'export const peer = { name: "idle 1.0", prepare: async () => ({ encode() {}, destroy() {} }) };',
    );
    const { status, stdout, stderr } = run(
      ...[
        "bench",
        ...tiny,
        "--types",
        "u32",
        "--primitives",
        "reduce",
        "--peers",
        "peers",
        "--json",
        "run.json",
      ],
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^(?:bench: .*\n)+wavefold: bench: 2 wrong results, whose times do not count: idle 1\.0: reduce<u32, add>/,
    );
    expect(stdout).toContain("WRONG: idle 1.0: reduce<u32, add> at 300 is wrong: it is 4290829997, and");
    expect(stdout).not.toMatch(/│ +idle/);
    const { rows, wrong } = JSON.parse(readFileSync(join(folder, "run.json"), "utf8")) as Report;
    expect(wrong).toHaveLength(2);
    expect(new Set(rows.map(({ implementation }) => implementation))).toEqual(new Set(["copy", "wavefold"]));
  });

  test("runs luma.gl beside ours, from what the build made", () => {
    const { status, stdout, stderr } = run(
      ...["bench", "--sizes", "300", "--quick", "--types", "u32", "--primitives", "scan,pairs", ...SOFTWARE],
      ...["--peers", resolve("build/bench/peers")],
    );
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(progressOnly);
    expect(stdout.match(/│ +luma\.gl 9\.\S+ +│/g)).toHaveLength(2);
    expect(stdout).toMatch(/\([\d.]+ of ours\)/);
  });

  test("rejects what means nothing, before anything is opened or made", () => {
    fails(/sizes: "ten" is no size; it takes numbers of elements/, "bench", "--sizes", "ten", ...SOFTWARE);
    fails(/types: "u33" is not known; it takes u32, i32/, "bench", "--types", "u33", ...SOFTWARE);
    fails(/xor has no meaning on f32/, "bench", "--types", "f32", "--ops", "xor", ...SOFTWARE);
    fails(/it takes names divided by commas/i, "bench", "--ops", "add,,max", ...SOFTWARE);
    fails(/folder .*missing does not exist/, "bench", "--json", "missing/run.json", ...SOFTWARE);
    fails(/there is no folder .*nothing; peers are built by/, "bench", "--peers", "nothing", ...SOFTWARE);
    fails(/bytes are more than the/, "bench", "--sizes", "2Gi", ...SOFTWARE);
    writeFileSync(join(folder, "file"), "");
    fails(
      /file: this cannot be the folder for the output: there is a file of/,
      "bench",
      "--plot",
      "file",
      ...SOFTWARE,
    );
    fails(
      /file\/plots: this cannot be the folder for the output: /,
      "bench",
      "--plot",
      "file/plots",
      ...SOFTWARE,
    );
    fails(
      /proc.*: this cannot be the folder for the output: /,
      "bench",
      "--plot",
      "/proc/plots",
      ...SOFTWARE,
    );
    mkdirSync(join(folder, "plots"));
    const names = plotNames(namesOf(fold()).name, ["u32"]);
    for (const json of [`plots/${names[0]}`, `./plots/../plots/${names[1]}`]) {
      const message = /^wavefold: \S+-u32\.svg: two outputs would go there; it takes a file for each\n$/;
      fails(message, "bench", ...tiny, "--types", "u32", "--plot", "plots", "--json", json);
      expect(readdirSync(join(folder, "plots"))).toEqual([]);
    }
    writeFileSync(join(folder, "none.mjs"), "export const peer = 1;");
    fails(/none\.mjs exports no peer/, "bench", "--peers", ".", ...SOFTWARE);
  });
});

describe("bench that is ended", () => {
  needsUnix();

  test("ended by SIGTERM, prints, plots and writes what is there", async () => {
    const sizes = ["--sizes", "256,300,400,500,600,700,800,900", "--types", "u32,i32,f32,f64"];
    const files = ["--quick", "--json", "run.json", "--plot", "plots"];
    const child = spawn(process.execPath, [program, "bench", ...sizes, ...files, ...SOFTWARE], {
      cwd: folder,
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const isFirst = !stdout.includes("\ncopy<");
      stdout += text;
      if (isFirst && stdout.includes("\ncopy<")) {
        child.kill("SIGTERM");
      }
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const [status] = await once(child, "close");
    expect(status, stderr).toBe(143);
    expect(stderr).toContain("bench: ending; what is there will be printed.");
    expect(stdout).toMatch(/note: SIGTERM ended the run, so these were left out, in part or whole: u32 at /);
    const report = JSON.parse(readFileSync(join(folder, "run.json"), "utf8")) as Report;
    expect(report.rows[0]).toMatchObject({ primitive: "copy", type: "u32", length: 900 });
    expect(report.rows.length).toBeLessThan(8);
    expect(readdirSync(join(folder, "plots"))).toHaveLength(2);
    expect(readdirSync(folder).sort()).toEqual(["plots", "run.json"]);
  });

  test("ends at once when it is told so twice, and leaves no file", async () => {
    const child = spawn(
      process.execPath,
      [program, "bench", ...["--json", "run.json", "--plot", "plots"], ...SOFTWARE],
      { cwd: folder },
    );
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      if (stderr.includes("bench: ending;")) {
        child.kill("SIGINT");
      }
    });
    child.stdout.once("data", () => child.kill("SIGINT"));
    const [status] = await once(child, "close");
    expect(status, stderr).toBe(130);
    expect(readdirSync(folder)).toEqual(["plots"]);
    expect(readdirSync(join(folder, "plots"))).toEqual([]);
  });

  test("at hand, has the rows until then", async () => {
    const args = [
      "bench",
      "--at-hand",
      "--sizes",
      "256,300,400,500",
      "--primitives",
      "reduce",
      "--seconds",
      "0.01",
    ];
    const { status, stdout, stderr } = run(...args, "--json", "run.json", ...SOFTWARE);
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(
      /note: the time \(0\.01 s\) was over, so these were left out: u32 at 2\^8; u32 at 300; /,
    );
    expect(JSON.parse(readFileSync(join(folder, "run.json"), "utf8"))).toMatchObject({ atHand: [] });
  });
});

describe("bench --at-hand", () => {
  test("prints a table and what it means, and writes the record", () => {
    const { status, stdout, stderr } = run(
      ...["bench", "--at-hand", ...tiny, "--primitives", "scan,reduce", "--json", "run.json"],
    );
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(progressOnly);
    expect(stdout).toMatch(/^\S.*\(software\); wavefold \d/);
    expect(stdout).toMatch(/\nThis is a software adapter, .* say nothing about a GPU\.\n/);
    // Rows come as lines first.
    expect(
      stdout.match(/^(scan|reduce)<u32, add> at (2\^8|300) +ms: loop .* ±.*, call .* ±.*, x loop [\d.]+$/gm),
    ).toHaveLength(4);
    for (const title of ["scan<u32, add>", "reduce<u32, add>"]) {
      expect(stdout).toContain(`\n${title} at hand\n`);
      expect(stdout).toContain(`\nOn this machine, ${title} at hand `);
    }
    expect(
      stdout.match(/│ 300 +│( +[\d.]+ ±[\d.]+ │){6} +[\d.]+ │ +[\d.]+ ±[\d.]+ │ +[\d.]+ │ +[\d.]+ │/g),
    ).toHaveLength(2);
    const report = JSON.parse(readFileSync(join(folder, "run.json"), "utf8")) as AtHandReport;
    expect(report.device.software).toBe(true);
    expect(report.commit).not.toBe("");
    expect({ notes: report.notes, wrong: report.wrong }).toEqual({ notes: [], wrong: [] });
    expect(report.atHand.map(({ primitive, type, length }) => `${primitive} ${type} ${length}`)).toEqual(
      [256, 300].flatMap((length) => ["scan", "reduce"].map((primitive) => `${primitive} u32 ${length}`)),
    );
    for (const { first, toParts, toLoop, call } of report.atHand) {
      expect(Math.min(first, toParts, toLoop, ...call.quartiles)).toBeGreaterThan(0);
    }
  });

  test("has nothing but the record on stdout, where that goes there", () => {
    const { status, stdout, stderr } = run(
      ...["bench", "--at-hand", ...tiny, "--primitives", "reduce", "--json", "-"],
    );
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(progressOnly);
    expect((JSON.parse(stdout) as AtHandReport).atHand).toHaveLength(2);
    const timed = run("bench", ...tiny, "--types", "u32", "--primitives", "reduce", "--json");
    expect((JSON.parse(timed.stdout) as Report).rows.map(({ length }) => length)).toEqual([
      256, 256, 300, 300,
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("rejects options that belong to the other bench, before anything is opened", () => {
    for (const [option, ...value] of [
      ["--ops", "add"],
      ["--algorithms", "default"],
      ["--in-place"],
      ["--plot", "plots"],
      ["--peers"],
    ] as const) {
      const message = new RegExp(`option '--at-hand' cannot be used with option '${option}`);
      fails(message, "bench", "--at-hand", option, ...value, "--json", "run.json", ...SOFTWARE);
    }
    fails(/--at-hand has no loop over f16/, "bench", "--at-hand", "--types", "f16", ...SOFTWARE);
    fails(/types: "u33" is not known/, "bench", "--at-hand", "--types", "u33", ...SOFTWARE);
    fails(/bytes are more than the/, "bench", "--at-hand", "--sizes", "2Gi", ...SOFTWARE);
  });
});

describe("tune", () => {
  /** Time for all ways, also on a machine that is busy: a tuning that has too little leaves some of them out. */
  const enough = ["--seconds", "250"];

  test("prints the best as a row of the table", () => {
    const { status, stdout, stderr } = run(
      ...["tune", "--sizes", "512,1Ki", "--primitives", "reduce", "--algorithms", "hillis-steele"],
      ...["--work-group-sizes", "8,16", "--items", "4", "--json", "tune.json", ...enough, ...SOFTWARE],
    );
    expect(status).toBe(0);
    expect(stderr).toMatch(/^tune: running 2 ways\n/);
    expect(stderr).not.toMatch(/, now $/m);
    expect(stderr).toMatch(/^tune: reduce<u32>: 2 ways in [\d.]+ s, [\d.]+ s in all$/m);
    expect(stdout).toMatch(/│ (8|16) × 4 hillis-steele +│ [\d.]+ +│ [\d.]+ +│/);
    expect(stdout).toMatch(
      /twoPass\.reduce in src\/adapters\/software\.ts:\n(.*\n)? +\{ elementBytes: 4, algorithm: "hillis-steele", workGroupSize: (8|16), items: 4 \}, \/\/ .*, reduce<u32>, µs: 2\^9 [\d.]+, 2\^10/,
    );
    const { times } = JSON.parse(readFileSync(join(folder, "tune.json"), "utf8")) as { times: unknown[] };
    const way = { algorithm: "hillis-steele", itemsPerThread: 4 };
    expect(times).toMatchObject([
      {
        ...{ primitive: "reduce", type: "u32", lengths: [512, 1024] },
        ways: [8, 16].map((workGroupSize) => ({ ...way, workGroupSize })),
      },
    ]);
  });

  test("writes a tuning, which the other commands take", () => {
    const tuned = run(
      // Fewer elements than a histogram has bins.
      ...["tune", "--sizes", "128", "--primitives", "scan,histogram", "--algorithms", "blelloch"],
      ...["--work-group-sizes", "8", "--items", "4", "--output", "tuning.json", ...enough, ...SOFTWARE],
    );
    expect(tuned.status).toBe(0);
    const path = join(folder, "tuning.json");
    const tuning = JSON.parse(readFileSync(path, "utf8")) as AdapterTuning;
    expect(typeof tuning.singlePass).toBe("boolean");
    const sizes = { elementBytes: 4, algorithm: "blelloch", workGroupSize: 8, itemsPerThread: 4 };
    expect(tuning.rows).toMatchObject([
      { primitive: "scan", passes: "reduce-then-scan", ...sizes },
      { primitive: "histogram", elementBytes: 4, workGroupSize: 8, itemsPerThread: 4 },
    ]);
    writeFileSync(join(folder, "numbers"), "3 1 7");
    const scan = ["scan", "numbers", "--text", "u32", "-o", "-", "--tuning", "tuning.json", ...SOFTWARE];
    expect(run(...scan)).toMatchObject({ status: 0, stdout: "3\n4\n11\n" });
    // An editor may put a byte order mark at the start.
    writeFileSync(path, `\uFEFF${JSON.stringify({ ...tuning, version: "0.0.1" })}`);
    fails(/tuning is of Wavefold 0\.0\.1, and this is/, ...scan);
    writeFileSync(path, "{");
    fails(/tuning\.json is no JSON; --tuning takes what wavefold tune --output writes, or auto/, ...scan);
    rmSync(path);
    fails(/tuning\.json: there is no such file/, ...scan);
  });

  test("reports without what no size suits", () => {
    const few = ["--seconds", "0.001"];
    const { status, stdout } = run("tune", "--sizes", "1,3", "--primitives", "sort", ...few, ...SOFTWARE);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^This took [\d.]+ s, and not 0\.001: one way of each algorithm is always timed/m);
    expect(stdout).toContain(
      "sort<u32>: none of the sizes was timed; it takes sizes of 4 or more that fit into a buffer of the device",
    );
  });

  test("has nothing but the tuning or the times on stdout, where one of them goes there", () => {
    const nothing = ["tune", "--sizes", "1,3", "--primitives", "sort", ...SOFTWARE];
    const tuning = JSON.parse(run(...nothing, "-o", "-").stdout) as AdapterTuning;
    expect(tuning).toMatchObject({ rows: [], singlePass: true });
    const { times } = JSON.parse(run(...nothing, "--json").stdout) as { times: unknown[] };
    expect(times).toMatchObject([{ primitive: "sort", type: "u32", ways: [] }]);
    fails(
      /tune: --json and --output both go to stdout; one of them takes a file/,
      ...nothing,
      "-o",
      "-",
      "--json",
    );
    fails(/t\.json: two outputs would go there/, ...nothing, "-o", "t.json", "--json", "./t.json");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("rejects what means nothing", () => {
    fails(/it takes whole numbers divided by commas/i, "tune", "--items", "4,x", ...SOFTWARE);
    fails(/It takes a number above 0/, "tune", "--seconds", "0", ...SOFTWARE);
    // There may be no GPU here: then opening one would be the error.
    const gpu = ["--adapter", "gpu"];
    fails(/"default" is what is looked for/, "tune", "--algorithms", "default", ...gpu);
    fails(
      /primitives: "unique" is not known; it takes scan, reduce, compact, sort, pairs, histogram/,
      ...["tune", "--primitives", "unique", ...gpu],
    );
  });
});

describe("bench-pack", () => {
  // It packs for Linux x64, as SwiftShader is built.
  skipAll(swiftShaderMissing);
  const pack = (...args: string[]): Ended => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/bench-pack.mjs", ...args], {
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };

  test("makes a folder that runs the bench with nothing on the PATH but a shell", () => {
    const dest = join(folder, "pack");
    const { status, stdout, stderr } = pack(dest, "--software", "--loader", "none");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/pack: \d+ MB; there, run pack\/bench\n$/);
    const ran = spawnSync(
      join(dest, "bench"),
      [...tiny, "--types", "u32", "--primitives", "reduce", "--peers", "--json", "run.json"],
      {
        cwd: folder,
        encoding: "utf8",
        env: { PATH: "/usr/bin:/bin", HOME: folder, WAVEFOLD_COMMIT: "abc123" },
      },
    );
    expect(ran.status, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(progressOnly);
    const { commit, rows } = JSON.parse(readFileSync(join(folder, "run.json"), "utf8")) as Report;
    expect(commit).toBe("abc123");
    expect(rows.some(({ implementation }) => implementation.startsWith("luma.gl"))).toBe(true);
    // The driver came out of the pack, not out of a cache of this machine's.
    expect(readdirSync(join(folder, ".cache", "wavefold"))[0]).toMatch(/^swiftshader-/);
    const doctor = spawnSync(join(dest, "bench"), ["emit", "scan"], {
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin" },
    });
    expect(doctor.stdout).toContain("fn work_group_scan_inclusive_add_u32");
  });

  test("leaves a folder of somebody else's alone", () => {
    writeFileSync(join(folder, "mine.txt"), "mine");
    const { status, stderr } = pack(folder);
    expect(status).toBe(1);
    expect(stderr).toMatch(/is there, and is no pack/);
    expect(existsSync(join(folder, "mine.txt"))).toBe(true);
    expect(pack().stderr).toMatch(/it takes one folder to make/);
    expect(pack(join(folder, "x"), "--fast").stderr).toMatch(/usage:/);
  });
});
