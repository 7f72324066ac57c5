// Draws random calls and recordings, and compares all that they leave with the CPU's, until one is wrong.
// usage: node build/fuzz.js [--seconds N] [--seed S] [--adapter simulated|gpu|software] [--only FAMILY] [--repeat CASE]
import process from "node:process";
import { fileURLToPath } from "node:url";
import { CommanderError } from "commander";
import { serve } from "./child.ts";
import type { FuzzOptions } from "./options.ts";
import { parseArguments } from "./options.ts";
import { startRunner } from "./parent.ts";
import { isAdapterKind } from "./plans.ts";
import type { Report } from "./session.ts";
import { repeatLine, runSession } from "./session.ts";

const MB = 1e6;

function summaryOf({ passed, refused, families, found }: Report, peakBytes: number): string {
  const counts = [...families].filter(([, count]) => count > 0).map(([name, count]) => `${name} ${count}`);
  return [
    `${passed + refused} passed (${refused} of them refused), ${found.length} failed`,
    `cases by family: ${counts.join(", ") || "none"}`,
    `peak memory of a process: ${Math.round(peakBytes / MB)} MB`,
  ].join("\n");
}

/** Tells how far it is, every few seconds; rarely, where nobody looks on. */
function progressTo(stream: NodeJS.WriteStream): (report: Report) => void {
  const every = stream.isTTY ? 3000 : 30_000;
  const begun = Date.now();
  let last = begun;
  return ({ passed, refused, found }) => {
    const now = Date.now();
    if (now - last >= every) {
      last = now;
      stream.write(
        `fuzz: ${Math.round((now - begun) / 1000)} s, ${passed + refused} passed (${refused} refused), ${found.length} failed\n`,
      );
    }
  };
}

async function fuzz(options: FuzzOptions): Promise<number> {
  const { adapter, repeat, seed } = options;
  const runner = await startRunner(
    fileURLToPath(import.meta.url),
    [adapter, options.shufflesSubgroups ? "shuffled" : "as they start"],
    options.limits,
  );
  try {
    if (repeat !== undefined) {
      const { verdict, message } = await runner.runAlone(repeat);
      console.log(message === undefined ? verdict : `${verdict}: ${message}`);
      return verdict === "failed" ? 1 : 0;
    }
    console.log(`seed ${seed}, ${runner.adapter}`);
    const report = await runSession(options, runner, progressTo(process.stderr));
    for (const { message, one, repeats, at } of report.found) {
      console.log(
        [
          `\nfailed, case ${at}: ${message}`,
          JSON.stringify(one, undefined, 1),
          repeats
            ? repeatLine(adapter, one, options.settings)
            : `alone it passes; this repeats it with the cases before it:\nnpm run fuzz -- --adapter ${adapter} --seed ${seed} --cases ${at}${options.settings}${options.onlyText}`,
        ].join("\n"),
      );
    }
    console.log(`\n${summaryOf(report, runner.peakBytes)}`);
    return report.found.length > 0 ? 1 : 0;
  } finally {
    runner.close();
  }
}

const [role, kind, order] = process.argv.slice(2);
if (role === "--child" && isAdapterKind(kind)) {
  await serve(kind, order === "shuffled");
} else {
  try {
    process.exitCode = await fuzz(parseArguments(process.argv.slice(2)));
  } catch (cause) {
    if (!(cause instanceof CommanderError && cause.exitCode === 0)) {
      process.stderr.write(
        `fuzz: ${cause instanceof Error ? cause.message.replace(/^error: /, "") : String(cause)}\n`,
      );
      process.exitCode = 2;
    }
  }
}
