import { spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dump } from "npyjs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseElements } from "../../src/cli/npy.ts";
import { linkDirectives } from "../../src/in_kernel/directives.ts";
import { SIMULATED } from "../support/adapter.ts";
import type { Ended } from "../support/command.ts";
import { failsIn, program, runIn } from "../support/command.ts";

const example = Uint32Array.of(3, 1, 7, 0, 4, 1, 6, 3);

/** A `.npy` file with the dtype and the order that its header is to claim. */
function npy(descr: string, shape: number[], data: ArrayBufferView): Uint8Array {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const file = Buffer.from(dump(Uint8Array.from(bytes), shape)).toString("latin1");
  return Buffer.from(file.replace("|u1", descr), "latin1");
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-cli-"));
  write("in.npy", npy("<u4", [8], example));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, bytes: Uint8Array): void => writeFileSync(join(folder, name), bytes);
const read = (name: string) => parseElements(readFileSync(join(folder, name)), name);

const run = (...args: string[]): Ended => runIn(folder, args);
const fails = (message: RegExp, ...args: string[]): void => failsIn(folder, message, args);

const silent = { status: 0, stdout: "", stderr: "" };

describe("scan", () => {
  test("sums the worked example", () => {
    expect(run("scan", "in.npy", "-o", "out.npy", ...SIMULATED)).toEqual(silent);
    expect(read("out.npy").data).toEqual(Uint32Array.of(3, 4, 11, 11, 15, 16, 22, 25));
    expect(readdirSync(folder).sort()).toEqual(["in.npy", "out.npy"]);
  });

  test("takes --exclusive, --op and --algorithm", () => {
    const args = ["--exclusive", "--op", "max", "--algorithm", "blelloch", ...SIMULATED];
    expect(run("scan", "in.npy", "-o", "out.npy", ...args)).toEqual(silent);
    expect(read("out.npy").data).toEqual(Uint32Array.of(0, 3, 3, 7, 7, 7, 7, 7));
  });

  test("keeps the shape, in place and through a link", () => {
    write("in.npy", npy("<f4", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)));
    symlinkSync("in.npy", join(folder, "link.npy"));
    expect(run("scan", "in.npy", "-o", "link.npy", ...SIMULATED)).toEqual(silent);
    expect(read("in.npy")).toMatchObject({ shape: [2, 3], data: Float32Array.of(1, 3, 6, 10, 15, 21) });
  });

  test("takes an array of no dimension, and one of no elements", () => {
    write("one.npy", npy("<i4", [], Int32Array.of(-4)));
    expect(run("scan", "one.npy", "-o", "out.npy", ...SIMULATED)).toEqual(silent);
    expect(read("out.npy")).toMatchObject({ shape: [], data: Int32Array.of(-4) });
    write("none.npy", npy("<i4", [0, 3], new Int32Array(0)));
    expect(run("scan", "none.npy", "-o", "out.npy", ...SIMULATED)).toEqual(silent);
    expect(read("out.npy")).toMatchObject({ shape: [0, 3], data: new Int32Array(0) });
  });
});

