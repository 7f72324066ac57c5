import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { access, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import nodePath, { delimiter, dirname, extname, join, normalize, sep } from "node:path";
import process from "node:process";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { brotliDecompress, createBrotliDecompress } from "node:zlib";
import { parseTar } from "nanotar";
import type { Browser } from "playwright-core";
import { adapter as own, swiftShaderMissing } from "./adapter.ts";

/** Whether `@sparticuz/chromium` has a build for this system. */
const isPackaged = swiftShaderMissing === undefined;

/** Where systems have Chrome. `WAVEFOLD_CHROMIUM` names it elsewhere. */
export function chromePlaces(
  platform: string,
  env: Readonly<Record<string, string | undefined>>,
  { join, delimiter }: Pick<typeof nodePath, "join" | "delimiter"> = nodePath,
): readonly string[] {
  const folders = (...names: readonly (string | undefined)[]): string[] =>
    names.filter((name): name is string => name !== undefined && name !== "");
  const own = folders(env.WAVEFOLD_CHROMIUM);
  if (platform === "darwin") {
    return [...own, "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];
  }
  if (platform === "win32") {
    const roots = folders(env.PROGRAMFILES, env["PROGRAMFILES(X86)"], env.LOCALAPPDATA);
    return [...own, ...roots.map((root) => join(root, "Google", "Chrome", "Application", "chrome.exe"))];
  }
  const names = ["google-chrome", "chromium", "chromium-browser"];
  return [
    ...own,
    ...folders(...(env.PATH ?? "").split(delimiter)).flatMap((folder) =>
      names.map((name) => join(folder, name)),
    ),
  ];
}

const installed = isPackaged ? undefined : chromePlaces(process.platform, process.env).find(existsSync);

/** Why Chromium cannot be started here. */
export const chromiumMissing: string | undefined =
  isPackaged || installed !== undefined
    ? undefined
    : `@sparticuz/chromium is built for Linux x64, and no Chrome is installed: WAVEFOLD_CHROMIUM names one`;

/** What WebGPU takes to run on SwiftShader. */
const WEBGPU_ON_SWIFTSHADER = [
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--enable-features=Vulkan",
  "--use-vulkan=swiftshader",
  // Without these two, drawing into a canvas loses the device.
  "--use-angle=swiftshader",
  "--ignore-gpu-blocklist",
];

/** And to run on the GPU, on Linux: with no display, as servers are. */
const WEBGPU_ON_GPU = [
  "--enable-unsafe-webgpu",
  "--enable-features=Vulkan",
  "--use-vulkan=native",
  // Drawing on SwiftShader instead would put WebGPU there as well.
  "--use-angle=vulkan",
  "--disable-vulkan-surface",
  // SwiftShader, which driversFor() adds, has this extension: ANGLE would ask the GPU's driver too, which crashes.
  "--disable-angle-features=supportsSurfacelessQueryExtension",
  "--ignore-gpu-blocklist",
  // As src/node.ts has them: the f16 that Dawn hides on NVIDIA, and timestamps as fine as the GPU has them.
  "--enable-dawn-features=vulkan_enable_f16_on_nvidia",
  "--disable-dawn-features=timestamp_quantization",
];

/** The GPU's switches, or others: `WAVEFOLD_CHROMIUM_SWITCHES` takes their place. */
const gpuSwitches = (): readonly string[] =>
  process.env.WAVEFOLD_CHROMIUM_SWITCHES?.split(/\s+/).filter(Boolean) ?? WEBGPU_ON_GPU;

/**
 * The system's Vulkan drivers, and SwiftShader behind them. ANGLE, where there is no display, asks for the
 * extension VK_EXT_headless_surface, which NVIDIA's driver has not; it is enough that one driver has it.
 */
function driversFor(folder: string): Record<string, string> {
  const swiftShader = join(folder, "vk_swiftshader_icd.json");
  const { VK_DRIVER_FILES, VK_ICD_FILENAMES, VK_ADD_DRIVER_FILES } = process.env;
  const named = VK_DRIVER_FILES || VK_ICD_FILENAMES;
  // The loader takes no notice of additions where the drivers are named.
  return named
    ? { VK_DRIVER_FILES: [named, swiftShader].join(delimiter) }
    : { VK_ADD_DRIVER_FILES: [VK_ADD_DRIVER_FILES, swiftShader].filter(Boolean).join(delimiter) };
}

/**
 * Headless Chromium with WebGPU, on SwiftShader or on the GPU, from the package `@sparticuz/chromium`, or as it is
 * installed; close it.
 * Where no GPU is found the adapter may be SwiftShader all the same: look at it.
 *
 * @param env - variables to start it with beside this process's.
 */
export async function launchChromium(
  adapter: "software" | "gpu" = own,
  env: Readonly<Record<string, string>> = {},
): Promise<Browser> {
  // It is loaded here, so that tests that are skipped need not have it.
  const { chromium } = await import("playwright-core");
  const gpu = adapter === "gpu";
  if (installed !== undefined) {
    // Chrome brings SwiftShader on every system.
    const args = ["--enable-unsafe-webgpu", "--ignore-gpu-blocklist"];
    const software = ["--use-webgpu-adapter=swiftshader", "--enable-unsafe-swiftshader"];
    return chromium.launch({
      executablePath: installed,
      headless: true,
      args: [...args, ...(gpu ? [] : software)],
      env: { ...process.env, ...env } as Record<string, string>,
    });
  }
  const folder = await chromiumFolder();
  return chromium.launch({
    executablePath: join(folder, "chromium"),
    headless: true,
    args: [
      ...(gpu ? gpuSwitches() : WEBGPU_ON_SWIFTSHADER),
      "--no-sandbox",
      "--no-zygote",
      "--font-render-hinting=none",
    ],
    // Playwright's own: it would let SwiftShader take a GPU's place.
    ...(gpu && { ignoreDefaultArgs: ["--enable-unsafe-swiftshader"] }),
    env: {
      ...process.env,
      ...(gpu && driversFor(folder)),
      // NSS, NSPR and expat, for a machine that has none.
      LD_LIBRARY_PATH: [join(folder, "lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter),
      FONTCONFIG_PATH: folder,
      ...env,
    } as Record<string, string>,
  });
}

/** Chromium and what it needs, unpacked once into the cache folder. */
async function chromiumFolder(): Promise<string> {
  // The package exports its entry alone; its archives lie in bin/, beside that one's folder.
  const root = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "..");
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "wavefold");
  const target = join(cache, `chromium-${version}`);
  if (await exists(join(target, "chromium"))) {
    return target;
  }
  await mkdir(cache, { recursive: true });
  // Into a folder of its own first, so that nobody meets a half-written one.
  const fresh = await mkdtemp(join(cache, `chromium-${version}-`));
  try {
    await pipeline(
      createReadStream(join(root, "bin", "chromium.br")),
      createBrotliDecompress(),
      createWriteStream(join(fresh, "chromium"), { mode: 0o755 }),
    );
    for (const name of ["al2023", "fonts", "swiftshader"]) {
      const archive = await readFile(join(root, "bin", `${name}.tar.br`));
      for (const file of parseTar(await promisify(brotliDecompress)(archive))) {
        if (file.type === "file" && file.data !== undefined) {
          await mkdir(dirname(join(fresh, file.name)), { recursive: true });
          await writeFile(join(fresh, file.name), file.data, { mode: 0o755 });
        }
      }
    }
    await writeFile(
      join(fresh, "fonts.conf"),
      `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${join(target, "fonts")}</dir><cachedir>${join(target, "fonts-cache")}</cachedir></fontconfig>\n`,
    );
    await rename(fresh, target);
  } catch (cause) {
    await rm(fresh, { recursive: true, force: true });
    // Another process may have been first.
    if (!(await exists(join(target, "chromium")))) {
      throw cause;
    }
  }
  return target;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const CONTENT_TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves a folder's files on a free port of this machine, with more headers. */
export async function serveFolder(
  folder: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const root = normalize(folder + sep);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    let path = normalize(join(root, decodeURIComponent(pathname)));
    try {
      if (!path.startsWith(root)) {
        throw new Error("outside");
      }
      if ((await stat(path)).isDirectory()) {
        path = join(path, "index.html");
      }
      const body = await readFile(path);
      response.writeHead(200, {
        "content-type": CONTENT_TYPES[extname(path)] ?? "application/octet-stream",
        ...headers,
      });
      response.end(body);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found");
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
