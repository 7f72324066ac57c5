import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import type { PlantedInLitmus } from "../../src/gpu/tuning/litmus.ts";
import { runOnDevice } from "../../src/gpu/tuning/litmus.ts";
import { litmusKernel, litmusTests } from "../../src/kernels/litmus.ts";
import type { Fold, LitmusResult } from "../../src/node.ts";
import { ArgumentError, openFold, runLitmusTests } from "../../src/node.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { adapter, useSoftwareFold } from "../support/fold.ts";
import { nagaFailures } from "../support/naga.ts";
import { failures, useNullDevice } from "../support/null_device.ts";

const fold = useSoftwareFold();
const nullDevice = useNullDevice();

const named = (name: string): (typeof litmusTests)[number] => {
  const found = litmusTests.find((one) => one.name === name);
  expect(found, name).toBeDefined();
  return found as (typeof litmusTests)[number];
};

/** The result of one test, with a fault planted in its kernel. */
async function resultWith(
  name: string,
  changes: readonly (readonly [string, string])[],
): Promise<LitmusResult> {
  const planted: PlantedInLitmus = {
    only: [named(name).name],
    alter: (kernel) => ({
      ...kernel,
      code: changes.reduce((code, [find, replacement]) => {
        expect(code).toContain(find);
        return code.replaceAll(find, replacement);
      }, kernel.code),
    }),
  };
  const [result] = await runOnDevice(fold().device, planted);
  return result as LitmusResult;
}

test("every test runs, and sees nothing that WebGPU forbids", async () => {
  const names: string[] = [];
  const results = await runLitmusTests(fold(), { onTest: (name) => names.push(name) });
  console.log(results.map((one) => JSON.stringify(one)).join("\n"));
  expect(names).toEqual(litmusTests.map(({ name }) => name));
  for (const { name, verdict, detail, instances, forbidden, weak, error } of results) {
    expect({ name, verdict, forbidden, error }).toEqual({ name, verdict: "ok", forbidden: 0, error: null });
    expect(detail).toContain(weak === 0 ? named(name).usual : named(name).weak);
    expect(instances).toBeGreaterThan(1000);
    // Only the tests that name a weak outcome may count one.
    expect(weak === 0 || named(name).weak !== undefined, name).toBe(true);
  }
});

test("on a simulated machine, those with barriers see nothing, and have no races", async () => {
  const gpu = simulatedGpu({ schedule: "random", seed: 7 });
  const simulated = await openFold({ adapter: (await gpu.requestAdapter()) as GPUAdapter });
  const results = await runLitmusTests(simulated, { only: ["barriers", "work-group stores"] });
  simulated.destroy();
  expect(results.map(({ name, verdict }) => `${name}: ${verdict}`)).toEqual([
    "barriers: ok",
    "work-group stores: ok",
  ]);
  expect(gpu.findings).toEqual([]);
});

test("a buffer that the device cannot make is an error, and no outcome of a test", async () => {
  const { device } = fold();
  const { createBuffer } = device;
  const uncaptured: unknown[] = [];
  const listen = (event: Event): void => {
    uncaptured.push((event as GPUUncapturedErrorEvent).error.message);
  };
  device.addEventListener("uncapturederror", listen);
  device.createBuffer = (descriptor) =>
    createBuffer.call(device, { ...descriptor, size: descriptor.size > 2 ** 16 ? 2 ** 48 : descriptor.size });
  try {
    const only = ["tickets", "whole words"] as const;
    const results = await runOnDevice(device, { only });
    expect(results.map(({ name }) => name)).toEqual(only);
    for (const { forbidden, error } of results) {
      expect(forbidden).toBe(0);
      expect(error).toMatch(/^litmus tests: (the device refused it|no room for)/);
    }
  } finally {
    Reflect.deleteProperty(device, "createBuffer");
    device.removeEventListener("uncapturederror", listen);
  }
  expect(uncaptured).toEqual([]);
});

