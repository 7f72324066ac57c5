import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { oneLine, UsageError } from "../../src/cli/errors.ts";
import { ArgumentError } from "../../src/errors.ts";
import { fullDeviceMissing, needsUnix, SOFTWARE, skipAll } from "../support/adapter.ts";
import { failsIn, program, runBoundIn, runIn } from "../support/command.ts";
import { until } from "../support/until.ts";

needsUnix();

// `wavefold link` writes what it reads where nothing is asked for: the quickest command that writes.
const TEXT = "fn main() {}\n";
const silent = { status: 0, stdout: "", stderr: "" };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-output-"));
  write("in.wgsl", TEXT);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);
const write = (name: string, text: string): void => writeFileSync(at(name), text);
const read = (name: string): string => readFileSync(at(name), "utf8");
const runBound = (args: readonly string[]) => runBoundIn(folder, args);
const link = (output: string) => runIn(folder, ["link", "in.wgsl", "-o", output]);

/** Node.js's argument for code that runs before the command. */
const preload = (code: string): string => `--import=data:text/javascript,${encodeURIComponent(code)}`;

/** Stops the command when all is written and nothing is renamed; the file `pid` says which process it is. */
const stall = preload(`
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  fs.writeFileSync("pid", String(process.pid));
  const never = () => { setInterval(() => {}, 1000); };
  fs.fsync = never;
  fs.promises.rename = () => new Promise(never);
  syncBuiltinESMExports();
`);

describe("a signal while a file is written", () => {
  const signals = [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const;
  test.each(signals)("%s leaves the folder as it was, and ends with %i", async (signal, status) => {
    write("out.wgsl", "as it was");
    write("pid", "");
    const start = readdirSync(folder);
    const args = [process.execPath, stall, program, "link", "in.wgsl", "-o", "out.wgsl"];
    const shell = spawn("sh", ["-c", '"$@"; echo $?', "sh", ...args], { cwd: folder });
    let printed = "";
    shell.stdout.on("data", (text: Buffer) => {
      printed += text;
    });
    const closed = new Promise((resolve) => shell.on("close", resolve));
    await until(() => readdirSync(folder).length > start.length);
    process.kill(Number(read("pid")), signal);
    await closed;
    expect(printed.trim()).toBe(String(status));
    expect(readdirSync(folder)).toEqual(start);
    expect(read("out.wgsl")).toBe("as it was");
  });

  test("is what the command dies of, so that a shell's loop ends too", async () => {
    const child = spawn(process.execPath, [stall, program, "link", "in.wgsl", "-o", "out.wgsl"], {
      cwd: folder,
    });
    const closed = new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)));
    await until(() => readdirSync(folder).some((name) => name.endsWith(".tmp")));
    child.kill("SIGINT");
    expect(await closed).toBe("SIGINT");
    expect(readdirSync(folder).sort()).toEqual(["in.wgsl", "pid"]);
  });

  test("shows the cursor again, which the progress bar hides", async () => {
    const terminal = preload('Object.defineProperty(process.stderr, "isTTY", { value: true });');
    const args = ["bench", "--sizes", "8Ki,16Ki,32Ki,64Ki", "--types", "u64", ...SOFTWARE];
    const child = spawn(process.execPath, [terminal, program, ...args], { cwd: folder });
    let shown = "";
    child.stderr.on("data", (text: Buffer) => {
      shown += text;
    });
    const closed = new Promise((resolve) => child.on("close", (...ended) => resolve(ended)));
    await until(() => shown.includes("\x1b[?25l"));
    child.kill("SIGINT");
    // The bench ends by itself, and prints what it has.
    expect(await closed).toEqual([130, null]);
    expect(shown.lastIndexOf("\x1b[?25h")).toBeGreaterThan(shown.lastIndexOf("\x1b[?25l"));
  });
});

