import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Collector } from "./report.ts";

/** Runs a program that prints the suite's lines, and ends it when the run has ended. */
export async function runProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  collector: Collector,
  ended: Promise<string>,
): Promise<void> {
  const child = spawn(command, args, { env: env as NodeJS.ProcessEnv, stdio: ["ignore", "pipe", "pipe"] });
  const closed = new Promise<void>((resolve) => {
    child.on("close", (code, signal) => {
      collector.end(`the program ended with ${signal ?? `status ${code}`}`);
      resolve();
    });
    child.on("error", (cause) => {
      collector.end(cause.message);
      resolve();
    });
  });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (text) => collector.line(text));
  }
  await ended;
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await closed;
  clearTimeout(timer);
}
