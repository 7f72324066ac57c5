import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { Fold } from "../../src/gpu/fold.ts";
import { violations } from "./axe.ts";
import { overflow, textOf, useSite } from "./site.ts";

const visit = useSite({ api: true });

/** The site's pages, by their paths in it. */
const pages = (): Map<string, string> =>
  new Map(
    (readdirSync(visit.folder(), { recursive: true }) as string[])
      .filter((path) => path.endsWith(".html"))
      .map((path) => [path, readFileSync(join(visit.folder(), path), "utf8")]),
  );

test("the navigation leads to the guides and the API, and back", async () => {
  // Wide enough that the list of guides is open.
  const page = await visit("index.html", { context: { viewport: { width: 1280, height: 844 } } });
  const navigation = page.getByRole("navigation", { name: "Site" });
  await navigation.getByRole("link", { name: "Guides" }).click();
  expect(await textOf(page, "h1")).toBe("Guides");
  expect(await navigation.locator("[aria-current]").textContent()).toBe("Guides");
  await page.getByRole("article").getByRole("link", { name: "Write an operator" }).click();
  expect(await textOf(page, "h1")).toBe("Write an operator");
  expect(await page.getByRole("navigation", { name: "Guides" }).locator("[aria-current]").textContent()).toBe(
    "Write an operator",
  );
  // What a guide names leads to its page of the reference.
  await page.getByRole("article").getByRole("link", { name: "segmentedSum" }).click();
  expect(await textOf(page, "h1")).toBe("Function segmentedSum");
  expect(await navigation.locator("[aria-current]").textContent()).toBe("API");
  await navigation.getByRole("link", { name: "API" }).click();
  expect(await textOf(page, "h1")).toBe("API reference");
  await navigation.getByRole("link", { name: "Try it" }).click();
  await page.waitForSelector("html[data-ready]");
  expect(await textOf(page, "h1")).toBe("Try it");
});

test("every link inside the site leads somewhere, its anchor too", () => {
  const all = pages();
  const anchors = new Map(
    [...all].map(([path, html]) => [
      path,
      new Set([...html.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id)),
    ]),
  );
  const files = new Set(readdirSync(visit.folder(), { recursive: true }) as string[]);
  const dead: string[] = [];
  let links = 0;
  for (const [path, html] of all) {
    for (const [, whole = ""] of html.matchAll(/\b(?:href|src)="([^"]*)"/g)) {
      if (/^(https?:|data:|mailto:)/.test(whole)) {
        continue;
      }
      links++;
      const [address = "", anchor] = whole.split("#");
      const target = address === "" ? path : normalize(join(dirname(path), decodeURIComponent(address)));
      const ids = anchors.get(target);
      // An absolute path works at the top of a server alone.
      const isThere = !address.startsWith("/") && files.has(target);
      // "#" alone stands on what a script makes a button.
      const hasAnchor =
        anchor === undefined || whole === "#" || ids === undefined || ids.has(decodeURIComponent(anchor));
      if (!isThere || !hasAnchor) {
        dead.push(`${path}: ${whole}`);
      }
    }
  }
  expect(dead).toEqual([]);
  expect(all.size).toBeGreaterThan(100);
  expect(links).toBeGreaterThan(1000);
});

test("calls that a guide names are links to their pages, and no link is in another", () => {
  const guides = [...pages()].filter(([path]) => path.startsWith("guides"));
  const nested = guides.flatMap(([path, html]) =>
    Array.from(
      html.matchAll(/<a [^>]*>(?:(?!<\/a>).)*<a /gs),
      ([found]) => `${path}: ${found.slice(0, 100)}`,
    ),
  );
  expect(nested).toEqual([]);
  const html = pages().get(join("guides", "which-function.html")) ?? "";
  const linked = new Set(
    Array.from(html.matchAll(/href="\.\.\/api\/fold\/(\w+)\.html"/g), ([, name]) => name),
  );
  expect(linked).toContain("searchSorted");
  expect(linked.size).toBeGreaterThan(25);
});

