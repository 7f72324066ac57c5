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
 * An esbuild plugin: these modules of src/ are copies where `import()` loads them, or another copy imports them,
 * and so is the WGSL that copies import. What an entry exports or uses and `import()` loads as well would be
 * loaded first by all who import the entry: a bundler does not tell apart what they name.
 */
export const apart = (names) => ({
  name: "apart",
  setup({ onLoad, onResolve }) {
    const suffix = "?apart";
    const isNamed = new RegExp(`/src/(${names.join("|")})\\.ts$`);
    onResolve({ filter: /\.(ts|wgsl)$/ }, ({ kind, path, pluginData, resolveDir }) => {
      const whole = resolve(resolveDir, path);
      const isCopy =
        pluginData === suffix
          ? isNamed.test(whole) || whole.endsWith(".wgsl")
          : kind === "dynamic-import" && isNamed.test(whole);
      return isCopy ? { path: whole, suffix } : undefined;
    });
    onLoad({ filter: isNamed }, async ({ path, suffix: given }) =>
      given === suffix
        ? { contents: await readFile(path, "utf8"), loader: "ts", pluginData: suffix }
        : undefined,
    );
  },
});
