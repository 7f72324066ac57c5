import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { arrayLike } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { operators } from "../../src/algebra/operator_table.ts";
import type { Scalar, ScalarType, TypeName } from "../../src/algebra/types.ts";
import { parseValue } from "../../src/cli/format.ts";
import { dumpElements, parseElements } from "../../src/cli/npy.ts";
import { scanReference } from "../../src/reference/index.ts";
import { needsUnix, SIMULATED } from "../support/adapter.ts";
import { blocksOf, sectionsOf } from "../support/code_blocks.ts";
import { program } from "../support/command.ts";
import { expectSameBits } from "../support/compare.ts";
import { anyItems, valuesAs } from "../support/random.ts";

needsUnix();

// Both examples in examples/parts/, which scan one array that lies in parts. Their results are those of the array as a whole.

const script = resolve("examples/parts/scan-parts.sh");
const engine = resolve("build/examples/parts/scan-parts.js");

/** Looked for once, by the first test that asks: it starts Perl. */
let parallel: boolean | undefined;
const hasParallel = (): boolean => {
  parallel ??=
    spawnSync("parallel", ["--version"], { encoding: "utf8" }).stdout?.startsWith("GNU parallel") ?? false;
  return parallel;
};
const MISSING = "GNU parallel is not installed";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-parts-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Case {
  readonly title: string;
  readonly type: TypeName;
  readonly op: "add" | "max" | "min" | "mul";
  readonly exclusive?: boolean;
  readonly initial?: string;
  readonly parts: readonly ScalarArray[];
}

const none = (type: TypeName): ScalarArray => valuesAs(type, []);
/** The first part is long: its total comes last. */
const LONG = 2 ** 18;
let longParts: readonly ScalarArray[] | undefined;

/** Sums of few bits: however the parts are cut, they are exact. */
const eighths = (type: TypeName, length: number): ScalarArray =>
  valuesAs(
    type,
    Array.from({ length }, (_, at) => ((at * 37) % 101) / 8 - 6),
  );

const cases: readonly Case[] = [
  {
    title: "u64 beyond 2^53, which wrap around; parts are empty, too",
    type: "u64",
    op: "add",
    get parts() {
      longParts ??= [
        anyItems("u64", LONG, "first"),
        none("u64"),
        anyItems("u64", 3, "second"),
        anyItems("u64", 1000, "third"),
        BigUint64Array.of(2n ** 63n + 1n),
        none("u64"),
      ];
      return longParts;
    },
  },
  {
    title: "negative i64, from an initial value",
    type: "i64",
    op: "min",
    initial: "-9007199254740993",
    parts: [
      BigInt64Array.of(5n, -(2n ** 53n) - 2n),
      BigInt64Array.of(-(2n ** 62n) - 1n, 7n),
      BigInt64Array.of(-(2n ** 62n)),
      BigInt64Array.of(-(2n ** 63n), 0n),
    ],
  },
  {
    title: "f64 with minus zero in front and NaN behind, exclusive",
    type: "f64",
    op: "add",
    exclusive: true,
    parts: [
      none("f64"),
      Float64Array.of(-0, -0),
      none("f64"),
      Float64Array.of(-0),
      eighths("f64", 1000),
      Float64Array.of(2 ** -30, Number.NaN, 1),
      Float64Array.of(3, 4),
    ],
  },
  {
    title: "f64 with minus zero in front",
    type: "f64",
    op: "add",
    parts: [none("f64"), Float64Array.of(-0), Float64Array.of(-0, -0), none("f64"), Float64Array.of(-0, 0.5)],
  },
  {
    title: "f64 with all digits",
    type: "f64",
    op: "mul",
    initial: "0.1",
    // In two parts of one element, nothing is rounded in another order than one after another.
    parts: [Float64Array.of(1 / 3), Float64Array.of(-1e300 / 7)],
  },
  {
    title: "f32 of any bits",
    type: "f32",
    op: "max",
    parts: [
      Float32Array.of(Number.NaN, -(2 ** -149)),
      (anyItems("f32", 100, "f32") as Float32Array).map((x) => -Math.abs(x)),
      none("f32"),
      Float32Array.of(0.1, Number.NaN),
      anyItems("f32", 100, "f32 again"),
    ] as ScalarArray[],
  },
  { title: "no elements", type: "i32", op: "add", parts: [none("i32"), none("i32")] },
];

/** All parts one behind another. */
function joined(parts: readonly ScalarArray[]): ScalarArray {
  const [first] = parts as [ScalarArray];
  const bytes = Buffer.concat(
    parts.map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength)),
  );
  return arrayLike(first, Uint8Array.from(bytes).buffer);
}

function expectedOf({ type, op, exclusive = false, initial, parts }: Case): ScalarArray {
  const elementType: ScalarType = elementTypes[type];
  const start =
    initial === undefined ? {} : { initial: parseValue(initial, elementType, "initial") as Scalar };
  return scanReference(joined(parts) as Uint32Array, {
    op: operators[op],
    exclusive,
    ...(start as { initial?: number }),
  });
}

