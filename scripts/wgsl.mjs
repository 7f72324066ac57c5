// What the package ships of its shaders: their WGSL, without what only their readers need.
import { readFile } from "node:fs/promises";

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
