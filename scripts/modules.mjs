// How the sources become the package's files.
import { readFile } from "node:fs/promises";
import nodePath from "node:path";
import { fileURLToPath } from "node:url";

/** A path with slashes, on Windows too. */
export const slashed = (path) => path.replaceAll("\\", "/");

/** Text with LF for each line break, as Windows' editors and checkouts may not have it. */
export const withLf = (text) => text.replaceAll("\r\n", "\n");

/** The folder of the package of `node_modules` that a file is in, with slashes; undefined for a file of ours. */
export const packageFolderOf = (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(slashed(path))?.[0];

/**
 * WGSL without its comments, each line where it was, so that a message's line number is the file's own.
 * The mark of a loop to be written out stays, and so does the list of what a file replaces. Indentation is next to nothing once it is compressed, and
 * linked code is read by people.
 */
export const withoutComments = (text) =>
  withLf(text)
    .replace(/[ \t]*\/\/(?! unroll$| replaces: ).*$/gm, "")
    .trimEnd();

/** The folder of the checkout. */
const root = fileURLToPath(new URL("..", import.meta.url));

/** A file's path in the checkout if it lies in `shaders/`, with slashes; undefined for a `.wgsl` file of a program. */
function shaderPathOf(path) {
  const name = slashed(nodePath.relative(root, path));
  return name.startsWith("shaders/") ? name : undefined;
}

/**
 * The module of a `.wgsl` file. A file of `shaders/` is its name and its text, as `{ name, text }`. Any other file is its text alone, as the
 * plugins for callers have it.
 *
 * @param change - how the text of a file of `shaders/` is changed.
 */
export function wgslModule(path, text, change = withLf) {
  const name = shaderPathOf(path);
  return `export default ${JSON.stringify(name === undefined ? withLf(text) : { name, text: change(text) })};`;
}

/** The module of a `.wgsl` file that is read: see {@link wgslModule}. */
export const loadWgsl = async (path, change = withLf) =>
  wgslModule(path, await readFile(path, "utf8"), change);

/** A plugin for esbuild that loads `.wgsl` files. */
export const shaderTexts = {
  name: "shader-texts",
  setup({ onLoad }) {
    onLoad({ filter: /\.wgsl$/ }, async ({ path }) => ({ contents: await loadWgsl(path), loader: "js" }));
  },
};

/** What esbuild's builds of programs from the sources have in common. */
export const bundled = {
  bundle: true,
  format: "esm",
  target: "es2022",
  plugins: [shaderTexts],
  logLevel: "warning",
};

const shadersFor = (name, change) => ({
  name,
  load: {
    filter: { id: /\.wgsl$/ },
    async handler(id) {
      return { code: await loadWgsl(id, change), moduleType: "js", moduleSideEffects: false };
    },
  },
});

/** A plugin for Rolldown that loads `.wgsl` files. */
export const shaders = shadersFor("shaders");

/** A plugin for Rolldown that loads `.wgsl` files, those of `shaders/` without comments. */
export const bareShaders = shadersFor("bare-shaders", withoutComments);

/**
 * The modules that these import at once, and these themselves, by their names with slashes.
 *
 * @param path - how paths are resolved.
 */
function reached(context, from, path) {
  // On Windows, the names of modules may have either slash.
  const ids = from.map((one) => {
    const native = path.resolve(one);
    const id = [native, slashed(native)].find((name) => context.getModuleInfo(name));
    if (id === undefined) {
      throw new Error(`there is no module ${native}`);
    }
    return id;
  });
  const found = new Set(ids);
  for (const id of found) {
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) {
      found.add(imported);
    }
  }
  return new Set([...found].map(slashed));
}

/**
 * Names the chunk of a module for Rolldown: the first one of these whose roots import the module at once. So what programs load together is one file,
 * and a file imports only those before it. Rolldown arranges the rest, and what `import()` names: each of these is a file, which holds what no
 * other one imports, but for those that are `joined`.
 *
 * @param chunks - the roots of each chunk, by its name, in this order.
 * @param options - `others` are the roots of programs that load nothing later. Of the chunks that `bases` names, by the names of the chunks that they are
 * taken from, what these import, too, is a chunk of its own: in one with `import()`, bundlers would keep all that this names. `joined` are roots
 * that `import()` names, and lie in their chunks all the same, so that these are one file less to load. Rolldown then adds an object of what such a
 * root exports, so this is for what many programs load.
 * @param path - how paths are resolved.
 */
export function inOrder(chunks, { others = [], bases = {}, joined = [] } = {}, path = nodePath) {
  let loaded;
  let shared;
  return (id, context) => {
    loaded ??= Object.entries(chunks).map(([name, from]) => [name, reached(context, from, path)]);
    shared ??= reached(context, others, path);
    const name = slashed(id);
    const isApart =
      context.getModuleInfo(id).dynamicImporters.length > 0 &&
      !joined.some((one) => name === slashed(path.resolve(one)));
    const [chunk] = isApart ? [] : (loaded.find(([, modules]) => modules.has(name)) ?? []);
    return (shared.has(name) ? bases[chunk] : undefined) ?? chunk ?? null;
  };
}

/**
 * Names the chunk of a module for Rolldown by the starts that import it at once: what `scan` and `sort` import is `scan_sort`. So a start loads
 * few files, and no module that it does not import. What the first start imports is one chunk, since all others import it, too. Rolldown arranges
 * what no start imports.
 *
 * @param entry - the program's first module, which imports the first start. It waits for what that loads later, and so it is in no chunk that
 * these import.
 * @param starts - the roots of each start, by its name.
 */
export function byStarts(entry, starts, path = nodePath) {
  const isEntry = (name) => name === slashed(path.resolve(entry));
  let loaded;
  return (id, context) => {
    loaded ??= Object.entries(starts).map(([name, from]) => [name, reached(context, from, path)]);
    const name = slashed(id);
    const [first, ...others] = loaded.filter(([, modules]) => modules.has(name)).map(([start]) => start);
    if (first === undefined || isEntry(name)) {
      return null;
    }
    return first === loaded[0][0] ? first : [first, ...others].join("_");
  };
}
