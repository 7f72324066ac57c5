import { Buffer } from "node:buffer";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { packedFile } from "../package/pack.ts";
import { skipAll } from "../support/adapter.ts";
import { chromiumMissing, launchChromium, serveFolder } from "../support/chromium.ts";
import { sharedFolder } from "../support/shared_folder.ts";

/** How a page is opened. */
interface Visit {
  /** `none`: no navigator.gpu. `no adapter`: there is one, and it finds nothing. `insecure`: as over plain HTTP. */
  readonly gpu?: "none" | "no adapter" | "insecure";
  readonly context?: BrowserContextOptions;
  /** It stays open, as it is left, for all tests that ask for this page so. What was compiled once on it is not compiled again. */
  readonly stays?: boolean;
}

/** Opens a page of the site; and the folder that it is built into. */
type OpenPage = ((path: string, visit?: Visit) => Promise<Page>) & { folder(): string };

/** What the site is built from. */
const SOURCES = [
  "bench",
  "docs",
  "examples",
  "scripts",
  "shaders",
  "site",
  "src",
  "README.md",
  "CHANGELOG.md",
];

/** The package's repository as the site without the API reference has it. package.json does not name it yet. */
const REPOSITORY = "github:somebody/wavefold";

/**
 * The site in a browser, for one file of tests. Files of tests share one build of it. The API
 * reference is left out where it is not asked for: it takes as long as all the rest.
 */
export function useSite({ api = false }: { readonly api?: boolean } = {}): OpenPage {
  let folder = "";
  let served: Awaited<ReturnType<typeof serveFolder>> | undefined;
  /** Started with the first page: a run of some tests may have those of functions alone. */
  let launched: Promise<Browser> | undefined;
  const problems: string[] = [];
  /** Pages that stay, by their paths. */
  const staying = new Map<string, Page>();

  skipAll(chromiumMissing);
  beforeAll(async () => {
    if (chromiumMissing !== undefined) {
      return;
    }
    const options = api ? [] : ["--no-api"];
    folder = await sharedFolder(api ? "site-with-api" : "site-of-repository", SOURCES, async (made) => {
      const place = await mkdtemp(join(tmpdir(), "wavefold-manifest-"));
      const manifest = join(place, "package.json");
      const own = JSON.parse(await readFile("package.json", "utf8")) as object;
      await writeFile(manifest, JSON.stringify(api ? own : { ...own, repository: REPOSITORY }));
      const { stdout } = await promisify(execFile)(process.execPath, [
        "scripts/site.mjs",
        ...options,
        "--tarball",
        await packedFile(),
        "--package",
        manifest,
        made,
      ]);
      await rm(place, { recursive: true });
      expect(stdout).toContain(`The site is in ${made}`);
      expect(stdout).toContain(`npx vite preview --outDir ${relative(".", made)}`);
    });
    served = await serveFolder(folder);
  }, 300_000);
  afterEach(async () => {
    const kept = new Set([...staying.values()].map((page) => page.context()));
    for (const context of (await launched)?.contexts() ?? []) {
      if (!kept.has(context)) {
        await context.close();
      }
    }
    // Nothing failed to load, no script threw, and nobody asked another server for anything.
    expect(problems.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await (await launched)?.close();
    await served?.close();
  });

  const openPage = async (path: string, visit: Visit = {}): Promise<Page> => {
    const { gpu, context: options, stays = false } = visit;
    const open = stays ? staying.get(path) : undefined;
    if (open !== undefined) {
      return open;
    }
    if (served === undefined) {
      throw new Error("the site is served from beforeAll on");
    }
    const { url } = served;
    launched ??= launchChromium();
    const browser = await launched;
    const context = await browser.newContext({ viewport: { width: 900, height: 700 }, ...options });
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("console", (message) => {
      if (message.type() === "error") {
        problems.push(message.text());
      }
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith("data:")) {
        problems.push(`a request to ${request.url()}`);
      }
    });
    if (gpu !== undefined) {
      await page.addInitScript((how) => {
        Object.defineProperty(Navigator.prototype, "gpu", {
          get: () => (how === "no adapter" ? { requestAdapter: async () => null } : undefined),
        });
        if (how === "insecure") {
          Object.defineProperty(window, "isSecureContext", { get: () => false });
        }
      }, gpu);
    }
    await page.goto(`${url}${path}`);
    // Guides and the API reference have no script of ours.
    if (!path.includes("/")) {
      await page.waitForSelector("html[data-ready]");
    }
    if (stays) {
      staying.set(path, page);
    }
    return page;
  };
  return Object.assign(openPage, { folder: () => folder });
}

/** The text of an element. */
export const textOf = async (page: Page, selector: string): Promise<string> =>
  ((await page.locator(selector).textContent()) ?? "").trim();

/** Whether the page is no wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** How many pixels of an element are not of a dark background, as the screen shows them. */
export async function lit(page: Page, selector: string): Promise<number> {
  const picture = await page.locator(selector).screenshot();
  return page.evaluate(async (base64) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context?.drawImage(image, 0, 0);
    // Without the rounded corners, through which the page shows.
    const { data } = context?.getImageData(20, 20, image.width - 40, image.height - 40) ?? { data: [] };
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      count += Math.max(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0) > 60 ? 1 : 0;
    }
    return count;
  }, Buffer.from(picture).toString("base64"));
}

/**
 * Lets the time for a page's check be over once the check's progress has come to a text. The self-tests that have not begun then are left out, so
 * their kernels are not compiled. The bench and the litmus tests come after them as always.
 */
export const endSelfTestsAt = (page: Page, progress: RegExp): Promise<void> =>
  page.evaluate((end) => {
    const { now } = Performance.prototype;
    const stage = document.querySelector("#stage");
    Performance.prototype.now = function (this: Performance) {
      // The time for all of a check is a minute.
      return now.call(this) + (end.test(stage?.textContent ?? "") ? 60_000 : 0);
    };
  }, progress);
