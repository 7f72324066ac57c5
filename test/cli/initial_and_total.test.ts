import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { Scalar, ScalarType, TypeName } from "../../src/algebra/types.ts";
import { UsageError } from "../../src/cli/errors.ts";
import { formatValue, parseValue } from "../../src/cli/format.ts";
import { dumpElements, parseElements } from "../../src/cli/npy.ts";
import { SIMULATED } from "../support/adapter.ts";
import type { Ended } from "../support/command.ts";
import { failsIn, runIn } from "../support/command.ts";
import { randomBits } from "../support/random.ts";

// The value before the first element, and the total that is the next part's.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-ends-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const put = (name: string, type: ScalarType, data: ScalarArray): void =>
  writeFileSync(join(folder, name), dumpElements({ type, data, shape: [data.length] }));
const dataIn = (name: string): Scalar[] =>
  Array.from(parseElements(readFileSync(join(folder, name)), name).data as ArrayLike<Scalar>);
const run = (...args: string[]): Ended => runIn(folder, args);
const printed = (stdout: string): Ended => ({ status: 0, stdout, stderr: "" });

describe("the command", () => {
  test("scans the parts of an array one after another, by their totals", () => {
    put("a.npy", elementTypes.u32, Uint32Array.of(3, 1, 7, 4294967290));
    put("b.npy", elementTypes.u32, Uint32Array.of(4, 1, 6));
    const first = run("scan", "a.npy", "-o", "a2.npy", "--total", ...SIMULATED);
    expect(first).toEqual({ ...printed("5\n"), stderr: expect.stringMatching(/wrapped around 2\^32/) });
    const next = ["scan", "b.npy", "-o", "b2.npy", "--initial", first.stdout.trim()];
    expect(run(...next, "--total", ...SIMULATED)).toEqual(printed("16\n"));
    expect([...dataIn("a2.npy"), ...dataIn("b2.npy")]).toEqual([3, 4, 11, 5, 9, 10, 16]);
    expect(run(...next, "--exclusive", ...SIMULATED)).toEqual(printed(""));
    expect(dataIn("b2.npy")).toEqual([5, 9, 10]);
    expect(run("reduce", "b.npy", "--initial", "5", ...SIMULATED)).toEqual(printed("16\n"));
  });

  test("takes back what it prints: nan, infinities, -0.0, large integers, a map's type", () => {
    put("none.npy", elementTypes.f64, new Float64Array(0));
    for (const value of ["nan", "-inf", "inf", "-0.0", "0.1", "1e-300", "-5.0"]) {
      expect(run("reduce", "none.npy", "--initial", value, ...SIMULATED)).toEqual(printed(`${value}\n`));
    }
    put("i.npy", elementTypes.i64, BigInt64Array.of(-1n, 1n));
    const least = "-9223372036854775808";
    const args = ["--op", "max", "--initial", least, "--total", ...SIMULATED];
    expect(run("scan", "i.npy", "-o", "out.npy", ...args)).toEqual(printed("1\n"));
    expect(run("reduce", "i.npy", "--op", "min", "--initial", least, ...SIMULATED)).toEqual(
      printed(`${least}\n`),
    );
    const mapped = ["--map", "f32(u32(x)) * 0.5", "--type", "f32", "--initial", "-0.25", ...SIMULATED];
    put("u.npy", elementTypes.u64, BigUint64Array.of(3n, 4n));
    expect(run("scan", "u.npy", "-o", "out.npy", ...mapped, "--total")).toEqual(printed("3.25\n"));
    expect(dataIn("out.npy")).toEqual([1.25, 3.25]);
  });

  test("refuses a value that is none of the type, before the GPU is touched", () => {
    put("u.npy", elementTypes.u32, Uint32Array.of(1));
    put("f.npy", elementTypes.f32, Float32Array.of(1));
    const scan = (file: string, ...args: string[]): string[] => ["scan", file, "-o", "out.npy", ...args];
    // There may be no GPU here: then opening one would be the error.
    const gpu = ["--adapter", "gpu"];
    const takes = /--initial is "-1", and the result is of u32; it takes a whole number from 0 to 4294967295/;
    failsIn(folder, takes, scan("u.npy", "--initial", "-1", ...gpu));
    failsIn(folder, takes, ["reduce", "u.npy", "--initial", "-1", ...gpu]);
    failsIn(folder, /"seven", and the result is of f32; it takes a number, nan, inf or -inf/, [
      ...scan("f.npy", "--initial", "seven", ...gpu),
    ]);
    failsIn(folder, /result is of f32; .* too large/, scan("f.npy", "--initial", "1e39", ...gpu));
    failsIn(
      folder,
      /result is of f32/,
      scan("u.npy", "--map", "f32(x)", "--type", "f32", "--initial", "x", ...gpu),
    );
    failsIn(folder, /argument missing/, scan("u.npy", "--initial"));
    expect(readdirSync(folder)).not.toContain("out.npy");
  });
});

describe("values", () => {
  const bits = randomBits("values");
  const anyValues: Readonly<Record<TypeName, () => Scalar>> = {
    u32: () => bits(),
    i32: () => bits() | 0,
    f32: () => new Float32Array(Uint32Array.of(bits()).buffer)[0] as number,
    f16: () => elementTypes.f16.round((bits() / 2 ** 32) * 2 ** ((bits() % 40) - 24)),
    u64: () => new BigUint64Array(Uint32Array.of(bits(), bits()).buffer)[0] as bigint,
    i64: () => new BigInt64Array(Uint32Array.of(bits(), bits()).buffer)[0] as bigint,
    f64: () => new Float64Array(Uint32Array.of(bits(), bits()).buffer)[0] as number,
  };

  test.each(Object.values<ScalarType>(elementTypes))("of $name are what is printed", (type) => {
    const ends = [type.lowest, type.greatest, type.zero, type.one];
    const special =
      type.kind === "float" ? [Number.NaN, -0, 5e-324, 0.1].map((x) => type.round(x as never)) : [];
    for (const value of [...ends, ...special, ...Array.from({ length: 300 }, anyValues[type.name])]) {
      expect(parseValue(formatValue(value, type), type, "--initial")).toBe(value);
    }
  });

  test("as Python and people write them", () => {
    const { u32, f32, f64, i64 } = elementTypes;
    expect(parseValue(" 7 ", u32, "")).toBe(7);
    expect(parseValue("+7", i64, "")).toBe(7n);
    expect(parseValue("-0", u32, "")).toBe(0);
    expect(parseValue("-Infinity", f32, "")).toBe(Number.NEGATIVE_INFINITY);
    expect(parseValue("-NaN", f64, "")).toBeNaN();
    expect(parseValue(".5e1", f64, "")).toBe(5);
    expect(parseValue("0.1", f32, "")).toBe(Math.fround(0.1));
    for (const [type, text] of [
      [u32, "4294967296"],
      [u32, "1.0"],
      [u32, "0x10"],
      [u32, ""],
      [i64, "9223372036854775808"],
      [f64, "1e400"],
      [f64, "1,5"],
      [f64, "--5"],
      [f64, "5 6"],
      [elementTypes.f16, "65520"],
    ] as const) {
      expect(() => parseValue(text, type, "--initial"), text).toThrow(UsageError);
    }
  });
});
