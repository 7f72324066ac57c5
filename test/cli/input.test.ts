import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { withInput } from "../../src/cli/files.ts";
import { dumpElements } from "../../src/cli/npy.ts";
import { needsUnix, SIMULATED } from "../support/adapter.ts";
import { failsIn, program, runBoundIn, runIn } from "../support/command.ts";

needsUnix();

const reduce = (name: string): string[] => ["reduce", name, ...SIMULATED];

/** A file whose header says what is given, before data of zeros. */
function npy(header: string, dataBytes: number): Buffer {
  const text = `${header}\n`;
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 2, 0, 0, 0, 0, 0]);
  start.writeUInt32LE(text.length, 8);
  return Buffer.concat([start, Buffer.from(text, "latin1"), Buffer.alloc(dataBytes)]);
}
const headerOf = (descr: string, shape: string): string =>
  `{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-input-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);
const sums = dumpElements({ type: u32, data: Uint32Array.of(3, 1, 7), shape: [3] });

/** Feeds the command by a pipe. */
function piped(bytes: Uint8Array, ...args: string[]) {
  writeFileSync(at("bytes"), bytes);
  const shell = ["-c", 'cat bytes | "$@"', "bash", process.execPath, program, ...args];
  const { status, stdout, stderr } = spawnSync("bash", shell, { cwd: folder, encoding: "utf8" });
  return { status, stdout, stderr };
}

describe("an input", () => {
  test("that becomes shorter while it is read is refused", async () => {
    writeFileSync(at("raw"), new Uint8Array(100));
    const call = withInput(at("raw"), async ({ fill, size }) => {
      expect(size).toBe(100);
      expect(await fill(new Uint8Array(10))).toBe(10);
      truncateSync(at("raw"), 20);
      return fill(new Uint8Array(90));
    });
    await expect(call).rejects.toThrow(
      "raw: it had 100 bytes when it was opened, and ended after 20; it must not change while it is read",
    );
    // What is asked for past the end of a whole file is not there.
    writeFileSync(at("raw"), new Uint8Array(100));
    expect(await withInput(at("raw"), ({ fill }) => fill(new Uint8Array(101)))).toBe(100);
  });

  test("may be a pipe, of any length", () => {
    const many = dumpElements({ type: u32, data: new Uint32Array(200_000).fill(1), shape: [200_000] });
    expect(piped(many, ...reduce("/dev/stdin"))).toEqual({ status: 0, stdout: "200000\n", stderr: "" });
    writeFileSync(at("in.npy"), sums);
    const shell = 'mkfifo fifo.npy && (cat in.npy > fifo.npy & exec "$@")';
    const args = ["-c", shell, "bash", process.execPath, program, ...reduce("fifo.npy")];
    expect(spawnSync("bash", args, { cwd: folder, encoding: "utf8" })).toMatchObject({
      status: 0,
      stdout: "11\n",
      stderr: "",
    });
  });

  test("is told to be truncated, or too long, in a pipe too", () => {
    const fails = (bytes: Uint8Array, message: RegExp): void => {
      expect(piped(bytes, ...reduce("/dev/stdin"))).toEqual({
        status: 1,
        stdout: "",
        stderr: expect.stringMatching(message),
      });
    };
    fails(sums.subarray(0, 7), /^wavefold: \/dev\/stdin: the file is truncated in its header[^\n]*\n$/);
    fails(Buffer.concat([sums, Buffer.alloc(1)]), /it has 1 byte too many behind .* it holds 13\n$/);
    // Whatever a header promises: no memory is taken for more than comes.
    fails(
      npy(headerOf("'<u4'", `(${2 ** 50},)`), 4),
      /takes 4503599627370496 bytes of data, and it holds 4\n$/,
    );
  });

  test("is told to be more than memory holds, where all of it must be held", () => {
    writeFileSync(at("flags.npy"), sums);
    const bytes = npy(headerOf("'<u4'", `(${2 ** 50},)`), 2 ** 17);
    const args = ["compact", "-", "--flags", "flags.npy", "-o", "out.npy", ...SIMULATED];
    expect(piped(bytes, ...args)).toEqual({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/^wavefold: stdin: [^\n]*there is no memory for [^\n]*\n$/),
    });
  });

  test("is read no further than it must be", () => {
    failsIn(folder, /\/dev\/zero: this is not a \.npy file/, reduce("/dev/zero"));
    failsIn(folder, /\/dev\/null: the file is empty/, reduce("/dev/null"));
  });

  test("is refused where it is no file, or may not be read", async () => {
    mkdirSync(at("sub"));
    symlinkSync("self.npy", at("self.npy"));
    failsIn(folder, /sub: this is a folder; it takes a file/, reduce("sub"));
    failsIn(folder, /sub\/none\.npy: there is no such file/, reduce("sub/none.npy"));
    failsIn(folder, /self\.npy: this is a link that leads back to itself/, reduce("self.npy"));
    failsIn(folder, /: there is no such file/, reduce(""));
    const server = createServer().listen(at("socket"));
    await new Promise((resolve) => server.on("listening", resolve));
    failsIn(folder, /socket: this is a socket or a device that is not there/, reduce("socket"));
    server.close();
    writeFileSync(at("secret.npy"), sums);
    chmodSync(at("secret.npy"), 0o000);
    const { status, stderr } = runBoundIn(folder, reduce("secret.npy"));
    expect({ status, stderr }).toEqual({ status: 1, stderr: "wavefold: secret.npy: permission denied\n" });
  });

  test("takes Python's quotes of either kind, and keys in any order", () => {
    const header = `{"shape":(3,),"descr":"<u4","fortran_order":False}`;
    // The data in and out of alignment.
    for (const length of [51, 52]) {
      writeFileSync(at("in.npy"), npy(header.padEnd(length), 12));
      expect(runIn(folder, reduce("in.npy"))).toEqual({ status: 0, stdout: "0\n", stderr: "" });
    }
  });

  test.each<[string, Buffer, RegExp]>([
    [
      "a structured dtype",
      npy(headerOf("[('a', '<u4'), ('b', '<f4')]", "(3,)"), 24),
      /its dtype is a structured one, with fields; it takes \|b1 .*: save one field alone, such as a\["a"\]$/,
    ],
    ["objects", npy(headerOf("'|O'", "(3,)"), 24), /its dtype is \|O, of Python's objects; it takes \|b1/],
    ["text", npy(headerOf("'<U5'", "(3,)"), 60), /its dtype is <U5; it takes \|b1/],
    [
      "a dtype that a terminal would obey",
      npy(headerOf("'\x1b[31m'", "(3,)"), 60),
      /dtype is "\\u001b\[31m"; /,
    ],
    [
      "a shape whose product is no number of bytes",
      npy(headerOf("'<u4'", `(${2 ** 52}, ${2 ** 52})`), 4),
      /takes more bytes than any file holds/,
    ],
    [
      "a shape whose product is no number at all",
      npy(headerOf("'<u4'", `(${"9".repeat(400)}, 0)`), 0),
      /its shape has a length of 2\^53 or more/,
    ],
    ["more data than it has", npy(headerOf("'<u4'", `(${2 ** 50},)`), 4), /truncated: .* and it holds 4$/],
    ["a shape that is computed", npy(headerOf("'<u4'", "(2, 2**40)"), 4), /: the header is malformed/],
    ["a shape that is no tuple", npy(headerOf("'<u4'", "3"), 12), /malformed: it has no 'shape'/],
    ["a shape of words", npy(headerOf("'<u4'", "('3',)"), 12), /malformed: it has no shape of whole numbers/],
    [
      "65 dimensions",
      npy(headerOf("'<u4'", `(${"1, ".repeat(65)})`), 4),
      /malformed: its shape has 65 dimensions, and NumPy's have 64 at most/,
    ],
    [
      "another key",
      npy("{'descr': '<u4', 'fortran_order': False, 'shape': (3,), 'x': 1}", 12),
      /malformed: it has a key that is none of/,
    ],
    ["no dict", npy("('descr', '<u4')", 12), /malformed: it is no dict of Python/],
    [
      "half a dict",
      npy("{'descr': '<u4', 'fortran_order'", 12),
      /malformed: it has "\\n" at character 32, where it takes ":"|malformed: it ends at character 33, where it takes ":"/,
    ],
    ["a header that nests", npy("(".repeat(60_000), 12), /malformed: .* no more than 16 brackets/],
    [
      "a header of 200 kB",
      npy(`{${"'shape': (".repeat(20_000)}`, 12),
      /its header takes 200002 bytes; it takes 65535 at most/,
    ],
  ])("is refused with %s", (_, bytes, message) => {
    writeFileSync(at("bad.npy"), bytes);
    const { status, stdout, stderr } = runIn(folder, reduce("bad.npy"));
    expect(stderr).toMatch(/^wavefold: bad\.npy: [^\n\p{Cc}]+\n$/u);
    expect(stderr.trim()).toMatch(message);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  });
});