describe("an output", () => {
  test("is written whatever a process of the same number left", () => {
    const leave = preload(
      'import fs from "node:fs"; fs.writeFileSync([".out.wgsl", process.pid, "tmp"].join("."), "");',
    );
    const { status, stderr } = spawnSync(
      process.execPath,
      [leave, program, "link", "in.wgsl", "-o", "out.wgsl"],
      { cwd: folder, encoding: "utf8" },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(read("out.wgsl")).toBe(TEXT);
  });

  test("may have a name as long as names can be", () => {
    const name = `${"n".repeat(250)}.wgsl`;
    expect(link(name)).toEqual(silent);
    expect(readdirSync(folder).sort()).toEqual(["in.wgsl", name]);
    failsIn(folder, /n: the name is too long/, ["link", "in.wgsl", "-o", `${name}n`]);
  });

  test("keeps the permissions of the file that it replaces", () => {
    write("out.wgsl", "as it was");
    for (const mode of [0o666, 0o600, 0o755]) {
      chmodSync(at("out.wgsl"), mode);
      expect(link("out.wgsl")).toEqual(silent);
      expect(statSync(at("out.wgsl")).mode & 0o7777).toBe(mode);
    }
    expect(link("new.wgsl")).toEqual(silent);
    expect(statSync(at("new.wgsl")).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test.skipIf(process.getuid?.() !== 0)("keeps the owner of the file that it replaces", () => {
    write("out.wgsl", "as it was");
    chownSync(at("out.wgsl"), 1234, 2345);
    expect(link("out.wgsl")).toEqual(silent);
    expect(statSync(at("out.wgsl"))).toMatchObject({ uid: 1234, gid: 2345 });
  });

  test("is refused where it may not be written", () => {
    write("out.wgsl", "as it was");
    chmodSync(at("out.wgsl"), 0o444);
    mkdirSync(at("folder"), { mode: 0o555 });
    for (const output of ["out.wgsl", "folder/new.wgsl"]) {
      const { status, stderr } = runBound(["link", "in.wgsl", "-o", output]);
      expect({ status, stderr }).toEqual({ status: 1, stderr: `wavefold: ${output}: permission denied\n` });
    }
    expect(read("out.wgsl")).toBe("as it was");
    expect(readdirSync(at("folder"))).toEqual([]);
  });

  test.each(["", "none/", "in.wgsl/"])("is refused as %j, which names no file", (name) => {
    failsIn(folder, /this names no file|there is no such file|folder .* does not exist/, [
      "link",
      "in.wgsl",
      "-o",
      name,
    ]);
  });
});

describe("an output that is a link", () => {
  test("is written through, to what is there and to what is not", () => {
    mkdirSync(at("a"));
    mkdirSync(at("b"));
    mkdirSync(at("b/c"));
    write("a/there.wgsl", "as it was");
    symlinkSync("a/there.wgsl", at("there"));
    symlinkSync("a/new.wgsl", at("dangling"));
    symlinkSync("dangling", at("twice"));
    // `..` is the parent of what the folder's link leads to.
    symlinkSync("b/c", at("elsewhere"));
    symlinkSync("elsewhere/../up.wgsl", at("up"));
    symlinkSync(at("a/absolute.wgsl"), at("absolute"));
    for (const [name, target] of [
      ["there", "a/there.wgsl"],
      ["dangling", "a/new.wgsl"],
      ["twice", "a/new.wgsl"],
      ["up", "b/up.wgsl"],
      ["absolute", "a/absolute.wgsl"],
      ["elsewhere/../direct.wgsl", "b/direct.wgsl"],
    ] as const) {
      rmSync(at(target), { force: true });
      if (name === "there") {
        write(target, "as it was");
      }
      expect(link(name)).toEqual(silent);
      expect(read(target)).toBe(TEXT);
    }
    for (const name of ["there", "dangling", "twice", "up", "absolute"]) {
      expect(lstatSync(at(name)).isSymbolicLink()).toBe(true);
    }
    expect(readlinkSync(at("dangling"))).toBe("a/new.wgsl");
    expect(existsSync(at("direct.wgsl"))).toBe(false);
  });

  test("is refused where it leads to itself, or into no folder", () => {
    symlinkSync("self", at("self"));
    symlinkSync("two", at("one"));
    symlinkSync("one", at("two"));
    symlinkSync("none/out.wgsl", at("nowhere"));
    for (const name of ["self", "one"]) {
      failsIn(folder, /^wavefold: (self|one): this is a link that leads back to itself/, [
        "link",
        "in.wgsl",
        "-o",
        name,
      ]);
      expect(lstatSync(at(name)).isSymbolicLink()).toBe(true);
    }
    failsIn(folder, /nowhere: the output's folder .*none does not exist; make it first/, [
      "link",
      "in.wgsl",
      "-o",
      "nowhere",
    ]);
  });
});

/** Runs the command with its stdout in a file that exists. */
function runInto(stdout: string, args: readonly string[]) {
  const descriptor = openSync(stdout, "w");
  try {
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", descriptor, "pipe"],
    });
    return { status, stderr };
  } finally {
    closeSync(descriptor);
  }
}

describe("standard output", () => {
  const full = { status: 1, stderr: "wavefold: standard output: there is no space left\n" };

  const printing = [
    ["link", "in.wgsl"],
    ["emit", "scan"],
    ["--help"],
    ["scan", "--help"],
    ["--help", "scan"],
  ];
  describe("of a full device", () => {
    skipAll(fullDeviceMissing);
    test.each(printing)("is told: %s %s", (...args) => {
      expect(runInto("/dev/full", args)).toEqual(full);
    });
  });

  test("is told to be full where the system takes a part", () => {
    write("in.wgsl", "// a line of a text\n".repeat(1000));
    const { status, stderr } = spawnSync(
      "bash",
      ["-c", `ulimit -f 1; exec "$@" > out.wgsl`, "bash", process.execPath, program, "link", "in.wgsl"],
      { cwd: folder, encoding: "utf8" },
    );
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "wavefold: standard output: the file would be larger than the system lets it be\n",
    });
  });

  test("is written whole to a file, a pipe and a reader that has seen enough", () => {
    const text = "// a line of a text\n".repeat(40_000);
    write("in.wgsl", text);
    expect(runInto(at("out.wgsl"), ["link", "in.wgsl"])).toEqual({ status: 0, stderr: "" });
    expect(read("out.wgsl")).toBe(text);
    expect(runIn(folder, ["link", "in.wgsl"])).toEqual({ ...silent, stdout: text });
    const shell = 'set -o pipefail; "$@" | head -n 1';
    const args = ["-c", shell, "bash", process.execPath, program, "link", "in.wgsl"];
    expect(spawnSync("bash", args, { cwd: folder, encoding: "utf8" })).toMatchObject({
      status: 0,
      stdout: "// a line of a text\n",
      stderr: "",
    });
  });

  test("may be full, or nobody's, where a file takes the rest", ({ skip }) => {
    skip(fullDeviceMissing !== undefined, fullDeviceMissing);
    const args = ["bench", "--sizes", "256", "--types", "u32", "--primitives", "reduce", "--quick"];
    const { status: failed, stderr: told } = runInto("/dev/full", [
      ...args,
      "--json",
      "full.json",
      ...SOFTWARE,
    ]);
    expect({ status: failed, stderr: told.replaceAll(/^bench: .*\n/gm, "") }).toEqual(full);
    expect(JSON.parse(read("full.json"))).toHaveProperty("rows");
    const piped = [process.execPath, program, ...args, "--json", "piped.json", ...SOFTWARE];
    const { status, stderr } = spawnSync("bash", ["-c", 'set -o pipefail; "$@" | true', "bash", ...piped], {
      cwd: folder,
      encoding: "utf8",
    });
    expect({ status, stderr: stderr.replaceAll(/^bench: .*\n/gm, "") }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(read("piped.json"))).toHaveProperty("rows");
  });
});

