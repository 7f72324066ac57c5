import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { openFold } from "../../src/node.ts";
import { storageBuffer } from "../support/buffers.ts";
import { planAs } from "../support/fold.ts";
import { useNullDevice } from "../support/null_device.ts";

const device = useNullDevice();

test("a pipeline that is set is not set again, and each recording sets its first one", async () => {
  const fold = await openFold({ device: device() });
  // A dispatch for each digit of 8 bits.
  const restore = planAs(fold, {
    vendor: "nvidia",
    lookBack: true,
    subgroupMinSize: 32,
    subgroupMaxSize: 32,
  });
  const sort = await fold.prepareSort({ type: u32, maxLength: 100_000 });
  const scan = await fold.prepareScan({ type: u32, maxLength: 100_000 });
  restore();
  const [input, output] = [0, 1].map(() => storageBuffer(device(), new Uint32Array(100_000))) as [
    GPUBuffer,
    GPUBuffer,
  ];
  const ranges = { input, output, length: 100_000 };
  let calls: unknown[] = [];
  const pass = {
    setPipeline: (pipeline: object) => calls.push(pipeline),
    setBindGroup: () => {},
    dispatchWorkgroups: () => calls.push("dispatch"),
  } as unknown as GPUComputePassEncoder;
  const callsOf = (plan: { record(encoder: GPUComputePassEncoder, given: typeof ranges): void }) => {
    calls = [];
    plan.record(pass, ranges);
    return calls;
  };
  const [sorted, scanned, again] = [callsOf(sort), callsOf(scan), callsOf(sort)];
  expect(again.length).toBe(sorted.length);
  expect(again.every((one, at) => one === sorted[at])).toBe(true);
  const [first] = scanned;
  // The caller may have set another one since.
  expect(callsOf(scan)[0]).toBe(first);
  expect(callsOf(scan)[0]).toBe(first);
  expect(first).not.toBe("dispatch");
  expect(sorted).not.toContain(first);
  // Of the passes over the digits, the first one sets the pipeline of all.
  const pipelines = sorted.filter((one) => one !== "dispatch");
  const dispatches = sorted.length - pipelines.length;
  expect(sorted[0]).toBe(pipelines[0]);
  expect(pipelines).toHaveLength(new Set(pipelines).size);
  expect(dispatches).toBe(pipelines.length + (32 / 8 - 1));
  expect(sorted.slice(-4)).toEqual(Array(4).fill("dispatch"));
  fold.destroy();
});

test("a reduction whose result lies on its input reads vectors, and takes two dispatches where one would read what it writes", async () => {
  const fold = await openFold({ device: device() });
  const restore = planAs(fold, { vendor: "nvidia", lookBack: true });
  const reduce = await fold.prepareReduce({
    type: u32,
    maxLength: 10_000,
    workGroupSize: 64,
    itemsPerThread: 4,
  });
  restore();
  const [input, output] = [0, 1].map(() => ({
    buffer: storageBuffer(device(), new Uint32Array(10_000)),
  })) as [{ buffer: GPUBuffer }, { buffer: GPUBuffer }];
  const dispatches = (ranges: Parameters<typeof reduce.record>[1]): number => {
    let count = 0;
    const pass = {
      setPipeline: () => {},
      setBindGroup: () => {},
      dispatchWorkgroups: () => count++,
    } as unknown as GPUComputePassEncoder;
    reduce.record(pass, ranges);
    return count;
  };
  const length = 10_000;
  expect(reduce.groupingOf({ input, output, length }).itemsPerVector).toBe(4);
  expect(dispatches({ input, output, length })).toBe(1);
  expect(reduce.groupingOf({ input, output: input, length }).itemsPerVector).toBe(4);
  expect(dispatches({ input, output: input, length })).toBe(2);
  fold.destroy();
});

test("pipelines start with their modules, and scratch is made before they are there", async () => {
  const calls: string[] = [];
  const noted = new Set<string>([
    "createShaderModule",
    "getCompilationInfo",
    "createComputePipelineAsync",
    "createBuffer",
  ]);
  /** The device, or one of its objects, which notes calls by name. */
  const noting = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value !== "function"
          ? value
          : (...given: unknown[]) => {
              if (noted.has(String(name))) {
                calls.push(String(name));
              }
              return value.apply(target, given);
            };
      },
    });
  const plain = device();
  const later = new Proxy(noting(plain), {
    get(noting, name) {
      return name !== "createComputePipelineAsync"
        ? Reflect.get(noting, name)
        : async (descriptor: GPUComputePipelineDescriptor) => {
            calls.push("createComputePipelineAsync");
            const pipeline = await plain.createComputePipelineAsync(descriptor);
            await new Promise((resolve) => setTimeout(resolve, 50));
            calls.push("a pipeline is there");
            return pipeline;
          };
    },
  });
  const fold = await openFold({ device: later });
  calls.length = 0;
  await fold.scan(new Uint32Array(2 ** 16));
  const first = calls.slice(0, calls.indexOf("a pipeline is there"));
  const [modules, pipelines] = ["createShaderModule", "createComputePipelineAsync"].map((name) =>
    first.flatMap((one, at) => (one === name ? at : [])),
  ) as [number[], number[]];
  expect(modules).toHaveLength(3);
  expect(pipelines).toEqual(modules.map((at) => at + 1));
  expect(first).toContain("createBuffer");
  fold.destroy();
});
