import type { Finding } from "../../src/simulator/findings.ts";
import { Machine } from "../../src/simulator/machine/machine.ts";
import type { StorageRange } from "../../src/simulator/machine/memory.ts";
import { Memory } from "../../src/simulator/machine/memory.ts";
import { rangeFor } from "../../src/simulator/machine/trace.ts";
import type { SimulatorOptions } from "../../src/simulator/options.ts";
import { Program, readModule } from "../../src/simulator/program.ts";

/** What a run of a shader left in its buffers, and what was found. */
export interface Run {
  /** The words of each binding of group 0. */
  readonly words: readonly Int32Array[];
  readonly findings: readonly Finding[];
  /** How often the entry point was carried out. */
  readonly times: number;
}

/** Runs the only entry point of a module. `buffers` are the words of group 0's bindings, in order. */
export function runProgram(
  code: string,
  buffers: readonly (readonly number[] | Int32Array | number)[],
  groups: readonly [number, number, number] = [1, 1, 1],
  options: SimulatorOptions = {},
  constants: Readonly<Record<string, number>> = {},
): Run {
  const module = readModule(code);
  const [entryPoint] = module.entryPoints;
  if (entryPoint === undefined) {
    throw new Error("the module has no entry point");
  }
  const program = new Program(module, entryPoint.name, constants);
  const machine = new Machine(options);
  machine.context = { file: "test", entryPoint: entryPoint.name, sites: program.sites };
  const memories = buffers.map((buffer, binding) => {
    const words = typeof buffer === "number" ? new Int32Array(buffer) : Int32Array.from(buffer);
    const memory = new Memory(4 * words.length, `binding ${binding}`);
    memory.words.set(words);
    return memory;
  });
  const ranges = new Map<string, StorageRange>();
  for (const { binding, type } of entryPoint.bindings) {
    const memory = memories[binding] as Memory;
    ranges.set(`0,${binding}`, rangeFor(machine, memory, [0, memory.bytes.length], type === "storage"));
  }
  program.run(machine, groups, ranges);
  return { words: memories.map(({ words }) => words), findings: machine.findings, times: machine.dispatch };
}