describe("a failure", () => {
  test("is one line, whatever fails", () => {
    const ends = (failing: string) => {
      // Once the command is there to take test.
      const later = preload(`
        const wait = setInterval(() => {
          if (process.listenerCount("uncaughtException") > 0) {
            clearInterval(wait);
            ${failing}
          }
        }, 10);
      `);
      const { status, stderr } = spawnSync(process.execPath, [later, program, "link", "-"], {
        cwd: folder,
        encoding: "utf8",
        timeout: 120_000,
      });
      return { status, stderr };
    };
    expect(ends("null.x;")).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^wavefold: this is a defect of Wavefold: TypeError: [^\n]*null[^\n]*\n$/,
      ),
    });
    expect(ends('Promise.reject(new Error("a\\nb"));')).toEqual({ status: 1, stderr: "wavefold: a b\n" });
  });

  test("says what it is", () => {
    expect(oneLine(new UsageError("a.npy: its dtype is \x1b[31m"))).toBe("a.npy: its dtype is \\u001b[31m");
    expect(oneLine(new ArgumentError(" a \r\n\n  b"))).toBe("a b");
    expect(oneLine(new TypeError("x is no function"))).toBe(
      "this is a defect of Wavefold: TypeError: x is no function",
    );
    expect(oneLine(new RangeError("Array buffer allocation failed"))).toBe(
      "there is not enough memory: Array buffer allocation failed",
    );
    expect(oneLine(undefined)).toBe("undefined");
    expect(oneLine(new Error("\n"))).toBe("it failed, without saying why");
  });
});
