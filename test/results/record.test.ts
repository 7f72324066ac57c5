import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import { ArgumentError, DeviceLostError, LimitError, openFold, SourceError } from "../../src/node.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { adapter, useFold, useSoftwareFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { randomWords } from "../support/random.ts";

const fold = useFold();
const POISON = 0xdeadbeef;
const tuning = { workGroupSize: 4, itemsPerThread: 2 } as const;
const where = "x % 3u == 1u";
const keep = (x: number): boolean => x % 3 === 1;

const poisoned = (length: number): Uint32Array => new Uint32Array(length).fill(POISON);

/** Poison with these words at a place. */
function placed(length: number, ...pieces: readonly (readonly [number, ArrayLike<number>])[]): Uint32Array {
  const words = poisoned(length);
  for (const [at, piece] of pieces) {
    words.set(piece, at);
  }
  return words;
}

type Encoder = GPUCommandEncoder | GPUComputePassEncoder;

function submit(device: GPUDevice, kind: "command" | "pass", record: (encoder: Encoder) => void): void {
  const encoder = device.createCommandEncoder();
  if (kind === "command") {
    record(encoder);
  } else {
    const pass = encoder.beginComputePass();
    record(pass);
    pass.end();
  }
  device.queue.submit([encoder.finish()]);
}

const lengths = [1, 7, 8, 9, 37, 65, 300];

