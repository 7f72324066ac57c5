import type { LinkedModule } from "./link.ts";
import { neededBy } from "./link.ts";
import { declared } from "./module.ts";
import type { Source } from "./source.ts";

/** A file of shaders/, or another text, that a kernel has declarations of. */
export interface LinkedFile {
  /** Its path; for a text of the caller's, what the caller gave it as; `generated`, for texts that TypeScript writes. */
  readonly name: string;
  /** The names of its declarations that are in the kernel. */
  readonly declares: readonly string[];
  /** Those of them that take the place of another file's. */
  readonly replaces: readonly { readonly name: string; readonly file: string }[];
}

const GENERATED = "generated";

/** The name of a source. Where our text stands around the caller's, the caller's text counts. */
function nameOf(source: Source): string {
  const texts = "text" in source ? [source] : source;
  const { name = GENERATED } = texts.find(({ callers }) => callers) ?? texts[0] ?? {};
  return name.startsWith(GENERATED) ? GENERATED : name;
}

/** The files that a kernel has declarations of, in the order in which they are linked. All generated texts are one of them. */
export function filesOf({
  sources,
  entryPoint,
}: Pick<LinkedModule, "sources"> & { readonly entryPoint: string }): readonly LinkedFile[] {
  const [, declarations] = neededBy(entryPoint, sources);
  const kept = new Set(declarations);
  const parsed = sources.map((source) => ({ file: nameOf(source), ...declared([source]) }));
  const files = new Map<string, { declares: string[]; replaces: { name: string; file: string }[] }>();
  for (const one of parsed) {
    const declares = one.declarations.filter((declaration) => kept.has(declaration)).map(({ name }) => name);
    const replaces = one.replaces
      .filter((name) => declares.includes(name))
      .map((name) => {
        const other = parsed.find(
          (another) =>
            another !== one && another.declarations.some((declaration) => declaration.name === name),
        );
        return { name, file: other?.file ?? GENERATED };
      });
    if (declares.length > 0) {
      const file = files.get(one.file) ?? { declares: [], replaces: [] };
      files.set(one.file, file);
      file.declares.push(...declares);
      file.replaces.push(...replaces);
    }
  }
  return [...files].map(([name, file]) => ({ name, ...file }));
}
