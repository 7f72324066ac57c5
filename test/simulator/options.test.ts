import { describe, expect, test } from "vitest";
import { ArgumentError } from "../../src/errors.ts";
import {
  machineOptions,
  requireSimulatorOptions,
  type SimulatorOptions,
} from "../../src/simulator/options.ts";

const require = (options: unknown): void =>
  requireSimulatorOptions("simulatedGpu", options as SimulatorOptions);

describe("options of the simulator", () => {
  test.each([
    [{}],
    [{ subgroupSize: 128, subgroupMinSize: 4, subgroupMaxSize: 128, lanes: "permuted", partlyFilled: true }],
    [{ subgroupSize: 16, otherSubgroupSize: 64 }],
    [{ otherSubgroupSize: 8, subgroupMinSize: 4, subgroupMaxSize: 32 }],
    [{ residentGroups: 1, schedule: "starve", atomics: "random", olderValues: true, patience: 1 }],
    [
      {
        uninitialized: true,
        seed: 2 ** 32 - 1,
        onFinding: () => {},
        trace: () => {},
        features: ["subgroups"],
      },
    ],
    [{ limits: { maxBufferSize: 1024 }, memoryLimit: 0, seed: undefined }],
  ])("%o are right", (options) => {
    require(options);
  });

  test.each([
    [null, "simulatedGpu: options is null; it takes an object"],
    [7, "simulatedGpu: options is 7; it takes an object"],
    [{ lane: "natural" }, "simulatedGpu takes no option lane; it takes subgroupSize, "],
    [{ toString: 1 }, "simulatedGpu takes no option toString; it takes subgroupSize, "],
    [{ subgroupSize: 24 }, "simulatedGpu: subgroupSize is 24; it takes 1, 2, 4, 8, 16, 32, 64 or 128"],
    [{ subgroupMinSize: 64 }, "simulatedGpu: subgroupMinSize is 64; it takes at most subgroupSize, 32"],
    [{ subgroupMaxSize: 16 }, "simulatedGpu: subgroupMaxSize is 16; it takes at least subgroupSize, 32"],
    [
      { otherSubgroupSize: 3 },
      "simulatedGpu: otherSubgroupSize is 3; it takes 1, 2, 4, 8, 16, 32, 64 or 128",
    ],
    [
      { otherSubgroupSize: 32 },
      "simulatedGpu: otherSubgroupSize is 32; it takes another size than subgroupSize, 32",
    ],
    [
      { otherSubgroupSize: 8, subgroupMinSize: 16 },
      "simulatedGpu: subgroupMinSize is 16; it takes at most otherSubgroupSize, 8",
    ],
    [
      { otherSubgroupSize: 64, subgroupMaxSize: 32 },
      "simulatedGpu: subgroupMaxSize is 32; it takes at least otherSubgroupSize, 64",
    ],
    [
      { lanes: "backwards" },
      'simulatedGpu: lanes is "backwards"; it takes "natural", "reversed", "permuted"',
    ],
    [{ partlyFilled: 1 }, "simulatedGpu: partlyFilled is 1; it takes true or false"],
    [{ residentGroups: 0 }, "simulatedGpu: residentGroups is 0; it takes a whole number from 1 up"],
    [
      { schedule: "fifo" },
      'simulatedGpu: schedule is "fifo"; it takes "in order", "reversed", "random", "priorities", "starve"',
    ],
    [{ atomics: true }, 'simulatedGpu: atomics is true; it takes "natural", "reversed", "random"'],
    [{ olderValues: "yes" }, 'simulatedGpu: olderValues is "yes"; it takes true or false'],
    [{ uninitialized: null }, "simulatedGpu: uninitialized is null; it takes true or false"],
    [{ patience: 1.5 }, "simulatedGpu: patience is 1.5; it takes a whole number from 1 up"],
    [{ seed: -1 }, "simulatedGpu: seed is -1; it takes a whole number from 0 to 4294967295"],
    [{ seed: "7" }, 'simulatedGpu: seed is "7"; it takes a whole number from 0 to 4294967295'],
    [{ onFinding: {} }, "simulatedGpu: onFinding is [object Object]; it takes a function"],
    [{ trace: true }, "simulatedGpu: trace is true; it takes a function"],
    [{ features: "subgroups" }, 'simulatedGpu: features is "subgroups"; it takes a list of names'],
    [{ limits: 5 }, "simulatedGpu: limits is 5; it takes an object of limits"],
    [{ memoryLimit: -1 }, "simulatedGpu: memoryLimit is -1; it takes a whole number from 0 up"],
  ])("%o are refused", (options, message) => {
    expect(() => require(options)).toThrow(ArgumentError);
    expect(() => require(options)).toThrow(message);
  });

  test("have defaults", () => {
    expect(machineOptions({ seed: 0, lanes: "reversed" })).toEqual({
      subgroupSize: 32,
      lanes: "reversed",
      partlyFilled: false,
      residentGroups: 8,
      schedule: "in order",
      atomics: "natural",
      olderValues: false,
      unorderedAtomics: false,
      uninitialized: false,
      patience: 100_000,
      seed: 0,
    });
  });
});