test("every page of the API has the site's navigation", () => {
  const reference = [...pages()].filter(([path]) => path.startsWith("api/"));
  for (const [path, html] of reference) {
    const home = `${relative(dirname(path), ".")}/index.html`;
    expect(html, path).toContain(`<a class="word" href="${home}">`);
  }
});

test("the reference has each module once", () => {
  const modules = [...pages().keys()].filter((path) => /^api.modules/.test(path));
  expect(modules.length).toBeGreaterThan(5);
  expect(modules.filter((path) => /-\d+\.html$/.test(path))).toEqual([]);
  // This site, unlike the one without the reference, is of a package.json that names no repository.
  expect(pages().get("index.html")).not.toContain(">Repository<");
});

test("the reference has each landmark once", async () => {
  for (const path of [
    "api/index.html",
    "api/modules/wavefold.html",
    "api/functions/wavefold_wgsl.link.html",
  ]) {
    const page = await visit(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    for (const role of ["banner", "main", "contentinfo", "complementary"] as const) {
      expect(await page.getByRole(role).count(), `${path}: ${role}`).toBe(1);
    }
    expect(await page.getByRole("main").getByRole("heading", { level: 1 }).count(), path).toBe(1);
    await page.context().close();
  }
});

test("the reference breaks no rule of axe, and its list of modules has a link to each", async () => {
  for (const path of [
    "api/index.html",
    "api/hierarchy.html",
    "api/modules/wavefold.html",
    "api/interfaces/wavefold.PreparedScan.html",
    "api/classes/wavefold.ShaderError.html",
    "api/functions/wavefold_wgsl.link.html",
    "api/interfaces/wavefold.Fold.html",
    "api/fold/preparePartition.html",
    "api/fold/software.html",
  ]) {
    const page = await visit(path, { context: { viewport: { width: 1280, height: 844 } } });
    const modules = page.getByRole("navigation", { name: "Modules" });
    await modules.locator("summary").first().waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await violations(page), `${path}, ${width}`).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 844 });
    const summary = modules.locator("summary", { hasText: "wavefold/three" });
    await summary.click();
    await modules.getByRole("link", { name: "All of wavefold/three" }).click();
    await page.waitForURL(/modules\/wavefold_three\.html/);
    await page.context().close();
  }
});

test.each([
  ["the first page", "index.html", "workGroupScan", "Function workGroupScan"],
  ["a guide", "guides/sort.html", "searchSorted", "fold.searchSorted"],
  ["the reference", "api/fold/scan.html", "reservoir sample", "Write an operator"],
] as const)("%s searches guides and API", async (_, path, words, found) => {
  const page = await visit(path, { context: { colorScheme: "dark" } });
  await page.getByRole("button", { name: "Search guides and API" }).waitFor();
  await page.keyboard.press("/");
  const search = page.getByRole("dialog");
  await search.getByRole("searchbox").fill(words);
  const link = search.getByRole("link", { name: found, exact: true }).first();
  await link.waitFor();
  expect(await violations(page)).toEqual([]);
  await link.click();
  await page.waitForURL((url) => !url.pathname.endsWith(path));
  expect(await textOf(page, "h1")).toBe(found);
});

test("the page of Fold lists its members by task, and each has a page", async () => {
  const page = await visit("api/interfaces/wavefold.Fold.html");
  const groups = page.getByRole("main").locator("details.tsd-member-group");
  const listed = await groups.evaluateAll((all) =>
    all.map((group) => [
      group.querySelector("h2")?.textContent.trim(),
      [...group.querySelectorAll("dt a:not(.tsd-anchor-icon)")].map((link) => link.textContent),
    ]),
  );
  expect(new Map(listed as [string, string[]][]).get("Scan and reduce")).toEqual(["scan", "reduce"]);
  const own = Object.getOwnPropertyNames(Fold.prototype).filter((name) => name !== "constructor");
  const names = listed.flatMap(([, some]) => some);
  expect(names.sort()).toEqual([...own, "[dispose]"].sort());
  // Without a wall of signatures, it is short.
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(6000);
  await page.getByRole("main").getByRole("link", { name: "compact", exact: true }).click();
  expect(await textOf(page, "h1")).toBe("fold.compact");
});

