import { describe, expect, test } from "vitest";
import type { AtHandRow } from "../../bench/at_hand.ts";
import { handPaceFor, handStepsOf, planAtHand, timeAtHand, timeInTurn } from "../../bench/at_hand.ts";
import { partNames } from "../../bench/bus.ts";
import type { SuiteOptions } from "../../bench/suite.ts";
import { ArgumentError } from "../../src/errors.ts";
import type { Fold } from "../../src/node.ts";
import { useFold } from "../support/fold.ts";

const fold = useFold();
const pace = { warmUpMs: 0, least: 3, most: 3, milliseconds: 0 };
const facts = {
  software: true,
  features: new Set<string>(),
  maxBufferSize: 2 ** 30,
  maxStorageBufferBindingSize: 2 ** 30,
};

async function run(options: SuiteOptions, on: Fold = fold()) {
  const suite = planAtHand(options, facts);
  const steps: string[] = [];
  const outcome = await timeAtHand(
    (work) => work(on),
    suite,
    pace,
    (stage) => {
      steps.push(stage);
    },
  );
  expect(steps.length).toBeLessThanOrEqual(handStepsOf(suite));
  expect(outcome.wrong.length > 0 || steps.length === handStepsOf(suite)).toBe(true);
  return outcome;
}

const titleOf = ({ primitive, type, length }: AtHandRow): string => `${primitive} ${type} ${length}`;