// What is recorded does not depend on the kind of encoder: each has some of the ways that ranges may lie.
describe("ranges", () => {
  test("of two buffers, at offsets that are no multiple of 256, into a pass", async () => {
    const kind = "pass";
    const { device } = fold();
    const scan = await fold().prepareScan({ type: u32, op: affine, maxLength: 300, ...tuning });
    const reduce = await fold().prepareReduce({ type: u32, op: affine, maxLength: 300, ...tuning });
    const compact = await fold().prepareCompact({ type: u32, where, maxLength: 300, ...tuning });
    for (const length of lengths) {
      for (const [from, to] of [
        [3, 5],
        [67, 130],
      ] as const) {
        const data = randomWords(length, `${length} ${from}`);
        const input = storageBuffer(device, placed(from + length + 9, [from, data]));
        const buffers = Array.from({ length: 4 }, () => storageBuffer(device, poisoned(to + length + 7)));
        const [scanned, reduced, kept, count] = buffers as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
        const at = (buffer: GPUBuffer) => ({ buffer, offset: to * 4 });
        const range = { buffer: input, offset: from * 4 };
        submit(device, kind, (encoder) => {
          scan.record(encoder, { input: range, output: at(scanned), length });
          reduce.record(encoder, { input: range, output: at(reduced), length });
          compact.record(encoder, { input: range, output: at(kept), count: at(count), length });
        });
        const size = to + length + 7;
        const expectedKept = compactReference(data, keep);
        const title = `${length} from ${from} to ${to}`;
        expectSameBits(
          await readWords(device, input),
          placed(from + length + 9, [from, data]),
          `input ${title}`,
        );
        expectSameBits(
          await readWords(device, scanned),
          placed(size, [to, scanReference(data, { op: affine })]),
          `scan ${title}`,
        );
        expectSameBits(
          await readWords(device, reduced),
          placed(size, [to, [reduceReference(data, { op: affine })]]),
          `reduce ${title}`,
        );
        expectSameBits(await readWords(device, kept), placed(size, [to, expectedKept]), `compact ${title}`);
        expectSameBits(
          await readWords(device, count),
          placed(size, [to, [expectedKept.length]]),
          `count ${title}`,
        );
      }
    }
  });

  test.each(["command", "pass"] as const)(
    "twice into one %s encoder: other data, and the first one's output",
    async (kind) => {
      const { device } = fold();
      const scan = await fold().prepareScan({ type: u32, maxLength: 600, ...tuning });
      const a = randomWords(100, "a");
      const b = randomWords(600, "b");
      const input = storageBuffer(device, a);
      const other = storageBuffer(device, b);
      const [once, twice, third] = [100, 100, 600].map((length) =>
        storageBuffer(device, poisoned(length)),
      ) as [GPUBuffer, GPUBuffer, GPUBuffer];
      submit(device, kind, (encoder) => {
        scan.record(encoder, { input, output: once, length: 100 });
        scan.record(encoder, { input: other, output: third, length: 600 });
        scan.record(encoder, { input: once, output: twice, length: 100 });
      });
      const first = scanReference(a);
      expectSameBits(await readWords(device, once), first, "once");
      expectSameBits(await readWords(device, third), scanReference(b), "third");
      expectSameBits(await readWords(device, twice), scanReference(first), "twice");
    },
  );

  test("of nothing, into a pass", async () => {
    const kind = "pass";
    const { device } = fold();
    const scan = await fold().prepareScan({ type: u32, maxLength: 20, ...tuning });
    const reduce = await fold().prepareReduce({ type: u32, op: affine, maxLength: 20, ...tuning });
    const compact = await fold().prepareCompact({ type: u32, where, maxLength: 20, ...tuning });
    const input = storageBuffer(device, poisoned(8));
    const [scanned, reduced, kept, count] = Array.from({ length: 4 }, () =>
      storageBuffer(device, poisoned(8)),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
    submit(device, kind, (encoder) => {
      scan.record(encoder, { input, output: scanned, length: 0 });
      reduce.record(encoder, { input, output: { buffer: reduced, offset: 8 }, length: 0 });
      compact.record(encoder, { input, output: kept, count: { buffer: count, offset: 12 }, length: 0 });
    });
    expectSameBits(await readWords(device, scanned), poisoned(8), "scan");
    expectSameBits(await readWords(device, reduced), placed(8, [2, [0x10000]]), "reduce");
    expectSameBits(await readWords(device, kept), poisoned(8), "compact");
    expectSameBits(await readWords(device, count), placed(8, [3, [0]]), "count");
    submit(device, kind, (encoder) => {
      reduce.record(encoder, { input: reduced, output: reduced, length: 0 });
      compact.record(encoder, { input: kept, output: kept, count, length: 0 });
    });
    expectSameBits(
      await readWords(device, reduced),
      placed(8, [0, [0x10000]], [2, [0x10000]]),
      "reduce in place",
    );
    expectSameBits(await readWords(device, kept), poisoned(8), "compact in place");
  });
});

test("by flags: in place, and positions without an input", async () => {
  const { device } = fold();
  const data = randomWords(100, "data");
  const flagWords = randomWords(100, "flags").map((word) => (word % 2 === 0 ? 0 : word));
  const flags = storageBuffer(device, placed(110, [3, flagWords]));
  const range = { buffer: flags, offset: 12 };
  const keepFlagged = (_: number, index: number): boolean => flagWords[index] !== 0;
  const items = await fold().prepareCompact({ type: u32, maxLength: 100, ...tuning });
  const positions = await fold().prepareCompact({
    type: u32,
    indices: true,
    maxLength: 100,
    ...tuning,
  });
  const buffer = storageBuffer(device, data);
  const output = storageBuffer(device, poisoned(100));
  const count = storageBuffer(device, poisoned(2));
  submit(device, "pass", (encoder) => {
    items.record(encoder, { input: buffer, output: buffer, flags: range, count, length: 100 });
    positions.record(encoder, { output, flags: range, count: { buffer: count, offset: 4 }, length: 100 });
  });
  const kept = compactReference(data, keepFlagged);
  const expected = data.slice();
  expected.set(kept);
  expectSameBits(await readWords(device, buffer), expected, "items");
  expectSameBits(
    await readWords(device, output),
    placed(100, [0, compactReference(data, keepFlagged, { indices: true })]),
    "positions",
  );
  expectSameBits(await readWords(device, count), Uint32Array.of(kept.length, kept.length), "count");
});

/** The device with other limits; its methods still run on the device itself. */
function limited(device: GPUDevice, changes: Partial<Record<keyof GPUSupportedLimits, number>>): GPUDevice {
  const limits = new Proxy(device.limits, {
    get: (target, name) =>
      (changes as Record<PropertyKey, number>)[name] ?? Reflect.get(target, name, target),
  });
  return new Proxy(device, {
    get: (target, name) => {
      if (name === "limits") {
        return limits;
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

test("more work-groups than a dimension holds", async () => {
  const narrow = await openFold({ device: limited(fold().device, { maxComputeWorkgroupsPerDimension: 7 }) });
  for (const length of [7 * 8, 7 * 8 + 1, 20 * 8 + 3, 43 * 8, 49 * 8 - 1, 49 * 8]) {
    const data = randomWords(length, `narrow ${length}`);
    expectSameBits(
      await narrow.scan(data, { op: affine, ...tuning }),
      scanReference(data, { op: affine }),
      `scan ${length}`,
    );
    expect(await narrow.reduce(data, { op: affine, ...tuning })).toBe(reduceReference(data, { op: affine }));
    expectSameBits(
      await narrow.compact(data, { where, ...tuning }),
      compactReference(data, keep),
      `compact ${length}`,
    );
  }
  const tooLong = narrow.scan(new Uint32Array(49 * 8 + 1), tuning);
  await expect(tooLong).rejects.toThrow(LimitError);
  await expect(tooLong).rejects.toThrow("needs 50 work-groups, and the device's limit is 7 × 7");
});

describe("errors are found before anything is recorded", () => {
  const cases: [string, string, (buffer: GPUBuffer, other: GPUBuffer) => object][] = [
    [
      "overlap",
      "overlap; they must be the same range, or apart",
      (buffer) => ({ input: buffer, output: { buffer, offset: 4 }, length: 20 }),
    ],
    [
      "input too short",
      "input has 400 bytes from offset 0 on",
      (buffer, other) => ({ input: buffer, output: other, length: 101 }),
    ],
    [
      "range too short",
      "output has 16 bytes",
      (buffer, other) => ({ input: buffer, output: { buffer: other, offset: 8, size: 16 }, length: 5 }),
    ],
    [
      "offset past the end",
      "input has",
      (buffer, other) => ({ input: { buffer, offset: 404 }, output: other, length: 1 }),
    ],
    [
      "offset misaligned",
      "input's offset is 6 bytes; it takes a multiple of 4",
      (buffer, other) => ({ input: { buffer, offset: 6 }, output: other, length: 5 }),
    ],
    [
      "offset negative",
      "offset is -4 bytes",
      (buffer, other) => ({ input: { buffer, offset: -4 }, output: other, length: 5 }),
    ],
    [
      "length over maxLength",
      "length 121 is more than the maxLength 120",
      (buffer, other) => ({ input: buffer, output: other, length: 121 }),
    ],
    [
      "length no whole number",
      "length is 1.5",
      (buffer, other) => ({ input: buffer, output: other, length: 1.5 }),
    ],
    ["output missing", "output is undefined", (buffer) => ({ input: buffer, length: 5 })],
    ["input missing", "input is undefined", (_, other) => ({ output: other, length: 5 })],
  ];
  test.each(cases)("%s", async (_, message, ranges) => {
    const { device } = fold();
    const scan = await fold().prepareScan({ type: u32, maxLength: 120, ...tuning });
    const buffer = storageBuffer(device, poisoned(100));
    const other = storageBuffer(device, poisoned(121));
    const encoder = device.createCommandEncoder();
    const record = (): void =>
      scan.record(encoder, ranges(buffer, other) as Parameters<typeof scan.record>[1]);
    expect(record).toThrow(ArgumentError);
    expect(record).toThrow(message);
    device.queue.submit([encoder.finish()]);
    expectSameBits(await readWords(device, other), poisoned(121), "untouched");
  });

  test("a buffer without STORAGE", async () => {
    const scan = await fold().prepareScan({ type: u32, maxLength: 10 });
    const { device } = fold();
    const plain = device.createBuffer({ size: 40, usage: 0x8 });
    const input = storageBuffer(device, poisoned(10));
    expect(() => scan.record(device.createCommandEncoder(), { input, output: plain, length: 10 })).toThrow(
      "output's buffer lacks the usage STORAGE",
    );
  });

  test("a count on top of another range", async () => {
    const compact = await fold().prepareCompact({ type: u32, where, maxLength: 10 });
    const { device } = fold();
    const [input, output] = [storageBuffer(device, poisoned(20)), storageBuffer(device, poisoned(20))];
    const encoder = device.createCommandEncoder();
    expect(() => compact.record(encoder, { input, output, count: input, length: 10 })).toThrow(ArgumentError);
    expect(() =>
      compact.record(encoder, { input, output, count: { buffer: output, offset: 36 }, length: 10 }),
    ).toThrow(ArgumentError);
  });

  test("a count beside the output, in the same buffer", async () => {
    const compact = await fold().prepareCompact({ type: u32, where, maxLength: 10, ...tuning });
    const { device } = fold();
    const data = randomWords(10, "beside");
    const input = storageBuffer(device, data);
    const output = storageBuffer(device, poisoned(20));
    submit(device, "command", (encoder) =>
      compact.record(encoder, { input, output, count: { buffer: output, offset: 48 }, length: 10 }),
    );
    const kept = compactReference(data, keep);
    expectSameBits(await readWords(device, output), placed(20, [0, kept], [12, [kept.length]]), "output");
  });

  test("destroyed", async () => {
    const scan = await fold().prepareScan({ type: u32, maxLength: 10 });
    scan.destroy();
    const buffer = storageBuffer(fold().device, poisoned(10));
    const record = (): void =>
      scan.record(fold().device.createCommandEncoder(), { input: buffer, output: buffer, length: 10 });
    expect(record).toThrow("scan<u32, add> was destroyed; prepare it again");
  });
});

test("a lost device rejects what is pending, and what comes after", async () => {
  const own = await openFold({ adapter });
  const pending = own.scan(new Uint32Array(20000));
  const caught = expect(pending).rejects.toThrow(DeviceLostError);
  own.device.destroy();
  await caught;
  await expect(own.reduce(Uint32Array.of(1))).rejects.toThrow(DeviceLostError);
  await expect(own.prepareScan({ type: u32, maxLength: 10 })).rejects.toThrow(DeviceLostError);
  own.destroy();
});

// Dawn's words.
describe("text of the caller's that does not compile", () => {
  const fold = useSoftwareFold();
  const failure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => undefined,
      (cause: unknown) => cause,
    );
  const sourceError = async (promise: Promise<unknown>): Promise<SourceError> => {
    const cause = await failure(promise);
    expect(cause).toBeInstanceOf(SourceError);
    return cause as SourceError;
  };
  const data = Uint32Array.of(1, 2, 3);

  test("a predicate, at its line", async () => {
    const error = await sourceError(fold().compact(data, { where: "x > 1u\n  && y < 2u" }));
    expect(error.line).toBe(2);
    expect(error.column).toBe(6);
    expect(error.source).toBe("x > 1u\n  && y < 2u");
    expect(error.message).toContain("the predicate, line 2");
  });

  test("a predicate of the wrong type", async () => {
    const error = await sourceError(fold().compact(data, { where: "vec2(x, x)" }));
    expect(error.line).toBe(1);
  });

  test("a predicate on no data", async () => {
    await sourceError(fold().compact(new Uint32Array(0), { where: "y" }));
  });

  test("an operator, and its declarations, at their lines", async () => {
    const definition = { name: "wrong", type: u32, identity: 0, reference: (a: number) => a } as const;
    const inCombine = operator({ ...definition, combine: "let a = earlier;\nlet b = nowhere;\nreturn a;" });
    const first = await sourceError(fold().scan(data, { op: inCombine }));
    expect(first.line).toBe(2);
    expect(first.message).toContain("combine of the operator wrong, line 2");
    const declarations = "fn fine() -> u32 { return 1u; }\n\nfn broken() -> u32 {\n  return 1.5f;\n}";
    const inDeclarations = operator({ ...definition, declarations, combine: "earlier + broken() + fine()" });
    const second = await sourceError(fold().reduce(data, { op: inDeclarations }));
    expect(second.line).toBe(4);
    expect(second.source).toBe(declarations);
  });

  test.each([
    ["x > 1u)", 1, 7, "')' without its '('"],
    ["x > 1u\n); } fn evil() -> bool { return bool(true", 2, 1, "')' without its '('"],
    ["(x > 1u", 1, 1, "'(' is not closed"],
    ["x > 1u /* what", 1, 8, "a comment that does not end"],
    ["x > 1u /* /* what */", 1, 8, "a comment that does not end"],
    ...["\r", "\v", "\f", "\u0085", "\u2028", "\u2029"].map((end): [string, number, number, string] => [
      `true // ${end} ); } fn evil() -> bool { return bool(true`,
      2,
      2,
      "')' without its '('",
    ]),
    ["/* /* */ true */ true ); } fn evil() -> bool { return bool(true", 1, 23, "')' without its '('"],
  ])("brackets that would end our function: %j", async (text, line, column, problem) => {
    const error = await sourceError(fold().compact(data, { where: text }));
    expect([error.line, error.column]).toEqual([line, column]);
    expect(error.message).toContain(problem);
  });

  test.each(["ITEMS", "call.length", "value_from_item(1u)", "Call", "keep_value", "last_tile"])(
    "a predicate does not see what is ours: %s",
    async (text) => {
      const error = await sourceError(fold().compact(data, { where: `x == /* ITEMS */ ${text}` }));
      expect(error.message).toContain(`'${/\w+/.exec(text)?.[0]}'`);
      expect(error.column).toBe(18);
    },
  );

  test("comments and names are as WGSL has them", async () => {
    const op = operator({
      name: "accented",
      type: u32,
      identity: 0,
      declarations:
        "/* /* fn no() { */ { */ fn été(ITEMS: u32) -> u32 {\r // }\u2028 return ITEMS; } // fn été",
      combine: "été(earlier) /* ) */ + été( // )\u0085 later) // return",
      reference: (a, b) => a + b,
    });
    expect([...(await fold().scan(data, { op }))]).toEqual([1, 3, 6]);
    expect([...(await fold().scan(data, { op, map: "/* http://x */ max(x, 2u) // return" }))]).toEqual([
      2, 4, 7,
    ]);
    expect([...(await fold().compact(data, { where: "/* /* ( */ */ x != 2u // (" }))]).toEqual([1, 3]);
  });

  test("no name of theirs clashes with one of ours", async () => {
    const op = operator({
      name: "taken",
      type: u32,
      identity: 0,
      declarations: "fn load_items() -> u32 { return 1u; }",
      combine: "earlier + later * load_items()",
      reference: (a, b) => a + b,
    });
    expect([...(await fold().scan(data, { op }))]).toEqual([1, 3, 6]);
  });

  test("what is right still works after a failure", async () => {
    await failure(fold().compact(data, { where: "nonsense" }));
    expect(await fold().reduce(data, { op: add })).toBe(6);
  });
});
