import { refuse } from "../../errors.ts";
import type { LitmusName, LitmusSizes, LitmusTest, Sightings } from "../../kernels/litmus.ts";
import {
  groupsOf,
  litmusBindings,
  litmusKernel,
  litmusTests,
  MOST_STRIDE,
  WORDS_BEFORE,
} from "../../kernels/litmus.ts";
import { requireOptions } from "../../options.ts";
import type { Context } from "../device/context.ts";
import type { Compilable } from "../device/device.ts";
import { allocate, contextOf, explain, pipelineOf, requireDevice, validated } from "../device/device.ts";
import { COPY_DST, COPY_SRC, MAP_READ, STORAGE, UNIFORM } from "../device/usage_flags.ts";
import type { Fold } from "../fold.ts";

/** Options of {@link runLitmusTests}. */
export interface LitmusOptions {
  /** The tests to run. The default is all of them. */
  readonly only?: readonly LitmusName[];
  /** Is called with the name of each test before it runs. */
  readonly onTest?: (name: LitmusName) => void;
}

/** What became of a litmus test: what was seen in all its turns. See {@link runLitmusTests}. */
export interface LitmusResult {
  /** The test. */
  readonly name: LitmusName;
  /**
   * `"failed"` if something was seen that WebGPU forbids and that Wavefold relies on. `"note"` if the test did not run to its end, or
   * if nothing relies on what was seen. `"ok"` otherwise.
   */
  readonly verdict: "ok" | "note" | "failed";
  /** What was seen, in words. */
  readonly detail: string;
  /** How often the test ran. */
  readonly instances: number;
  /** How many outcomes WebGPU forbids. */
  readonly forbidden: number;
  /** How many outcomes WebGPU allows that look as if memory went out of order. */
  readonly weak: number;
  /** Why the test did not run to its end, if it did not. */
  readonly error: string | null;
  /** How long the test took, with the time to compile its kernel. */
  readonly milliseconds: number;
}

/** For tests of the tests: a fault planted in a kernel, another limit. */
export interface PlantedInLitmus extends LitmusOptions {
  readonly alter?: (kernel: Compilable) => Compilable;
  readonly milliseconds?: number;
}

const TITLE = "litmus tests";
const optionNames = { only: true, onTest: true } as const satisfies Record<keyof LitmusOptions, true>;
/** No test begins once they took this long together, and the one that runs is given up. */
const LIMIT_MS = 20_000;
/** Software runs each turn for milliseconds, and a GPU for microseconds. */
const TURNS = { software: 16, gpu: 20 } as const;

const sizesOf = ({ facts }: Context): LitmusSizes =>
  facts.software
    ? { workGroupSize: 32, testers: 64 }
    : { workGroupSize: Math.min(256, facts.limits.maxComputeInvocationsPerWorkgroup), testers: 256 };

/** The words of struct Turn in run_litmus.wgsl. */
function turnWords(number: number, { isAlone }: LitmusTest, software: boolean): Uint32Array {
  const shift = Math.imul(number, 2654435761) >>> 12;
  const stride = MOST_STRIDE >> (number % 4);
  const stress = (software ? 16 : 512) >> (number % 3);
  return Uint32Array.of(number, shift, stride, isAlone ? 0 : stress, isAlone ? 0 : 1024, 0);
}

/** What was seen, and what it means. */
export function resultOf(
  { name, usual, weak: whatWeak, forbidden: whatForbidden, reliedOnBy, cure }: LitmusTest,
  { instances, forbidden, weak }: Sightings,
  error: string | null,
  milliseconds: number,
): LitmusResult {
  const times = instances.toLocaleString("en");
  const seen = (count: number, what = ""): string =>
    `${count.toLocaleString("en")} of ${times} times, ${what}`;
  const told = (verdict: LitmusResult["verdict"], detail: string): LitmusResult => {
    return { name, verdict, detail, instances, forbidden, weak, error, milliseconds };
  };
  if (error !== null) {
    return told("note", `it did not run to its end: ${error}`);
  }
  if (forbidden > 0) {
    const relies =
      reliedOnBy === undefined ? "Nothing in Wavefold relies" : `In Wavefold, ${reliedOnBy} rely`;
    return told(
      reliedOnBy === undefined ? "note" : "failed",
      `${seen(forbidden, whatForbidden)}. WebGPU forbids it. ${relies} on that`,
    );
  }
  return told(
    "ok",
    weak > 0 ? `${seen(weak, whatWeak)}. WebGPU allows it, and ${cure}` : `${times} times, ${usual}`,
  );
}

/** @throws {ArgumentError} for options that have no meaning. */
export function runOnFold({ device }: Fold, options: LitmusOptions): Promise<readonly LitmusResult[]> {
  const title = "runLitmusTests";
  requireOptions(title, options, optionNames);
  const { only, onTest } = options;
  const names = litmusTests.map(({ name }) => name);
  const takes = `a list of ${names.map((name) => `"${name}"`).join(", ")}`;
  if (only !== undefined && !Array.isArray(only)) {
    refuse(title, "only", String(only), takes);
  }
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    refuse(title, "only", `"${String(unknown)}"`, takes);
  }
  if (onTest !== undefined && typeof onTest !== "function") {
    refuse(title, "onTest", String(onTest), "a function of the name of a test");
  }
  return runOnDevice(device, options);
}

