import { describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { Ranges } from "../../src/gpu/recordings/recording.ts";
import type { Fold } from "../../src/node.ts";
import { ArgumentError } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { randomBits } from "../support/random.ts";

const fold = useFold();
const POISON = 0xdeadbeef;
const LENGTH = 37;
/** What a length on the GPU says: less than there is room for. */
const STATED = 29;
const sizes = { workGroupSize: 2, itemsPerThread: 4 } as const;
/** Words behind and between ranges that are apart: more than an address is aligned to. */
const GAP = 128;

type Name = "input" | "output" | "flags" | "count" | "length" | "indirect";

/** A range in words, by the number of its buffer. */
interface Place {
  readonly buffer: number;
  readonly start: number;
  readonly words: number;
}

type Places = Partial<Record<Name, Place>>;

/** What is recorded, and what it leaves in the ranges. */
interface Setup {
  readonly title: string;
  /** Words of an item, of each range that has any. */
  readonly itemWords: Readonly<Partial<Record<Name, number>>>;
  prepare(
    fold: Fold,
    maxLength: number,
  ): Promise<{ record(encoder: GPUCommandEncoder, ranges: Ranges): void }>;
  /** By range, the words that are written, of what the ranges to be read held before. */
  results(read: (name: Name) => Uint32Array, length: number): Partial<Record<Name, ArrayLike<number>>>;
  readonly lengthOnGpu?: boolean;
}

const Triple = struct({ name: "Triple", fields: { a: u32, b: u32, c: u32 } });
type Tuning = { readonly passes: "single" | "reduce-then-scan" };
const passes = ["single", "reduce-then-scan"] as const;

const keptOf = (
  items: Uint32Array,
  itemWords: number,
  length: number,
  keep: (at: number) => boolean,
  indices: boolean,
): { output: number[]; count: number[]; kept: number } => {
  const kept = Array.from({ length }, (_, at) => at).filter(keep);
  const output = kept.flatMap((at) =>
    indices ? [at] : [...items.subarray(at * itemWords, (at + 1) * itemWords)],
  );
  return { output, count: [kept.length], kept: kept.length };
};

const setups = passes.flatMap((one): Setup[] => {
  const tuning: Tuning = { passes: one };
  return [false, true].flatMap((lengthOnGpu): Setup[] => {
    const title = (what: string) => `${what}, ${one}${lengthOnGpu ? ", length on the GPU" : ""}`;
    const length = lengthOnGpu ? ({ length: 1 } as const) : {};
    const shape = { ...sizes, ...tuning, lengthOnGpu };
    /** Each kind of ranges has both passes, and both lengths, in two setups of the four. */
    const isTaken = (_: unknown, at: number): boolean =>
      (at % 2 === 0) === ((one === "single") !== lengthOnGpu);
    const compaction = (
      what: string,
      type: typeof u32 | typeof Triple,
      options: { flags?: boolean; indices?: boolean; draw?: boolean; parts?: boolean; classes?: boolean },
    ): Setup => {
      const { flags = false, indices = false, draw = false, parts = false, classes = false } = options;
      const itemWords = type.bytes / 4;
      const where = type === Triple ? "x.b % 3u == 1u" : "x % 3u == 1u";
      return {
        title: title(what),
        lengthOnGpu,
        itemWords: {
          ...(!(flags && indices) && { input: itemWords }),
          output: indices ? 1 : itemWords,
          ...(flags && { flags: 1 }),
          count: classes ? 3 : 1,
          ...length,
          ...(draw && { indirect: 4 }),
        },
        prepare: (fold, maxLength) =>
          (parts
            ? (fold.preparePartition as Fold["prepareCompact"]).bind(fold)
            : fold.prepareCompact.bind(fold))({
            ...shape,
            type: type as typeof u32,
            maxLength,
            indices,
            ...(classes ? { classes: 2, class: where.replace(/.*/, "1 - u32($&)") } : !flags && { where }),
            ...(draw && { indirect: { draw: { vertexCount: 6 } } }),
          }) as never,
        results(read, length) {
          const items = flags && indices ? new Uint32Array() : read("input");
          const marks = flags ? read("flags") : items;
          const keep = (at: number): boolean =>
            flags ? marks[at] !== 0 : (items[at * itemWords + (type === Triple ? 1 : 0)] as number) % 3 === 1;
          const { output, count, kept } = keptOf(items, itemWords, length, keep, indices);
          if (parts) {
            const rest = keptOf(items, itemWords, length, (at) => !keep(at), indices);
            return {
              output: [...output, ...rest.output],
              count: classes ? [0, count[0] ?? 0, length] : count,
            };
          }
          return { output, count, ...(draw && { indirect: [6, kept, 0, 0] }) };
        },
      };
    };
    const all: readonly Setup[] = [
      {
        title: title("scan"),
        lengthOnGpu,
        itemWords: { input: 1, output: 1, ...length },
        prepare: (fold, maxLength) => fold.prepareScan({ ...shape, type: u32, op: affine, maxLength }),
        results: (read, length) => ({
          output: scanReference(read("input").slice(0, length), { op: affine }),
        }),
      },
      ...(one === "single"
        ? []
        : [
            {
              title: title("reduce"),
              lengthOnGpu,
              itemWords: { input: 1, output: 1, ...length },
              prepare: (fold: Fold, maxLength: number) =>
                fold.prepareReduce({ ...sizes, lengthOnGpu, type: u32, op: affine, maxLength }),
              results: (read: (name: Name) => Uint32Array, length: number) => ({
                output: [reduceReference(read("input").slice(0, length), { op: affine })],
              }),
            },
            compaction("partition by a predicate", u32, { parts: true }),
            compaction("partition structs by flags", Triple, { parts: true, flags: true }),
            compaction("partition into classes", u32, { parts: true, classes: true }),
          ]),
      compaction("compact by a predicate", u32, {}),
      compaction("compact by flags, with a draw", u32, { flags: true, draw: true }),
      compaction("positions by flags", u32, { flags: true, indices: true }),
      compaction("positions of structs", Triple, { indices: true }),
      compaction("compact structs, with a draw", Triple, { draw: true }),
    ];
    return all.filter(isTaken);
  });
});

/** How one range lies to another that is in the same buffer. */
const lies = ["apart", "adjacent", "overlapping", "same"] as const;

const isWritten = (name: Name): boolean => name === "output" || name === "count" || name === "indirect";

const pairs = (names: readonly Name[]): (readonly [Name, Name])[] =>
  names.flatMap((a) => names.filter((b) => b !== a).map((b) => [a, b] as const));

const share = (a: Place, b: Place): boolean =>
  a.buffer === b.buffer && Math.max(a.start, b.start) < Math.min(a.start + a.words, b.start + b.words);

/** The ways to lay out a setup's ranges: each pair in each way, in place and not, at vectors and not. */
function* layouts(setup: Setup, length: number): Generator<{ title: string; places: Places }> {
  const names = Object.keys(setup.itemWords) as Name[];
  const wordsOf = (name: Name): number => {
    const item = setup.itemWords[name] ?? 1;
    const isMany =
      name === "input" || name === "flags" || (name === "output" && !/^reduce/.test(setup.title));
    return isMany ? length * item : item;
  };
  const isOneSize = setup.itemWords.input === setup.itemWords.output;
  for (const first of [0, 1]) {
    const alone = (name: Name): Place => {
      const item = setup.itemWords[name] ?? 1;
      return { buffer: names.indexOf(name), start: first * item, words: wordsOf(name) };
    };
    for (const inPlace of isOneSize ? [false, true] : [false]) {
      const base: Places = {};
      for (const name of names) {
        base[name] = inPlace && name === "output" ? { ...alone("input"), words: wordsOf(name) } : alone(name);
      }
      const where = `${inPlace ? "in place, " : ""}from item ${first}`;
      yield { title: `${where}: each in its own`, places: base };
      for (const [a, b] of pairs(names)) {
        if (inPlace && [a, b].every((name) => name === "input" || name === "output")) {
          continue;
        }
        const at = base[a] as Place;
        const item = setup.itemWords[b] ?? 1;
        const up = (start: number): number => Math.ceil(start / item) * item;
        const starts = {
          apart: up(at.start + at.words + GAP),
          adjacent: up(at.start + at.words),
          overlapping: up(at.start + 1),
          same: up(at.start),
        };
        for (const lie of lies) {
          const to = { buffer: at.buffer, start: starts[lie] };
          const places = { ...base };
          for (const name of names) {
            // In place, both go there.
            const isBoth =
              inPlace && (b === "input" || b === "output") && (name === "input" || name === "output");
            if (name === b || isBoth) {
              places[name] = { ...to, words: wordsOf(name) };
            }
          }
          yield { title: `${where}: ${b} ${lie} to ${a}`, places };
        }
      }
      for (const gap of [0, GAP]) {
        const places: Places = {};
        let end = 0;
        for (const name of names) {
          const item = setup.itemWords[name] ?? 1;
          const start = Math.ceil((end + first) / item) * item;
          places[name] = { buffer: 0, start, words: wordsOf(name) };
          end = start + wordsOf(name) + gap;
          if (inPlace && name === "output") {
            places[name] = { ...(places.input as Place), words: wordsOf(name) };
          }
        }
        yield { title: `${where}: all in one, ${gap === 0 ? "adjacent" : "apart"}`, places };
      }
    }
  }
}

/** Whether a range that is written has bytes of another, where the two are not input and output in one place. */
const overlaps = (setup: Setup, places: Places): boolean =>
  pairs(Object.keys(places) as Name[]).some(([a, b]) => {
    const [one, other] = [places[a] as Place, places[b] as Place];
    const isPlace =
      a === "output" &&
      b === "input" &&
      one.start === other.start &&
      setup.itemWords.input === setup.itemWords.output;
    return isWritten(a) && share(one, other) && !isPlace;
  });

/** Whether no plan can bind the ranges: what a dispatch writes, it can neither read nor write twice. */
function cannotBeBound(setup: Setup, { input, output, flags, count, length, indirect }: Places): boolean {
  const isOne = (a: Place | undefined, b: Place | undefined): boolean =>
    a !== undefined && b !== undefined && a.words > 0 && b.words > 0 && a.buffer === b.buffer;
  const bound = (place: Place): Place => {
    const start = place.start - (place.start % 64);
    return { ...place, start, words: place.start + place.words - start };
  };
  if (/^(scan|partition)/.test(setup.title)) {
    return isOne(length, output);
  }
  if (setup.title.startsWith("reduce") || count === undefined || output === undefined) {
    return false;
  }
  const isAside =
    isOne(flags, output) ||
    isOne(length, output) ||
    (isOne(input, output) &&
      (share(input as Place, output) || setup.itemWords.input !== setup.itemWords.output));
  return (
    (isAside && isOne(count, output)) || (indirect !== undefined && share(bound(count), bound(indirect)))
  );
}

/** Records every layout: each is refused, or leaves what it should, and nothing else. */
async function checkLayouts(setup: Setup, length: number): Promise<void> {
  const { device } = fold();
  const prepared = await setup.prepare(fold(), length);
  const names = Object.keys(setup.itemWords) as Name[];
  const errors: Promise<void>[] = [];
  const checks: { title: string; expected: Uint32Array; at: number }[] = [];
  const owned: GPUBuffer[] = [];
  const copies: [GPUBuffer, number][] = [];
  let bytes = 0;
  let ran = 0;
  for (const { title, places } of layouts(setup, length)) {
    const name = `${setup.title}, ${length} items, ${title}`;
    const contents = new Map<number, Uint32Array>();
    for (const { buffer } of Object.values(places)) {
      const ends = Object.values(places)
        .filter((place) => place.buffer === buffer)
        .map(({ start, words }) => start + words + GAP);
      contents.set(buffer, new Uint32Array(Math.max(...ends)).fill(POISON));
    }
    const wordsOf = ({ buffer, start, words }: Place): Uint32Array =>
      (contents.get(buffer) as Uint32Array).subarray(start, start + words);
    const next = randomBits(name);
    // In this order, so that a length that lies in the data is one, and items are what flags are where those lie.
    for (const read of ["input", "flags", "length"] as const) {
      const place = places[read];
      if (place !== undefined) {
        const random = () => (read === "length" ? STATED : read === "flags" ? next() % 2 : next());
        wordsOf(place).set(Array.from({ length: place.words }, random));
      }
    }
    const buffers = new Map([...contents].map(([at, words]) => [at, storageBuffer(device, words)]));
    owned.push(...buffers.values());
    const ranges: Record<string, unknown> = { length };
    for (const one of names) {
      const { buffer, start } = places[one] as Place;
      ranges[one] = { buffer: buffers.get(buffer), offset: start * 4 };
    }
    device.pushErrorScope("validation");
    const encoder = device.createCommandEncoder();
    let refusal: unknown;
    try {
      prepared.record(encoder, ranges as unknown as Ranges);
    } catch (cause) {
      refusal = cause;
    }
    device.queue.submit([encoder.finish()]);
    errors.push(
      device.popErrorScope().then((error) => {
        expect(error?.message, name).toBeUndefined();
      }),
    );
    const isWrong = overlaps(setup, places);
    expect(refusal !== undefined, `${name}: ${refusal}`).toBe(isWrong || cannotBeBound(setup, places));
    if (refusal !== undefined) {
      expect(refusal, name).toBeInstanceOf(ArgumentError);
      const { message } = refusal as Error;
      expect(message, name).not.toContain("total");
      expect(message, name).toMatch(
        /^(scan|reduce|compact|partition)<.*: .*(must be apart|must be in different buffers|must be the same range, or apart)/,
      );
    } else {
      ran++;
      const read = (one: Name): Uint32Array => wordsOf(places[one] as Place).slice();
      const count = setup.lengthOnGpu ? Math.min(STATED, length) : length;
      const results = setup.results(read, count);
      for (const [one, words] of Object.entries(results) as [Name, ArrayLike<number>][]) {
        wordsOf(places[one] as Place).set(words);
      }
    }
    for (const [at, expected] of contents) {
      checks.push({ title: `${name}, buffer ${at}`, expected, at: bytes });
      copies.push([buffers.get(at) as GPUBuffer, bytes]);
      bytes += expected.byteLength;
    }
  }
  await Promise.all(errors);
  const staging = device.createBuffer({ size: bytes, usage: 0x1 | 0x8 });
  const encoder = device.createCommandEncoder();
  for (const [buffer, at] of copies) {
    encoder.copyBufferToBuffer(buffer, 0, staging, at, buffer.size);
  }
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(0x1);
  const seen = staging.getMappedRange();
  for (const { title, expected, at } of checks) {
    expectSameBits(new Uint32Array(seen, at, expected.length), expected, title);
  }
  for (const one of [staging, ...owned]) {
    one.destroy();
  }
  expect(ran).toBeGreaterThan(10);
}

describe.each([LENGTH, 0])("every pair of ranges, %i items", (length) => {
  // No items lie as they do wherever their number is.
  const all = setups.filter(({ lengthOnGpu }) => length > 0 || !lengthOnGpu);
  test.each(all.map((setup) => [setup.title, setup] as const))("%s", (_, setup) =>
    checkLayouts(setup, length),
  );
});
