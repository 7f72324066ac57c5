import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import type { Section } from "./code_blocks.ts";
import { blocksOf, exampleFiles, IMPORT, namesIn, THROWN } from "./code_blocks.ts";

export interface Guide {
  readonly name: string;
  readonly sections: readonly Section[];
}

/** The types of what is given, by name. */
const givenTypes: Readonly<Record<string, string>> = {
  fold: 'import("wavefold").Fold',
  device: "GPUDevice",
  deviceWithoutFeatures: "GPUDevice",
  encoder: "GPUCommandEncoder",
  input: "GPUBuffer",
  output: "GPUBuffer",
  length: "number",
  kernel: "string",
  stepCode: "string",
  drawCode: "string",
  canvas: "HTMLCanvasElement",
  context: "GPUCanvasContext",
  format: "GPUTextureFormat",
  scan: 'import("wavefold").PreparedScan',
  openFold: 'typeof import("wavefold/node").openFold',
};

/** Names that a text declares at its top, or imports. */
const declaredIn = (text: string): string[] =>
  [...text.matchAll(/^(?:const|let|import) (?:\{ ([^}]*) \}|\[([^\]]*)\]|(\w+))/gm)].flatMap(([, ...names]) =>
    names.filter((one) => one !== undefined).flatMap(namesIn),
  );

/** A section's program as a module that type-checks on its own. */
function moduleOf(section: Section): string {
  const texts = blocksOf(section, "ts").map(({ text }) => text);
  const byModule = new Map<string, Set<string>>();
  for (const [, names = "", from = ""] of texts.flatMap((text) => [...text.matchAll(IMPORT)])) {
    byModule.set(from, new Set([...(byModule.get(from) ?? []), ...namesIn(names)]));
  }
  const imports = [...byModule].map(([from, names]) => {
    const file = from in exampleFiles ? `../../${exampleFiles[from]}` : from;
    return `import { ${[...names].join(", ")} } from "${file}";`;
  });
  const body = texts
    .map((text) => text.replace(IMPORT, ""))
    .map((text) => (THROWN.test(text) ? `{\n${text}}\n` : text));
  const own = new Set(declaredIn([...imports, ...body].join("\n")));
  const given = Object.entries(givenTypes)
    .filter(([name]) => !own.has(name))
    .map(([name, type]) => `declare const ${name}: ${type};`);
  return [...imports, ...given, ...body, "export {};"].join("\n");
}

/** How many programs the guides have, and what the compiler says of their types: nothing if they are right. */
export async function typesOf(guides: readonly Guide[]): Promise<{ programs: number; told: string }> {
  // In the repository, for its packages and its tsconfig.json.
  await mkdir("build", { recursive: true });
  const place = await mkdtemp(resolve("build", "guides-types-"));
  let programs = 0;
  try {
    for (const { name, sections } of guides) {
      for (const [at, section] of sections.entries()) {
        if (blocksOf(section, "ts").length > 0) {
          programs++;
          await writeFile(join(place, `${name}-${at}.ts`), moduleOf(section));
        }
      }
    }
    const compilerOptions = { noUnusedLocals: false };
    await writeFile(
      join(place, "tsconfig.json"),
      JSON.stringify({
        extends: "../../tsconfig.json",
        compilerOptions,
        include: ["*.ts", "../../src/wgsl-files.d.ts"],
      }),
    );
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [resolve("node_modules/typescript/bin/tsc"), "-p", place],
      // The compiler collects garbage less often, and takes a quarter less CPU.
      { env: { ...process.env, GOGC: "400" } },
    ).catch((cause: { stdout: string }) => cause);
    return { programs, told: stdout };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
