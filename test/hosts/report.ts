import process from "node:process";
import { afterAll, beforeAll, describe, test } from "vitest";
import { adapter } from "../support/fold.ts";
import type { Report, Result, Share } from "./suite.ts";
import { namesIn, WORKER } from "./suite.ts";

/** Takes what a host prints. */
export interface Collector {
  /** A report, or what else it prints: that is shown where a case was not reported on. */
  line(text: string): void;
  /** The host has ended, or cannot go on. */
  end(why: string): void;
}

/**
 * The half of a host, if the other host with its compiler runs the other half; otherwise all. On a GPU every host runs all, since each has a way of
 * its own to the driver.
 */
export const shareOf = (half: Share, otherMissing: string | undefined): Share =>
  adapter === "gpu" || otherMissing !== undefined || process.env.WAVEFOLD_HOSTS_CASES === "all"
    ? "all"
    : half;

/** A host's run may take so long at most. */
const RUN_LIMIT = 1_200_000;

/**
 * Runs the suite on a host once, and makes a test of each case.
 *
 * @param missing - why the host cannot be started here: every case is then skipped, for this reason.
 * @param scopes - where the host runs it. The worker is run by the page or program of the main thread.
 * @param share - which cases of the compiler it runs, as `shareOf` gives it.
 * @param run - starts the host, hands what it prints to the collector, and stops it once `ended` settles. `pages` are the scopes
 *   that have a page or program of their own and cases.
 */
export function testHost(
  host: string,
  missing: string | undefined,
  scopes: readonly string[],
  share: Share,
  run: (collector: Collector, ended: Promise<string>, pages: readonly string[]) => Promise<void>,
): void {
  // The main thread's page runs the worker, too.
  const pages = scopes.filter((scope) => scope !== WORKER);
  describe(host, () => {
    const results = new Map<string, Result>();
    const notes: string[] = [];
    const running = new Set<string>();
    let why = "";
    let refused: string | undefined;
    beforeAll(async () => {
      if (missing !== undefined || pages.length === 0) {
        return;
      }
      let end: (why: string) => void = () => {};
      const ended = new Promise<string>((resolve) => {
        end = resolve;
      });
      let left = pages.length;
      const timer = setTimeout(() => end(`it took more than ${RUN_LIMIT / 1000} s`), RUN_LIMIT);
      const collector: Collector = {
        line(text) {
          const report = parse(text);
          if (report === undefined) {
            notes.push(text);
          } else if (report.kind === "adapter") {
            console.log(`${host}${report.scope && ` ${report.scope}`}: ${report.description}`);
            if (adapter === "gpu" && report.software) {
              refused = `asked for a GPU, got ${report.description}`;
              end(refused);
            }
          } else if (report.kind === "start") {
            running.add(report.name);
          } else if (report.kind === "result") {
            results.set(report.result.name, report.result);
            running.delete(report.result.name);
          } else {
            left--;
            if (left === 0) {
              end("it has ended");
            }
          }
        },
        end,
      };
      try {
        await run(collector, ended, pages);
        why = await ended;
      } catch (cause) {
        why = cause instanceof Error ? cause.message : String(cause);
      } finally {
        clearTimeout(timer);
      }
    }, RUN_LIMIT + 60_000);

    afterAll(() => {
      if (results.size > 0) {
        const slowest = [...results.values()].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 5);
        const total = [...results.values()].reduce((sum, { milliseconds }) => sum + milliseconds, 0);
        console.log(
          `${host}: ${results.size} cases in ${Math.round(total / 1000)} s; the slowest: ${slowest.map(({ name, milliseconds }) => `${name} ${milliseconds} ms`).join("; ")}`,
        );
      }
    });

    for (const name of scopes.flatMap((scope) => namesIn(scope, share))) {
      test(name, ({ skip }) => {
        skip(missing !== undefined, missing ?? "");
        if (refused !== undefined) {
          throw new Error(`${host}: ${refused}`);
        }
        const result = results.get(name);
        if (result === undefined) {
          throw new Error(
            `${host} did not report on it: ${why}; then it ran: ${[...running].join("; ") || "nothing"}. It also printed:\n${notes.slice(-20).join("\n")}`,
          );
        }
        skip(result.outcome === "skipped", result.message ?? "");
        if (result.outcome === "failed") {
          throw new Error(`${host}: ${result.message}`);
        }
      });
    }
  });
}

type Line = Report | { readonly kind: "done" };

function parse(text: string): Line | undefined {
  try {
    const line = JSON.parse(text) as Line;
    return typeof line === "object" && typeof line?.kind === "string" ? line : undefined;
  } catch {
    return undefined;
  }
}
