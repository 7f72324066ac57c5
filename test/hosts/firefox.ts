import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import type { Browser } from "puppeteer-core";
import { launch } from "puppeteer-core";
import { hasSwiftShader, softwareFolder } from "../../src/gpu/adapters/software_adapter.ts";

/** Where Firefox is: `WAVEFOLD_FIREFOX` names it, or it is on the path; nothing where it is not installed. */
export function firefoxPath(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return [
    process.env.WAVEFOLD_FIREFOX ?? "",
    ...["firefox", "firefox-esr"].flatMap((name) => folders.map((folder) => join(folder, name))),
  ].find((path) => path !== "" && existsSync(path));
}

/** The first version whose WebGPU works on Linux: 140, as Debian has it, gives no adapter or no device. */
const FIRST = 153;

/** Why the suite cannot run in a Firefox that calls itself so; undefined if it can. */
export function problemOfVersion(text: string): string | undefined {
  const [, version] = /\bFirefox (\d+)\b/.exec(text) ?? [];
  if (version === undefined) {
    return `Firefox does not say its version: ${JSON.stringify(text.trim())}`;
  }
  return Number(version) < FIRST ? `Firefox is ${version}, and its WebGPU works from ${FIRST} on` : undefined;
}

/** Why the suite cannot run in Firefox here; undefined if it can. */
export function problemOfFirefox(path: string | undefined): string | undefined {
  if (path === undefined) {
    return "Firefox is not installed";
  }
  const { stdout, error } = spawnSync(path, ["--version"], { encoding: "utf8", timeout: 60_000 });
  return error === undefined ? problemOfVersion(stdout) : `Firefox does not start: ${error.message}`;
}

/** Headless Firefox with WebGPU, on SwiftShader or on the GPU, over WebDriver BiDi; close it. */
export async function launchFirefox(executablePath: string, adapter: "software" | "gpu"): Promise<Browser> {
  const driver = adapter === "software" && hasSwiftShader() ? await softwareFolder() : undefined;
  return launch({
    browser: "firefox",
    executablePath,
    headless: true,
    extraPrefsFirefox: {
      "dom.webgpu.enabled": true,
      "gfx.webgpu.ignore-blocklist": true,
      "dom.webgpu.workers.enabled": true,
      // The tab in the background is tested too: its timers shall not wait a second each.
      "dom.min_background_timeout_value": 4,
      "dom.timeout.enable_budget_timer_throttling": false,
    },
    env: {
      ...process.env,
      ...(driver && {
        VK_ICD_FILENAMES: join(driver, "vk_swiftshader_icd.json"),
        LD_LIBRARY_PATH: [driver, process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter),
      }),
    },
  });
}