const forbidden: readonly (readonly [string, string, readonly (readonly [string, string])[]])[] = [
  [
    "dispatches",
    "an older half is loaded",
    [["let place = INSTANCES - own + seen;", "let place = own + seen;"]],
  ],
  [
    "dispatches",
    "nothing is stored by atomic stores",
    [["atomicStore(&places[FIRST_PLACE + own + instance], stored_in(iteration.number, instance));", ""]],
  ],
  [
    "barriers",
    "there is none",
    [
      ["    workgroupBarrier();\n", ""],
      ["    storageBarrier();\n", ""],
    ],
  ],
  ["work-group stores", "a store adds", [["atomicStore(&stored_words", "atomicAdd(&stored_words"]]],
  ["work-group stores", "one thread's store adds", [["atomicStore(&shared_word", "atomicAdd(&shared_word"]]],
  [
    "work-group stores",
    "one thread's store of zero is lost",
    [["if (thread == storing) {", "if (thread == storing && stored_in(round, instance) > 0u) {"]],
  ],
  [
    "tickets",
    "a number is loaded, and the next one stored",
    [
      [
        "keep(instance, 0u, atomicAdd(&places[counter], 1u) - before);",
        "let number = atomicLoad(&places[counter]);\n" +
          "atomicStore(&places[counter], number + 1u);\nkeep(instance, 0u, number - before);",
      ],
    ],
  ],
  [
    "tickets",
    "no claim is stored",
    [
      [
        "keep(instance, 1u, select(0u, 1u, atomicExchange(&places[claim], iteration.number) != iteration.number));",
        "keep(instance, 1u, select(0u, 1u, atomicLoad(&places[claim]) != iteration.number));",
      ],
    ],
  ],
  [
    "whole words",
    "only one half is stored",
    [
      [
        "_ = atomicExchange(&places[place], word);",
        "atomicAnd(&places[place], 0xffff0000u);\natomicOr(&places[place], half);",
      ],
    ],
  ],
  ["tagged words", "no tag is compared", [["return word >> 16u == iteration.number;", "return word != 1u;"]]],
  [
    "coherence",
    "a load gets what was loaded before",
    [
      ["var pair = vec2<u32>(earlier, earlier);", "let kept = 0u;\nvar pair = vec2<u32>(earlier, earlier);"],
      [
        "let later = value_of(atomicLoad(&places[place + load * iteration.zero]));",
        "let later = select(value_of(atomicLoad(&places[place + load * iteration.zero])), kept, load == 5u);",
      ],
    ],
  ],
  [
    "progress",
    "some work-groups do not run",
    [["  test_instance(number", "if (number % 8u == 3u) {\nreturn;\n}\ntest_instance(number"]],
  ],
  [
    "load buffering",
    "a load gets what nobody stored",
    [["keep(seen, 1u, of_second);", "keep(seen, 1u, 2u);"]],
  ],
  ["whole words", "threads keep nothing", [["keep(instance, 1u, seen >> 16u);", ""]]],
];
test.for(forbidden)("%s, where %s: it is seen", async ([name, , changes]) => {
  const result = await resultWith(name, changes);
  expect(result.error).toBeNull();
  expect(result.verdict).toBe(named(name).reliedOnBy === undefined ? "note" : "failed");
  expect(result.forbidden).toBeGreaterThan(0);
  expect(result.forbidden).toBeLessThanOrEqual(2 * result.instances);
});

/** Time in which other work-groups run. */
const WAIT =
  "for (var iterations = 0u; iterations < 500u; iterations++) {\natomicAdd(&places[iterations % 8u + 1u], 0u);\n}\n";

const weak: readonly (readonly [string, string, readonly (readonly [string, string])[]])[] = [
  [
    "message passing",
    "the earlier store is lost",
    [["atomicStore(&places[first_place(instance)], word_of(1u));\n", ""]],
  ],
  [
    "store buffering",
    "stores are lost",
    [
      ["atomicStore(&places[first_place(instance)], word_of(1u));\n", ""],
      ["atomicStore(&places[second_place(seen)], word_of(1u));\n", ""],
    ],
  ],
  [
    "load buffering",
    "stores come before loads",
    [
      [
        "let of_first = value_of(atomicLoad(&places[first_place(instance)]));\n",
        "atomicStore(&places[second_place(instance)], word_of(1u));\natomicStore(&places[first_place(seen)], word_of(1u));\n" +
          WAIT +
          "let of_first = value_of(atomicLoad(&places[first_place(instance)]));\n",
      ],
    ],
  ],
  ["progress", "nothing is handed on", [["_ = atomicExchange(&places[own], word_of(1u));", ""]]],
];
test.for(weak)("%s, where %s: it is counted, and forbids nothing", async ([name, , changes]) => {
  // Where few processors do all the work, two work-groups may seldom run at the same time.
  let seen = 0;
  for (let run = 0; run < 20 && seen === 0; run++) {
    const result = await resultWith(name, changes);
    expect(result).toMatchObject({ forbidden: 0, error: null });
    seen += result.weak;
  }
  expect(seen).toBeGreaterThan(0);
});