const optionsOf = ({ op, exclusive = false, initial }: Case): string[] => [
  "--op",
  op,
  ...(exclusive ? ["--exclusive"] : []),
  ...(initial === undefined ? [] : [`--initial=${initial}`]),
  ...SIMULATED,
];

/** A name that a shell would take apart. */
const nameOf = (index: number): string => `it's part ${index}`;

function put({ type, parts }: Case, form: "npy" | "raw"): string[] {
  return parts.map((data, index) => {
    const own = elementTypes[type];
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    writeFileSync(
      join(folder, nameOf(index)),
      form === "raw" ? bytes : dumpElements({ type: own, data, shape: [1, data.length] }),
    );
    return nameOf(index);
  });
}

/** The results, one behind another. */
function taken({ parts }: Case, form: "npy" | "raw"): ScalarArray {
  expect(readdirSync(join(folder, "out")).sort()).toEqual(parts.map((_, index) => nameOf(index)));
  const results = parts.map((part, index) => {
    const bytes = readFileSync(join(folder, "out", nameOf(index)));
    const data =
      form === "raw" ? arrayLike(part, Uint8Array.from(bytes).buffer) : parseElements(bytes, "out").data;
    expect(data.length).toBe(part.length);
    return data;
  });
  return joined(results);
}

interface Given {
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}
const started = (command: string, { args, env = {} }: Given) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
};

/** The command, which takes longer where the first part's total is computed: the others are done before. */
const commandOf = (): NodeJS.ProcessEnv => {
  const slow = join(folder, "slow.sh");
  const lines = [
    'case "$1 $2" in "reduce it\'s part 0" | "reduce it\'s part 1") sleep 1 ;; esac',
    `exec '${process.execPath}' '${program}' "$@"`,
  ];
  writeFileSync(slow, lines.join("\n"));
  return { WAVEFOLD: `sh '${slow}'`, PARALLEL: "-j 4" };
};
const runScript = (...args: string[]) => started("sh", { args: [script, ...args], env: commandOf() });
/** On two processes: each compiles its kernels. */
const runEngine = (...args: string[]) =>
  started(process.execPath, { args: [engine, "--workers", "2", ...args] });
const done = { status: 0, stdout: "", stderr: "" };

describe("scan-parts.sh, with GNU parallel", () => {
  test.for(cases)("$type, $op: $title", (one, { skip }) => {
    skip(!hasParallel(), MISSING);
    const form = one.type === "f64" || one.type === "i32" ? "npy" : "raw";
    const given = form === "raw" ? ["--raw", one.type] : [];
    const parts = put(one, form);
    expect(runScript(...given, ...optionsOf(one), "-o", "out", ...parts)).toEqual(done);
    expectSameBits(taken(one, form), expectedOf(one), one.title);
    expect(readdirSync(folder).sort()).toEqual([...parts, "out", "slow.sh"].sort());
  });

  test("what is refused, and what fails on the way, leaves the folder as it was", ({ skip }) => {
    skip(!hasParallel(), MISSING);
    const file = dumpElements({ type: elementTypes.u32, data: Uint32Array.of(3, 1), shape: [2] });
    writeFileSync(join(folder, "a.npy"), file);
    writeFileSync(
      join(folder, "b.npy"),
      dumpElements({ type: elementTypes.f32, data: Float32Array.of(1), shape: [1] }),
    );
    writeFileSync(join(folder, "short.npy"), file.subarray(0, -1));
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "sub", "a.npy"), file);
    commandOf();
    const before = readdirSync(folder);
    const fails = (message: RegExp, ...args: string[]): void => {
      const { status, stdout, stderr } = runScript(...SIMULATED, ...args);
      expect(stderr).toMatch(message);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(readdirSync(folder)).toEqual(before);
    };
    fails(
      /^scan-parts: none\.npy: there is no such file, or it cannot be read\n$/,
      "-o",
      "out",
      "a.npy",
      "none.npy",
    );
    fails(
      /^scan-parts: b\.npy holds f32, and a\.npy holds u32; all parts take one type\n$/,
      "-o",
      "out",
      "a.npy",
      "b.npy",
    );
    fails(
      /^scan-parts: slow\.sh: this is not a \.npy file; .* --raw TYPE\n$/,
      "-o",
      "out",
      "a.npy",
      "slow.sh",
    );
    fails(/^scan-parts: two parts are named a\.npy/, "-o", "out", "a.npy", "sub/a.npy");
    fails(/^scan-parts: sub is there already/, "-o", "sub", "a.npy");
    fails(/^scan-parts: -o FOLDER is missing/, "a.npy");
    fails(/^scan-parts: there are no parts/, "-o", "out");
    fails(/^scan-parts: --op is "a;b"/, "--op", "a;b", "-o", "out", "a.npy");
    fails(/^scan-parts: --op exactAdd: a total is rounded/, "--op", "exactAdd", "-o", "out", "a.npy");
    fails(/short\.npy: the file is truncated[\s\S]*nothing is written\n$/, "-o", "out", "a.npy", "short.npy");
    fails(
      /--initial is "-1"[\s\S]*the totals were not scanned; nothing is written\n$/,
      "--initial",
      "-1",
      "-o",
      "out",
      "a.npy",
    );
  });
});

