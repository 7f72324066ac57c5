import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { deno, denoOn, lavapipeMissing } from "./deno.ts";
import type { TitledKernel } from "./kernels.ts";

const script = fileURLToPath(new URL("./naga.mjs", import.meta.url));
/** With f16 where there is one. */
const driver = lavapipeMissing === undefined ? "lavapipe" : "swiftshader";

interface Result {
  readonly f16: boolean;
  readonly compiled: number;
  readonly failures: readonly string[];
}

/** Compiles kernels with naga, in Deno. */
export async function naga(kernels: readonly Pick<TitledKernel, "title" | "code">[]): Promise<Result> {
  const own = mkdtempSync(join(tmpdir(), "wavefold-naga-"));
  try {
    const path = join(own, "kernels.json");
    writeFileSync(path, JSON.stringify(kernels.map(({ title, code }) => ({ title, code }))));
    const { stdout } = await promisify(execFile)(
      deno,
      ["run", "--no-config", "-A", "--unstable-webgpu", script, path],
      {
        env: { ...process.env, ...(await denoOn(driver)) },
        maxBuffer: 2 ** 26,
      },
    );
    return JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? "null") as Result;
  } finally {
    rmSync(own, { recursive: true });
  }
}