describe("--map", () => {
  test("combines what a map makes of the elements", () => {
    expect(run("reduce", "in.npy", "--map", "x * x", ...SIMULATED)).toEqual({ ...silent, stdout: "121\n" });
    expect(run("scan", "in.npy", "-o", "out.npy", "--map", "x + i", ...SIMULATED)).toEqual(silent);
    expect(read("out.npy").data).toEqual(Uint32Array.of(3, 5, 14, 17, 25, 31, 43, 53));
  });

  test("gives another type, and keeps the shape", () => {
    write("f.npy", npy("<f4", [2, 2], Float32Array.of(0.2, 0.9, -1, 7)));
    const count = ["--map", "u32(x > 0.5)", "--type", "u32", ...SIMULATED];
    expect(run("reduce", "f.npy", ...count)).toEqual({ ...silent, stdout: "2\n" });
    expect(run("scan", "f.npy", "-o", "out.npy", ...count)).toEqual(silent);
    expect(read("out.npy")).toMatchObject({ shape: [2, 2], data: Uint32Array.of(0, 1, 1, 2) });
    const wide = ["--map", "vec2(bitcast<u32>(x), 1u)", "--type", "u64", "--op", "max", ...SIMULATED];
    expect(run("reduce", "f.npy", ...wide).stdout).toBe(`${(1n << 32n) + 0xbf800000n}\n`);
  });

  test("is not needed for a type that has every value of the input's", () => {
    write("u.npy", npy("<u4", [2, 2], Uint32Array.of(4294967295, 1, 4294967295, 7)));
    const wide = ["--type", "u64", ...SIMULATED];
    expect(run("reduce", "u.npy", ...wide)).toEqual({ ...silent, stdout: "8589934598\n" });
    expect(run("scan", "u.npy", "-o", "out.npy", "--exclusive", ...wide)).toEqual(silent);
    const sums = BigUint64Array.of(0n, 4294967295n, 4294967296n, 8589934591n);
    expect(read("out.npy")).toMatchObject({ shape: [2, 2], data: sums });
    expect(run("reduce", "u.npy", "-o", "out.npy", "--rows", ...wide)).toEqual(silent);
    expect(read("out.npy").data).toEqual(BigUint64Array.of(4294967296n, 4294967302n));
    expect(run("reduce", "u.npy", "-o", "out.npy", "--columns", "2", ...wide)).toEqual(silent);
    expect(read("out.npy").data).toEqual(BigUint64Array.of(8589934590n, 8n));
    const doubles = ["--where", "x > 1u", "--type", "f64", ...SIMULATED];
    expect(run("compact", "u.npy", "-o", "out.npy", ...doubles)).toEqual(silent);
    expect(read("out.npy").data).toEqual(Float64Array.of(4294967295, 4294967295, 7));
    write("f.npy", npy("<f4", [3], Float32Array.of(1, Number.NaN, 3)));
    expect(run("reduce", "f.npy", "--op", "maximum", ...SIMULATED)).toEqual({ ...silent, stdout: "nan\n" });
    expect(run("reduce", "f.npy", "--op", "max", ...SIMULATED)).toEqual({ ...silent, stdout: "3.0\n" });
  });

  test("is for what a compaction keeps", () => {
    const args = ["--where", "x > 3u", "--map", "f32(x) * 0.5", "--type", "f32", ...SIMULATED];
    expect(run("compact", "in.npy", "-o", "out.npy", ...args)).toEqual(silent);
    expect(read("out.npy")).toMatchObject({ shape: [3], data: Float32Array.of(3.5, 2, 3) });
    fails(
      /compact takes --map EXPR or --indices/,
      "compact",
      "in.npy",
      "-o",
      "out.npy",
      "--indices",
      ...args,
    );
  });

  test("rejects a map that does not compile, a type without one, and an operator that has no meaning on it", () => {
    fails(/the map, line 1: /, "reduce", "in.npy", "--map", "x +", ...SIMULATED);
    fails(
      /scan: f32 does not have every value of u32, the input's type; --type f32 takes --map, such as --map 'f32\(x\)'/,
      ...["scan", "in.npy", "-o", "out.npy", "--type", "f32"],
    );
    fails(/Allowed choices are u32, i32/, "reduce", "in.npy", "--map", "x", "--type", "u8");
    fails(/reduce<f32, and>/, "reduce", "in.npy", "--map", "f32(x)", "--type", "f32", "--op", "and");
  });
});

