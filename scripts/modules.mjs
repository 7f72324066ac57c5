// How the package's modules are loaded into its build.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

/**
 * WGSL without its comments, each line where it was, so that a message's line number is the file's own.
 * The mark of a loop to be written out stays. Indentation is next to nothing once it is compressed, and
 * linked code is read by people.
 */
export const withoutComments = (text) => text.replace(/[ \t]*\/\/(?! unroll$).*$/gm, "").trimEnd();

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
 * An esbuild plugin: where such a module is loaded by `import()`, it is a copy, and so are the like and the
 * WGSL that it imports. A module that an entry exports and `import()` loads as well would be loaded first by all who
 * import the entry: a bundler cannot tell that they do not name it.
 */
export const apart = (filter) => ({
  name: "apart",
  setup({ onLoad, onResolve }) {
    const suffix = "?apart";
    const isApart = ({ kind, pluginData }) => kind === "dynamic-import" || pluginData === suffix;
    onResolve({ filter }, (module) =>
      isApart(module) ? { path: resolve(module.resolveDir, module.path), suffix } : undefined,
    );
    onLoad({ filter }, async ({ path, suffix: given }) =>
      given === suffix
        ? { contents: await readFile(path, "utf8"), loader: "ts", pluginData: suffix }
        : undefined,
    );
    onResolve({ filter: /\.wgsl$/ }, ({ path, pluginData, resolveDir }) =>
      pluginData === suffix ? { path: resolve(resolveDir, path), suffix } : undefined,
    );
  },
});
