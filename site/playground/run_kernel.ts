import { globalsOf } from "../../src/simulator/compile/compiled.ts";
import type { GlobalVariable } from "../../src/simulator/compile/module.ts";
import type { Finding, FindingThread, SimulatorOptions } from "../../src/simulator/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import type { WgslModule } from "../../src/simulator/program.ts";
import { readModule } from "../../src/simulator/program.ts";
import { textOfType } from "../../src/text/wgsl_types.ts";
import type { Cell } from "./cells.ts";
import { cellsOf, openArrayOf, wordCellsOf } from "./cells.ts";
import type { Outcome, ShownEvent, ShownFinding, ShownVariable } from "./recording.ts";
import type { MachineChoices, Setup } from "./setup.ts";
import { bitsOf, numbersOf } from "./values.ts";

/** All events after these are left out. */
export const MOST_EVENTS = 40_000;
/** The most work-groups, and threads of a work-group. */
const MOST_GROUPS = 256;
const MOST_THREADS = 256;
/** Elements of an array without a length that has no numbers. */
const EMPTY_ELEMENTS = 16;

// WebGPU's numbers, which a worker without WebGPU does not have.
const STORAGE = 0x80;
const UNIFORM = 0x40;
const COPY_DST = 0x8;

/** What the page says of a kernel that does not run. */
class KernelFault extends Error {
  readonly line: number;

  constructor(message: string, line = 0) {
    super(message);
    this.line = line;
  }
}

/** Runs a kernel on a simulated GPU, and records what it does. */
export async function runKernel(setup: Setup): Promise<Outcome> {
  let entryPoints: readonly string[] = [];
  try {
    const { machine, code } = setup;
    const events: ShownEvent[] = [];
    const found: (readonly [at: number, finding: Finding])[] = [];
    let total = 0;
    const gpu = simulatedGpu({
      ...optionsOf(machine),
      patience: 10_000,
      onFinding: (finding) => found.push([total, finding]),
      trace: ({ file: _, entryPoint: __, ...event }) => {
        if (total < MOST_EVENTS) {
          events.push(event);
        }
        total++;
      },
    });
    const device = await deviceOf(gpu);
    // What is refused is told by the page, and not by the console.
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ label: "kernel", code });
    const [wrong] = (await module.getCompilationInfo()).messages;
    if (wrong) {
      throw new KernelFault(wrong.message, wrong.lineNum);
    }
    const text = readModule(code);
    entryPoints = text.entryPoints.map(({ name }) => name);
    const entryPoint = chosenEntryPoint(setup, entryPoints);
    const variables = variablesOf(text, entryPoint, setup.values);
    const groups = groupsOf(setup.groups);
    const pipeline = await device.createComputePipelineAsync({
      layout: "auto",
      compute: { module, entryPoint },
    });
    await dispatch(device, pipeline, groups, variables);
    const threads = events[0]?.threads.length ?? 0;
    if (threads > MOST_THREADS) {
      throw new KernelFault(`a work-group has ${threads} threads; the page shows up to ${MOST_THREADS}`);
    }
    return {
      kind: "ran",
      recording: {
        variables: variables.map(({ variable }) => variable),
        events,
        total,
        findings: found.map(([at, finding]) => withMoments(finding, Math.min(at, events.length), events)),
        threads,
        groups,
        entryPoints,
      },
    };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const line = cause instanceof KernelFault ? cause.line : 0;
    return { kind: "fault", fault: { message, line, entryPoints } };
  }
}

/** What is chosen, by the names of the simulator's options. */
const optionsOf = (machine: MachineChoices): SimulatorOptions => ({
  subgroupSize: machine.subgroupSize,
  lanes: machine.lanes,
  schedule: machine.schedule,
  residentGroups: machine.residentGroups,
  atomics: machine.atomics,
  seed: machine.seed,
  olderValues: machine.olderValues,
  unorderedAtomics: machine.unorderedAtomics,
  uninitialized: machine.uninitialized,
});

async function deviceOf(gpu: GPU): Promise<GPUDevice> {
  const adapter = await gpu.requestAdapter();
  const device = await adapter?.requestDevice({
    requiredFeatures: ["subgroups", "shader-f16"] as GPUFeatureName[],
  });
  if (!device) {
    throw new Error("the simulator gives no device");
  }
  return device;
}

function chosenEntryPoint({ entryPoint }: Setup, names: readonly string[]): string {
  const [first] = names;
  if (first === undefined) {
    throw new KernelFault(
      "there is no entry point; it takes a function such as @compute @workgroup_size(8) fn main() { }",
    );
  }
  return names.includes(entryPoint) ? entryPoint : first;
}

/** One to three numbers of work-groups. */
export function groupsOf(text: string): readonly [number, number, number] {
  const counts = text
    .trim()
    .split(/[\s,×x]+/i)
    .map(Number);
  const [x = 1, y = 1, z = 1] = counts;
  const isRight = counts.length <= 3 && counts.every((count) => Number.isInteger(count) && count > 0);
  if (!isRight || x * y * z > MOST_GROUPS) {
    throw new KernelFault(
      `the work-groups are “${text}”; it takes one to three numbers, such as 4 or 2 2 1, of at most ${MOST_GROUPS} work-groups`,
    );
  }
  return [x, y, z];
}