describe("reduce", () => {
  test("prints the value alone", () => {
    expect(run("reduce", "in.npy", ...SIMULATED)).toEqual({ ...silent, stdout: "25\n" });
  });

  test("takes operators in kebab case", () => {
    expect(run("reduce", "in.npy", "--op", "logical-and", ...SIMULATED)).toEqual({
      ...silent,
      stdout: "0\n",
    });
  });

  test("takes 64-bit types", () => {
    write("u.npy", npy("<u8", [3], BigUint64Array.of(2n ** 63n, 2n ** 63n, 7n)));
    expect(run("reduce", "u.npy", ...SIMULATED)).toEqual({ ...silent, stdout: "7\n" });
    write("i.npy", npy("<i8", [3], BigInt64Array.of(5n, -(2n ** 40n), 7n)));
    expect(run("scan", "i.npy", "-o", "out.npy", "--op", "min", ...SIMULATED)).toEqual(silent);
    expect(read("out.npy").data).toEqual(BigInt64Array.of(5n, -(2n ** 40n), -(2n ** 40n)));
    write("f.npy", npy("<f8", [3], Float64Array.of(0.1, 0.2, 0.3)));
    expect(run("reduce", "f.npy", ...SIMULATED)).toEqual({ ...silent, stdout: "0.6000000000000001\n" });
    expect(run("compact", "f.npy", "-o", "out.npy", "--where", "i != 1u", ...SIMULATED)).toEqual(silent);
    expect(read("out.npy").data).toEqual(Float64Array.of(0.1, 0.3));
  });

  test("prints floats as NumPy does", () => {
    write("f.npy", npy("<f4", [2], Float32Array.of(0.1, Number.NaN)));
    expect(run("reduce", "f.npy", "--op", "max", ...SIMULATED)).toEqual({ ...silent, stdout: "0.1\n" });
    write("f.npy", npy("<f4", [1], Float32Array.of(Number.NaN)));
    expect(run("reduce", "f.npy", "--op", "max", ...SIMULATED)).toEqual({ ...silent, stdout: "-inf\n" });
  });
});

describe("compact", () => {
  test("keeps what the predicate keeps", () => {
    expect(
      run("compact", "in.npy", "-o", "out.npy", "--where", "x % 2u == 1u && i > 0u", ...SIMULATED),
    ).toEqual(silent);
    expect(read("out.npy")).toMatchObject({ shape: [5 - 1], data: Uint32Array.of(1, 7, 1, 3) });
  });

  test("keeps what the flags keep, as indices", () => {
    write("flags.npy", npy("|b1", [8], Uint8Array.of(1, 0, 0, 0, 0, 1, 0, 1)));
    expect(
      run("compact", "in.npy", "-o", "out.npy", "--flags", "flags.npy", "--indices", ...SIMULATED),
    ).toEqual(silent);
    expect(read("out.npy").data).toEqual(Uint32Array.of(0, 5, 7));
  });

  test("rejects a predicate that does not compile, and shows its line below the problem", () => {
    const shown = /^wavefold: the predicate, line 1: [^\n]*[^ \n]\n {2}x % == 1u\n$/;
    fails(shown, "compact", "in.npy", "-o", "out.npy", "--where", "x % == 1u", ...SIMULATED);
    const where = ["--where", "x > 2u;", ...SIMULATED];
    fails(
      /the predicate, line 1: an expression takes no ";"; leave it out/,
      "compact",
      "in.npy",
      "-o",
      "out.npy",
      ...where,
    );
  });

  test("rejects neither, and flags that do not fit", () => {
    fails(
      /compact takes --where EXPR or --flags FLAGS\.npy; it was given neither/,
      "compact",
      "in.npy",
      "-o",
      "out.npy",
    );
    write("flags.npy", npy("|b1", [3], new Uint8Array(3)));
    fails(
      /flags\.npy: it holds 3 flags, and in\.npy holds 8 elements/,
      "compact",
      "in.npy",
      "-o",
      "out.npy",
      "--flags",
      "flags.npy",
    );
  });
});

