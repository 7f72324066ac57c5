import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The tests' own way of starting Chromium, which is TypeScript. */
export async function loadChromium() {
  const outfile = join(root, "build", "support", "chromium.js");
  await build({
    entryPoints: [join(root, "test", "support", "chromium.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  });
  return await import(pathToFileURL(outfile).href);
}
