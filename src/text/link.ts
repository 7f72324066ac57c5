import type { Constants } from "./module.ts";
import { assemble, declared, keptIn, numberOf, resolved, unrollDeclaration } from "./module.ts";
import type { Declaration, Source, SourceText } from "./source.ts";

/** A kernel as text. */
export interface Module {
  readonly code: string;
  /** The same kernel, linked from changed sources. `change` may give each source another text. */
  relink(change: (source: SourceText) => SourceText): string;
}

/** A kernel with the sources that it is linked from. `filesOf` in src/text/linked_files.ts tells what each of them declares in it. */
export interface LinkedModule extends Module {
  readonly sources: readonly Source[];
}

/**
 * Finds what a module needs: all that its roots reach, in the order in which it is met. The roots are the names that the
 * module must have, and its own directives. A declaration refers to the names in it, and may refer to directives. Our kernels and
 * callers' kernels both find what they need by this.
 */
export function reach(
  roots: Iterable<string>,
  referencesOf: (name: string) => Iterable<string> | undefined,
): ReadonlySet<string> {
  const reached = new Set(roots);
  // The loop also goes through the names that are added to the set meanwhile.
  for (const name of reached) {
    for (const other of referencesOf(name) ?? []) {
      reached.add(other);
    }
  }
  return reached;
}

/** The directives among what is reached, such as `enable subgroups;`. */
export const directivesAmong = (reached: ReadonlySet<string>): readonly string[] =>
  [...reached].filter((one) => one.endsWith(";")).sort();

const F16 = "enable f16;";

/** The names of WGSL that have to do with f16. A number such as 0.5h is among a text's words as the type. */
const HALVES: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "f16",
  ...["2", "3", "4"].flatMap((rows) => [
    `vec${rows}h`,
    ...["2", "3", "4"].map((columns) => `mat${columns}x${rows}h`),
  ]),
]);

/** The sources, where a text of ours that several parts of a kernel need comes once: where the last of them has it. */
function withoutRepeats(
  sources: readonly Source[],
  numbers: readonly (number | undefined)[],
): readonly Source[] {
  return sources.filter((_, at) => numbers[at] === undefined || numbers.lastIndexOf(numbers[at]) === at);
}

/** What the sources have that an entry point needs: directives, and declarations in the order of the sources. */
export function neededBy(
  entryPoint: string,
  sources: readonly Source[],
): readonly [directives: readonly string[], declarations: readonly Declaration[]] {
  const { directives, declarations } = resolved(sources);
  const references = new Map<string, Iterable<string>>(declarations.map((one) => [one.name, one.references]));
  const roots = [entryPoint, ...directives.filter((one) => one !== F16)];
  const reached = reach(roots, (name) => (HALVES.has(name) ? [F16] : references.get(name)));
  return [directivesAmong(reached), declarations.filter(({ name }) => reached.has(name))];
}

/** What was linked lately. */
const kernels = new Map<string, LinkedModule>();

/**
 * Links sources to one kernel. It has the declarations that the entry point needs, in the order of the sources, and all
 * directives. f16 is enabled if a declaration uses it, and only then. The caller's text is renamed where it has names of
 * ours. With `constants`, loops are written out. What has no caller's text, and was linked lately, is not linked again.
 */
export function linkSources(
  sources: readonly Source[],
  entryPoint: string,
  constants?: Constants,
): LinkedModule {
  const numbers = sources.map(numberOf);
  const link = (): LinkedModule => linked(withoutRepeats(sources, numbers), entryPoint, constants);
  return numbers.includes(undefined)
    ? link()
    : keptIn(kernels, JSON.stringify([entryPoint, numbers, constants]), link);
}

function linked(sources: readonly Source[], entryPoint: string, constants?: Constants): LinkedModule {
  const each = (from: readonly Source[], change: (source: SourceText) => SourceText): readonly Source[] =>
    from.map((source) => ("text" in source ? change(source) : source.map(change)));
  const codeOf = (from: readonly Source[]): string => {
    const [directives, needed] = neededBy(entryPoint, from);
    return assemble(directives, constants ? needed.map((one) => unrollDeclaration(one, constants)) : needed);
  };
  const ours = sources.filter((one) => !("text" in one && one.callers));
  let taken: ReadonlySet<string> | undefined;
  const avoiding = each(sources, (source) => {
    taken ??= source.avoiding && new Set(declared(ours).declarations.map(({ name }) => name));
    return (taken && source.avoiding?.(taken)) ?? source;
  });
  return { code: codeOf(avoiding), sources: avoiding, relink: (change) => codeOf(each(avoiding, change)) };
}