describe("partition", () => {
  const parted = (...args: string[]): Ended =>
    run("partition", "in.npy", "-o", "out.npy", ...args, ...SIMULATED);

  test("writes what the predicate keeps, then the rest, and prints where they part", () => {
    expect(parted("--where", "x % 2u == 1u && i > 0u")).toEqual({ ...silent, stdout: "4\n" });
    expect(read("out.npy")).toMatchObject({ shape: [8], data: Uint32Array.of(1, 7, 1, 3, 3, 0, 4, 6) });
  });

  test("takes flags, and writes indices", () => {
    write("flags.npy", npy("|b1", [8], Uint8Array.of(1, 0, 0, 0, 0, 1, 0, 1)));
    expect(parted("--flags", "flags.npy", "--indices")).toEqual({ ...silent, stdout: "3\n" });
    expect(read("out.npy").data).toEqual(Uint32Array.of(0, 5, 7, 1, 2, 3, 4, 6));
  });

  test("writes class after class, and prints where each begins", () => {
    expect(parted("--classes", "3", "--class", "x % 3u")).toEqual({ ...silent, stdout: "0 4 8 8\n" });
    expect(read("out.npy").data).toEqual(Uint32Array.of(3, 0, 6, 3, 1, 7, 4, 1));
  });

  test("takes other types and shapes, and may write over the input", () => {
    write("f.npy", npy("<f8", [2, 2], Float64Array.of(0.1, -1, 7, -0)));
    expect(run("partition", "f.npy", "-o", "f.npy", "--where", "i > 1u", ...SIMULATED).stdout).toBe("2\n");
    expect(read("f.npy")).toMatchObject({ shape: [4], data: Float64Array.of(7, -0, 0.1, -1) });
  });

  test("rejects neither, both, standard output, flags that do not fit, and a predicate that does not compile", () => {
    const args = ["partition", "in.npy", "-o", "out.npy"];
    fails(
      /partition takes --where EXPR and --flags FLAGS\.npy, or one of them, or --class EXPR with --classes N; it was given none/,
      ...args,
    );
    fails(/and not both/, ...args, "--where", "true", "--class", "x", "--classes", "2");
    fails(/it takes both/, ...args, "--class", "x");
    fails(/--classes.*It takes a whole number/, ...args, "--class", "x", "--classes", "y", ...SIMULATED);
    fails(
      /it prints the count, or the offsets of the classes, on stdout; -o takes a file/,
      "partition",
      "in.npy",
      "-o",
      "-",
      "--where",
      "true",
    );
    write("flags.npy", npy("|b1", [3], new Uint8Array(3)));
    fails(/flags\.npy: it holds 3 flags, and in\.npy holds 8 elements/, ...args, "--flags", "flags.npy");
    fails(/line 1/, ...args, "--where", "x % == 1u", ...SIMULATED);
  });
});

