import { describe, expect, test } from "vitest";
import type { Memory, MemoryModel, Model } from "./explore.ts";
import { explore, webgpu } from "./explore.ts";
import { lines } from "./lines.ts";

// The memory model, by the litmus tests that everybody knows: whether an outcome can be.

type Step = (m: Memory, known: string) => string;
interface Local {
  readonly program: number;
  readonly at: number;
  readonly known: string;
}

/** Programs of work-groups: in each step, loads and then a store. What is known at the end may not be `forbidden`, in order. */
function litmus(
  places: string,
  programs: readonly (readonly Step[])[],
  forbidden: string,
  runs = 1,
): Model<Local> {
  const stepOf = (program: number, at: number): Step => {
    const step = programs[program]?.[at];
    if (step === undefined) {
      throw new Error("the program has ended");
    }
    return step;
  };
  return {
    places: places.split(""),
    runs,
    initial: () => "0",
    before: () => undefined,
    starts: () => programs.map((_, program) => ({ program, at: 0, known: "" })),
    step({ program, at, known }, m) {
      return { program, at: at + 1, known: stepOf(program, at)(m, known) };
    },
    isDone: ({ program, at }) => at === programs[program]?.length,
    wrongAtEnd: (_, locals) => {
      const all = [...locals].sort((a, b) => a.program - b.program).map(({ known }) => known);
      return all.join("") === forbidden ? `${all}` : undefined;
    },
  };
}

const load =
  (places: string): Step =>
  (m, known) =>
    known + [...places].map((place) => m.load(0, [place], "value", ([value]) => value)).join("");
const store =
  (place: string, value: string): Step =>
  (m, known) => {
    m.store(0, place, value);
    return known;
  };
const add =
  (place: string): Step =>
  (m, known) =>
    known + m.exchange(0, place, (last) => `${Number(last) + 1}`);

const weak: MemoryModel = { coherent: false, dispatchesInOrder: false };

/** Whether an outcome can be. */
const canBe = (model: Model<Local>, memory: MemoryModel): boolean =>
  explore(model, { memory }).counterExample !== undefined;

describe("what relaxed atomics allow", () => {
  test("message passing: the flag is seen, and what was stored before it is not", () => {
    const model = litmus("xy", [[store("x", "1"), store("y", "1")], [load("yx")]], "10");
    expect(canBe(model, webgpu)).toBe(true);
  });

  test("store buffering: two work-groups store, and neither sees what the other stored", () => {
    const model = litmus(
      "xy",
      [
        [store("x", "1"), load("y")],
        [store("y", "1"), load("x")],
      ],
      "00",
    );
    expect(canBe(model, webgpu)).toBe(true);
  });

  test("readers see stores to two places in different orders", () => {
    const model = litmus("xy", [[store("x", "1")], [store("y", "1")], [load("xy")], [load("yx")]], "1010");
    expect(canBe(model, webgpu)).toBe(true);
  });

  test("a place does not go back, if memory is coherent", () => {
    for (const last of [[load("xx")], [load("x"), load("x")]]) {
      const model = litmus("x", [[store("x", "1")], last], "10");
      expect(canBe(model, webgpu)).toBe(false);
      expect(canBe(model, weak)).toBe(true);
    }
  });

  test("a work-group sees its own store, if memory is coherent", () => {
    const model = litmus("x", [[store("x", "1"), load("x")]], "0");
    expect(canBe(model, webgpu)).toBe(false);
    expect(canBe(model, weak)).toBe(true);
  });

  test("readers see two stores to one place in one order, if memory is coherent", () => {
    const readers = [[load("xx")], [load("xx")]];
    const model = litmus("x", [[store("x", "1")], [store("x", "2")], ...readers], "1221");
    expect(canBe(model, webgpu)).toBe(false);
    expect(canBe(model, weak)).toBe(true);
  });

  test("nobody adds to an old value", () => {
    for (const memory of [webgpu, weak]) {
      expect(canBe(litmus("x", [[add("x")], [add("x")]], "00"), memory)).toBe(false);
      expect(canBe(litmus("x", [[add("x")], [add("x")]], "01"), memory)).toBe(true);
    }
  });

  test("a run sees what the run before stored, if dispatches are in order", () => {
    const model = litmus("x", [[load("x"), store("x", "1")]], "0", 2);
    const second = {
      ...model,
      wrongAtEnd: (run: number, [one]: readonly Local[]) =>
        run === 2 && one?.known === "0" ? "0" : undefined,
    };
    expect(canBe(second, webgpu)).toBe(false);
    expect(canBe(second, { ...webgpu, dispatchesInOrder: false })).toBe(true);
  });
});

test("every interleaving is explored: of two work-groups with two and three stores, 12 states", () => {
  const stores = (place: string, count: number): Step[] =>
    Array.from({ length: count }, (_, at) => store(place, `${at + 1}`));
  const model = litmus("xy", [stores("x", 2), stores("y", 3)], "none");
  expect(explore(model, { memory: webgpu })).toEqual({ states: 3 * 4, steps: 2 * 4 + 3 * 3 });
});

test("a work-group that goes round for ever is found, and so is one that waits", () => {
  const waiting: Step = (m, known) =>
    m.load(0, ["x"], "value", ([value]) => value) === "1" ? known : m.wait(lines.readEntry, () => "");
  const waits = litmus("x", [[waiting], [store("x", "1")]], "none");
  expect(explore(waits, { memory: webgpu }).counterExample?.wrong).toMatch(/waits for ever/);
  expect(explore(waits, { memory: webgpu, slots: 2 }).counterExample).toBeUndefined();
  const round: Model<Local> = {
    ...litmus("x", [[store("x", "0")]], "none"),
    step: (local, m) => {
      m.store(0, "x", "0");
      return { ...local, known: local.known === "a" ? "b" : "a" };
    },
  };
  expect(explore(round, { memory: webgpu }).counterExample?.wrong).toMatch(/go round for ever/);
});

test("a step ends with what it stores", () => {
  const model = litmus(
    "x",
    [
      [
        (m) => {
          m.store(0, "x", "1");
          return m.load(0, ["x"], "value", ([value]) => value) as string;
        },
      ],
    ],
    "",
  );
  expect(() => explore(model, { memory: webgpu })).toThrow("a step ends with what it stores");
});
