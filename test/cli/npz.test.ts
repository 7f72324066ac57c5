import { Buffer } from "node:buffer";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { oneLine, UsageError } from "../../src/cli/errors.ts";
import { openElements, parseElements, readAll, readFlags } from "../../src/cli/npy.ts";
import { withNpy } from "../../src/cli/npy_inputs.ts";
import { SIMULATED } from "../support/adapter.ts";
import { failsIn, runIn } from "../support/command.ts";
import { npyBytes, npyHeaderText } from "../support/npy_bytes.ts";
import { randomBits } from "../support/random.ts";
import type { ZipMember } from "../support/zip.ts";
import { zipOf } from "../support/zip.ts";

// What NumPy 2.4 writes.
/** numpy.savez of mask=[True, False, True, True] */
const STORED =
  "UEsDBC0AAAAAAAAAIQCC9FQ6//////////8IABQAbWFzay5ucHkBABAAhAAAAAAAAACEAAAAAAAAAJNOVU1QWQEAdgB7J2Rlc2NyJzogJ3xiMScsICdmb3J0cmFuX29yZGVyJzogRmFsc2UsICdzaGFwZSc6ICg0LCksIH0gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAKAQABAVBLAQItAy0AAAAAAAAAIQCC9FQ6hAAAAIQAAAAIAAAAAAAAAAAAAACAAQAAAABtYXNrLm5weVBLBQYAAAAAAQABADYAAAC+AAAAAAA=";
/** numpy.savez_compressed of a=numpy.arange(5), image of u1 in Fortran order, big=[1.5, -2.5] of >f4 */
const DEFLATED =
  "UEsDBC0AAAAIAAAAIQDLd52p//////////8FABQAYS5ucHkBABAAqAAAAAAAAABRAAAAAAAAAJvsF+obEMnIUMZQrZ6SWpxcpG6loG6TaaGuo6Cell9UUpSYF59flJIKEndLzClOBYoXZyQWpAL5GqY6mjoKtQoUAC4GKGCE0kxQmhlKs0BpAFBLAwQtAAAACAAAACEAI8jn/v//////////CQAUAGltYWdlLm5weQEAEACGAAAAAAAAAEsAAAAAAAAAm+wX6hsQychQxlCtnpJanFykbqWgXlNqqK6joJ6WX1RSlJgXn1+UkgoSDykqTQUKF2ckFqQCuRpGOgrGmjoKtQrkAy4GZkYWJlYAUEsDBC0AAAAIAAAAIQC7Gmn0//////////8HABQAYmlnLm5weQEAEACIAAAAAAAAAEwAAAAAAAAAm+wX6hsQychQxlCtnpJanFykbqWgbpdmoq6joJ6WX1RSlJgXn1+UkgoSd0vMKU4FihdnJBakAvkaRjqaOgq1ChQALvsDDAwHFBgYAFBLAQItAy0AAAAIAAAAIQDLd52pUQAAAKgAAAAFAAAAAAAAAAAAAACAAQAAAABhLm5weVBLAQItAy0AAAAIAAAAIQAjyOf+SwAAAIYAAAAJAAAAAAAAAAAAAACAAYgAAABpbWFnZS5ucHlQSwECLQMtAAAACAAAACEAuxpp9EwAAACIAAAABwAAAAAAAAAAAAAAgAEOAQAAYmlnLm5weVBLBQYAAAAAAwADAJ8AAACTAQAAAAA=";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-npz-"));
  writeFileSync(join(folder, "stored.npz"), Buffer.from(STORED, "base64"));
  writeFileSync(join(folder, "three.npz"), Buffer.from(DEFLATED, "base64"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]) => runIn(folder, [...args, ...SIMULATED]);
const reduce = (path: string): string[] => ["reduce", path, ...SIMULATED];
const printed = (stdout: string) => ({ status: 0, stdout, stderr: "" });
const put = (name: string, bytes: Uint8Array): void => writeFileSync(join(folder, name), bytes);

const UTF_8 = 0x800;

const bits = randomBits("npz");
/** An array of u32 in a file of an archive. */
const member = (name: string, length = 3, more: Partial<ZipMember> = {}): ZipMember => ({
  name,
  bytes: npyBytes(npyHeaderText("<u4", [length]), Buffer.from(Uint32Array.from({ length }, bits).buffer)),
  ...more,
});
const elementsOf = ({ bytes }: ZipMember) => parseElements(bytes, "in.npy").data;
const read = (path: string) =>
  withNpy(join(folder, path), async (input) => readAll(await openElements(input), input.path));