describe("emit", () => {
  test("prints WGSL", () => {
    const { status, stdout, stderr } = run(
      "emit",
      "scan",
      "--type",
      "f32",
      "--op",
      "max",
      "--work-group-size",
      "64",
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("fn work_group_scan_inclusive_max_f32(");
    expect(stdout).toContain("64u");
    expect(run("emit", "scan", "--type", "f64", "--algorithm", "blelloch").stdout).toContain(
      "fn work_group_scan_exclusive_add_f64(value: vec2<u32>, local_index: u32) -> vec2<u32> {",
    );
    expect(run("emit", "segmented-scan", "--type", "i32").stdout).toContain(
      "fn work_group_segmented_scan_exclusive_add_i32(value: i32, is_head: bool, local_index: u32) -> i32 {",
    );
    expect(run("emit", "segmented-reduce", "--op", "max").stdout).toContain(
      "fn work_group_segmented_reduce_max_u32(",
    );
    for (const [name, ...settings] of [
      ["work_group_split", "64", "subgroups"],
      ["work_group_sort_pairs_u32_f32", "items=4"],
      ["thread_tile_8_shuffle_xor_f32"],
      ["thread_tile_32_coalesced_reduce_max_i32"],
      ["coalesced_scan_exclusive_add_u32", "suffix=own"],
      ["work_group_scan_exclusive_add_u32_update", "counter=used"],
      ["mul_u64"],
    ] as const) {
      const { stdout: text, stderr: problem } = run("emit", name, ...settings);
      expect(problem).toBe("");
      expect(text).toContain(`fn ${name}${settings[0] === "suffix=own" ? "_own" : ""}(`);
    }
    expect(run("emit", "work_group_split", "--work-group-size", "64").stdout).toBe(
      run("emit", "work_group_split", "64").stdout,
    );
    const both = run("emit", "work_group_split,work_group_compact", "64").stdout;
    expect(both.match(/fn work_group_(split|compact)\(/g)).toHaveLength(2);
    expect(run("emit", "reduce", "--algorithm", "subgroup").stdout).toMatch(
      /^enable subgroups;[\s\S]*fn work_group_reduce_add_u32\(/,
    );
  });

  test("rejects what means nothing", () => {
    fails(/scan, reduce, segmented-scan, segmented-reduce/, "emit", "sort");
    fails(/sort is none of scan, .* such as work_group_split, work_group_sort_u32/, "emit", "sort");
    fails(/thread_tile_3_shuffle_u32|tile is 3/, "emit", "thread_tile_3_shuffle_u32");
    fails(/the function's name says its type/, "emit", "work_group_split", "--type", "u32");
    fails(/size is given twice/, "emit", "work_group_split", "64", "--work-group-size", "64");
    fails(/emit scan: 64 means nothing/, "emit", "scan", "64");
    fails(/u32, i32, f32, f16/, "emit", "scan", "--type", "f80");
    fails(/workGroupSize is 0; it takes 1 to 1024/, "emit", "scan", "--work-group-size", "0");
    fails(/whole number from 1 to 1024/, "emit", "scan", "--work-group-size", "many");
    fails(/xor has no meaning on f32/, "emit", "scan", "--type", "f32", "--op", "xor");
  });
});

describe("link", () => {
  const kernel = `// wavefold: work_group_scan_exclusive_add_u32 64
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) { _ = work_group_scan_exclusive_add_u32(1u, i); }
`;
  const writeText = (name: string, text: string): void => write(name, new TextEncoder().encode(text));
  const readText = (name: string): string => readFileSync(join(folder, name), "utf8");

  test("prints a kernel with what it asks for", () => {
    writeText("in.wgsl", kernel);
    expect(run("link", "in.wgsl")).toEqual({ ...silent, stdout: linkDirectives(kernel) });
  });

  test("writes a file, in place too", () => {
    writeText("in.wgsl", kernel);
    expect(run("link", "in.wgsl", "-o", "out.wgsl")).toEqual(silent);
    expect(readText("out.wgsl")).toBe(linkDirectives(kernel));
    expect(readText("in.wgsl")).toBe(kernel);
    expect(run("link", "in.wgsl", "--output", "in.wgsl")).toEqual(silent);
    expect(readText("in.wgsl")).toBe(linkDirectives(kernel));
    expect(readdirSync(folder).sort()).toEqual(["in.npy", "in.wgsl", "out.wgsl"]);
  });

  test("reads stdin", () => {
    const from = (input: string) => runIn(folder, ["link", "-"], input);
    expect(from(kernel)).toMatchObject({ ...silent, stdout: linkDirectives(kernel) });
    expect(from("")).toMatchObject(silent);
    expect(from("// wavefold: nothing 4")).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/^wavefold: stdin, line 1: nothing is not a function[^\n]*\n$/),
    });
  });

  test("leaves a text as it is that asks for nothing", () => {
    writeText("in.wgsl", "fn main() {}\r\n// é");
    expect(run("link", "in.wgsl")).toEqual({ ...silent, stdout: "fn main() {}\r\n// é" });
  });

  test("rejects what means nothing, at its line, and leaves the output as it was", () => {
    writeText("out.wgsl", "as it was");
    writeText("in.wgsl", `\n${kernel.replace("_add_u32 64", "_sub_u32 64")}`);
    fails(/in\.wgsl, line 2: .*sub is not an operator; it takes add/, "link", "in.wgsl", "-o", "out.wgsl");
    fails(/in\.wgsl, line 2: .*sub is not an operator; it takes add/, "link", "in.wgsl", "-o", "new.wgsl");
    writeText("in.wgsl", `${kernel}fn _combine_add_u32_64() {}`);
    fails(/in\.wgsl, line 4: the name _combine_add_u32_64 is taken/, "link", "in.wgsl", "-o", "out.wgsl");
    expect(readText("out.wgsl")).toBe("as it was");
  });

  test("rejects files that cannot be", () => {
    writeText("in.wgsl", kernel);
    fails(/nothing\.wgsl: there is no such file/, "link", "nothing.wgsl", "-o", "out.wgsl");
    fails(/\.: this is a folder; it takes a file/, "link", ".");
    fails(/the output's folder nowhere does not exist/, "link", "in.wgsl", "-o", "nowhere/out.wgsl");
    fails(/the output is a folder/, "link", "in.wgsl", "-o", ".");
    write("bad.wgsl", Uint8Array.of(0x2f, 0x2f, 0xff));
    fails(/bad\.wgsl: this is not UTF-8 text/, "link", "bad.wgsl");
    const own = openSync(folder, "r");
    const { status, stderr } = spawnSync(process.execPath, [program, "link", "-"], {
      encoding: "utf8",
      stdio: [own, "pipe", "pipe"],
    });
    closeSync(own);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "wavefold: stdin: this is a folder; it takes a file\n",
    });
    fails(/missing required argument/, "link");
    fails(/too many arguments/, "link", "in.wgsl", "in.wgsl");
    writeText("in.wgsl", kernel.replace("// wavefold:", "// wavefold"));
    fails(/in\.wgsl, line 1: a directive has a colon after the word wavefold/, "link", "in.wgsl");
  });
});

