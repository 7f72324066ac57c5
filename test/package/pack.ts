import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseTarGzip } from "nanotar";
import { sharedFolder } from "../support/shared_folder.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const nodeModules = join(repository, "node_modules");

/** What `npm pack` and its build read. */
const SOURCES = [
  "src",
  "shaders",
  "scripts",
  "examples",
  "bench",
  "docs",
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
];

/** The package as `npm pack` makes it, and empty projects to install it into. */
export interface Packed {
  readonly tarball: Uint8Array<ArrayBuffer>;
  /** Its file. Others read it, too. */
  readonly file: string;
  /** Its package.json's `exports`: the names to import, those of types alone apart. */
  readonly exports: Readonly<Record<string, { readonly default?: string; readonly types?: string }>>;
  readonly entries: { readonly code: readonly string[]; readonly types: readonly string[] };
  /**
   * A new project with these files, and with the package in its `node_modules`, beside these packages. Projects with the same packages share that
   * folder: it is only read.
   *
   * @returns its folder.
   */
  project(packages: readonly string[], files: Readonly<Record<string, string>>): Promise<string>;
  remove(): Promise<void>;
}

/** Builds and packs a copy of the repository, so that nobody's `dist/` is touched. */
async function packInto(folder: string): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), "wavefold-repository-"));
  try {
    for (const name of SOURCES) {
      await cp(join(repository, name), join(copy, name), { recursive: true });
    }
    // Windows lets everybody make links of this kind.
    await symlink(nodeModules, join(copy, "node_modules"), "junction");
    // The build is the package's own `prepack`.
    await run(...npm("pack", "--pack-destination", folder), copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** The package's file as `npm pack` makes it, which tests share. */
export async function packedFile(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(repository, "package.json"), "utf8")) as {
    version: string;
  };
  return join(await sharedFolder("packed", SOURCES, packInto), `wavefold-${version}.tgz`);
}

/** The package as `npm pack` makes it, and projects that have it. */
export async function packPackage(): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), "wavefold-package-"));
  const file = await packedFile();
  const { exports } = JSON.parse(await readFile(join(repository, "package.json"), "utf8")) as {
    exports: Record<string, string | { readonly default?: string; readonly types?: string }>;
  };
  const tarball = new Uint8Array(await readFile(file));
  const files = await parseTarGzip(tarball);
  const names = Object.entries(exports).filter(([, target]) => typeof target === "object");
  const named = (hasCode: boolean): string[] =>
    names
      .filter(([, target]) => ((target as { default?: string }).default !== undefined) === hasCode)
      .map(([name]) => `wavefold${name.slice(1)}`);
  /** A folder `node_modules` with the package and these packages. */
  async function modulesOf(packages: readonly string[], at: number): Promise<string> {
    const modules = join(folder, `modules-${at}`, "node_modules");
    // An empty file has no data.
    for (const { name, type, data = new Uint8Array(0) } of files) {
      if (type === "file") {
        await put(join(modules, "wavefold", name.replace(/^package\//, "")), data);
      }
    }
    for (const name of packages) {
      await mkdir(dirname(join(modules, name)), { recursive: true });
      await symlink(join(nodeModules, name), join(modules, name), "junction");
    }
    return modules;
  }
  /** By the names of the packages. The package has more than a thousand files. */
  const unpacked = new Map<string, Promise<string>>();
  let projects = 0;
  return {
    tarball,
    file,
    exports: Object.fromEntries(names) as Packed["exports"],
    entries: { code: named(true), types: named(false) },
    async project(packages, ownFiles) {
      const project = join(folder, `project-${projects++}`);
      const key = packages.join(" ");
      const modules = unpacked.get(key) ?? modulesOf(packages, unpacked.size);
      unpacked.set(key, modules);
      await mkdir(project);
      // Windows lets everybody make links of this kind.
      await symlink(await modules, join(project, "node_modules"), "junction");
      const manifest = {
        name: "empty",
        private: true,
        type: "module",
        dependencies: Object.fromEntries(["wavefold", ...packages].map((name) => [name, "*"])),
      };
      for (const [name, text] of Object.entries({
        "package.json": JSON.stringify(manifest),
        ...ownFiles,
      })) {
        await put(join(project, name), text);
      }
      return project;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** What a program prints; its failure, with what it printed. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 });
    return stdout;
  } catch (cause) {
    const { stdout = "", stderr = "", message } = cause as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message}\n${stdout}\n${stderr}`);
  }
}

/** npm, and its arguments. On Windows it is a batch file, which is started only by a shell: npm names its program instead. */
export function npm(...args: readonly string[]): readonly [command: string, args: readonly string[]] {
  const program = process.env.npm_execpath;
  return program === undefined ? ["npm", args] : [process.execPath, [program, ...args]];
}

/** TypeScript's compiler, of this package, and its arguments. Links to commands are batch files on Windows. */
export const tsc = (
  compiler: string,
  ...args: readonly string[]
): readonly [command: string, args: readonly string[]] => [
  process.execPath,
  [join(nodeModules, compiler, "bin", "tsc"), ...args],
];