/** Ours, with other calls. */
const lying = (calls: Partial<Record<"scan" | "reduce" | "compact" | "device", unknown>>): Fold =>
  new Proxy(fold(), {
    get(target, name) {
      if (Object.hasOwn(calls, name)) {
        return calls[name as keyof typeof calls];
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

test("parts of a copy are timed in turn, and each is prepared", async () => {
  const ran: string[] = [];
  const workOf = (name: string) => ({
    prepare: async () => void ran.push(`prepare ${name}`),
    run: () => ran.push(name),
  });
  const timings = await timeInTurn([workOf("a"), workOf("b")], { ...pace, least: 2, most: 2 });
  expect(timings.map(({ runs }) => runs)).toEqual([2, 2]);
  const round = ["prepare a", "a", "prepare b", "b"];
  // One round warms up.
  expect(ran).toEqual([...round, ...round, ...round]);
});

describe("timeAtHand", () => {
  test("times calls beside a loop and a copy, over lengths that are no power of two", async () => {
    const { rows, wrong, notes } = await run({ sizes: [1024, 1003] });
    expect({ wrong, notes }).toEqual({ wrong: [], notes: [] });
    expect(rows.map(titleOf)).toEqual(
      [1024, 1003].flatMap((length) =>
        ["scan", "reduce", "compact"].map((primitive) => `${primitive} u32 ${length}`),
      ),
    );
    for (const { primitive, length, bytesIn, bytesOut, ...row } of rows) {
      expect(bytesIn).toBe(4 * length);
      if (primitive === "compact") {
        expect(bytesOut / bytesIn).toBeGreaterThan(0.4);
        expect(bytesOut / bytesIn).toBeLessThan(0.6);
      } else {
        expect(bytesOut).toBe(primitive === "scan" ? bytesIn : 4);
      }
      const parts = partNames.map((name) => row.parts[name]);
      for (const { median, quartiles, runs } of [row.loop, row.copy, row.call, ...parts]) {
        expect(runs).toBe(3);
        expect(median).toBeGreaterThan(0);
        expect(quartiles[0]).toBeLessThanOrEqual(median);
        expect(quartiles[1]).toBeGreaterThanOrEqual(median);
      }
      expect(row.first).toBeGreaterThan(0);
      const sum = parts.reduce((sum, { median }) => sum + median, 0);
      expect(row.toParts).toBeCloseTo(row.call.median / sum, 9);
      expect(row.toLoop).toBeCloseTo(row.loop.median / row.call.median, 9);
    }
  });

  test.each(["i32", "f32", "u64", "i64", "f64", "struct16"])("takes %s", async (type) => {
    const { rows, wrong, notes } = await run({ sizes: [1, 300], types: [type] });
    expect({ wrong, notes }).toEqual({ wrong: [], notes: [] });
    expect(rows.map(titleOf)).toEqual(
      [1, 300].flatMap((length) =>
        ["scan", "reduce", "compact"].map((primitive) => `${primitive} ${type} ${length}`),
      ),
    );
  });

  test("refuses a wrong call, and keeps the others", async () => {
    // The scan leaves the array as it was, and the reduction is off by one.
    const { rows, wrong } = await run(
      { sizes: [1024] },
      lying({
        scan: async (_: never, { into }: { into: Uint32Array }) => into,
        reduce: async (data: never) => ((await fold().reduce(data)) as number) + 1,
      }),
    );
    expect(rows.map(titleOf)).toEqual(["compact u32 1024"]);
    expect(wrong).toEqual([
      expect.stringMatching(
        /^scan<u32, add> at hand at 2\^10 is wrong: element 0 is 4290829997, and the CPU has \d+$/,
      ),
      expect.stringMatching(/^reduce<u32, add> at hand at 2\^10 is wrong: it is \d+, and the CPU has \d+$/),
    ]);
    const short = lying({
      compact: async (data: never, options: never) =>
        ((await fold().compact(data, options)) as Uint32Array).subarray(1),
    });
    const { wrong: alsoWrong } = await run({ sizes: [1024], primitives: ["compact"] }, short);
    expect(alsoWrong).toEqual([
      expect.stringMatching(/^compact<u32> at hand at 2\^10 is wrong: it says that \d+ are kept/),
    ]);
  });

  test("refuses a call that becomes wrong after the first", async () => {
    let calls = 0;
    const tiring = lying({
      scan: (data: never, options: { into: Uint32Array }) =>
        calls++ < 2 ? fold().scan(data, options as never) : options.into,
    });
    const { rows, wrong } = await run({ sizes: [256], primitives: ["scan"] }, tiring);
    expect(rows).toEqual([]);
    expect(wrong).toEqual([expect.stringMatching(/^scan<u32, add> at hand at 2\^8 is wrong: element 0 /)]);
  });

  // Of a reduction one element comes back, so what is lost on the way there is seen on the GPU alone.
  const ways = [["there", "reduce"] as const, ["back", "scan"] as const];
  test.each(ways)("refuses a copy that loses bytes on its way %s", async (way, primitive) => {
    const { device } = fold();
    const own = (value: unknown, target: object): unknown =>
      typeof value === "function" ? value.bind(target) : value;
    const losing = new Proxy(device, {
      get(target, name) {
        if (name !== "createCommandEncoder") {
          return own(Reflect.get(target, name, target), target);
        }
        return (descriptor: GPUCommandEncoderDescriptor) => {
          const encoder = target.createCommandEncoder(descriptor);
          const copy = (from: GPUBuffer, at: number, to: GPUBuffer, into: number, bytes: number): void => {
            const isThere = to.label === "bench copy";
            const isBack = from.label === "bench copy" && to.label === "bench read-back";
            const lost = (way === "there" ? isThere : isBack) ? 16 : 0;
            encoder.copyBufferToBuffer(from, at, to, into, bytes - lost);
          };
          return new Proxy(encoder, {
            get: (one, key) => (key === "copyBufferToBuffer" ? copy : own(Reflect.get(one, key, one), one)),
          });
        };
      },
    });
    const { rows, wrong } = await run({ sizes: [1024], primitives: [primitive] }, lying({ device: losing }));
    expect(rows).toEqual([]);
    expect(wrong).toEqual([
      expect.stringMatching(
        /^the copy there and back for \w+<u32, add> at 2\^10 is wrong: element 1020 is 0, /,
      ),
    ]);
  });

  test("leaves out what has no room, and what is longer", async () => {
    const set = { type: "u32", op: "add", cases: [{ primitive: "scan", inPlace: false }] } as const;
    // More bytes than any array may have: where there might be room, all garbage is collected first.
    const sets = [2 ** 51, 2 ** 52].map((length) => ({ ...set, length }));
    const outcome = await timeAtHand(
      (work) => work(fold()),
      { sets, notes: ["before"] },
      pace,
      () => {},
    );
    expect(outcome).toEqual({
      rows: [],
      wrong: [],
      notes: [
        "before",
        `u32 from 2^51 on was left out: the CPU has no room for an array of ${2 ** 53} bytes`,
      ],
    });
  });
});

describe("planAtHand", () => {
  test("chooses lengths, and refuses f16", () => {
    const lengthsOf = (options: SuiteOptions): number[] =>
      planAtHand(options, facts).sets.map(({ length }) => Math.log2(length));
    expect(lengthsOf({})).toEqual([10, 16, 20, 24]);
    expect(lengthsOf({ quick: true })).toEqual([10, 16, 20]);
    expect(planAtHand({ types: ["f64"] }, facts).sets[0]?.cases).toHaveLength(3);
    expect(() => planAtHand({ types: ["u32", "f16"] }, facts)).toThrow(ArgumentError);
    expect(() => planAtHand({ types: ["u32", "f16"] }, facts)).toThrow(/no loop over f16 .* takes u32, i32,/);
    expect(planAtHand({ sizes: [10, 2 ** 29] }, facts).notes).toEqual([
      expect.stringMatching(/^u32 at 2\^29 was left out: 2147483648 bytes are more than/),
    ]);
  });

  test("takes a third of the runs where it is to be quick", () => {
    const [all, quick] = [handPaceFor(false), handPaceFor(false, true)];
    expect(quick.most).toBe(Math.ceil(all.most / 3));
    expect(quick.least).toBeLessThan(all.least);
  });
});