describe("doctor", () => {
  test("rejects an adapter that it does not know", () => {
    fails(/auto, gpu, software\.\n/, "doctor", "--adapter", "cpu");
    fails(/auto, gpu, software\.\n/, "doctor", "--adapter", "simulated");
  });
});

describe("the command line", () => {
  test("has help, on stdout", () => {
    for (const command of ["scan", "reduce", "compact", "partition", "emit", "link", "doctor"]) {
      const { status, stdout, stderr } = run(command, "--help");
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout).toContain(`Usage: wavefold ${command}`);
    }
    expect(run("scan", "--help").stdout).toContain("flattened");
    for (const command of ["count", "any", "all", "findfirst", "findlast"]) {
      expect(run(command, "--help").stdout).toMatch(/ {2}--where <expr> [^-]*\(needed\)\n/);
    }
    expect(run("compact", "--help").stdout).not.toMatch(/ {2}--where <expr> [^-]*\(needed\)\n/);
    const { stdout } = run("explain", "--help");
    expect(stdout).toMatch(/ {2}--reverse +a scan from the last element to the first\n/);
    expect(stdout).toMatch(
      / {2}--where <expr> +WGSL that is true for the elements to keep,\s+count or\s+find/,
    );
    expect(stdout).toMatch(/findFirst and findLast\s+take 'x > 0' unless --where is given\./);
  });

  test("lists each command in one line, and no line of help is wider than a terminal", () => {
    const { stdout } = run("--help");
    const list = stdout.slice(stdout.indexOf("Commands:\n"), stdout.indexOf("\n\nwavefold COMMAND"));
    const names = list
      .split("\n")
      .slice(1)
      .map((line) => /^ {2}([a-z]+) {2,}\S/.exec(line)?.[1]);
    expect(names).toContain("searchsorted");
    expect(names).not.toContain(undefined);
    for (const help of [stdout, ...names.slice(0, -1).map((name) => run(name ?? "", "--help").stdout)]) {
      expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
    }
  });

  test("rejects what it does not know", () => {
    fails(/a command is missing/);
    fails(/unknown command 'shuffle'; wavefold --help lists the commands/, "shuffle");
    fails(/unknown command 'shuffle'; wavefold --help lists the commands/, "help", "shuffle");
    fails(
      /'--unheard'; wavefold scan --help lists its options/,
      "scan",
      "in.npy",
      "-o",
      "out.npy",
      "--unheard",
    );
    // An option is unknown, even if a needed one is missing.
    fails(/unknown option '--out' \(Did you mean --output\?\)\n$/, "scan", "in.npy", "--out", "out.npy");
    fails(/unknown option '-raw'; --raw takes two dashes/, "scan", "in.npy", "-raw", "u32");
    fails(/too many arguments.*; --output takes two dashes/, "scan", "in.npy", "-out", "out.npy");
    fails(/add, mul, min/, "scan", "in.npy", "-o", "out.npy", "--op", "sub");
    fails(/blelloch, hillis-steele, subgroup/, "scan", "in.npy", "-o", "out.npy", "--algorithm", "best");
    fails(/auto, gpu, software, simulated, cpu/, "scan", "in.npy", "-o", "out.npy", "--adapter", "tpu");
    fails(/scan: -o, --output <out\.npy> is missing: where the result goes/, "scan", "in.npy");
    fails(/count: --where <expr> is missing: the condition: WGSL that is true/, "count", "in.npy");
    fails(/missing required argument 'in\.npy'; it is wavefold reduce \[options\] <in\.npy>/, "reduce");
    fails(/got 2; it is wavefold reduce \[options\] <in\.npy>/, "reduce", "in.npy", "other.npy");
  });
});