/** A variable, and where it is bound. */
interface PlacedVariable {
  readonly variable: ShownVariable;
  readonly global: GlobalVariable;
}

function variablesOf(
  { module }: WgslModule,
  entryPoint: string,
  values: Setup["values"],
): readonly PlacedVariable[] {
  const used = globalsOf(module, entryPoint);
  const globals = [...module.globals].filter(([name, { space }]) => used.has(name) && space !== "private");
  return globals.map(([name, global]) => {
    const { type, space, isWritten } = global;
    const shared = { name, type: textOfType(type) };
    if (space === "workgroup") {
      const cells = wordCellsOf(module.layout, type);
      return {
        global,
        variable: { ...shared, memory: "work-group", isWritten: true, cells, words: cells.map(() => 0) },
      };
    }
    const numbers = numbersOf(values[name] ?? "", name);
    const open = openArrayOf(module.layout, type);
    const count =
      open && numbers.length === 0
        ? EMPTY_ELEMENTS
        : open
          ? Math.max(1, Math.ceil((numbers.length - open.before) / open.each))
          : 0;
    const cells = cellsOf(module.layout, type, count);
    if (numbers.length > cells.length) {
      throw new KernelFault(`${name} has room for ${cells.length} numbers, and here are ${numbers.length}`);
    }
    const bytes = open
      ? Math.max(module.layout.extentOf(type).size, lastByte(cells))
      : module.layout.extentOf(type).size;
    const words = filledWords(name, cells, numbers, Math.ceil(bytes / 4));
    return { global, variable: { ...shared, memory: "buffer", isWritten, cells, words } };
  });
}

const lastByte = (cells: readonly Cell[]): number =>
  Math.max(0, ...cells.map(({ offset, scalar }) => offset + (scalar === "f16" ? 2 : 4)));

/** The words of a buffer that holds these numbers, and zeros behind them. */
function filledWords(
  name: string,
  cells: readonly Cell[],
  numbers: readonly number[],
  count: number,
): readonly number[] {
  const words = new Array<number>(count).fill(0);
  numbers.forEach((number, at) => {
    const { scalar, offset } = cells[at] as Cell;
    const bits = bitsOf(scalar, number, name);
    const word = offset >> 2;
    words[word] = ((words[word] as number) | (offset % 4 === 2 ? bits << 16 : bits)) >>> 0;
  });
  return words;
}

async function dispatch(
  device: GPUDevice,
  pipeline: GPUComputePipeline,
  groups: readonly [number, number, number],
  variables: readonly PlacedVariable[],
): Promise<void> {
  const bound = variables.filter(({ variable }) => variable.memory === "buffer");
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  for (const group of new Set(bound.map(({ global }) => global.group))) {
    const entries = bound
      .filter(({ global }) => global.group === group)
      .map(({ global, variable }) => ({
        binding: global.binding,
        resource: { buffer: bufferOf(device, variable, global.space === "uniform" ? UNIFORM : STORAGE) },
      }));
    pass.setBindGroup(group, device.createBindGroup({ layout: pipeline.getBindGroupLayout(group), entries }));
  }
  pass.dispatchWorkgroups(...groups);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) {
    throw new KernelFault(error.message);
  }
  const lost = await Promise.race([device.lost, device.queue.onSubmittedWorkDone()]);
  if (lost) {
    throw new KernelFault(lost.message);
  }
}

function bufferOf(device: GPUDevice, { name, words }: ShownVariable, usage: number): GPUBuffer {
  const size = Math.max(4 * words.length, usage === UNIFORM ? 16 : 4);
  const buffer = device.createBuffer({ label: name, size, usage: usage | COPY_DST });
  device.queue.writeBuffer(buffer, 0, Uint32Array.from(words));
  return buffer;
}

/** A finding with the moments of the accesses that it is about, if they are recorded. */
function withMoments(finding: Finding, at: number, events: readonly ShownEvent[]): ShownFinding {
  const [, second] = finding.threads;
  const event = events[at];
  const isPair = finding.kind === "race" || finding.kind === "unordered";
  if (!isPair || event === undefined || second === undefined) {
    return { ...finding, at };
  }
  let other = at - 1;
  while (other >= 0 && !isAccessOf(events[other] as ShownEvent, event, second)) {
    other--;
  }
  return other < 0 ? { ...finding, at } : { ...finding, at, other };
}

/** Whether an earlier event is the thread's access to what a later one uses. */
const isAccessOf = (earlier: ShownEvent, later: ShownEvent, thread: FindingThread): boolean =>
  meets(earlier, later) && isOf(earlier, thread);

const isOf = ({ workGroup, threads }: ShownEvent, thread: FindingThread): boolean =>
  threads[0] === thread.thread && workGroup.join() === thread.workGroup.join();

/** Whether two events use a common word. */
const meets = (a: ShownEvent, b: ShownEvent): boolean =>
  a.memory === b.memory &&
  a.variable === b.variable &&
  a.index < b.index + b.values.length &&
  b.index < a.index + a.values.length;
