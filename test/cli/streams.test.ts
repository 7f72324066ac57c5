import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ScalarType, TypeName } from "../../src/algebra/types.ts";
import { dumpElements, npyHeader, parseElements } from "../../src/cli/npy.ts";
import { shownBytes, shownRate, shownTime } from "../../src/cli/progress.ts";
import { startSteps } from "../../src/cli/progress_lines.ts";
import { fullDeviceMissing, needsUnix } from "../support/adapter.ts";
import { failsIn, program, runIn, writtenIn } from "../support/command.ts";
import { until } from "../support/until.ts";

needsUnix();

// The command on data that is read and written piece by piece.

/** Without a GPU, streams run on the simulated one in pieces of 1 MiB. With one, also with `--adapter simulated`, these have 16. */
const ON_CPU = ["--adapter", "cpu"] as const;

const PIECE_BYTES = 2 ** 20;
/** Elements of a piece of u32. */
const PIECE = PIECE_BYTES / 4;
/** Elements of three pieces: the second one's total goes to the third. */
const MANY = 2 * PIECE + 3;
/** Elements of two pieces, where no more are needed. */
const FEW = PIECE + 3;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-streams-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);
const bytesOf = (data: ScalarArray): Buffer =>
  Buffer.from(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
const put = (name: string, type: ScalarType, data: ScalarArray, shape = [data.length]): void =>
  writeFileSync(at(name), dumpElements({ type, data, shape }));
const read = (name: string) => parseElements(readFileSync(at(name)), name);
const silent = { status: 0, stdout: "", stderr: "" };
/** Silent, but for the hint that a sum of u32 wrapped around. */
const hinted = { ...silent, stderr: expect.stringMatching(/^wavefold: hint: the whole sum is \d+, .*\n$/) };

/** Runs the command with these bytes in its stdin, and takes the bytes of its stdout. */
function piped(input: Uint8Array, ...args: string[]) {
  const { stdout, ...rest } = writtenIn(folder, [...args, ...ON_CPU], input);
  return { ...rest, stdout: Buffer.from(stdout) };
}

/** Runs a pipeline of the shell's. `$w` is the command. */
function shell(script: string) {
  const { status, stdout, stderr } = spawnSync(
    "bash",
    ["-c", `w() { "${process.execPath}" "${program}" "$@" --adapter cpu; }; set -o pipefail; ${script}`],
    { cwd: folder, encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

const hash = async (path: string): Promise<string> => {
  const made = createHash("sha256");
  for await (const chunk of createReadStream(path)) {
    made.update(chunk as Uint8Array);
  }
  return made.digest("hex");
};

/** The sums of any items, in pieces as long as any. */
function sumsOf(data: Uint32Array): Uint32Array {
  let sum = 0;
  return data.map((one) => {
    sum = (sum + one) >>> 0;
    return sum;
  });
}
const manyItems = Uint32Array.from({ length: MANY }, (_, at) => (at * 2654435761) >>> 5);
const manySums = sumsOf(manyItems);

describe("files of several pieces", () => {
  /** Elements that long rows divide. */
  const ROWS = 2 * PIECE + 2;

  // Short ones, and some that are longer than a piece.
  test.each([
    ["of 7, of a pipe", 7],
    [`of ${ROWS / 2}, of a file`, ROWS / 2],
    [`of ${ROWS}, of a pipe`, ROWS],
  ])("rows %s", (title, columns) => {
    const length = columns === 7 ? FEW : ROWS;
    const items = manyItems.subarray(0, length - (length % columns));
    const totals = new Uint32Array(items.length / columns);
    items.forEach((one, index) => {
      const row = Math.floor(index / columns);
      totals[row] = Math.max(totals[row] as number, one);
    });
    const how = ["--op", "max", "--rows", `${columns}`];
    if (title.endsWith("file")) {
      put("in.npy", u32, items);
      expect(runIn(folder, ["reduce", "in.npy", "-o", "out.npy", ...how, ...ON_CPU])).toEqual(silent);
      expect(read("out.npy").shape).toEqual([totals.length]);
      expect(bytesOf(read("out.npy").data).equals(bytesOf(totals))).toBe(true);
      expect(readdirSync(folder).sort()).toEqual(["in.npy", "out.npy"]);
    } else {
      const { stdout, ...others } = piped(bytesOf(items), "reduce", "-", "-o", "-", "--raw", "u32", ...how);
      expect(others).toEqual({ status: 0, stderr: "" });
      expect(stdout.equals(bytesOf(totals))).toBe(true);
    }
  });

  test("rows that do not divide what comes", () => {
    const data = manyItems.subarray(0, FEW);
    const within = piped(bytesOf(data), "reduce", "-", "-o", "t.bin", "--raw", "u32", "--rows", "7");
    expect(within.status).toBe(1);
    expect(within.stderr).toMatch(
      /reduce: the stream ends after 262147 items, and its rows of 7 do not divide/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  test("scan, reduce and compact, in place, with several dimensions", () => {
    const data = manyItems.subarray(0, FEW);
    put("in.npy", u32, data, [1, FEW]);
    expect(runIn(folder, ["reduce", "in.npy", ...ON_CPU])).toEqual({
      ...hinted,
      stdout: `${manySums[FEW - 1]}\n`,
    });
    const where = ["--where", "(x ^ i) % 3u == 0u", ...ON_CPU];
    expect(runIn(folder, ["compact", "in.npy", "-o", "kept.npy", ...where])).toEqual(silent);
    const isKept = (x: number, i: number): boolean => ((x ^ i) >>> 0) % 3 === 0;
    const kept = data.filter(isKept);
    expect(read("kept.npy").shape).toEqual([kept.length]);
    expect(bytesOf(read("kept.npy").data).equals(bytesOf(kept))).toBe(true);
    expect(runIn(folder, ["compact", "in.npy", "-o", "kept.npy", "--indices", ...where])).toEqual(silent);
    const places = Uint32Array.from(data.keys()).filter((i) => isKept(data[i] as number, i));
    expect(bytesOf(read("kept.npy").data).equals(bytesOf(places))).toBe(true);
    put("in.npy", u32, manyItems, [1, MANY]);
    expect(runIn(folder, ["scan", "in.npy", "-o", "in.npy", "--total", ...ON_CPU])).toEqual({
      ...hinted,
      stdout: `${manySums.at(-1)}\n`,
    });
    expect(read("in.npy").shape).toEqual([1, MANY]);
    expect(bytesOf(read("in.npy").data).equals(bytesOf(manySums))).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(["in.npy", "kept.npy"]);
  });

  test("pipes of raw elements give what a file gives", async () => {
    writeFileSync(at("in.bin"), bytesOf(manyItems.subarray(0, FEW)));
    writeFileSync(at("sums.bin"), bytesOf(manySums.subarray(0, FEW)));
    expect(shell("cat in.bin | w scan - --raw u32 -o - | cat > out.bin")).toEqual(hinted);
    expect(await hash(at("out.bin"))).toBe(await hash(at("sums.bin")));
    expect(runIn(folder, ["scan", "in.bin", "--raw", "u32", "-o", "in.bin", ...ON_CPU])).toEqual(hinted);
    expect(await hash(at("in.bin"))).toBe(await hash(at("sums.bin")));
    expect(statSync(at("in.bin")).size).toBe(4 * FEW);
  });
});

test("memory does not grow with the data", () => {
  const told = `--import=data:text/javascript,${encodeURIComponent(`
    import fs from "node:fs";
    const most = () => process.resourceUsage().maxRSS;
    let then;
    const watch = setInterval(() => {
      if (fs.existsSync("soon")) {
        then = most();
        clearInterval(watch);
      }
    }, 10);
    watch.unref();
    process.on("exit", () => fs.writeFileSync("kilobytes", JSON.stringify([then, most()])));
  `)}`;
  // All pieces are in use after the first 8 MiB. The simulated GPU has the device's memory here, too.
  const zeros = (mebibytes: number): string => `head -c ${mebibytes * 2 ** 20} /dev/zero`;
  const script = `{ ${zeros(8)}; touch soon; ${zeros(24)}; } | "$@" > /dev/null`;
  const args = [process.execPath, told, program, "scan", "-", "--raw", "u32", "-o", "-", ...ON_CPU];
  const { status, stderr } = spawnSync("bash", ["-o", "pipefail", "-c", script, "bash", ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const [soon = Number.NaN, most] = JSON.parse(readFileSync(at("kilobytes"), "utf8")) as [number, number];
  expect(soon / 1024).toBeLessThan(300);
  // It would grow by 24 MiB.
  expect((most - soon) / 1024).toBeLessThan(16);
  rmSync(at("soon"));
});

describe("- and --raw", () => {
  const example = Uint32Array.of(3, 1, 7, 0, 4, 1, 6, 3);
  const sums = Uint32Array.of(3, 4, 11, 11, 15, 16, 22, 25);

  test(".npy in and out, and one command behind another", () => {
    const file = dumpElements({ type: u32, data: example, shape: [2, 4] });
    const { status, stdout, stderr } = piped(file, "scan", "-", "-o", "-");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(parseElements(stdout, "stdout")).toEqual({ type: u32, dtype: "<u4", shape: [2, 4], data: sums });
    writeFileSync(at("in.npy"), file);
    expect(shell("w scan in.npy -o - | w reduce - --op max")).toEqual({ ...silent, stdout: "25\n" });
    expect(shell("w compact - -o out.npy --where 'x > 3u' < in.npy")).toEqual(silent);
    expect(read("out.npy")).toMatchObject({ type: u32, shape: [3], data: Uint32Array.of(7, 4, 6) });
  });

  test("raw elements of each type, with a map, and compactions", () => {
    const doubles = Float64Array.of(0.5, -1, 8);
    expect(piped(bytesOf(doubles), "scan", "-", "--raw", "f64", "-o", "-").stdout).toEqual(
      bytesOf(Float64Array.of(0.5, -0.5, 7.5)),
    );
    const mapped = ["--map", "u32(x)", "--type", "u32"];
    expect(
      piped(bytesOf(Float32Array.of(1.5, 2.5)), "scan", "-", "--raw", "f32", "-o", "-", ...mapped).stdout,
    ).toEqual(bytesOf(Uint32Array.of(1, 3)));
    const where = ["-", "--raw", "u32", "-o", "-", "--where", "x > 3u"];
    expect(piped(bytesOf(example), "compact", ...where).stdout).toEqual(bytesOf(Uint32Array.of(7, 4, 6)));
    expect(piped(bytesOf(example), "compact", ...where, "--indices").stdout).toEqual(
      bytesOf(Uint32Array.of(2, 4, 6)),
    );
    put("flags.npy", u32, Uint32Array.of(1, 0, 0, 0, 0, 0, 0, 2));
    const flagged = ["compact", "-", "--raw", "u32", "-o", "-", "--flags", "flags.npy"];
    expect(piped(bytesOf(example), ...flagged).stdout).toEqual(bytesOf(Uint32Array.of(3, 3)));
    const npy = dumpElements({ type: u32, data: example, shape: [8] });
    const kept = piped(npy, "compact", "-", "-o", "-", "--flags", "flags.npy");
    expect(parseElements(kept.stdout, "stdout").data).toEqual(Uint32Array.of(3, 3));
    for (const name of ["i32", "u64"] satisfies TypeName[]) {
      const bytes = bytesOf(example).subarray(0, 24);
      expect(piped(bytes, "compact", "-", "--raw", name, "-o", "-", "--where", "true").stdout).toEqual(bytes);
    }
  });

  test("no elements at all", () => {
    const nothing = new Uint8Array(0);
    expect(piped(nothing, "scan", "-", "--raw", "f64", "-o", "-")).toEqual({
      status: 0,
      stdout: Buffer.alloc(0),
      stderr: "",
    });
    expect(piped(nothing, "scan", "-", "--raw", "f64", "-o", "out.bin", "--total").stdout.toString()).toBe(
      "0.0\n",
    );
    expect(readFileSync(at("out.bin")).length).toBe(0);
    const total = ["-o", "out.bin", "--total", "--initial", "nan", "--op", "max"];
    expect(piped(nothing, "scan", "-", "--raw", "f64", ...total).stdout.toString()).toBe("-inf\n");
    expect(piped(nothing, "reduce", "-", "--raw", "f64").stdout.toString()).toBe("0.0\n");
    expect(
      piped(nothing, "reduce", "-", "--raw", "u32", "--op", "min", "--initial", "7").stdout.toString(),
    ).toBe("7\n");
    writeFileSync(at("empty"), "");
    expect(
      runIn(folder, ["compact", "empty", "--raw", "u32", "-o", "out.bin", "--where", "true", ...ON_CPU]),
    ).toEqual(silent);
    put("empty.npy", u32, new Uint32Array(0), [0, 3]);
    expect(runIn(folder, ["compact", "empty.npy", "-o", "out.npy", "--where", "true", ...ON_CPU])).toEqual(
      silent,
    );
    expect(read("out.npy")).toEqual({ type: u32, dtype: "<u4", shape: [0], data: new Uint32Array(0) });
  });

  test("what is refused", () => {
    put("in.npy", u32, example);
    writeFileSync(at("odd.bin"), Buffer.alloc(10));
    const fails = (message: RegExp, ...args: string[]): void =>
      failsIn(folder, message, [...args, ...ON_CPU]);
    fails(
      /odd\.bin: it ends in the middle of an element: it holds 10 bytes, and each u32 takes 4/,
      "scan",
      "odd.bin",
      "--raw",
      "u32",
      "-o",
      "out.bin",
    );
    fails(/Allowed choices are u32, i32/, "scan", "odd.bin", "--raw", "u8", "-o", "out.bin");
    fails(/--total and -o - both write to standard output/, "scan", "in.npy", "-o", "-", "--total");
    fails(
      /-o - takes --raw TYPE or --text TYPE; without them, -o takes a file/,
      "compact",
      "in.npy",
      "-o",
      "-",
      "--where",
      "true",
    );
    const broken = piped(Buffer.alloc(10), "reduce", "-", "--raw", "u64");
    expect(broken).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^wavefold: stdin: it ends in the middle of an element: it holds 10 bytes/,
      ),
    });
    // Known when the pipe ends, after pieces were written.
    const pieces = Buffer.concat([bytesOf(manyItems.subarray(0, FEW)), Buffer.alloc(3)]);
    expect(piped(pieces, "scan", "-", "-o", "out.bin", "--raw", "u32")).toMatchObject({
      status: 1,
      stderr: `wavefold: stdin: it ends in the middle of an element: it holds ${pieces.length} bytes, and each u32 takes 4\n`,
    });
    const whole = dumpElements({ type: u32, data: example, shape: [8] });
    for (const [bytes, message] of [
      [
        whole.subarray(0, -1),
        /^wavefold: stdin: the file is truncated: .* takes 32 bytes of data, and it holds 31\n$/,
      ],
      [Buffer.concat([whole, Buffer.alloc(1)]), /^wavefold: stdin: it has 1 byte too many behind the header/],
      [new Uint8Array(0), /^wavefold: stdin: the file is empty/],
    ] as const) {
      const ended = piped(bytes, "scan", "-", "-o", "out.npy");
      expect(ended.stderr).toMatch(message);
      expect(ended.status).toBe(1);
    }
    // A header that says more than comes: known when the pipe ends, after pieces were written.
    const long = Buffer.concat([npyHeader("<u4", [FEW]), bytesOf(new Uint32Array(FEW - 1))]);
    expect(piped(long, "scan", "-", "-o", "out.npy").stderr).toMatch(
      /stdin: the file is truncated: .* and it holds/,
    );
    const short = Buffer.concat([npyHeader("<u4", [PIECE]), bytesOf(new Uint32Array(PIECE + 1))]);
    expect(piped(short, "scan", "-", "-o", "out.npy").stderr).toMatch(
      /stdin: it has \d+ bytes? too many behind/,
    );
    const own = openSync(folder, "r");
    const { status, stderr } = spawnSync(process.execPath, [program, "reduce", "-", ...ON_CPU], {
      encoding: "utf8",
      stdio: [own, "pipe", "pipe"],
    });
    closeSync(own);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "wavefold: stdin: this is a folder; it takes a file\n",
    });
    expect(readdirSync(folder).sort()).toEqual(["in.npy", "odd.bin"]);
  });
});

describe("what ends before its end", () => {
  const endless = "yes 12345678901234567890123456789012";

  test("a reader of stdout that has seen enough: nothing is said, and the status is 141", () => {
    const { status, stdout, stderr } = shell(
      `(${endless} | w scan - --raw u32 -o - ; echo "\${PIPESTATUS[1]}" >&2) | head -c 8 | wc -c`,
    );
    expect({ stdout: stdout.trim(), stderr: stderr.trim() }).toEqual({ stdout: "8", stderr: "141" });
    expect(status).toBe(0);
  });

  test("a file that would be larger than the system lets it be is told, and nothing of it stays", () => {
    const { status, stderr } = shell(`ulimit -f 2000; w scan - --raw u32 -o out.bin < <(${endless})`);
    expect(stderr).toBe("wavefold: out.bin: the file would be larger than the system lets it be\n");
    expect(status).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a full disk ends it while it waits for its input", async ({ skip }) => {
    skip(fullDeviceMissing !== undefined, fullDeviceMissing);
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [program, "scan", "-", "--raw", "u32", "-o", "-", ...ON_CPU], {
      cwd: folder,
      stdio: ["pipe", full, "pipe"],
    });
    closeSync(full);
    let told = "";
    child.stderr?.on("data", (text: Buffer) => {
      told += text;
    });
    child.stdin?.on("error", () => {});
    // A piece, and then nothing: the input stays open.
    child.stdin?.write(Buffer.alloc(PIECE_BYTES + 100));
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(1);
    expect(told).toBe("wavefold: standard output: there is no space left\n");
  });

  test.each(["SIGINT", "SIGTERM"] as const)("%s leaves the folder as it was", async (signal) => {
    writeFileSync(at("out.bin"), "as it was");
    const child = spawn(
      process.execPath,
      [program, "scan", "-", "--raw", "u32", "-o", "out.bin", ...ON_CPU],
      { cwd: folder, stdio: ["pipe", "ignore", "pipe"] },
    );
    child.stdin.on("error", () => {});
    const closed = new Promise((resolve) => child.on("close", (_, by) => resolve(by)));
    // Two pieces, and then nothing: some of it is written, and the input stays open.
    child.stdin.write(Buffer.alloc(2 * PIECE_BYTES + 100));
    const size = (): number =>
      Math.max(
        0,
        ...readdirSync(folder)
          .filter((name) => name.endsWith(".tmp"))
          .map((name) => statSync(at(name)).size),
      );
    await until(() => size() >= PIECE_BYTES);
    child.kill(signal);
    expect(await closed).toBe(signal);
    expect(readdirSync(folder)).toEqual(["out.bin"]);
    expect(readFileSync(at("out.bin"), "utf8")).toBe("as it was");
  });

  test("a map that does not compile ends it at once, though its input stays open", async () => {
    const child = spawn(
      process.execPath,
      [program, "scan", "-", "--raw", "u32", "-o", "out.bin", "--map", "x +", ...ON_CPU],
      { cwd: folder, stdio: ["pipe", "ignore", "pipe"] },
    );
    let told = "";
    child.stderr.on("data", (text: Buffer) => {
      told += text;
    });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(1);
    expect(told).toMatch(/^wavefold: [^\n]*the map, line 1: [^\n]*\n {2}x \+\n$/);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("progress", () => {
  test("says bytes, their rate and the time left", () => {
    expect([0, 999, 1000, 1.5e6, 123.4e6, 8589934592].map(shownBytes)).toEqual([
      "0 B",
      "999 B",
      "1.0 kB",
      "1.5 MB",
      "123 MB",
      "8.6 GB",
    ]);
    expect([0, 0.2, 61, 3599, 3601].map(shownTime)).toEqual(["0:00", "0:01", "1:01", "59:59", "1:00:01"]);
    expect(shownRate(5e8, 2e9, 2)).toBe("500 MB of 2.0 GB, 250 MB/s, 0:06 left");
    expect(shownRate(5e8, undefined, 2)).toBe("500 MB, 250 MB/s");
    expect(shownRate(0, 2e9, 0)).toBe("0 B of 2.0 GB, 0 B/s");
  });

  test("names what goes on in each line, and counts the steps that are done", () => {
    const lines: string[] = [];
    vi.useFakeTimers();
    const write = vi
      .spyOn(process.stderr, "write")
      .mockImplementation((text) => lines.push(String(text)) > 0);
    try {
      const steps = startSteps("tune", 3, "ways");
      const later = (): unknown => vi.advanceTimersByTime(5000);
      later();
      steps.between("compiling two");
      later();
      steps.step("the first");
      later();
      steps.step("the second");
      later();
      steps.between("compiling one");
      later();
      steps.step("the third");
      later();
      steps.stop();
    } finally {
      write.mockRestore();
      vi.useRealTimers();
    }
    expect(lines).toEqual([
      "tune: running 3 ways\n",
      "tune: 0 of 3 ways, now starting\n",
      "tune: 0 of 3 ways, now compiling two\n",
      "tune: 0 of 3 ways, now the first\n",
      "tune: 1 of 3 ways, now the second\n",
      "tune: 2 of 3 ways, now compiling one\n",
      "tune: 2 of 3 ways, now the third\n",
    ]);
  });

  const terminal = `--import=data:text/javascript,${encodeURIComponent('Object.defineProperty(process.stderr, "isTTY", { value: true });')}`;

  test("is shown in a terminal with the time left, where the end is known", async () => {
    const child = spawn(process.execPath, [terminal, program, "reduce", "-", ...ON_CPU], { cwd: folder });
    let shown = "";
    child.stderr.on("data", (text: Buffer) => {
      shown += text;
    });
    // More than comes: it goes on until that is shown.
    child.stdin.write(npyHeader("<u4", [2 ** 28]));
    const left = /\d+(\.\d)? MB of 1\.1 GB, \d+(\.\d)? MB\/s, (\d+:)+\d\d left/;
    for (let turn = 0; turn < 600 && !left.test(shown); turn++) {
      child.stdin.write(new Uint8Array(2 ** 20));
      await sleep(100);
    }
    child.stdin.end();
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(1);
    expect(shown).toMatch(left);
    expect(shown).toMatch(/stdin: the file is truncated/);
  });

  test("is shown in a terminal while it takes longer than a second", async () => {
    const child = spawn(process.execPath, [terminal, program, "reduce", "-", "--raw", "u32", ...ON_CPU], {
      cwd: folder,
    });
    let shown = "";
    child.stderr.on("data", (text: Buffer) => {
      shown += text;
    });
    let printed = "";
    child.stdout.on("data", (text: Buffer) => {
      printed += text;
    });
    // It goes on until that is shown: how long the command takes to begin is the machine's affair.
    const rate = /\d+ MB, \d+(\.\d)? MB\/s/;
    for (let turn = 0; turn < 600 && !rate.test(shown); turn++) {
      child.stdin.write(new Uint8Array(2 ** 20));
      await sleep(100);
    }
    child.stdin.end();
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
    expect(printed).toBe("0\n");
    expect(shown).toMatch(rate);
  });
});
