import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { add, max } from "../../src/algebra/operators.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import {
  bufferBytesFor,
  endCall,
  keepBuffer,
  startCall,
  takeBuffer,
} from "../../src/gpu/device/call_memory.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { emptyContext } from "../../src/gpu/device/empty_context.ts";
import { READ } from "../../src/gpu/device/transfer.ts";
import type { Fold, GpuArray, GpuView } from "../../src/node.ts";
import { ArgumentError, DeviceLostError, OutOfMemoryError, openFold, SourceError } from "../../src/node.ts";
import { arraysOf, made, widestCall } from "../primitives/calls.ts";
import { adapter, useFold } from "../support/fold.ts";
import { described } from "../support/primitives.ts";
import { until } from "../support/until.ts";
import { watched } from "../support/watched_device.ts";

// Calls at once wait for each other, so that the buffers of all never have more bytes than were stated.

const fold = useFold();

const dataOf = (length: number, seed = 0): Uint32Array =>
  Uint32Array.from({ length }, (_, at) => ((at + seed) * 2654435761) >>> 22);

/** A fold of its own on the file's device, with its buffers watched. */
async function foldOf(
  maxKeptBytes: number,
  { pieceBytes, ...changes }: { readonly pieceBytes?: number } & Parameters<typeof watched>[1] = {},
) {
  const own = watched(fold().device, changes);
  const one = await openFold({ device: own.device, maxKeptBytes });
  const { kept } = contextOf(own.device);
  kept.pieceBytes = pieceBytes ?? kept.pieceBytes;
  kept.longBytes = pieceBytes ?? kept.longBytes;
  return { ...own, one, kept };
}

/** Compares results of calls, element by element. Vitest's own comparison takes seconds for them. */
function expectSame(found: readonly unknown[], expected: readonly unknown[]): void {
  expect(found.length).toBe(expected.length);
  for (const [at, one] of found.entries()) {
    expect(isDeepStrictEqual(one, expected[at]), `call ${at}`).toBe(true);
  }
}

const nobodyWaits = { calls: 0, usedBytes: 0, waiting: [] };

const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (cause: unknown) => cause,
  );

/** Calls of each kind, on arrays of an even length. */
const calls: Readonly<Record<string, (one: Fold, data: Uint32Array) => Promise<unknown>>> = {
  "scan of another type": (one, data) => one.scan(data, { map: "vec2(x, 1u)", type: u64 }),
  "compact by flags": (one, data) => one.compact(data, { flags: data.map((x) => x % 2), indices: true }),
  argMax: (one, data) => one.argMax(data),
  "scan of rows": (one, data) => one.scan(data, { segments: { rows: data.length / 2 } }),
  "reduce by keys": (one, data) => one.reduce(data, { segments: { keys: data.map((x) => x >>> 8) } }),
  ...Object.fromEntries(
    described.map((of) => [
      of.primitive.name,
      (one, { length }) => {
        const call = widestCall(of, length);
        return made(one, call, arraysOf(call));
      },
    ]),
  ),
};

