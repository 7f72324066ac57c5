// Finishes dist/types, the package's declarations, so that each TypeScript from 5.4 on takes them, with any `lib`.
// - WebGPU's types are in lib.dom from TypeScript 6 on, or come from @webgpu/types. Where a program has neither, they are `any`.
// - `Symbol.dispose` is in esnext.disposable, which a file with it asks for.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { slashed } from "./modules.mjs";

/** WebGPU's flags, which `wavefold/node` has itself. */
const flags = /^GPU(BufferUsage|MapMode|ShaderStage|TextureUsage|ColorWrite)$/;

/** What each of WebGPU's types is, if the program knows `GPUDevice`. Others are classes, and known by their own names. */
const dictionaries = {
  GPUBufferDescriptor: "{ GPUDevice: { prototype: { createBuffer(descriptor: infer T): unknown } } }",
};

/** The declarations of the types of WebGPU that `names` lists. */
export const webgpuTypes = (
  names,
) => `// The types of WebGPU that Wavefold's declarations name. A program has them by TypeScript 6 and its library "DOM", or by
// @webgpu/types. In a program that has neither, they are \`any\`.
${names
  .map((name) => {
    const pattern = dictionaries[name] ?? `{ ${name}: { prototype: infer T } }`;
    return `export type ${name} = typeof globalThis extends ${pattern} ? T : any;`;
  })
  .join("\n")}
`;

/** A file of declarations with what it needs, and the types of WebGPU that it names. `home` is the way to dist/types. */
export function finished(text, home) {
  // What comments name is not needed.
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  const names = [...new Set(code.match(/\bGPU(?:[A-Z]\w*)?\b/g))].filter((name) => !flags.test(name)).sort();
  const lib = code.includes("Symbol.dispose") ? '/// <reference lib="esnext.disposable" />\n' : "";
  const types = names.length > 0 ? `import type { ${names.join(", ")} } from "${home}webgpu.js";\n` : "";
  return { text: `${lib}${text.trimEnd()}\n${types}`, names };
}

export async function finishTypes(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".d.ts"));
  const all = new Set();
  for (const path of files) {
    const depth = slashed(relative(folder, join(folder, path))).split("/").length - 1;
    const file = join(folder, path);
    const { text, names } = finished(await readFile(file, "utf8"), depth === 0 ? "./" : "../".repeat(depth));
    await writeFile(file, text);
    for (const name of names) {
      all.add(name);
    }
  }
  await writeFile(join(folder, "webgpu.d.ts"), webgpuTypes([...all].sort()));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await finishTypes("dist/types");
}
