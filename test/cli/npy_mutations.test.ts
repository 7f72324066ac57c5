import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { UsageError } from "../../src/cli/errors.ts";
import { parseElements, parseFlags } from "../../src/cli/npy.ts";
import { LiteralError, parseLiteral } from "../../src/cli/python_literal.ts";
import { cpuSeconds } from "../support/cpu_seconds.ts";
import { seed } from "../support/random.ts";

const RUNS = 2000;
const options = { seed, numRuns: RUNS };

/** A file of a version, whose header is a text that is padded as NumPy pads it. */
function npy(text: string, version: number, data: Uint8Array): Uint8Array {
  const fixed = version === 1 ? 10 : 12;
  const padded = `${text.padEnd(Math.ceil((fixed + text.length + 1) / 64) * 64 - fixed - 1)}\n`;
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0, 0, 0, 0, 0]).subarray(0, fixed);
  start.writeUIntLE(padded.length, 8, fixed - 8);
  return Uint8Array.from(Buffer.concat([start, Buffer.from(padded, "latin1"), data]));
}

const space = fc.constantFrom("", " ", "\n", " \t ");
const quote = fc.constantFrom("'", '"');
const dtype = fc.constantFrom("<u4", "<i4", "<f4", "<f2", "<u8", "<i8", "<f8");
const shape = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });

/** A header as Python may write it, and what it says. */
const header = fc
  .record({
    descr: dtype,
    lengths: shape,
    suffix: fc.constantFrom("", "L"),
    spaces: fc.array(space, { minLength: 8, maxLength: 8 }),
    quotes: fc.array(quote, { minLength: 4, maxLength: 4 }),
    order: fc.constantFrom([0, 1, 2], [2, 0, 1], [1, 2, 0]),
    comma: fc.boolean(),
    version: fc.constantFrom(1, 2, 3),
  })
  .map(({ descr, lengths, suffix, spaces, quotes, order, comma, version }) => {
    const [a, b, c, d, e, f, g, h] = spaces;
    const quoted = (text: string, at: number): string => `${quotes[at]}${text}${quotes[at]}`;
    const tuple = `(${lengths.map((length) => `${a}${length}${suffix}`).join(`${b},`)}${lengths.length === 1 ? `${c},` : ""})`;
    const entries = [
      `${quoted("descr", 0)}${d}:${e}${quoted(descr, 1)}`,
      `${quoted("fortran_order", 2)}${f}:${g}False`,
      `${quoted("shape", 3)}${f}:${h}${tuple}`,
    ];
    const text = `{${h}${order.map((at) => entries[at]).join(`${g},${a}`)}${comma ? `${d},${c}` : ""}}`;
    const length = lengths.reduce((product, one) => product * one, 1);
    const data = Uint8Array.from({ length: length * Number(descr.slice(2)) }, (_, index) => index * 37);
    return { descr, lengths, data, text, version, file: npy(text, version, data) };
  });

/** A change to bytes, at a place that is a fraction of their length. */
const mutation = fc.record({
  kind: fc.constantFrom("replace", "insert", "remove", "repeat", "cut"),
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 12 }),
  times: fc.integer({ min: 1, max: 50 }),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
    fc
      .constantFrom(
        "'",
        '"',
        "(",
        ")",
        "[",
        "{",
        "}",
        ",",
        ":",
        "\\",
        "-",
        "9",
        "True",
        "L",
        "\n",
        "'shape': (",
        ">",
        "|O",
      )
      .map((text) => new TextEncoder().encode(text)),
  ),
});

function mutated(
  file: Uint8Array,
  changes: readonly (typeof mutation extends fc.Arbitrary<infer T> ? T : never)[],
): Uint8Array {
  let bytes = Buffer.from(file);
  for (const { kind, place, length, times, bytes: more } of changes) {
    const at = Math.floor(place * bytes.length);
    const [start, rest] = [bytes.subarray(0, at), bytes.subarray(at)];
    const middle = rest.subarray(0, length);
    bytes = Buffer.concat(
      kind === "replace"
        ? [start, more, rest.subarray(more.length)]
        : kind === "insert"
          ? [start, more, rest]
          : kind === "remove"
            ? [start, rest.subarray(length)]
            : kind === "repeat"
              ? [start, ...Array.from({ length: times }, () => middle), rest]
              : [start],
    );
  }
  return Uint8Array.from(bytes);
}