/** Runs litmus tests on a device. If the device is lost, the tests that are left do not run. */
export async function runOnDevice(
  device: GPUDevice,
  {
    alter = (kernel) => kernel,
    milliseconds: limit = LIMIT_MS,
    only,
    onTest = () => {},
  }: PlantedInLitmus = {},
): Promise<readonly LitmusResult[]> {
  const context = contextOf(device);
  const sizes = sizesOf(context);
  const tests = litmusTests.filter(({ name }) => only === undefined || only.includes(name));
  const end = performance.now() + limit;
  const results: LitmusResult[] = [];
  for (const test of tests) {
    onTest(test.name);
    const start = performance.now();
    let sightings: Sightings = { instances: 0, forbidden: 0, weak: 0 };
    let error: string | null = null;
    try {
      requireDevice(context, TITLE);
      if (start >= end) {
        throw new Error(`there was no time left of ${limit / 1000} s`);
      }
      sightings = await run(context, test, sizes, alter, end);
    } catch (cause) {
      const why = await explain(context, TITLE, cause);
      // A shader that does not compile has its whole text in its message.
      [error = ""] = (why instanceof Error ? why.message : String(why)).split("\n");
    }
    results.push(resultOf(test, sightings, error, Math.round(performance.now() - start)));
  }
  return results;
}

/** Runs all turns of a test in one pass, and counts their outcomes. */
async function run(
  context: Context,
  test: LitmusTest,
  sizes: LitmusSizes,
  alter: (kernel: Compilable) => Compilable,
  end: number,
): Promise<Sightings> {
  const { device, facts } = context;
  const { started, running } = groupsOf(test, sizes);
  const instances = running * sizes.workGroupSize;
  const kernel = alter(litmusKernel(test, sizes));
  const { pipeline, layout } = await pipelineOf(context, kernel);
  const turns = facts.software ? TURNS.software : TURNS.gpu;
  const label = `wavefold ${TITLE}`;
  const owned: GPUBuffer[] = [];
  const buffer = async (size: number, usage: number): Promise<GPUBuffer> => {
    const one = await allocate(context, { label, size, usage }, TITLE);
    owned.push(one);
    return one;
  };
  try {
    const places = await buffer(4 * (WORDS_BEFORE + 2 * MOST_STRIDE * instances), STORAGE);
    const plainPlaces = await buffer(8 * instances, STORAGE);
    const bytes = 8 * instances;
    const results = await buffer(turns * bytes, STORAGE | COPY_SRC);
    const staging = await buffer(turns * bytes, MAP_READ | COPY_DST);
    const spacing = device.limits.minUniformBufferOffsetAlignment;
    const uniforms = await buffer(turns * spacing, UNIFORM | COPY_DST);
    // Commands that the device refuses leave zeros, which would be counted as what memory did.
    await validated(context, TITLE, () => {
      const encoder = device.createCommandEncoder({ label });
      const pass = encoder.beginComputePass({ label });
      pass.setPipeline(pipeline);
      for (let turn = 0; turn < turns; turn++) {
        const words = turnWords(turn + 1, test, facts.software);
        device.queue.writeBuffer(uniforms, turn * spacing, words as Uint32Array<ArrayBuffer>);
        const resources: Record<number, GPUBufferBinding> = {
          [litmusBindings.turn]: { buffer: uniforms, offset: turn * spacing, size: words.byteLength },
          [litmusBindings.places]: { buffer: places },
          [litmusBindings.results]: { buffer: results, offset: turn * bytes, size: bytes },
          [litmusBindings.plainPlaces]: { buffer: plainPlaces },
        };
        const entries = [...kernel.bindings.keys()].map((binding) => ({
          binding,
          resource: resources[binding] as GPUBufferBinding,
        }));
        pass.setBindGroup(0, device.createBindGroup({ label, layout, entries }));
        pass.dispatchWorkgroups(started);
      }
      pass.end();
      encoder.copyBufferToBuffer(results, 0, staging, 0, turns * bytes);
      device.queue.submit([encoder.finish()]);
    });
    await inTime(staging.mapAsync(MAP_READ), end);
    const found = new Uint32Array(staging.getMappedRange());
    const sum = { instances: 0, forbidden: 0, weak: 0 };
    for (let turn = 0; turn < turns; turn++) {
      const own = found.subarray(2 * turn * instances, 2 * (turn + 1) * instances);
      const counts = test.count(own, { ...sizes, testers: running });
      sum.instances += counts.instances;
      sum.forbidden += counts.forbidden;
      sum.weak += counts.weak;
    }
    return sum;
  } finally {
    for (const one of owned) {
      one.destroy();
    }
  }
}

/** Rejects if it is not done by `end`. */
async function inTime(work: Promise<unknown>, end: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it was not done in time")), end - performance.now());
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // When time is up, the buffers are destroyed, and then this rejects, too.
    work.catch(() => {});
  }
}
