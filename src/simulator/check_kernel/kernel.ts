import { ArgumentError, refuse, SourceError, shown } from "../../errors.ts";
import { LINE_BREAK } from "../../text/pieces.ts";
import { TextFault } from "../../text/syntax.ts";
import { globalsOf } from "../compile/compiled.ts";
import type { Module } from "../compile/module.ts";
import { builtinsOf, usesSubgroups } from "../compile/subgroup_calls.ts";
import type { Watch } from "../compile/watching.ts";
import { Program, readModule } from "../program.ts";
import { declaredBindings } from "./bindings.ts";
import type { Buffers } from "./buffers.ts";
import { buffersOf } from "./buffers.ts";
import type { Chosen } from "./options.ts";
import { CALLER } from "./options.ts";
import type { Overridden, Override } from "./text.ts";
import { choicesOf, entryPointsOf, linesOf, overridden, withoutGraphics } from "./text.ts";

/** A kernel that is ready to run. */
export interface Kernel {
  readonly entryPoint: string;
  /** That of the entry point's name. */
  readonly place: { readonly line: number; readonly column: number };
  /** Whether a place is in a value that a `select` chooses from. */
  isChoice(line: number, column: number): boolean;
  readonly program: Program;
  readonly buffers: Buffers;
  /** Whether its work-groups can do different things. */
  readonly tellsGroupsApart: boolean;
  readonly overrides: readonly Override[];
  readonly usesSubgroups: boolean;
}

/** Says which declarations were linked to the caller's text: those behind its last line. */
function watchOf(module: Module, { source }: Chosen): Watch {
  const lines = source === undefined ? Infinity : linesOf(source);
  const linked = new Set(
    module.declarations.flatMap((one) =>
      "name" in one && module.placeIn(one.name.name, one.name.from).line > lines ? one.name.name : [],
    ),
  );
  return { isLinked: (name) => linked.has(name) };
}

/** Reads a kernel, and makes it ready. @throws {SourceError} @throws {ArgumentError} */
export function kernelOf(code: string, chosen: Chosen): Kernel {
  const { file } = chosen;
  const entryPoint = entryPointOf(code, chosen);
  const text = withoutGraphics(code, entryPoint);
  const { text: settled, ...found } = compiling(text, file, () => overridden(text, chosen.overrides));
  requireOverrides(file, found);
  return compiling(settled, file, () => {
    const read = readModule(settled);
    const { module } = read;
    const globals = globalsOf(module, entryPoint);
    const at = module.functions.get(entryPoint)?.name.from ?? 0;
    return {
      entryPoint,
      place: module.placeIn(entryPoint, at),
      isChoice: choicesOf(settled),
      program: new Program(read, entryPoint, {}, watchOf(module, chosen)),
      buffers: buffersOf(declaredBindings(globals, module.layout), chosen),
      tellsGroupsApart: tellsGroupsApart(module, entryPoint),
      overrides: found.overrides,
      usesSubgroups: usesSubgroups(module, entryPoint),
    };
  });
}

function entryPointOf(code: string, { entryPoint, file }: Chosen): string {
  const known = entryPointsOf(code);
  const [first] = known;
  if (first === undefined) {
    throw new SourceError(`${file} has no @compute shader`, code, 1, 0);
  }
  if (entryPoint === undefined ? known.length > 1 : !known.includes(entryPoint)) {
    const given = entryPoint === undefined ? "left out" : shown(entryPoint);
    refuse(CALLER, "entryPoint", given, `one of those that ${file} has: ${known.join(", ")}`);
  }
  return entryPoint ?? first;
}

/** Does what may find a fault of the text, and says where it is. */
function compiling<Made>(code: string, file: string, make: () => Made): Made {
  try {
    return make();
  } catch (cause) {
    if (!(cause instanceof TextFault)) {
      throw cause;
    }
    const before = code.slice(0, cause.at).split(LINE_BREAK);
    const line = before.length;
    const column = (before.at(-1)?.length ?? 0) + 1;
    throw new SourceError(`${file}:${line}:${column}: ${cause.message}`, code, line, column);
  }
}

function requireOverrides(file: string, { overrides, missing, unknown }: Omit<Overridden, "text">): void {
  const names = [...overrides.map(({ name }) => name), ...missing];
  const [first] = unknown;
  if (first !== undefined) {
    const takes = `the overrides of ${file}: ${names.join(", ") || "it has none"}`;
    refuse(CALLER, "overrides", shown(first), takes);
  }
  if (missing.length > 0) {
    const message = `${CALLER}: overrides has no ${missing.join(", ")}, to which ${file} gives no value`;
    throw new ArgumentError(message, "overrides");
  }
}

/** Whether an entry point knows of its work-group, or can find out by atomics of storage. */
function tellsGroupsApart(module: Module, entryPoint: string): boolean {
  const names = builtinsOf(module, entryPoint);
  return (
    names.includes("global_invocation_id") ||
    names.includes("workgroup_id") ||
    module
      .inCallOrder(entryPoint)
      .flatMap((declaration) => module.usesOf(declaration).calls)
      .some((call) => module.storageAtomics.has(call) && !/^atomic(?:Load|Store)$/.test(call.callee.name))
  );
}
