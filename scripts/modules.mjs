// How the sources become the package's files.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

/**
 * WGSL without its comments, each line where it was, so that a message's line number is the file's own.
 * The mark of a loop to be written out stays, and so does the list of what a file replaces. Indentation is next to nothing once it is compressed, and
 * linked code is read by people.
 */
export const withoutComments = (text) =>
  text.replace(/[ \t]*\/\/(?! unroll$| replaces: ).*$/gm, "").trimEnd();

/** A plugin for Rolldown: an imported `.wgsl` file is its text without comments. */
export const bareShaders = {
  name: "bare-shaders",
  load: {
    filter: { id: /\.wgsl$/ },
    async handler(id) {
      const code = `export default ${JSON.stringify(withoutComments(await readFile(id, "utf8")))};`;
      return { code, moduleType: "js", moduleSideEffects: false };
    },
  },
};

/**
 * Names the chunk of a module for Rolldown: what these roots import at once is `core`, but for what others import at once,
 * too, which is `base`. Rolldown arranges the rest.
 */
export function atOnce(roots, others) {
  const reached = (context, from) => {
    const found = new Set(from.map((path) => resolve(path)));
    for (const id of found) {
      for (const imported of context.getModuleInfo(id)?.importedIds ?? []) {
        found.add(imported);
      }
    }
    return found;
  };
  let core;
  let base;
  return (id, context) => {
    core ??= reached(context, roots);
    base ??= reached(context, others);
    return core.has(id) ? (base.has(id) ? "base" : "core") : null;
  };
}
