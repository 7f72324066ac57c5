// The digests of all kernels and plans, for refactorings that change neither: `npm run digests`. See CONTRIBUTING.md.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { WavefoldError } from "../../../src/errors.ts";
import type { AdapterName } from "./adapters.ts";
import { adapters } from "./adapters.ts";
import { canonicalText } from "./canonical.ts";
import { differences, report } from "./compare.ts";
import type { Made } from "./digest.ts";
import { digestOf, digestOfText, madeOf, madeOfFunctions, plainText } from "./digest.ts";
import { inKernelSets } from "./in_kernel_sets.ts";
import { optionSets } from "./option_sets.ts";

/** An option set on an adapter; or functions for a caller's kernel, on any. */
interface Row {
  readonly title: string;
  make(): Promise<Made>;
}

const { values } = parseArgs({
  options: {
    write: { type: "string", default: "build/digests.txt" },
    against: { type: "string" },
    only: { type: "string", default: "" },
    texts: { type: "string" },
  },
});

/** All of them, or those whose titles start with `--only`. */
const rows: readonly Row[] = [
  ...optionSets.flatMap(({ title, options, plan }) =>
    Object.entries(adapters).map(([name, facts]) => ({
      title: `${title} on ${name satisfies string as AdapterName}`,
      make: async () => madeOf(await plan(options, facts)),
    })),
  ),
  ...inKernelSets.map(({ title, functions }) => ({
    title: `${title} on any`,
    make: async () => madeOfFunctions(functions()),
  })),
].filter(({ title }) => title.startsWith(values.only));

/** @throws {Error} for titles that are there twice: a file has one line for each. */
function requireTitles(): void {
  const titles = new Set<string>();
  for (const { title } of rows) {
    if (titles.has(title)) {
      throw new Error(`there are two option sets with the title "${title}"`);
    }
    titles.add(title);
  }
}

/** What is made, or the error that the options are refused with. */
async function triedFor({ title, make }: Row): Promise<Made | WavefoldError> {
  try {
    return await make();
  } catch (cause) {
    if (cause instanceof WavefoldError) {
      return cause;
    }
    throw new Error(`${title}: ${String(cause)}`, { cause });
  }
}

const kernelDigests = new Set<string>();
let refused = 0;

async function lineOf(row: Row): Promise<string> {
  const made = await triedFor(row);
  if (made instanceof WavefoldError) {
    refused += 1;
    return [row.title, made.name, digestOf(made.message)].join("\t");
  }
  const digests = made.kernels.map(digestOfText).sort();
  for (const digest of digests) {
    kernelDigests.add(digest);
  }
  return [row.title, digestOf(digests.join("\n")), digestOf(plainText(made.data))].join("\t");
}

function fail(problem: string): never {
  console.error(problem);
  process.exit(2);
}

async function printTexts(title: string): Promise<void> {
  const chosen = rows.filter((row) => row.title === title || row.title.startsWith(`${title} on `));
  if (chosen.length === 0) {
    fail(
      `no option set is called "${title}"; --texts takes a title of the file, with its adapter or without`,
    );
  }
  for (const row of chosen) {
    const made = await triedFor(row);
    console.log(`# ${row.title}`);
    if (made instanceof WavefoldError) {
      console.log(`${made.name}: ${made.message}`);
      continue;
    }
    for (const { code, roots } of made.kernels) {
      console.log(`## ${roots.join(", ")}\n${canonicalText(code, roots)}`);
    }
    console.log(JSON.stringify(JSON.parse(plainText(made.data)), undefined, 1));
  }
}

async function write(file: string, against: string | undefined): Promise<void> {
  const earlier = against === undefined ? undefined : await readFile(against, "utf8");
  requireTitles();
  const lines: string[] = [];
  for (const row of rows) {
    lines.push(await lineOf(row));
  }
  const text = `${lines.sort().join("\n")}\n`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  console.log(
    `${rows.length} of ${optionSets.length} option sets on ${Object.keys(adapters).length} adapters and ${inKernelSets.length} of functions (${refused} refused): ${kernelDigests.size} distinct texts. Written to ${file}`,
  );
  if (earlier !== undefined) {
    const found = differences(earlier, text, values.only);
    console.log(report(found));
    process.exitCode = found.length === 0 ? 0 : 1;
  }
}

await (values.texts === undefined ? write(values.write, values.against) : printTexts(values.texts));
