// How the package's modules are loaded into its build.
import { readFile } from "node:fs/promises";
import { basename, dirname, relative, resolve } from "node:path";
import { build } from "esbuild";

/**
 * WGSL without its comments, each line where it was, so that a message's line number is the file's own.
 * The mark of a loop to be written out stays, and so does the list of what a file replaces. Indentation is next to nothing once it is compressed, and
 * linked code is read by people.
 */
export const withoutComments = (text) =>
  text.replace(/[ \t]*\/\/(?! unroll$| replaces: ).*$/gm, "").trimEnd();

/** An esbuild plugin: an imported `.wgsl` file is its text without comments. */
export const shaders = {
  name: "shaders",
  setup({ onLoad }) {
    onLoad({ filter: /\.wgsl$/ }, async ({ path }) => ({
      contents: withoutComments(await readFile(path, "utf8")),
      loader: "text",
    }));
  },
};

/**
 * An esbuild plugin: of these modules, whose values depend on nothing that is known at run time, the values
 * stand for the code.
 */
export const evaluated = {
  name: "evaluated",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]linked_(gpu|software)\.ts$/ }, async ({ path }) => {
      const { outputFiles } = await build({
        entryPoints: [path],
        bundle: true,
        format: "esm",
        platform: "node",
        write: false,
        plugins: [shaders],
      });
      const values = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
      return {
        contents: Object.entries(values)
          .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
          .join("\n"),
        loader: "js",
      };
    });
  },
};

/** What loads modules by `import()` for those that are taken at once. */
const LATER = "src/later.ts";

/**
 * Small modules without state, of which each of what is loaded later has a copy: what `open` takes at once uses none
 * or little of them.
 */
const COPIED = [
  "src/text/callers.ts",
  "src/kernels/linked_kernels.ts",
  "src/algebra/literals.ts",
  "src/options.ts",
  "src/algebra/arrays.ts",
  "src/algebra/float16.ts",
  "src/gpu/plain_scan.ts",
  "src/text/mark.ts",
  "src/text/pieces.ts",
  "src/text/tokens.ts",
];

/** What any plan takes. */
const PLANS = ["src/gpu/hand_plan.ts", "src/plan/scan.ts"];

/**
 * The modules of src/ that `open` takes at once (`core`), those of them that these entries take too (`base`), those
 * that any plan takes beside (`plans`), and those that are loaded later.
 */
export async function modulesOf(entries, options) {
  const { metafile } = await build({
    ...options,
    entryPoints: ["src/open.ts", ...entries],
    outdir: "nowhere",
    splitting: true,
    metafile: true,
    write: false,
    plugins: [shaders, evaluated],
  });
  const taken = (roots) => {
    const found = new Set(roots);
    for (const path of found) {
      for (const { path: imported, kind } of metafile.inputs[path].imports) {
        if (kind === "import-statement" && imported.endsWith(".ts") && imported !== LATER) {
          found.add(imported);
        }
      }
    }
    return found;
  };
  const others = taken(entries);
  const leading = [...others].filter((path) =>
    metafile.inputs[path].imports.some((one) => one.path === LATER || one.kind === "dynamic-import"),
  );
  if (leading.length > 0) {
    throw new Error(`${leading.join(", ")}: programs without a device would load what is loaded later`);
  }
  const atOnce = taken(["src/open.ts"]);
  return {
    core: [...atOnce].filter((path) => !others.has(path)),
    base: [...atOnce].filter((path) => others.has(path)),
    plans: [...taken(PLANS)].filter((path) => !atOnce.has(path)),
    later: [
      ...new Set(
        Object.values(metafile.inputs)
          .flatMap((input) => input.imports)
          .filter(({ kind }) => kind === "dynamic-import")
          .map(({ path }) => path),
      ),
    ],
  };
}

/** The file that a module is built to which is loaded later. */
export const laterName = (path) => basename(path).replace(/\.ts$/, "");

/** What stands in import statements for the folder of the package's chunks. */
const CHUNKS = "#chunks/";

/**
 * An esbuild plugin: modules are taken from the file of dist/chunks/ that `files` has for their path, and what is
 * loaded later from a file of its own there. What comes out is to be written by {@link withChunks}. With `copies`,
 * some modules, and WGSL that several take, are in each file.
 */
export const fromChunks = (files, later, copies = false) => ({
  name: "from-chunks",
  setup({ onResolve }) {
    onResolve({ filter: /\.(ts|wgsl)$/ }, ({ importer, kind, path: given, resolveDir }) => {
      const whole = resolve(resolveDir, given);
      const path = relative(".", whole);
      if (kind === "dynamic-import" && later.includes(path)) {
        return { path: `${CHUNKS}${laterName(path)}.js`, external: true };
      }
      if (kind !== "import-statement") {
        return undefined;
      }
      if (copies && (path.endsWith(".wgsl") || COPIED.includes(path))) {
        return { path: whole, suffix: `?${basename(importer)}` };
      }
      const name = path === LATER ? "later" : files.get(path);
      return name && { path: `${CHUNKS}${name}.js`, external: true };
    });
  },
});

/** A file that was built, with what it takes from chunks as it is found from there. */
export const withChunks = ({ path, text }) =>
  text.replaceAll(`"${CHUNKS}`, basename(dirname(path)) === "chunks" ? '"./' : '"./chunks/');
