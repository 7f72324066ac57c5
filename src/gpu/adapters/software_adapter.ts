import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { constants, homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { parseTar } from "nanotar";
import { AdapterError, MissingPackageError } from "../../errors.ts";
import { holdEnvironment } from "./environment_variables.ts";

const PACKAGE = "@sparticuz/chromium";
const ICD = "vk_swiftshader_icd.json";
const LOADER = "libvulkan.so.1";
/** A half-unpacked folder is left over if it is older than this: unpacking takes a second. */
const STALE_MS = 10 * 60 * 1000;
/** glibc's RTLD_NODELETE, which Node.js does not name. */
const RTLD_NODELETE = 0x1000;

/** Whether the npm package has SwiftShader for this system. Elsewhere, an adapter of the system's own may take its place. */
export const hasSwiftShader = (): boolean => process.platform === "linux" && process.arch === "x64";

/**
 * SwiftShader, a Vulkan driver that computes on the CPU, from the npm package `@sparticuz/chromium`:
 * unpacked once into the cache folder.
 *
 * @returns the folder that holds the driver and the Vulkan loader.
 * @throws {MissingPackageError} when the package is not installed.
 * @throws {AdapterError} where there is no build of it.
 */
export async function softwareFolder(): Promise<string> {
  if (!hasSwiftShader()) {
    throw new AdapterError(
      `openFold: the software adapter is built for Linux x64, and this is ${process.platform} ${process.arch}`,
    );
  }
  const { archive, version } = await findArchive();
  const folder = join(cacheFolder(), `swiftshader-${version}`);
  if (await exists(join(folder, ICD))) {
    return folder;
  }
  const parents = [cacheFolder(), join(tmpdir(), "wavefold")];
  const failures: string[] = [];
  for (const parent of parents) {
    try {
      return await unpack(archive, parent, `swiftshader-${version}`);
    } catch (cause) {
      failures.push(`${parent}: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
  throw new AdapterError(`openFold: the software adapter could not be unpacked: ${failures.join("; ")}`);
}

function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "wavefold");
}

async function findArchive(): Promise<{ archive: string; version: string }> {
  for (const base of [import.meta.url, pathToFileURL(join(process.cwd(), "package.json")).href]) {
    try {
      // The package exports only its entry. Its data lies two folders up from there.
      let folder = dirname(createRequire(base).resolve(PACKAGE));
      while (!(await exists(join(folder, "bin", "swiftshader.tar.br"))) && folder !== dirname(folder)) {
        folder = dirname(folder);
      }
      const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
        version: string;
      };
      return { archive: join(folder, "bin", "swiftshader.tar.br"), version };
    } catch {
      // The package is not beside this module. It may be beside the program.
    }
  }
  throw new MissingPackageError(
    `openFold: the software adapter needs the package ${PACKAGE}: npm install ${PACKAGE}`,
    PACKAGE,
  );
}

/** Unpacks into a folder of its own first, so that no other process finds a half-written one. */
async function unpack(archive: string, parent: string, name: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  await removeStale(parent, name);
  const target = join(parent, name);
  const fresh = await mkdtemp(join(parent, `${name}-`));
  try {
    for (const file of parseTar(await promisify(brotliDecompress)(await readFile(archive)))) {
      const base = file.name.split("/").at(-1) ?? "";
      if (file.data !== undefined && [ICD, LOADER, "libvk_swiftshader.so"].includes(base)) {
        await writeFile(join(fresh, base), file.data, { mode: 0o755 });
      }
    }
    await rename(fresh, target);
  } catch (cause) {
    await rm(fresh, { recursive: true, force: true });
    // Another process may have been first.
    if (!(await exists(join(target, ICD)))) {
      throw cause;
    }
  }
  return target;
}

/** Removes the folders that processes left behind when they ended while they unpacked. */
async function removeStale(parent: string, name: string): Promise<void> {
  for (const entry of await readdir(parent)) {
    const path = join(parent, entry);
    if (entry.startsWith(`${name}-`) && (await ageOf(path)) > STALE_MS) {
      // The folder may belong to another user. Then it stays.
      await rm(path, { recursive: true, force: true }).catch(() => {});
    }
  }
}

const ageOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Loads a shared library for good.
 *
 * @returns whether the library was found and loaded.
 */
export function loadLibrary(path: string): boolean {
  const { RTLD_NOW = 0x2 } = constants.dlopen as Record<string, number>;
  try {
    // This leaves out RTLD_GLOBAL: with it, the loader's symbols would replace those of NVIDIA's driver.
    process.dlopen({ exports: {} }, path, RTLD_NOW | RTLD_NODELETE);
    return true;
  } catch (cause) {
    // The library is no Node.js module, so dlopen throws. But the library stays loaded, and Dawn finds it by its name.
    return cause instanceof Error && NO_MODULE.test(cause.message);
  }
}

/**
 * What runtimes say of a library that was found and is no module of theirs: Node.js, Bun, Deno. Deno looks for no library by its
 * name alone, so Dawn has to.
 */
const NO_MODULE = /did not self-register|napi_register_module|register Node-API module|Invalid path/;

/** What else it takes to start SwiftShader from `folder` in a runtime that lets nobody load a library or set a variable for it. */
export function whatRuntimeTakes(folder: string): string {
  const library = `LD_LIBRARY_PATH=${folder}`;
  return "Deno" in globalThis
    ? `. In Deno, import wavefold in place of wavefold/node, or set ${library} before it starts`
    : process.versions.bun === undefined
      ? ""
      : `. Bun needs ${library} and VK_ICD_FILENAMES=${join(folder, ICD)} to be set before it starts`;
}

/** Whether the only Vulkan loader of the process is the software adapter's own, which another thread may have loaded. */
export function hasOwnLoaderAlone(): boolean {
  try {
    const loaded = readFileSync("/proc/self/maps", "utf8")
      .split("\n")
      .filter((line) => /\/libvulkan\.so\.1[.\d]*$/.test(line));
    return loaded.length > 0 && loaded.every((line) => /\/swiftshader-[^/]+\/[^/]+$/.test(line));
  } catch {
    return false;
  }
}

/**
 * Loads the Vulkan loader, and names SwiftShader as its only driver while `action` runs.
 *
 * @throws {AdapterError} where there is no adapter because a worker thread could not name it.
 */
export async function withSoftwareDriver<T>(folder: string, action: () => Promise<T>): Promise<T> {
  loadLibrary(join(folder, LOADER));
  const driver = join(folder, ICD);
  const { problem, release } = await holdEnvironment({ VK_ICD_FILENAMES: driver, VK_DRIVER_FILES: driver });
  try {
    const found = await action();
    if ((found === undefined || found === null) && problem !== undefined) {
      const cause = problem instanceof Error ? problem.message : String(problem);
      throw new AdapterError(
        `openFold: in a worker thread, the software adapter takes a variable of the process's environment, which the main thread did not set (${cause}); start the worker with { env: SHARE_ENV }, of node:worker_threads`,
      );
    }
    return found;
  } finally {
    await release();
  }
}
