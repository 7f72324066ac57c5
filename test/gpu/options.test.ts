import { describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import { shown } from "../../src/errors.ts";
import { openFold as openInBrowser } from "../../src/index.ts";
import { ArgumentError, openFold as openInNode, WavefoldError } from "../../src/node.ts";
import { storageBuffer } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import { useNullDevice } from "../support/null_device.ts";
import { errorOf, expectNoOptions, expectNoOthers } from "../support/option_checks.ts";

const fold = useFold();
const nullDevice = useNullDevice();
const data = Uint32Array.of(3, 1, 7);
const sizes = { workGroupSize: 4, itemsPerThread: 2 };

/** A public call that no description has, and all options that there are. */
interface Call {
  readonly name: string;
  run(options: unknown): Promise<unknown>;
  readonly options: Readonly<Record<string, unknown>>;
  /** What it does not do without. */
  readonly needed: readonly string[];
}

const calls: readonly Call[] = [
  {
    name: "argMin",
    run: (options) => fold().argMin(data, options as never),
    options: { type: u32, algorithm: "blelloch", ...sizes },
    needed: [],
  },
  {
    name: "argMax",
    run: (options) => fold().argMax(data, options as never),
    options: { type: u32, algorithm: "hillis-steele", ...sizes },
    needed: [],
  },
  ...Object.entries({ "in Node.js": openInNode, "in a browser": openInBrowser }).map(
    ([where, open]): Call => ({
      name: `openFold ${where}`,
      run: (options) => open(options as never),
      options: { device: {}, adapter: undefined, testSinglePass: false, maxPipelines: 8 },
      needed: ["device"],
    }),
  ),
];

/** With the device, once there is one. */
const optionsOf = ({ options }: Call): Record<string, unknown> => ({
  ...options,
  ...("device" in options && { device: nullDevice() }),
});

describe.each(calls)("$name", (call) => {
  const title = call.name.replace(/ .*/, "");
  const { run } = call;

  test("all that there are", async () => {
    const result = await run(optionsOf(call));
    expect(result).toBeDefined();
  });

  test("undefined is as left out", async () => {
    const none = Object.fromEntries(
      Object.entries(optionsOf(call)).map(([name, value]) => [
        name,
        call.needed.includes(name) ? value : undefined,
      ]),
    );
    const bare = Object.fromEntries(Object.entries(none).filter(([, value]) => value !== undefined));
    const [given, left] = [await run({ ...none, nonsense: undefined }), await run(bare)];
    if (ArrayBuffer.isView(left) || typeof left === "number") {
      expect(given).toEqual(left);
    }
  });

  test("options that are none", () => expectNoOptions(title, run));

  test("an option that there is not, and a word that is nearly one", () =>
    expectNoOthers(title, Object.keys(call.options), (others) => run({ ...optionsOf(call), ...others })));

  test("a value that means nothing is an error of ours, or is taken", async () => {
    for (const name of Object.keys(call.options)) {
      for (const value of [null, Number.NaN, -1, 1.5, "?", {}, [], () => 1, Symbol.iterator, 10n]) {
        const error = await errorOf(run({ ...optionsOf(call), [name]: value }));
        const what = `${title}: ${name} is ${String(typeof value === "object" ? JSON.stringify(value) : String(value))}`;
        expect(
          error instanceof WavefoldError || error.message.startsWith("it gave"),
          `${what}: ${error}`,
        ).toBe(true);
      }
    }
  });
});

test("a compaction has a predicate, flags, or both", async () => {
  await expect(fold().compact(data, {} as never)).rejects.toThrow(
    "compact<u32> takes where (a WGSL expression) or flags; it was given neither",
  );
  const both = { where: "i > 0u", flags: [1, 0, 1] };
  expect(await fold().compact(Uint32Array.of(7, 8, 9), both)).toEqual(Uint32Array.of(9));
  await expect(fold().prepareCompact({ type: u32, flags: [1], maxLength: 8 } as never)).rejects.toThrow(
    "prepareCompact: flags is [1]; it takes true or false",
  );
});

test("flags are an array, and text is none", async () => {
  for (const flags of ["110", () => 1, 3]) {
    await expect(fold().compact(data, { flags } as never)).rejects.toThrow(
      `compact<u32>: flags is ${typeof flags}; it takes an array of one flag for each element`,
    );
  }
});

test("the range of a length on the GPU has no option but a range's", async () => {
  const buffer = storageBuffer(fold().device, new Uint32Array(8));
  const wrap = (length: object) => fold().wrap({ buffer, type: u32, length: length as never });
  await expect(wrap({ buffer, ofset: 4 })).rejects.toThrow(
    "wrap<u32>: length takes no option ofset; did you mean offset?",
  );
  const wrapped = await wrap({ buffer, offset: 4, size: 4 });
  expect(wrapped.length).toMatchObject({ offset: 4 });
});

test("what a call at hand does not take", async () => {
  await expect(fold().scan(Int32Array.of(1, 2, 3), { lengthOnGpu: true } as never)).rejects.toThrow(
    "scan takes no option lengthOnGpu; it takes op, exclusive,",
  );
  for (const name of ["maxLength", "lengthOnGpu", "indirect", "where", "flags"]) {
    await expect(fold().scan(data, { [name]: 1 } as never)).rejects.toThrow(`scan takes no option ${name}`);
    await expect(fold().reduce(data, { [name]: 1 } as never)).rejects.toThrow(
      `reduce takes no option ${name}`,
    );
  }
  await expect(fold().reduce(data, { exclusive: true } as never)).rejects.toThrow(
    "reduce takes no option exclusive",
  );
  await expect(fold().compact(data, { where: "true", op: add } as never)).rejects.toThrow(
    "compact takes no option op",
  );
});

describe("record", () => {
  test("what it is given", async () => {
    const { device } = fold();
    const scan = await fold().prepareScan({ type: u32, maxLength: 8 });
    const compact = await fold().prepareCompact({ type: u32, where: "true", maxLength: 8 });
    const [input, output] = [0, 1].map(() => storageBuffer(device, new Uint32Array(8))) as [
      GPUBuffer,
      GPUBuffer,
    ];
    const count = storageBuffer(device, new Uint32Array(1));
    const encoder = device.createCommandEncoder();
    const ranges = { input, output, length: 8 };
    const expectError = (run: () => void, message: string): void => {
      expect(run, message).toThrow(ArgumentError);
      expect(run).toThrow(message);
    };
    for (const one of [scan, compact] as { record(...given: unknown[]): void }[]) {
      for (const given of [null, undefined]) {
        expectError(() => one.record(encoder, given), `record: options is ${given}; it takes an object`);
        expectError(
          () => one.record(given, ranges),
          "record takes a GPUCommandEncoder or a GPUComputePassEncoder",
        );
      }
      expectError(() => one.record(), "record takes a GPUCommandEncoder or a GPUComputePassEncoder");
      expectError(
        () => one.record({}, ranges),
        "record takes a GPUCommandEncoder or a GPUComputePassEncoder",
      );
      expectError(() => one.record(5, ranges), "record takes a GPUCommandEncoder or a GPUComputePassEncoder");
      expectError(() => one.record(encoder, { ...ranges, count, lenght: 8 }), "record takes no option");
    }
    const record = (given: object) => (): void => scan.record(encoder, { ...ranges, ...given });
    expectError(record({ lenght: 8 }), "scan<u32, add>: record takes no option lenght; did you mean length?");
    expectError(
      record({ flags: input }),
      "record takes no option flags; it takes input, output, length, firstIndex",
    );
    expectError(
      record({ input: { buffer: input, ofset: 4 } }),
      "input takes no option ofset; did you mean offset?",
    );
    expectError(record({ input: { buffer: undefined } }), "input's buffer is no GPUBuffer");
    expectError(record({ input: { buffer: null } }), "input's buffer is no GPUBuffer");
    expectError(record({ input: {} }), "input's buffer is no GPUBuffer");
    expectError(record({ input: "input" }), 'input is "input"; it takes a GPUBuffer');
    for (const size of [Number.NaN, -4, 1.5, Number.POSITIVE_INFINITY, "32"]) {
      const given = { input: { buffer: input, size: size as number } };
      expectError(
        record(given),
        `input's size is ${typeof size === "string" ? JSON.stringify(size) : size} bytes; it takes a whole number from 0 up`,
      );
    }
    for (const offset of [Number.NaN, -4, 1.5, 2, "4"]) {
      expectError(
        record({ input: { buffer: input, offset: offset as number } }),
        `input's offset is ${typeof offset === "string" ? JSON.stringify(offset) : offset} bytes; it takes a multiple of 4`,
      );
    }
    const flagged = await fold().prepareCompact({ type: u32, maxLength: 8 });
    for (const length of [8, 0]) {
      expectError(
        () => flagged.record(encoder, { ...ranges, count, length } as never),
        "compact<u32>: flags is undefined, and this was prepared with flags, or without where; give record flags, or prepare it with where alone",
      );
    }
    flagged.record(encoder, { ...ranges, flags: input, count });
    expectError(
      () => compact.record(encoder, { ...ranges, flags: input, count } as never),
      "compact<u32>: record takes no option flags; it takes input, output, length, firstIndex, count",
    );
    // Undefined is as left out.
    record({ flags: undefined, input: { buffer: input, offset: undefined, size: undefined } })();
    scan.destroy();
    compact.destroy();
    flagged.destroy();
  });
});

test("adapters that are none", async () => {
  // They reject: nothing is thrown before there is a promise.
  for (const [adapter, message] of [
    ["x", 'openFold: adapter is "x"; it takes "gpu", "software", "simulated" or a GPUAdapter'],
    [5, "openFold: adapter is 5; it takes a GPUAdapter"],
    [null, "openFold: adapter is null; it takes a GPUAdapter"],
    [{}, "openFold: adapter is [object Object]; it takes a GPUAdapter"],
  ] as const) {
    const error = await errorOf(openInNode({ adapter } as never));
    expect(error).toBeInstanceOf(ArgumentError);
    expect(error.message).toBe(message);
  }
  for (const adapter of ["gpu", 5, null, {}]) {
    const error = await errorOf(openInBrowser({ adapter } as never));
    expect(error).toBeInstanceOf(ArgumentError);
    expect(error.message).toBe(`openFold: adapter is ${shown(adapter)}; it takes a GPUAdapter`);
  }
});