test("a shader that does not compile, and no time: the others run, and one line says why", async () => {
  const alter: PlantedInLitmus["alter"] = (kernel) =>
    kernel.label.endsWith("tickets")
      ? { ...kernel, code: "fn run_litmus() -> u32 { return 1.5f; }" }
      : kernel;
  const results = await runOnDevice(fold().device, { alter, only: ["tickets", "barriers"] });
  expect(results[0]).toMatchObject({ name: "barriers", error: null });
  expect(results[1]).toMatchObject({
    name: "tickets",
    verdict: "note",
    instances: 0,
    error: expect.stringMatching(/^generated contract:1: return statement.*$/),
  });

  const late = await runOnDevice(fold().device, { milliseconds: 0 });
  expect(late).toHaveLength(litmusTests.length);
  for (const one of late) {
    expect(one).toMatchObject({
      instances: 0,
      error: "the limit of 0 s for all tests was over before it began",
    });
  }
  const given = await runOnDevice(fold().device, { milliseconds: 1, only: ["barriers"] });
  expect(given[0]?.error).toBe("it was not done in time");
});

test("a lost device ends them", async () => {
  const own = await openFold({ adapter });
  const names: string[] = [];
  const results = await runLitmusTests(own, {
    onTest(name) {
      names.push(name);
      if (names.length === 3) {
        own.destroy();
      }
    },
  });
  expect(results.map(({ error }) => error === null)).toEqual(litmusTests.map((_, at) => at < 2));
  expect(results.at(-1)).toMatchObject({
    instances: 0,
    error: expect.stringMatching(/^litmus tests: the device was destroyed/),
  });
});

test("some tests alone, and what is no test or no fold", async () => {
  const names: string[] = [];
  const results = await runLitmusTests(fold(), {
    only: ["tickets", "barriers"],
    onTest: (name) => names.push(name),
  });
  expect(names).toEqual(["barriers", "tickets"]);
  expect(results.map(({ name, verdict }) => `${name}: ${verdict}`)).toEqual(["barriers: ok", "tickets: ok"]);
  expect(await runLitmusTests(fold(), { only: [] })).toEqual([]);
  const refused: readonly (readonly [unknown, object, string, RegExp])[] = [
    [{}, {}, "fold", /^runLitmusTests: fold is not one that openFold returned$/],
    [
      fold(),
      { only: ["ticket"] },
      "only",
      /^runLitmusTests: only is "ticket"; it takes a list of "dispatches", /,
    ],
    [fold(), { only: "tickets" }, "only", /^runLitmusTests: only is "tickets"; it takes a list of /],
    [
      fold(),
      { onTest: 1 },
      "onTest",
      /^runLitmusTests: onTest is 1; it takes a function of the name of a test$/,
    ],
    [fold(), { onTests: () => {} }, "onTests", /did you mean onTest\?/],
  ];
  for (const [given, options, option, message] of refused) {
    const cause = await runLitmusTests(given as Fold, options as never).catch((error: unknown) => error);
    expect(cause).toBeInstanceOf(ArgumentError);
    expect((cause as Error).message).toMatch(message);
    expect(cause).toMatchObject({ option });
  }
});

test("the kernels of a GPU's sizes compile, by naga too, and every file is of some kernel", async () => {
  const sizes = { workGroupSize: 256, testers: 256 };
  const kernels = litmusTests.map((one) => litmusKernel(one, sizes));
  const titled = kernels.map(({ label, code }) => ({ title: label, code }));
  expect(await failures(nullDevice(), titled)).toEqual([]);
  const files = readdirSync(new URL("../../shaders/litmus", import.meta.url));
  const own = litmusTests.map(({ source }) => source.name.replace("shaders/litmus/", ""));
  expect([...own, "run_litmus.wgsl"].sort()).toEqual(files.sort());
  expect(nagaFailures(titled)).toEqual([]);
});