describe("calls at once take no more bytes than were stated", () => {
  const LENGTH = 1000;

  test.each(["scan", "histogram", "sort", "unique"])("%s", async (name) => {
    const call = calls[name] as (typeof calls)[string];
    const arrays = Array.from({ length: 4 }, (_, at) => dataOf(400 - 2 * at, at));
    // A few calls' buffers, of 64 KiB at least.
    const most = 2 ** 20;
    const { one, mostBytes, kept, alive } = await foldOf(most);
    const found = await Promise.all(arrays.map((data) => call(one, data)));
    expect(mostBytes()).toBeLessThanOrEqual(most);
    expect(kept).toMatchObject(nobodyWaits);
    for (const [at, data] of arrays.entries()) {
      expectSame([found[at]], [await call(one, data)]);
    }
    one.destroy();
    expect(alive()).toEqual([]);
  });

  /** While others take all there is, a call makes nothing. */
  async function waitsForBytes(
    { one, made, kept, mostBytes }: Awaited<ReturnType<typeof foldOf>>,
    most: number,
    call: () => Promise<unknown>,
  ): Promise<void> {
    // The calls load what they need.
    const expected = await call();
    one.trim();
    const before = made().length;
    expect(startCall(kept, most)).toBeUndefined();
    let isOver = false;
    const pending = call().finally(() => {
      isOver = true;
    });
    while (kept.waiting.length === 0 && !isOver) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(kept.waiting.length).toBe(1);
    expect(made().length).toBe(before);
    endCall(kept, most);
    expectSame([await pending], [expected]);
    expect(made().length).toBeGreaterThan(before);
    expect(mostBytes()).toBeLessThanOrEqual(most);
    expect(kept).toMatchObject(nobodyWaits);
  }

  test("all kinds of calls, some of them in pieces", async () => {
    const most = 2 ** 21;
    const own = await foldOf(most, { pieceBytes: 2 ** 12 });
    const { one, mostBytes, kept } = own;
    const kinds = Object.entries(calls);
    const given = kinds.map((_, at) => dataOf(at % 3 === 0 ? 2 * LENGTH : 2 * (at + 50), at));
    const expected: unknown[] = [];
    for (const [at, [, call]] of kinds.entries()) {
      expected.push(await call(one, given[at] as Uint32Array));
    }
    const atOnce = kinds.map(([, call], at) => call(one, given[at] as Uint32Array));
    expectSame(await Promise.all(atOnce), expected);
    expect(mostBytes()).toBeLessThanOrEqual(most);
    expect(kept).toMatchObject(nobodyWaits);
    for (const [at, [, call]] of kinds.entries()) {
      await waitsForBytes(own, most, () => call(one, given[at] as Uint32Array));
    }
    one.destroy();
  });

  test("what is kept of calls of other lengths makes room", async () => {
    const most = 2 ** 20;
    const { one, mostBytes, kept } = await foldOf(most);
    for (const length of [2 ** 14, 2 ** 13, 2 ** 14, 2 ** 15]) {
      const arrays = Array.from({ length: 4 }, (_, at) => new Uint32Array(length).fill(at));
      const sums = await Promise.all(arrays.map((data) => one.scan(data)));
      expect(sums.map((result) => result.at(-1))).toEqual(arrays.map((_, at) => at * length));
      expect(mostBytes(), `${length}`).toBeLessThanOrEqual(most);
      expect(kept.buffers.length).toBeGreaterThan(0);
    }
    one.destroy();
  });

  test("many", async () => {
    const most = 2 ** 21;
    const { one, mostBytes, kept, alive } = await foldOf(most);
    // Alone, an array takes 64 KiB on the device and as many for staging, each way: all of them 30 MiB.
    const arrays = Array.from({ length: 150 }, (_, at) => dataOf(300 + 2 * at, at));
    const found = await Promise.all(
      arrays.map((data, at) =>
        at % 2 === 0 ? one.scan(data) : one.compact(data, { where: "x % 3u == 1u" }),
      ),
    );
    const expected = arrays.map((data, at) => {
      let sum = 0;
      return at % 2 === 0 ? data.map((x) => (sum += x)) : data.filter((x) => x % 3 === 1);
    });
    expectSame(found, expected);
    expect(mostBytes()).toBeLessThanOrEqual(most);
    expect(kept).toMatchObject(nobodyWaits);
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("many of several kinds, long ones in pieces among them", async () => {
    const most = 2 ** 22;
    const { one, mostBytes, kept, alive } = await foldOf(most, { pieceBytes: 2 ** 12 });
    const kinds = [
      "scan",
      "reduce",
      "compact",
      "scan of rows",
      "unique",
      "reduce by keys",
      "histogram",
      "sort",
    ];
    // A call of these has more than a piece.
    const LONG_LENGTH = 2 ** 12;
    const all = Array.from({ length: 200 }, (_, at) => {
      const long = at % 25 === 0;
      // Most calls are short on a software adapter. Each kind comes with lengths of its own.
      const kind = kinds[long ? (at / 25) % 3 : at % 40 < 35 ? at % 3 : at % 8] as string;
      return { kind, length: long ? LONG_LENGTH : 100 + 2 * (at % 9) };
    });
    const given = new Map(
      all.map(({ kind, length }) => [`${kind} ${length}`, { kind, data: dataOf(length, length) }]),
    );
    const keys = all.map(({ kind, length }) => `${kind} ${length}`);
    const pending = keys.map((key) => {
      const { kind, data } = given.get(key) as { kind: string; data: Uint32Array };
      return calls[kind]?.(one, data);
    });
    const found = await Promise.all(pending);
    const expected = new Map<string, unknown>();
    for (const [key, { kind, data }] of given) {
      expected.set(key, await calls[kind]?.(one, data));
    }
    expectSame(
      found,
      keys.map((key) => expected.get(key)),
    );
    expect(new Set(all.map(({ kind }) => kind)).size).toBe(kinds.length);
    expect(mostBytes()).toBeLessThanOrEqual(most);
    expect(kept).toMatchObject({ ...nobodyWaits, busy: new Set() });
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("a call of more than that runs alone, and so does each if nothing is kept", async () => {
    for (const most of [0, 2 ** 16]) {
      const { one, kept } = await foldOf(most);
      const most1: number[] = [];
      const found = await Promise.all(
        Array.from({ length: 10 }, async (_, at) => {
          const sum = await one.reduce(new Uint32Array(LENGTH).fill(at));
          most1.push(kept.waiting.length);
          return sum;
        }),
      );
      expect(found).toEqual(Array.from({ length: 10 }, (_, at) => at * LENGTH));
      // One fewer waits as each ends.
      expect(most1).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0, 0]);
      expect(kept).toMatchObject(nobodyWaits);
      one.destroy();
    }
  });
});

test("buffers that are kept are taken for no less than half of their bytes, or than 64 KiB", () => {
  const kept = emptyContext().kept;
  const usage = 8;
  const take = (bytes: number): number | undefined => takeBuffer(kept, bytes, usage)?.size;
  const keep = (size: number): void => keepBuffer(kept, { size, usage } as GPUBuffer);
  for (const [size, taken, refused] of [
    [2 ** 16, 1, 2 ** 16 + 4],
    [2 ** 17, 2 ** 16 + 4, 2 ** 16],
    [2 ** 18, 2 ** 18, 2 ** 17],
    // Longer ones have any number of words.
    [2 ** 25 - 4, 2 ** 24 + 4, 2 ** 24],
  ] as const) {
    keep(size);
    expect(take(refused)).toBeUndefined();
    expect(take(taken)).toBe(size);
    // What is counted for it.
    expect(bufferBytesFor(taken)).toBeGreaterThanOrEqual(2 * size);
  }
});

describe("the order", () => {
  test("calls start in the order in which they came, and no short one before a long one", async () => {
    const kept = { ...emptyContext().kept, mostBytes: 100 };
    const started: string[] = [];
    const start = (name: string, bytes: number): void => {
      const waits = startCall(kept, bytes);
      if (waits === undefined) {
        started.push(name);
      } else {
        void waits.then(() => started.push(name));
      }
    };
    const settled = async (): Promise<string> => {
      await Promise.resolve();
      return started.join(" ");
    };
    start("a", 60);
    start("b", 40);
    start("long", 90);
    start("c", 10);
    start("more than all", 200);
    start("d", 1);
    expect(await settled()).toBe("a b");
    endCall(kept, 40);
    // There are bytes for c and d.
    expect(await settled()).toBe("a b");
    endCall(kept, 60);
    expect(await settled()).toBe("a b long c");
    endCall(kept, 10);
    start("e", 1);
    expect(await settled()).toBe("a b long c");
    endCall(kept, 90);
    expect(await settled()).toBe("a b long c more than all");
    endCall(kept, 200);
    expect(await settled()).toBe("a b long c more than all d e");
    endCall(kept, 1);
    endCall(kept, 1);
    expect(kept).toMatchObject(nobodyWaits);
  });

  test("a call whose plan is in use is passed over, and one that has no bytes is not", async () => {
    const kept = { ...emptyContext().kept, mostBytes: 100 };
    const started: string[] = [];
    const start = (name: string, bytes: number, key?: string): void => {
      void (startCall(kept, bytes, key) ?? Promise.resolve()).then(() => started.push(name));
    };
    const settled = async (): Promise<string> => {
      await Promise.resolve();
      return started.join(" ");
    };
    start("a1", 10, "a");
    start("a2", 10, "a");
    start("b1", 10, "b");
    start("any", 10);
    expect(await settled()).toBe("a1 b1 any");
    start("long", 90, "c");
    start("b2", 10, "b");
    start("d", 10, "d");
    expect(await settled()).toBe("a1 b1 any");
    endCall(kept, 10, "a");
    expect(await settled()).toBe("a1 b1 any a2");
    for (const key of ["a", "b", undefined]) {
      endCall(kept, 10, key);
    }
    // b2 came after the long one, so it takes the bytes that are left.
    expect(await settled()).toBe("a1 b1 any a2 long b2");
    endCall(kept, 90, "c");
    expect(await settled()).toBe("a1 b1 any a2 long b2 d");
    endCall(kept, 10, "b");
    endCall(kept, 10, "d");
    expect(kept).toMatchObject({ ...nobodyWaits, busy: new Set() });
  });

  test("calls that go one by one end in the order in which they came", async () => {
    const { one } = await foldOf(0, { pieceBytes: 2 ** 12 });
    // In pieces, and not.
    for (const length of [200, 3000]) {
      const ended: number[] = [];
      await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          await one.reduce(dataOf(length, at));
          ended.push(at);
        }),
      );
      expect(ended).toEqual([...ended.keys()]);
    }
    one.destroy();
  });

  test("no more calls are under way than plans are kept, so that many make nothing after the first", async () => {
    const { one, kept, made } = await foldOf(2 ** 29);
    let most = 0;
    const call = async (at: number): Promise<void> => {
      // Each operator and map has a plan of its own.
      const isSum = at % 16 < 8;
      const data = new Uint32Array(100).fill(at);
      const pending = one.reduce(data, { op: isSum ? add : max, map: `x + ${at % 8}u` });
      most = Math.max(most, kept.calls);
      expect(await pending).toBe((isSum ? 100 : 1) * (at + (at % 8)));
      most = Math.max(most, kept.calls);
    };
    const all = () => Promise.all(Array.from({ length: 40 }, (_, at) => call(at)));
    await all();
    expect(most).toBe(16);
    await all();
    const before = made().length;
    await all();
    // A run whose buffers are others than the last time's has its own parameters.
    const buffers = made()
      .slice(before)
      .filter((label) => !/^wavefold \w+<[^>]*>$/.test(label));
    expect(buffers).toEqual([]);
    expect(most).toBe(16);
    expect(kept).toMatchObject(nobodyWaits);
    one.destroy();
  });

  test("calls of one plan go one after another, so that many make nothing at all after the first", async () => {
    const { one, kept, made } = await foldOf(2 ** 29);
    let most = 0;
    const into = Array.from({ length: 30 }, () => new Uint32Array(1000));
    const all = () =>
      Promise.all(
        into.map(async (room, at) => {
          const pending = one.scan(new Uint32Array(1000).fill(at), { into: room });
          most = Math.max(most, kept.calls);
          await pending;
          most = Math.max(most, kept.calls);
        }),
      );
    await all();
    const before = made().length;
    await all();
    expect(made().slice(before)).toEqual([]);
    expect(most).toBe(1);
    expect(into.map((room) => room[999])).toEqual(into.map((_, at) => at * 1000));
    // Calls of other plans do not wait for that, even if they come after those that do.
    const ended: string[] = [];
    await Promise.all([
      one.scan(dataOf(2 ** 16)).then(() => ended.push("long")),
      one.scan(dataOf(2 ** 16)).then(() => ended.push("the next long")),
      one.reduce(dataOf(200)).then(() => ended.push("short")),
    ]);
    expect(ended).toEqual(["short", "long", "the next long"]);
    expect(kept).toMatchObject({ ...nobodyWaits, busy: new Set() });
    one.destroy();
  });

  test.each(["sort", "topK", "unique", "reduce by keys", "expandRuns", "compact by flags, in pieces"])(
    "calls of one kind go one after another and make nothing at all after the first: %s",
    async (title) => {
      const [name = "", inPieces] = title.split(", ");
      const call = calls[name] as (typeof calls)[string];
      const { one, kept, made } = await foldOf(2 ** 29, inPieces ? { pieceBytes: 2 ** 10 } : {});
      const data = dataOf(inPieces ? 1000 : 200);
      let most = 0;
      const all = () =>
        Promise.all(
          Array.from({ length: 4 }, async () => {
            const result = await call(one, data);
            most = Math.max(most, kept.calls);
            return result;
          }),
        );
      const [first] = await all();
      const before = made().length;
      const found = await all();
      expectSame(
        found,
        found.map(() => first),
      );
      expect(made().slice(before)).toEqual([]);
      // Another one starts in the same turn as one ends.
      expect(most).toBe(1);
      expect(kept).toMatchObject({ ...nobodyWaits, busy: new Set() });
      one.destroy();
    },
  );

  test("a call alone does not wait", () => {
    const kept = emptyContext().kept;
    for (const bytes of [0, 1000, 2 ** 40]) {
      expect(startCall(kept, bufferBytesFor(bytes))).toBeUndefined();
      endCall(kept, bufferBytesFor(bytes));
    }
  });
});

