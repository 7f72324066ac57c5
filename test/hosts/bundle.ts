import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { build } from "esbuild";
import { TestRunner } from "vitest";
import { shaderTexts } from "../../scripts/modules.mjs";
import { seed } from "../support/random.ts";
import type { Share } from "./suite.ts";

/** What test/support takes from Node.js and from vitest, for hosts that have neither. `file` is the file of tests, which has random data of its own. */
const standInsOf = (file: string): Readonly<Record<string, string>> => ({
  "node:process": `export default { env: ${JSON.stringify({ WAVEFOLD_SEED: `${seed}` })} };`,
  "node:buffer": "export const Buffer = { from: (text) => new TextEncoder().encode(text) };",
  "node:fs": "export const existsSync = () => false;",
  vitest: `
    const file = { name: ${JSON.stringify(file)} };
    const fail = (message) => { throw new Error(message); };
    const toBe = (actual, expected, title) => {
      if (!Object.is(actual, expected)) { fail(\`\${title}: \${actual} instead of \${expected}\`); }
    };
    export const expect = Object.assign(
      (actual, title) => ({ toBe: (expected) => toBe(actual, expected, title) }),
      { fail },
    );
    export const TestRunner = { getCurrentTest: () => undefined, getCurrentSuite: () => ({ file }) };
    export const test = fail;
    export const beforeAll = fail;
    export const beforeEach = fail;
    export const afterEach = fail;
    export const afterAll = fail;`,
});

const support = fileURLToPath(new URL("../support/", import.meta.url));

const standInsForSupport = (standIns: ReturnType<typeof standInsOf>): Plugin => ({
  name: "stand-ins-for-support",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:process|node:buffer|node:fs|vitest)$/ }, ({ path, importer }) =>
      importer.startsWith(support) ? { path, namespace: "stand-in", sideEffects: false } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "stand-in" }, ({ path }) => ({ contents: standIns[path] ?? "" }));
  },
});

/** A folder with the suite's program for a kind of host, as `suite.js` and a page; remove it. The program runs a share of the cases. */
export async function bundleSuite(
  kind: "node" | "web",
  share: Share,
): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), `wavefold-${kind}-`));
  await build({
    entryPoints: { suite: fileURLToPath(new URL(`${kind}.ts`, import.meta.url)) },
    outdir: folder,
    outExtension: kind === "node" ? { ".js": ".mjs" } : {},
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: kind === "node" ? "node" : "browser",
    define: { SHARE: JSON.stringify(share) },
    // What only src/node.ts imports, which a web bundle drops: were it kept, no browser would load it.
    external: ["node:*", "webgpu"],
    plugins: [shaderTexts, standInsForSupport(standInsOf(TestRunner.getCurrentSuite()?.file?.name ?? ""))],
    logLevel: "warning",
  });
  if (kind === "node") {
    // For the packages that stay outside of the bundle.
    await symlink(
      fileURLToPath(new URL("../../node_modules", import.meta.url)),
      join(folder, "node_modules"),
      "junction",
    );
  }
  await writeFile(
    join(folder, "index.html"),
    '<!doctype html><meta charset="utf-8"><title>Wavefold</title><script type="module" src="suite.js"></script>',
  );
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
