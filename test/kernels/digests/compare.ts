// Compares two files of digests.

const MOST_TITLES = 20;

/** A line that only one of two files has, or that differs between them. */
export interface Difference {
  readonly title: string;
  readonly what: "kernels" | "plan" | "kernels and plan" | "new" | "missing";
}

const linesOf = (text: string): Map<string, readonly [kernels: string, plan: string]> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [title = "", kernels = "", plan = ""] = line.split("\t");
        return [title, [kernels, plan]];
      }),
  );

/** How a later file differs from an earlier one, in the order of titles: in those that start with `only`. */
export function differences(earlier: string, later: string, only = ""): Difference[] {
  const before = new Map([...linesOf(earlier)].filter(([title]) => title.startsWith(only)));
  const after = linesOf(later);
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((title): Difference[] => {
    const [was, is] = [before.get(title), after.get(title)];
    if (was === undefined || is === undefined) {
      return [{ title, what: was === undefined ? "new" : "missing" }];
    }
    const differs = (["kernels", "plan"] as const).filter((_, at) => was[at] !== is[at]);
    return differs.length === 0
      ? []
      : [{ title, what: differs.length === 2 ? "kernels and plan" : (differs[0] ?? "plan") }];
  });
}

/** The primitive and the adapter of a title, such as `scan on nvidia`. */
const groupOf = (title: string): string =>
  `${title.slice(0, title.indexOf(":"))}${title.slice(title.lastIndexOf(" on "))}`;

/** How many lines differ, by primitive and adapter, and the first titles. */
export function report(found: readonly Difference[]): string {
  if (found.length === 0) {
    return "Nothing differs.";
  }
  const counts = new Map<string, number>();
  for (const { title, what } of found) {
    const group = `${groupOf(title)}: ${what}`;
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  const titles = found.slice(0, MOST_TITLES).map(({ title, what }) => `${title}: ${what}`);
  const more = found.length - titles.length;
  return [
    `${found.length} option sets differ:`,
    ...[...counts].map(([group, count]) => `  ${group}: ${count}`),
    "",
    ...titles,
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("\n");
}
