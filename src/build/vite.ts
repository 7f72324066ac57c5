/**
 * The plugin for Vite and Rollup.
 *
 * @module wavefold/vite
 */
import { linkFile } from "./kernel_file.ts";

/** What {@link wavefold} takes. */
export interface WavefoldPluginOptions {
  /** The files to link, by their paths without a query; those that end in `.wgsl` where it is left out. */
  readonly filter?: RegExp;
}

/** What of a Vite, Rollup or Rolldown plugin is used here. */
export interface WavefoldPlugin {
  readonly name: string;
  readonly enforce: "pre";
  /** A kernel's file as a module, linked; nothing for other files. */
  load(this: WavefoldPluginContext, id: string): Promise<{ code: string; map: { mappings: "" } } | null>;
}

/** What a bundler hands to a plugin. */
export interface WavefoldPluginContext {
  /** Builds again when the file changes. */
  addWatchFile(path: string): void;
  /** Ends the build with an error at its place. */
  error(error: {
    message: string;
    id: string;
    loc: { file: string; line: number; column: number };
    frame: string;
  }): never;
}

/** The queries by which Vite is asked for the file itself. */
const AS_IT_IS = /[?&](raw|url)\b/;

/**
 * A Vite plugin, and Rollup's: a `.wgsl` file is its text, by default export, with the functions linked that
 * it asks for in its `// wavefold:` lines. What is wrong with such a line is an error of the build, at that
 * line. `kernel.wgsl?raw` and `?url` stay Vite's.
 *
 * @example
 * ```ts
 * export default defineConfig({ plugins: [wavefold()] });
 * // in main.ts:  import code from "./kernel.wgsl";
 * ```
 */
export function wavefold({ filter = /\.wgsl$/ }: WavefoldPluginOptions = {}): WavefoldPlugin {
  return {
    name: "wavefold",
    enforce: "pre",
    async load(id) {
      const [path = "", query] = id.split(/(?=\?)/);
      if (path.startsWith("\0") || path.search(filter) < 0 || (query !== undefined && AS_IT_IS.test(query))) {
        return null;
      }
      this.addWatchFile(path);
      const linked = await linkFile(path);
      if ("code" in linked) {
        return { code: `export default ${JSON.stringify(linked.code)};\n`, map: { mappings: "" } };
      }
      const { text, line, column, lineText } = linked;
      return this.error({ message: text, id, loc: { file: path, line, column }, frame: lineText });
    },
  };
}