describe("the guide's commands with GNU parallel", () => {
  const guide = sectionsOf(readFileSync("docs/guides/past-one-machine.md", "utf8"));
  const commands = guide.flatMap((section) => blocksOf(section, "sh")).map(({ text }) => text);
  const run = (text: string) => {
    mkdirSync(join(folder, "bin"));
    const npx = `#!/bin/sh\nshift\nexec '${process.execPath}' '${program}' "$@" ${SIMULATED.join(" ")}\n`;
    writeFileSync(join(folder, "bin", "npx"), npx, { mode: 0o755 });
    return started("sh", { args: ["-c", text], env: { PATH: `${join(folder, "bin")}:${process.env.PATH}` } });
  };

  test("scans", ({ skip }) => {
    skip(!hasParallel(), MISSING);
    const parts = [
      BigUint64Array.of(3n, 1n),
      BigUint64Array.of(7n, 0n, 4n),
      BigUint64Array.of(2n ** 64n - 1n),
    ];
    for (const [index, data] of parts.entries()) {
      const file = dumpElements({ type: elementTypes.u64, data, shape: [data.length] });
      writeFileSync(join(folder, `part-${index}.npy`), file);
    }
    expect(run(commands[0] ?? "")).toEqual(done);
    const results = parts.map((_, index) => readFileSync(join(folder, "scanned", `part-${index}.npy`)));
    expect(results.map((file) => parseElements(file, "").data)).toEqual([
      BigUint64Array.of(3n, 4n),
      BigUint64Array.of(11n, 11n, 15n),
      BigUint64Array.of(14n),
    ]);
  });

  test("compacts", ({ skip }) => {
    skip(!hasParallel(), MISSING);
    writeFileSync(join(folder, "part-0.bin"), Uint32Array.of(6, 1, 266, 0x0d0a0a0d));
    writeFileSync(join(folder, "part-1.bin"), "");
    writeFileSync(join(folder, "part-2.bin"), Uint32Array.of(5, 7));
    expect(run(commands.find((text) => text.includes("compact")) ?? "")).toEqual(done);
    const kept = readFileSync(join(folder, "kept.bin"));
    expect(new Uint32Array(Uint8Array.from(kept).buffer)).toEqual(Uint32Array.of(6, 266, 0x0d0a0a0d, 7));
  });
});

test("scan-parts.sh says that GNU parallel is not installed", () => {
  writeFileSync(join(folder, "a"), "");
  expect(
    started("/bin/sh", { args: [script, "--raw", "u32", "-o", "out", "a"], env: { PATH: folder } }),
  ).toEqual({
    status: 1,
    stdout: "",
    stderr: "scan-parts: GNU parallel is not installed; Debian has it in the package parallel\n",
  });
  expect(readdirSync(folder)).toEqual(["a"]);
});

describe("scan-parts.js, with child processes", () => {
  test.for(cases)("$type, $op: $title", (one) => {
    const parts = put(one, "raw");
    expect(runEngine("--type", one.type, ...optionsOf(one), "-o", "out", ...parts)).toEqual(done);
    expectSameBits(taken(one, "raw"), expectedOf(one), one.title);
    expect(readdirSync(folder).sort()).toEqual([...parts, "out"].sort());
  });

  test("what is refused, and what fails on the way, leaves the folder as it was", () => {
    writeFileSync(join(folder, "a"), Uint32Array.of(3, 1));
    writeFileSync(join(folder, "odd"), "odd");
    const fails = (message: RegExp, ...args: string[]): void => {
      const { status, stdout, stderr } = runEngine(...SIMULATED, ...args);
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/^scan-parts: [^\n]+\n$/);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(readdirSync(folder)).toEqual(["a", "odd"]);
    };
    const u32 = ["--type", "u32", "-o", "out"];
    fails(/none: there is no such file/, ...u32, "a", "none");
    fails(/odd: it holds 3 bytes, and each u32 takes 4/, ...u32, "a", "odd");
    fails(/--initial is "seven"; it takes a value of u32/, ...u32, "--initial", "seven", "a");
    fails(/a is there already/, "--type", "u32", "-o", "a", "odd");
    fails(/--op takes add,and,max/, ...u32, "--op", "exactAdd", "a");
    fails(/--type takes u32,i32/, "-o", "out", "a");
  });
});
