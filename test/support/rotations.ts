// The program that rows.test.ts runs: it collects the tests of the files that are named, in the full tier and in every turn of
// the quick one, and prints what it finds as JSON. It runs none of them.
import process from "node:process";
import { isTest, notedBy, noteRows } from "./collector.ts";
import { watchRows } from "./rows.ts";

/** What the rotations of a file's tables come to. */
export interface Rotation {
  /** The tables that are taken in parts. */
  readonly tables: number;
  readonly turns: number;
  /** Tests, and rows of tables, of the full tier that no turn has. */
  readonly lost: readonly string[];
  /** What a turn has, and the full tier has not. */
  readonly added: readonly string[];
  /** The turns that have no test at all. */
  readonly empty: readonly number[];
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
const multiple = (a: number, b: number): number => (a / divisor(a, b)) * b;

async function rotationOf(url: string): Promise<Rotation> {
  let tables = 0;
  let turns = 1;
  watchRows((table, taken, parts) => {
    tables++;
    turns = multiple(turns, parts);
    noteRows(table, taken);
  });
  const collect = (tier: string, turn: number): Promise<ReadonlySet<string>> => {
    process.env.WAVEFOLD_TIER = tier;
    process.env.WAVEFOLD_SEED = String(turn);
    // What a file imports is shared. Its own lines run once more.
    return notedBy(() => import(`${url}?${tier}=${turn}`));
  };
  const full = await collect("full", 0);
  const inParts = tables;
  const lost = new Set(full);
  const added = new Set<string>();
  const empty: number[] = [];
  for (let turn = 0, all = turns; turn < all; turn++) {
    const own = await collect("quick", turn);
    if (![...own].some(isTest)) {
      empty.push(turn);
    }
    for (const one of own) {
      lost.delete(one);
      if (!full.has(one)) {
        added.add(one);
      }
    }
  }
  return { tables: inParts, turns, lost: [...lost], added: [...added], empty };
}

const found: Record<string, Rotation> = {};
for (const url of process.argv.slice(2)) {
  found[url] = await rotationOf(url);
}
// What some of the files import keeps a process alive.
process.stdout.write(JSON.stringify(found), () => process.exit(0));
