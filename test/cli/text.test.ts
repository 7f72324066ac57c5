import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { f16 } from "../../src/algebra/floats.ts";
import type { Target } from "../../src/cli/files.ts";
import { openText, textTarget } from "../../src/cli/text.ts";
import { SIMULATED } from "../support/adapter.ts";
import { runIn } from "../support/command.ts";

// Numbers as text, in and out.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-text-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function given(input: string | Uint8Array, ...args: string[]) {
  return runIn(folder, [...args, ...SIMULATED], input);
}
const printed = (stdout: string) => ({ status: 0, stdout, stderr: "" });

const scans = [
  ["u64", "add", "18446744073709551615 3\n9007199254740993", "18446744073709551615\n2\n9007199254740995\n"],
  ["i64", "min", "5\t-9223372036854775808\r\n\n -1 ", "5\n-9223372036854775808\n-9223372036854775808\n"],
  ["f64", "add", "0.1 0.2 -1e308 -1e308 nan", "0.1\n0.30000000000000004\n-1e+308\n-inf\nnan\n"],
  ["f32", "max", "-inf 0.1\n16777217 +.5", "-inf\n0.1\n16777216.0\n16777216.0\n"],
  ["i32", "xor", "-1", "-1\n"],
  ["u32", "add", " \n", ""],
] as const;
test.each(scans)("a scan of %s by %s", (type, op, text, expected) => {
  expect(given(text, "scan", "-", "--text", type, "--op", op, "-o", "-")).toEqual(printed(expected));
});

test("f16, which an adapter may lack", async () => {
  const text = new TextEncoder().encode("-inf 0.1 65504 -0 nan");
  let at = 0;
  const input = {
    path: "in",
    size: undefined,
    async fill(bytes: Uint8Array) {
      const piece = text.subarray(at, at + bytes.length);
      bytes.set(piece);
      at += piece.length;
      return piece.length;
    },
    abandon() {},
  };
  const source = openText(input, f16);
  const bytes = new Uint8Array(2 * 5);
  expect(await source.fill(bytes.subarray(0, 6))).toBe(6);
  expect(await source.fill(bytes.subarray(6))).toBe(4);
  expect([...new Uint16Array(bytes.buffer)]).toEqual([0xfc00, 0x2e66, 0x7bff, 0x8000, 0x7e00]);
  let lines = "";
  const write = async (piece: Uint8Array): Promise<void> => {
    lines += new TextDecoder().decode(piece);
  };
  const none: Target = { write, writeBy: (work) => work({ write, writeStart: write }) };
  await textTarget(none, f16).writeBy((output) => output.write(bytes));
  expect(lines).toBe("-inf\n0.1\n65500.0\n-0.0\nnan\n");
});

test("files, reductions and compactions, with maps to another type", () => {
  writeFileSync(join(folder, "in.txt"), "3 1 7 0\n");
  expect(given("", "scan", "in.txt", "--text", "u32", "--exclusive", "--total", "-o", "in.txt")).toEqual(
    printed("11\n"),
  );
  expect(readFileSync(join(folder, "in.txt"), "utf8")).toBe("0\n3\n4\n11\n");
  const map = ["--map", "f32(x) * 0.5", "--type", "f32"];
  expect(given("3 1 7", "reduce", "-", "--text", "u32", ...map)).toEqual(printed("5.5\n"));
  const where = ["compact", "-", "--text", "u32", "-o", "-", "--where", "x > 2u"];
  expect(given("3 1 7", ...where, ...map)).toEqual(printed("1.5\n3.5\n"));
  expect(given("3 1 7", ...where, "--indices")).toEqual(printed("0\n2\n"));
});

test("words that lie across pieces", () => {
  // 65536 bytes are read at once, and the words are of 7 bytes.
  const numbers = Array.from({ length: 30_000 }, (_, at) => 100_000 + at);
  const sum = numbers.reduce((a, b) => (a + b) >>> 0);
  expect(given(`${numbers.join(" ")}\n`, "reduce", "-", "--text", "u32")).toEqual(printed(`${sum}\n`));
});

test("a byte order mark is no number", () => {
  expect(given("\uFEFF3 1 7", "reduce", "-", "--text", "u32")).toEqual(printed("11\n"));
  expect(given("\uFEFF", "reduce", "-", "--text", "u32")).toEqual(printed("0\n"));
});

test("what is refused leaves no output", () => {
  const fails = (input: string | Uint8Array, message: RegExp, ...args: string[]): void => {
    const { status, stdout, stderr } = given(input, "scan", "-", "-o", "out", ...args);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^wavefold: [^\n]+\n$/);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(existsSync(join(folder, "out"))).toBe(false);
  };
  fails(
    "1 2 -3",
    /stdin: value 3 is "-3", and the elements are of u32; it takes a whole number from 0 to 4294967295/,
    "--text",
    "u32",
  );
  fails(
    Buffer.from("\uFEFF3 1", "utf16le"),
    /stdin: this text is UTF-16; --text takes UTF-8/,
    "--text",
    "u32",
  );
  // A mark is at the start alone.
  fails("1 \uFEFF3", /stdin: value 2 is /, "--text", "u32");
  fails("1 seven", /stdin: value 2 is "seven", .* of f64; it takes a number/, "--text", "f64");
  fails(Buffer.alloc(100_000, 200), /stdin: a word has more than 4096 characters/, "--text", "f64");
  fails("1", /'--text <type>' cannot be used with option '--raw <type>'/, "--text", "f64", "--raw", "f64");
});