describe("an array of an archive", () => {
  test("is read by its name, or alone", () => {
    expect(run("reduce", "stored.npz")).toEqual(printed("3\n"));
    expect(run("reduce", "stored.npz:mask")).toEqual(printed("3\n"));
    expect(run("reduce", "three.npz:a")).toEqual(printed("10\n"));
    expect(run("reduce", "three.npz:a.npy")).toEqual(printed("10\n"));
    expect(run("argmin", "three.npz:big")).toEqual(printed("1 -2.5\n"));
    expect(run("reduce", "three.npz:image", "--rows", "--output", "rows.npy")).toEqual(printed(""));
    expect(run("reduce", "rows.npy", "--map", "x * (i + 1u)")).toEqual(printed(`${3 + 2 * 12}\n`));
    // Whatever its name.
    put("archive", Buffer.from(STORED, "base64"));
    expect(run("reduce", "archive")).toEqual(printed("3\n"));
  });

  test("is taken wherever files are", () => {
    put("in.npy", npyBytes(npyHeaderText("<u4", [4]), Buffer.from(Uint32Array.of(5, 6, 7, 8).buffer)));
    expect(run("compact", "in.npy", "--flags", "stored.npz:mask", "-o", "out.npy")).toEqual(printed(""));
    expect(run("reduce", "out.npy")).toEqual(printed("20\n"));
    expect(run("gather", "in.npy", "stored.npz:mask", "-o", "out.npy")).toEqual(printed(""));
    expect(run("reduce", "out.npy")).toEqual(printed("23\n"));
    expect(run("histogram", "in.npy", "--edges", "three.npz:a", "-o", "out.npy")).toEqual(printed(""));
    put(
      "sum.wgsl",
      Buffer.from(`@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(1) fn main() { b[0] = a[0] + a[2] * 10u + arrayLength(&a) * 100u; }`),
    );
    const check = [
      "check",
      "sum.wgsl",
      "--dispatch",
      "1",
      "--items",
      "4",
      "--buffer",
      "a=stored.npz:mask",
      "--show",
      "b",
    ];
    expect(runIn(folder, check).stdout).toContain("b: 411 ");
  });

  test("is never what a command writes", () => {
    put("in.npy", npyBytes(npyHeaderText("<u4", [1]), Buffer.from(Uint32Array.of(5).buffer)));
    const before = readdirSync(folder);
    const one = /: outputs are \.npy files, and no archives; it takes a path such as out\.npy$/m;
    failsIn(folder, /-o is three\.npz:a/, ["scan", "three.npz:a", "-o", "three.npz:a"]);
    failsIn(folder, one, ["scan", "in.npy", "-o", "out.NPZ"]);
    failsIn(folder, one, ["sort", "in.npy", "-o", "out.npz"]);
    failsIn(folder, /--unique is u\.npz/, [
      ...["reduce", "in.npy", "--keys", "in.npy", "--unique", "u.npz", "-o", "out.npy"],
    ]);
    failsIn(folder, /--values-out is v\.npz/, [
      ...["sort", "in.npy", "--values", "in.npy", "--values-out", "v.npz", "-o", "out.npy"],
    ]);
    expect(readdirSync(folder)).toEqual(before);
    expect(readFileSync(join(folder, "three.npz"))).toEqual(Buffer.from(DEFLATED, "base64"));
    // Elements without a header are no .npy file.
    expect(run("scan", "in.npy", "-o", "out.npy")).toEqual(printed(""));
    expect(run("scan", "-", "--raw", "u32", "-o", "raw.npz")).toEqual(printed(""));
  });

  test("has the path of a file where one has that name", () => {
    put("three.npz:a", npyBytes(npyHeaderText("|u1", [2]), Uint8Array.of(7, 9)));
    expect(run("reduce", "three.npz:a")).toEqual(printed("16\n"));
  });

  test.each([
    ["stored", {}],
    ["deflated", { isDeflated: true }],
  ])("is read if it is %s and long, with fields of 8 bytes or without", async (_, form) => {
    const members = ["a", "b", "c"].map((name, at) => member(`${name}.npy`, 60_000 + at, form));
    for (const isZip64 of [false, true]) {
      put(
        "many.npz",
        zipOf([{ name: "readme.txt", bytes: Buffer.from("no array") }, ...members], { isZip64 }),
      );
      for (const [at, name] of ["a", "b", "c"].entries()) {
        expect(await read(`many.npz:${name}`)).toEqual(elementsOf(members[at] as ZipMember));
      }
      put(
        "one.npz",
        zipOf([{ name: "readme.txt", bytes: Buffer.from("no array") }, members[0] as ZipMember], { isZip64 }),
      );
      expect(await read("one.npz")).toEqual(elementsOf(members[0] as ZipMember));
      expect(await withNpy(join(folder, "one.npz"), readFlags)).toHaveProperty("shape", [60_000]);
    }
  });

  const damage = (bytes: Buffer, at: number): Buffer => {
    bytes[at] = (bytes[at] as number) ^ 0x40;
    return bytes;
  };
  /** An archive whose list of files is nowhere: the place of that is in the 20 bytes before the end. */
  const farOf = (bytes: Buffer): Buffer => {
    bytes[bytes.length - 22 - 20 + 8 + 6] = 0x80;
    return bytes;
  };
  const many = (at: number): string => `array_${at}.npy`;
  test.each<[string, string, Uint8Array, RegExp]>([
    [
      "several arrays and no name",
      "",
      zipOf([member("a.npy"), member("b.npy")]),
      /bad\.npz: it holds 2 arrays; it takes the name of one, as bad\.npz:a: a, b$/,
    ],
    [
      "no array of that name",
      ":c",
      zipOf([member("a.npy"), member("b.npy"), member("c.txt")]),
      /it holds no array c; it holds a, b$/,
    ],
    [
      "very many arrays",
      "",
      zipOf(Array.from({ length: 30 }, (_, at) => member(many(at)))),
      /it holds 30 arrays; .* array_19 and 10 more$/,
    ],
    [
      "two arrays of one name",
      ":a",
      zipOf([member("a.npy"), member("a.npy")]),
      /it holds 2 arrays a; save it again/,
    ],
    [
      "no array",
      "",
      zipOf([member("a.txt")]),
      /this zip archive holds no \.npy file; it takes one, as numpy\.savez writes it/,
    ],
    ["nothing in it", "", zipOf([]), /holds no \.npy file/],
    [
      "a name that a terminal would obey",
      ":b",
      zipOf([member("\x1b[31m.npy", 3, { flags: UTF_8 })]),
      /it holds \\u001b\[31m$/,
    ],
    [
      "another checksum",
      ":a",
      zipOf([member("a.npy", 3, { crc: 5 })]),
      /bad\.npz:a: this array is damaged in the zip archive: its checksum \(CRC-32\) is another one; save it again with numpy\.savez$/,
    ],
    [
      "another byte",
      ":a",
      damage(zipOf([member("a.npy", 3)]), 190),
      /its checksum \(CRC-32\) is another one/,
    ],
    [
      "another byte where it is deflated",
      ":a",
      damage(zipOf([member("a.npy", 300, { isDeflated: true })]), 300),
      /bad\.npz:a: this array is damaged in the zip archive: /,
    ],
    [
      "fewer bytes than it says",
      ":a",
      zipOf([member("a.npy", 3, { isDeflated: true, size: 200 })]),
      /damaged in the zip archive: not enough bytes/,
    ],
    [
      "more bytes than it says",
      ":a",
      zipOf([member("a.npy", 300, { isDeflated: true, size: 200 })]),
      /damaged in the zip archive: too many bytes|the file is truncated/,
    ],
    [
      "an encrypted array",
      ":a",
      zipOf([member("a.npy", 3, { flags: 1 })]),
      /bad\.npz:a: it is encrypted; save it again with numpy\.savez/,
    ],
    [
      "strong encryption",
      ":a",
      zipOf([member("a.npy", 3, { flags: 0x41 })]),
      /this zip archive cannot be read: strong encryption is not supported/,
    ],
    [
      "another compression",
      ":a",
      zipOf([member("a.npy", 3, { method: 93, isDeflated: true })]),
      /compressed by the method 93 of zip; it takes stored and deflated arrays: save it again with numpy\.savez_compressed/,
    ],
    [
      "a path that leads out of it",
      ":a",
      zipOf([member("../a.npy")]),
      /this zip archive cannot be read: invalid relative path: \.\.\/a\.npy; save it/,
    ],
    ["an absolute path", ":a", zipOf([member("/etc/a.npy")]), /cannot be read: absolute path: \/etc\/a\.npy/],
    [
      "a place past any end",
      ":a",
      farOf(zipOf([member("a.npy")], { isZip64: true })),
      /bad\.npz: this zip archive cannot be read: a part of it would lie past its end/,
    ],
    [
      "half of its bytes",
      ":a",
      zipOf([member("a.npy", 300)]).subarray(0, 600),
      /bad\.npz: this zip archive cannot be read: [^\n]*truncated; save it again/,
    ],
    ["a start that is cut off", ":a", zipOf([member("a.npy", 300)]).subarray(100), /bad\.npz[^\n]*: /],
    [
      "an array that is no array",
      ":a",
      zipOf([{ name: "a.npy", bytes: Buffer.from("no array") }]),
      /bad\.npz:a: this is not a \.npy file/,
    ],
    [
      "an array of objects",
      ":a",
      zipOf([{ name: "a.npy", bytes: npyBytes(npyHeaderText("|O", [1]), new Uint8Array(8)) }]),
      /bad\.npz:a: its dtype is \|O, of Python's objects/,
    ],
    [
      "an array that is too short",
      ":a",
      zipOf([{ name: "a.npy", bytes: npyBytes(npyHeaderText("<u4", [3]), new Uint8Array(8)) }]),
      /bad\.npz:a: the file is truncated: shape \(3,\) of <u4 takes 12 bytes of data, and it holds 8/,
    ],
  ])("is refused with %s", (_, name, bytes, message) => {
    put("bad.npz", bytes);
    const { status, stdout, stderr } = runIn(folder, reduce(`bad.npz${name}`));
    expect(stderr).toMatch(/^wavefold: bad\.npz[^\n\p{Cc}]+\n$/u);
    expect(stderr.trim()).toMatch(message);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  });

  test("is refused where there is no archive", () => {
    put("bad.npz", npyBytes(npyHeaderText("<u4", [1]), new Uint8Array(4)));
    failsIn(folder, /bad\.npz: this zip archive cannot be read: .*not a zip file/, reduce("bad.npz:a"));
    failsIn(folder, /none\.npz: there is no such file/, reduce("none.npz:a"));
    mkdirSync(join(folder, "sub.npz"));
    failsIn(folder, /sub\.npz: this is a folder; it takes a file/, reduce("sub.npz:a"));
    expect(runIn(folder, reduce("-"), Buffer.from(STORED, "base64"))).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "wavefold: stdin: this is a zip archive (.npz?), which is not read from a pipe; it takes a .npy file, or the path of the archive\n",
    });
  });

  test("is refused in pieces, and no output is left", () => {
    const long = member("a.npy", 2 ** 21, { crc: 5 });
    put("bad.npz", zipOf([long]));
    failsIn(folder, /bad\.npz:a: .* its checksum \(CRC-32\) is another one/, [
      "scan",
      "bad.npz:a",
      "-o",
      "out.npy",
      ...SIMULATED,
    ]);
  });

  test("is read as it was or refused in one clear line, whatever byte of the archive is changed", async () => {
    const short = member("a.npy", 20);
    const forms = [
      { bytes: zipOf([short, member("b.npy")]) },
      { bytes: zipOf([short, member("b.npy")], { isZip64: true }) },
      { bytes: zipOf([{ ...short, isDeflated: true }]) },
    ];
    let refused = 0;
    for (let round = 0; round < 150; round++) {
      const { bytes } = forms[round % forms.length] as { bytes: Buffer };
      const changed = Buffer.from(bytes);
      changed[bits() % changed.length] = bits();
      put("bad.npz", bits() % 8 === 0 ? changed.subarray(0, bits() % changed.length) : changed);
      try {
        const data = await read("bad.npz:a");
        expect(data).toEqual(elementsOf(short));
      } catch (cause) {
        expect(cause).toBeInstanceOf(UsageError);
        expect(oneLine(cause)).toMatch(/bad\.npz.*: .+$/);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(30);
  });
});