describe("what goes wrong", () => {
  test("a call that fails gives its bytes back, and the others go on", async () => {
    const { one, kept, mostBytes } = await foldOf(2 ** 21, { pieceBytes: 2 ** 12 });
    const gone = dataOf(800);
    const long = dataOf(3000);
    const wrong: [() => Promise<unknown>, unknown][] = [
      [() => one.scan(dataOf(500), { map: "nonsense" }), SourceError],
      [() => one.scan(dataOf(3000), { map: "nonsense" }), SourceError],
      [() => one.reduce(dataOf(500), { workGroupSize: 0 }), ArgumentError],
      [() => one.scan(gone), ArgumentError],
      [() => one.scan(long), ArgumentError],
      [() => one.sort(gone), ArgumentError],
      [() => one.unique(gone), ArgumentError],
      [() => one.unique(dataOf(500), { key: "nonsense" }), SourceError],
      [() => one.reduce(gone, { segments: { keys: gone } }), ArgumentError],
      [() => one.topK(gone, 3), ArgumentError],
      [() => one.expandRuns(gone, new Uint32Array(800)), ArgumentError],
    ];
    const right: Promise<unknown>[] = [];
    const errors: Promise<unknown>[] = [];
    for (let turn = 0; turn < 3; turn++) {
      for (const [call] of wrong) {
        right.push(one.reduce(new Uint32Array(1000).fill(turn)));
        errors.push(errorOf(call()));
      }
    }
    structuredClone(0, { transfer: [gone.buffer as ArrayBuffer, long.buffer as ArrayBuffer] });
    expect(await Promise.all(right)).toEqual(right.map((_, at) => 1000 * Math.floor(at / wrong.length)));
    for (const [at, error] of (await Promise.all(errors)).entries()) {
      expect(error, `call ${at}`).toBeInstanceOf(wrong[at % wrong.length]?.[1]);
    }
    expect(kept).toMatchObject(nobodyWaits);
    expect(mostBytes()).toBeLessThanOrEqual(2 ** 21);
    one.destroy();
  });

  test.each(["runLengths", "sort", "reduce by keys"])(
    "while one read of a failed call goes on, the call's bytes are not given back: %s",
    async (name) => {
      const call = calls[name] as (typeof calls)[string];
      // Of the buffers that results are read with, one fails as it is mapped, and the others are mapped later.
      const reads: GPUBuffer[] = [];
      let goOn = (): void => {};
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const { one, kept, alive } = await foldOf(2 ** 24);
      const expected = await call(one, dataOf(400));
      one.trim();
      const { createBuffer } = one.device;
      const failing = new Proxy(one.device, {
        get(target, property) {
          if (property !== "createBuffer") {
            return Reflect.get(target, property, target);
          }
          return (descriptor: GPUBufferDescriptor) => {
            const made = createBuffer(descriptor);
            if (descriptor.usage === READ) {
              const map = made.mapAsync.bind(made);
              const isFirst = reads.push(made) === 1;
              made.mapAsync = isFirst
                ? () => Promise.reject(new Error("not mapped"))
                : async (...range) => {
                    await held;
                    return map(...range);
                  };
            }
            return made;
          };
        },
      });
      const other = await openFold({ device: failing, maxKeptBytes: 2 ** 24 });
      const own = contextOf(failing).kept;
      const error = errorOf(call(other, dataOf(400)));
      let isOver = false;
      void error.then(() => {
        isOver = true;
      });
      while (reads.length < 2 && !isOver) {
        await new Promise((resolve) => setTimeout(resolve));
      }
      // The one that fails has failed.
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(own.calls).toBe(1);
      expect(own.usedBytes).toBeGreaterThan(0);
      goOn();
      expect(await error).toMatchObject({ message: "not mapped" });
      expect(own).toMatchObject({ ...nobodyWaits, busy: new Set() });
      // A call after it is right.
      expectSame([await call(other, dataOf(400))], [expected]);
      other.destroy();
      expect(kept).toMatchObject(nobodyWaits);
      one.destroy();
      expect(alive()).toEqual([]);
    },
  );

  test("no room on the device", async () => {
    const { maxBufferSize } = fold().device.limits;
    const { one, kept } = await foldOf(2 ** 20, {
      buffer: (descriptor) =>
        descriptor.label?.endsWith(" histogram<u32> input")
          ? { ...descriptor, size: maxBufferSize }
          : descriptor,
    });
    const found = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        errorOf(
          at % 2 === 0 ? one.reduce(dataOf(3000)) : one.histogram(dataOf(30_000), { bins: 5, bin: "x" }),
        ),
      ),
    );
    for (const [at, error] of found.entries()) {
      expect(error instanceof OutOfMemoryError, `call ${at}`).toBe(at % 2 === 1);
    }
    expect(kept).toMatchObject(nobodyWaits);
    one.destroy();
  });

  test.each(["the device is lost", "the fold is destroyed"])(
    "%s: all that waits is rejected",
    async (how) => {
      const one = await openFold({ adapter, maxKeptBytes: 2 ** 20 });
      const { kept } = contextOf(one.device);
      Object.assign(kept, { pieceBytes: 2 ** 12, longBytes: 2 ** 12 });
      await one.reduce(dataOf(500));
      const pending = Array.from({ length: 32 }, (_, at) =>
        errorOf(
          at % 4 === 0
            ? one.reduce(dataOf(500))
            : at % 4 === 1
              ? one.scan(dataOf(5000))
              : at % 4 === 2
                ? one.sort(dataOf(500))
                : one.reduce(dataOf(500), { segments: { rows: 5 } }),
        ),
      );
      // Those that load what they need wait later.
      while (kept.waiting.length < 10) {
        await new Promise((resolve) => setTimeout(resolve));
      }
      if (how === "the device is lost") {
        one.device.destroy();
      } else {
        one.destroy();
      }
      const errors = (await Promise.all(pending)).filter((error) => error !== undefined);
      expect(errors.length).toBeGreaterThan(10);
      for (const error of errors) {
        expect(error).toBeInstanceOf(DeviceLostError);
      }
      expect(kept).toMatchObject(nobodyWaits);
      one.destroy();
    },
  );
});