describe("a .npy file", () => {
  test("is read, however Python writes its header", () => {
    fc.assert(
      fc.property(header, ({ descr, lengths, data, file }) => {
        const { type, data: found, shape: foundShape } = parseElements(file, "a.npy");
        expect(type.bytes).toBe(Number(descr.slice(2)));
        expect(foundShape).toEqual(lengths);
        expect(new Uint8Array(found.buffer as ArrayBuffer)).toEqual(data);
      }),
      options,
    );
  });

  /** Whether it is read; what is refused is refused in one clear line. */
  function isRead(bytes: Uint8Array, parse: typeof parseElements | typeof parseFlags): boolean {
    try {
      const found = parse(bytes, "a.npy");
      const length = found.shape.reduce((product, one) => product * one, 1);
      expect("flags" in found ? found.flags : found.data).toHaveLength(length);
      return true;
    } catch (cause) {
      expect(cause).toBeInstanceOf(UsageError);
      expect((cause as Error).message).toMatch(/^a\.npy: [^\n\p{Cc}]{10,1000}$/u);
      return false;
    }
  }
  const changes = fc.array(mutation, { minLength: 1, maxLength: 2 });
  const parser = fc.constantFrom(parseElements, parseFlags);

  test("is read or refused in one clear line, whatever is changed in its header", () => {
    let read = 0;
    fc.assert(
      fc.property(header, changes, parser, ({ text, version, data }, made, parse) => {
        const changed = Buffer.from(mutated(Buffer.from(text), made)).toString("latin1");
        read += Number(isRead(npy(changed, version, data), parse));
      }),
      options,
    );
    // Some changes are to spaces, or to lengths of what is empty.
    expect(read).toBeGreaterThan(RUNS / 500);
    expect(read).toBeLessThan(RUNS / 2);
  });

  test("is read or refused in one clear line, whatever is changed in its bytes", () => {
    fc.assert(
      fc.property(header, changes, parser, ({ file }, made, parse) => {
        isRead(mutated(file, made), parse);
      }),
      options,
    );
  });
});

describe("a literal of Python", () => {
  it.each([
    "'shape': (",
    "{'shape': (",
    "(",
    "[",
    "{",
    "1,",
    "(1,",
    "'a",
    "'a'",
    "\\",
    "'\\",
    "' ",
    " ",
    "1",
    "-",
    "L",
    "True",
    "True,",
    "u",
    "\n",
    '"',
    "{'a': 1,",
  ])("is read in linear time where it repeats %j", (piece) => {
    for (const start of ["", "(", "{", "'", "['a', ", "{'shape': ("]) {
      const text = start + piece.repeat(2 ** 18 / piece.length);
      const before = cpuSeconds();
      try {
        parseLiteral(text);
      } catch (cause) {
        expect(cause).toBeInstanceOf(LiteralError);
      }
      // What is quadratic takes minutes.
      expect(cpuSeconds() - before).toBeLessThan(5);
    }
  });

  it("is what Python reads", () => {
    const number = (digits: string) => ({ kind: "number", digits });
    expect(parseLiteral(" {'a': (1, -2L,), \"b\" : [True, False, None], u'c': {}, 'd': (), } \n")).toEqual({
      kind: "dict",
      entries: [
        ["a", { kind: "tuple", items: [number("1"), number("-2")] }],
        ["b", { kind: "list", items: [true, false, null] }],
        ["c", { kind: "dict", entries: [] }],
        ["d", { kind: "tuple", items: [] }],
      ],
    });
    expect(parseLiteral(`'it"s'`)).toBe('it"s');
    expect(parseLiteral(`"it's\\""`)).toBe(`it's\\"`);
    for (const wrong of [
      "",
      "{",
      "(1",
      "(,)",
      "(1,,)",
      "{1}",
      "{1:}",
      "'a",
      "1.5",
      "1e3",
      "Truer",
      "x",
      "1 2",
      "()()",
    ]) {
      expect(() => parseLiteral(wrong), wrong).toThrow(LiteralError);
    }
  });
});