test("a call's page has a sentence, an example and the signature, in this order", async () => {
  const page = await visit("api/fold/scan.html");
  const main = page.getByRole("main");
  const topOf = (selector: string): Promise<number> =>
    main
      .locator(selector)
      .first()
      .evaluate((one) => one.getBoundingClientRect().top);
  const tops = [
    await topOf("h1"),
    await topOf(".tsd-comment p"),
    await topOf("pre"),
    await topOf(".tsd-signature"),
  ];
  expect(tops).toEqual([...tops].sort((a, b) => a - b));
  expect(await main.getByText("The prefix sums of an array").count()).toBe(1);
  expect(await main.getByText("await fold.scan(").count()).toBe(1);
  // Of four signatures, all have the comment of the first.
  const compact = readFileSync(join(visit.folder(), "api", "fold", "prepareCompact.html"), "utf8");
  expect(compact.match(/class="tsd-signature"/g)).toHaveLength(4);
  expect(compact.match(/Compiles a compaction/g)).toHaveLength(1);
  expect(compact.match(/<pre>/g)).toHaveLength(1);
});

test("a guide has its headings, its neighbours and buttons that copy", async () => {
  const page = await visit("guides/sort.html", {
    context: { viewport: { width: 1280, height: 800 }, permissions: ["clipboard-read", "clipboard-write"] },
  });
  const contents = page.getByRole("navigation", { name: "On this page" });
  const headings = await page.locator("article :is(h2, h3)").allTextContents();
  expect(await contents.getByRole("link").allTextContents()).toEqual(headings);
  await contents.getByRole("link", { name: "The order" }).click();
  expect(new URL(page.url()).hash).toBe("#the-order");
  const listing = page.locator("article .listing").first();
  await listing.hover();
  await page.getByRole("button", { name: "Copy the code" }).first().click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe((await listing.textContent())?.trim());
  const guides = page.getByRole("navigation", { name: "Guides", exact: true });
  const all = (await guides.getByRole("link").allTextContents()).map((title) => title.trim());
  const here = all.indexOf("Sort");
  const onward = page.getByRole("navigation", { name: "Neighbouring guides" });
  expect(await onward.getByRole("link").allTextContents()).toEqual([
    `Previous: ${all[here - 1]}`,
    `Next: ${all[here + 1]}`,
  ]);
});

test("on a phone, the list of guides comes first, and is closed", async () => {
  const page = await visit("guides/sort.html", { context: { viewport: { width: 390, height: 844 } } });
  const summary = page.getByText("All guides", { exact: true });
  const guides = page.getByRole("navigation", { name: "Guides", exact: true });
  expect(await guides.isVisible()).toBe(false);
  const top = async (locator: Locator): Promise<number> => (await locator.boundingBox())?.y ?? Number.NaN;
  expect(await top(summary)).toBeLessThan(await top(page.locator("h1")));
  await summary.click();
  await guides.getByRole("link", { name: "Exact sums" }).click();
  expect(await textOf(page, "h1")).toBe("Exact sums");
});

async function skipsToTheContent(path: string): Promise<void> {
  const page = await visit(path);
  // The reference shows itself once its script has run; before, nothing takes the focus.
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Tab");
  expect(await page.locator(":focus").textContent(), path).toBe("Skip to the content");
  await page.keyboard.press("Enter");
  expect(new URL(page.url()).hash).toBe("#main");
  await page.keyboard.press("Tab");
  const focused = page.locator(":focus");
  expect(await focused.evaluate((one) => one.closest("header") === null), path).toBe(true);
}
test("the keyboard skips to a guide's content", () => skipsToTheContent("guides/first-scan.html"));
test("the keyboard skips to the reference's content", () => skipsToTheContent("api/modules/wavefold.html"));

