import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** axe-core, if it is installed. */
export const axe = ((): string | undefined => {
  try {
    return readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  } catch {
    return undefined;
  }
})();

/** The rules that a page breaks, and where; none if axe-core is not installed. */
export async function violations(page: Page): Promise<string[]> {
  if (axe === undefined) {
    return [];
  }
  if (await page.evaluate(() => !("axe" in window))) {
    await page.evaluate(axe);
  }
  return page.evaluate(async () => {
    const { axe: engine } = window as unknown as {
      readonly axe: {
        run(root: Document): Promise<{
          readonly violations: readonly {
            readonly id: string;
            readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
          }[];
        }>;
      };
    };
    const found = await engine.run(document);
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)}: ${failureSummary ?? ""}`),
    );
  });
}