describe("arrays on the GPU", () => {
  const LENGTH = 2 ** 15;
  const BYTES = 4 * LENGTH;
  const most = 4 * BYTES;

  test("reads, views and uploads at once take no more bytes to copy through than were stated", async () => {
    const { one, mostBytes, kept, alive } = await foldOf(most);
    const given = dataOf(LENGTH);
    const array = await one.upload(given);
    const reads = await Promise.all(Array.from({ length: 50 }, () => array.read()));
    expectSame(
      reads,
      reads.map(() => given),
    );
    expect(mostBytes()).toBeLessThanOrEqual(BYTES + most);
    // The arrays are the caller's.
    const arrays = await Promise.all(Array.from({ length: 20 }, (_, at) => one.upload(dataOf(LENGTH, at))));
    expect(mostBytes()).toBeLessThanOrEqual((1 + arrays.length) * BYTES + most);
    expectSame(
      await Promise.all(arrays.map((each) => each.read())),
      arrays.map((_, at) => dataOf(LENGTH, at)),
    );
    expect(mostBytes()).toBeLessThanOrEqual((1 + arrays.length) * BYTES + most);
    for (const each of arrays) {
      each.destroy();
    }
    // Views are the caller's, too, once they are there. Calls do not wait for those who hold them.
    const views = await Promise.all(Array.from({ length: 12 }, () => array.view()));
    expect(await one.reduce(new Uint32Array(LENGTH).fill(1))).toBe(LENGTH);
    expectSame(
      views.map(({ elements }) => elements.slice()),
      views.map(() => given),
    );
    for (const view of views) {
      view.destroy();
    }
    expect(kept.buffers.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(most);
    expect(kept).toMatchObject(nobodyWaits);
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("an array whose length is on the GPU, and copies in pieces", async () => {
    const { one, mostBytes, kept } = await foldOf(2 ** 18, { pieceBytes: 2 ** 14 });
    const given = dataOf(50_000);
    const array = await one.upload(given);
    const odd = await one.compact(array, { where: "x % 2u == 1u" });
    const before = mostBytes();
    const expected = given.filter((x) => x % 2 === 1);
    expectSame(
      await Promise.all(Array.from({ length: 30 }, () => odd.read())),
      Array.from({ length: 30 }, () => expected),
    );
    expect(mostBytes()).toBeLessThanOrEqual(before + 2 ** 18);
    expect(kept).toMatchObject(nobodyWaits);
    one.destroy();
  });

  const copies: Readonly<
    Record<string, (one: Fold, array: GpuArray, data: Uint32Array) => Promise<unknown>>
  > = {
    read: (_, array) => array.read(),
    view: (_, array) => array.view(),
    upload: (one, _, data) => one.upload(data),
  };

  test.each(Object.entries(copies))("%s waits while others take all there is", async (name, copy) => {
    const { one, made, kept } = await foldOf(most);
    const data = dataOf(2 ** 16);
    const array = await one.upload(data);
    while (kept.calls > 0) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    expect(startCall(kept, most)).toBeUndefined();
    const before = made().length;
    const pending = copy(one, array, data);
    await until(() => kept.waiting.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(kept.waiting.length).toBe(1);
    expect(made().length).toBe(before);
    // Memory that waits is held.
    array.destroy();
    endCall(kept, most);
    const result = await pending;
    const found =
      name === "view"
        ? (result as GpuView<Uint32Array>).elements
        : name === "upload"
          ? await (result as GpuArray).read()
          : result;
    expectSame([found], [data]);
    one.destroy();
  });

  test.each(["the device is lost", "the fold is destroyed"])("%s: what waits is rejected", async (how) => {
    const one = await openFold({ adapter, maxKeptBytes: most });
    const { kept } = contextOf(one.device);
    const data = dataOf(LENGTH);
    const array = await one.upload(data);
    while (kept.calls > 0) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    const pending = Array.from({ length: 10 }, () =>
      Object.values(copies).map((copy) => errorOf(copy(one, array, data))),
    ).flat();
    let isOver = false;
    void Promise.all(pending).then(() => {
      isOver = true;
    });
    while (kept.waiting.length < 10 && !isOver) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    if (how === "the device is lost") {
      one.device.destroy();
    } else {
      one.destroy();
    }
    const errors = (await Promise.all(pending)).filter((error) => error !== undefined);
    expect(errors.length).toBeGreaterThanOrEqual(10);
    for (const error of errors) {
      expect([DeviceLostError, ArgumentError]).toContain((error as Error).constructor);
    }
    expect(kept).toMatchObject(nobodyWaits);
    one.destroy();
  });

  test("arrays and views that are destroyed while calls are under way leave no more than was stated", async () => {
    const { one, kept } = await foldOf(most);
    const keptBytes = (): number => kept.buffers.reduce((sum, { size }) => sum + size, 0);
    const arrays = await Promise.all(Array.from({ length: 4 }, (_, at) => one.upload(dataOf(LENGTH, at))));
    const view = await (arrays[0] as GpuArray).view();
    while (kept.calls > 0) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    const used = 3 * BYTES;
    expect(startCall(kept, used)).toBeUndefined();
    one.trim();
    for (const each of [...arrays, view]) {
      each.destroy();
      expect(keptBytes() + kept.usedBytes).toBeLessThanOrEqual(most);
    }
    expect(keptBytes()).toBe(BYTES);
    // What is left of a stream.
    const results = source(3).pipeThrough(one.scanStream({ type: u32 }));
    for await (const chunk of results) {
      expect(chunk[0]).toBe(1);
    }
    expect(keptBytes() + kept.usedBytes).toBeLessThanOrEqual(most);
    endCall(kept, used);
    one.destroy();
  });
});

/** A stream of arrays of ones. */
function source(count: number): ReadableStream<Uint32Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at++ < count) {
        controller.enqueue(new Uint32Array(1000).fill(1));
      } else {
        controller.close();
      }
    },
  });
}

describe("streams", () => {
  test("streams that feed each other, and calls on what they give, all go on", async () => {
    const { one, kept } = await foldOf(2 ** 16, { pieceBytes: 2 ** 12 });
    const type = u32;
    let last = source(4);
    for (let at = 0; at < 4; at++) {
      last = last.pipeThrough(one.scanStream({ type, exclusive: true, initial: 1, map: "0u" }));
    }
    let sum = 0;
    for await (const chunk of last) {
      // Short, and in pieces.
      sum += await one.reduce(chunk);
      const both = [one.scan(new Uint32Array(3000).fill(1)), one.sort(chunk)];
      expect((await Promise.all(both)).map((result) => result.at(-1))).toEqual([3000, 1]);
    }
    expect(sum).toBe(4000);
    expect(kept).toMatchObject(nobodyWaits);
    one.destroy();
  });
});