async function fitAPhone(paths: readonly string[]): Promise<void> {
  const page = await visit("guides/index.html", { context: { viewport: { width: 360, height: 740 } } });
  const here = page.url().replace("guides/index.html", "");
  for (const path of paths) {
    await page.goto(`${here}${path}`);
    expect(await overflow(page), path).toBe(0);
  }
}
test("guides fit a phone", async () => {
  const guides = [...pages().keys()].filter((path) => path.startsWith("guides/"));
  expect(guides.length).toBeGreaterThanOrEqual(9);
  await fitAPhone(guides);
});
test("long names break between their parts", () => {
  const code = pages().get(join("guides", "engines.html"));
  expect(code).toContain("<code>renderer.<wbr>backend.<wbr>get(<wbr>attribute).<wbr>buffer</code>");
});
test("on a phone, each row of a guide's table is a card that says what its cells are", async () => {
  const page = await visit("guides/index.html", { context: { viewport: { width: 360, height: 740 } } });
  const here = page.url().replace("guides/index.html", "");
  let tables = 0;
  for (const path of [...pages().keys()].filter((one) => one.startsWith("guides/"))) {
    await page.goto(`${here}${path}`);
    const found = await page.locator("table.text").evaluateAll((all) =>
      all.map((table) => ({
        headings: [...table.querySelectorAll("th")].map((one) => one.textContent.trim()),
        labels: [...table.querySelectorAll("tbody tr")].map((row) =>
          [...row.querySelectorAll("td")].map((one) => one.dataset.label),
        ),
        shown: getComputedStyle(table.querySelector("td:nth-child(2)") as Element, "::before").content,
        sides: [...table.querySelectorAll("td")].map((one) => getComputedStyle(one, "::before").textAlign),
        beyond: (table.parentElement as Element).scrollWidth - (table.parentElement as Element).clientWidth,
      })),
    );
    for (const { headings, labels, shown, sides, beyond } of found) {
      expect(new Set(sides), path).toEqual(new Set(["left"]));
      expect(beyond, path).toBe(0);
      expect(shown, path).toBe(JSON.stringify(headings[1]));
      expect(new Set(labels.map((own) => JSON.stringify(own))), path).toEqual(
        new Set([JSON.stringify(headings)]),
      );
    }
    if (found.length > 0) {
      const table = page.getByRole("table").first();
      expect(await table.getByRole("columnheader").count(), path).toBe(found[0]?.headings.length);
      expect(await table.getByRole("row").nth(1).getByRole("cell").count(), path).toBe(
        found[0]?.headings.length,
      );
    }
    tables += found.length;
  }
  expect(tables).toBeGreaterThan(20);
});
test("the reference fits a phone", () =>
  fitAPhone([
    "api/index.html",
    "api/modules/wavefold.html",
    "api/interfaces/wavefold.PreparedScan.html",
    "api/modules/wavefold_node.html",
    "api/functions/wavefold_laws.checkMonoid.html",
    "api/interfaces/wavefold.Fold.html",
    "api/fold/reduceStream.html",
    "api/types/wavefold.CompactCallOptions.html",
    "api/types/wavefold_monoids.LinearRecurrence.html",
  ]));

async function hasColours(path: string): Promise<void> {
  for (const [colorScheme, colours] of [
    ["light", ["rgb(251, 250, 247)", "rgb(28, 34, 39)"]],
    ["dark", ["rgb(20, 23, 26)", "rgb(232, 230, 225)"]],
  ] as const) {
    const page = await visit(path, { context: { colorScheme } });
    const found = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body);
      return [backgroundColor, color];
    });
    expect(found, colorScheme).toEqual(colours);
  }
}
test("guides have the site's colours, light and dark", () => hasColours("guides/index.html"));
test("the reference has the site's colours, light and dark", () =>
  hasColours("api/functions/wavefold_wgsl.link.html"));