describe("files", () => {
  const whole = npy("<u4", [8], example);
  test.each<[string, Uint8Array, RegExp]>([
    ["not .npy", new TextEncoder().encode("3 1 7 0 4"), /bad\.npy: this is not a \.npy file/],
    [
      "truncated",
      whole.subarray(0, whole.length - 4),
      /truncated: shape \(8,\) of <u4 takes 32 bytes of data, and it holds 28/,
    ],
    ["too long", Uint8Array.of(...whole, 0), /it has 1 byte too many/],
    ["c8", npy("<c8", [1], new Float64Array(1)), /dtype is <c8; it takes \|b1 .* <u4 <i4 <f4 <u8 <i8 <f8/],
  ])("rejects a file that is %s", (_, bytes, message) => {
    write("bad.npy", bytes);
    fails(message, "scan", "bad.npy", "-o", "out.npy");
    fails(message, "reduce", "bad.npy");
    fails(message, "compact", "bad.npy", "-o", "bad.npy", "--where", "true");
  });

  test("that are .npy are no elements without a header, and no text", () => {
    const message = (option: string): RegExp =>
      RegExp(
        `in\\.npy: this is a \\.npy file, whose header ${option} would take for data; leave ${option} out`,
      );
    fails(message("--raw"), "scan", "in.npy", "--raw", "u32", "-o", "out.npy");
    // Also where its bytes are no whole number of elements.
    write("odd.npy", npy("|u1", [3], new Uint8Array(3)));
    fails(/odd\.npy: this is a \.npy file/, "reduce", "odd.npy", "--raw", "f64");
    fails(message("--text"), "reduce", "in.npy", "--text", "u32");
    // Other bytes are elements, as few as there are.
    write("in.bin", Uint8Array.of(0x93, 0x4e, 0x55, 0));
    expect(run("reduce", "in.bin", "--raw", "=u4", ...SIMULATED)).toEqual({
      ...silent,
      stdout: `${0x554e93}\n`,
    });
    expect(run("scan", "in.bin", "--raw", "uint32", "-o", "out.bin", ...SIMULATED)).toEqual(silent);
    expect(readFileSync(join(folder, "out.bin"))).toEqual(Buffer.of(0x93, 0x4e, 0x55, 0));
  });

  test("rejects a missing input and a folder", () => {
    fails(/nothing\.npy: there is no such file/, "reduce", "nothing.npy");
    mkdirSync(join(folder, "sub"));
    fails(/sub: this is a folder/, "reduce", "sub");
  });

  test("rejects an output that cannot be", () => {
    fails(/the output's folder nowhere does not exist/, "scan", "in.npy", "-o", "nowhere/out.npy");
    fails(/the output is a folder/, "scan", "in.npy", "-o", ".");
    if (process.platform !== "win32") {
      fails(/not a regular file/, "scan", "in.npy", "-o", "/dev/null");
    }
  });

  test("rejects an operator that does not take the type, and leaves the output as it was", () => {
    write("f.npy", npy("<f4", [1], Float32Array.of(1)));
    fails(
      /scan<f32, xor>: xor has no meaning on f32; it takes u32, i32, u64, i64/,
      "scan",
      "f.npy",
      "-o",
      "in.npy",
      "--op",
      "xor",
    );
    expect(read("in.npy").data).toEqual(example);
  });
});
