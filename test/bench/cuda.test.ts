import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { shaderTexts } from "../../scripts/modules.mjs";
import { needsUnix } from "../support/adapter.ts";
import { until } from "../support/until.ts";

needsUnix();

const isRunning = (pid: number): boolean => {
  try {
    // Zombies are no longer running.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

test("a signal ends what runs, and leaves no folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wavefold-cuda-test-"));
  try {
    const temporary = join(folder, "tmp");
    mkdirSync(temporary);
    const nvcc = join(folder, "nvcc");
    writeFileSync(
      nvcc,
      `#!/bin/sh\necho $$ > ${folder}/pid.part\nmv ${folder}/pid.part ${folder}/pid\nexec sleep 60\n`,
    );
    chmodSync(nvcc, 0o755);
    const program = join(folder, "program.mjs");
    await build({
      stdin: {
        contents: `import { runCuda } from "./bench/cuda.ts";
          await runCuda("${folder}/theirs.cu", [{ type: "u32", op: "add", length: 8, cases: [] }], [], () => {});`,
        resolveDir: ".",
      },
      bundle: true,
      format: "esm",
      platform: "node",
      plugins: [shaderTexts],
      outfile: program,
      logLevel: "error",
    });
    const child = spawn(process.execPath, [program], {
      env: { PATH: `${folder}:/usr/bin:/bin`, TMPDIR: temporary },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const closed = new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)));
    await until(() => existsSync(join(folder, "pid")));
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    expect(readdirSync(temporary)).toHaveLength(1);
    expect(isRunning(pid)).toBe(true);
    child.kill("SIGTERM");
    expect(await closed).toBe("SIGTERM");
    expect(readdirSync(temporary)).toEqual([]);
    await until(() => !isRunning(pid));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
