import type { ModuleText } from "./device/compiler.ts";
import { Program, readModule } from "./program.ts";

/** How many texts are kept, of all simulated GPUs together. */
const MOST_TEXTS = 256;

/** What was read, by its text: what has not been used for the longest time is first. */
const kept = new Map<string, ModuleText>();

/** Reads WGSL. A text that was read lately is not read again, and its programs are those that there are. @throws {TextFault} */
export function moduleText(code: string): ModuleText {
  const text = kept.get(code) ?? read(code);
  kept.delete(code);
  kept.set(code, text);
  const [oldest] = kept.keys();
  if (kept.size > MOST_TEXTS && oldest !== undefined) {
    kept.delete(oldest);
  }
  return text;
}

function read(code: string): ModuleText {
  const module = readModule(code);
  const { entryPoints, enables, requires } = module;
  const programs = new Map<string, Program>();
  const program: ModuleText["program"] = (entryPoint, constants) => {
    const key = JSON.stringify([entryPoint, Object.entries(constants).sort()]);
    const made = programs.get(key) ?? new Program(module, entryPoint, constants);
    programs.set(key, made);
    return made;
  };
  // What is wrong inside functions is found when they are written. Only a text with `override` waits for its pipelines.
  if (![...module.module.constants.values()].some(({ keyword }) => keyword === "override")) {
    for (const { name } of entryPoints) {
      program(name, {});
    }
  }
  return { entryPoints, enables, requires, program };
}
