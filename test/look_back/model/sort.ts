// The passes of a sort as a model: sort/first_by_look_back.wgsl. An entry is one atomic word: a state and a count. Each digit has
// a thread and entries of its own.
//
// A count is a text: the names of the tiles whose items it counts, in order. The tiles of the first pass are a1, b1 and so on. So
// what is counted twice or in the wrong pass can be seen. A pass is a run of the model; a sort is some passes in a row.

import type { Memory, Model } from "./explore.ts";
import { lines } from "./lines.ts";

/** The rules that keep the passes right. Without one of them, the model must go wrong. */
export const sortRules = {
  "state and count are in one word":
    "a word of its own says what an entry holds; it is stored last, and read first",
  "sums have other bits in every second pass": "a sum has the same bits in each pass",
  "entries are zero when a sort starts": "a sort starts with what the sort before it left",
  "no tile leaves a part behind": "only the first tile stores its sum; parts are enough for the others",
  "stand-ins exchange, and do not store": "what is handed on in the owner's stead replaces what is there",
  "the first tile has no part": "the items of the first tile are handed on as a part in the owner's stead",
  "no wait is without end": "a work-group tries to read until everything is there",
  "the input stays as it is": "the items of a tile go to places that others read",
  "tickets are taken by one addition": "a ticket is loaded, and then stored with one more",
} as const;
export type SortRule = keyof typeof sortRules;

export interface SortOptions {
  readonly tiles: number;
  /** The passes of each sort. The next sort uses the same spine. */
  readonly sorts: readonly number[];
  readonly digits: number;
  readonly atOnce: number;
  readonly tickets: boolean;
  /** Whether a compare-exchange may fail for no reason, as WGSL says. */
  readonly failsForNoReason: boolean;
  readonly without?: SortRule | undefined;
}

export const sortDefaults: SortOptions = {
  tiles: 4,
  sorts: [2],
  digits: 1,
  atOnce: 2,
  tickets: false,
  failsForNoReason: false,
};

/** What a work-group has still to do to memory, one after another: the store of an entry, or an exchange of what was found there. */
interface Change {
  readonly thread: number;
  readonly place: string;
  readonly value: string;
  readonly found?: string;
}

interface Local {
  readonly at: "start" | "go on" | "end" | "done";
  readonly tile: number;
  readonly changes: readonly Change[];
  /** Of each thread: the tiles that are still to be added, and the sum of those that were. */
  readonly left: readonly number[];
  readonly sums: readonly string[];
}

const letters = "abcdefghijklmnop";

export function sortModel(options: SortOptions): Model<Local> {
  const { tiles, sorts, digits, atOnce, tickets, failsForNoReason, without } = options;
  const range = (length: number): number[] => Array.from({ length }, (_, at) => at);
  const runs = sorts.reduce((sum, passes) => sum + passes, 0);
  // The number of a pass in its sort, from 0 on.
  const digitOf = (run: number): number => {
    let digit = run - 1;
    for (const passes of sorts) {
      if (digit < passes) {
        return digit;
      }
      digit -= passes;
    }
    throw new Error(`there is no pass ${run}`);
  };
  const isFirstPass = (run: number): boolean => digitOf(run) === 0;

  const hasFlags = without === "state and count are in one word";
  const isInputWritten = without === "the input stays as it is";
  const entryOf = (tile: number, digit: number): string =>
    `entry of tile ${tile}${digits > 1 ? `, digit ${digit}` : ""}`;
  const stateOf = (entry: string): string => `state of ${entry}`;
  const input = (tile: number): string => `items of tile ${tile}`;
  const ticketOf = (run: number): string => `ticket of pass ${digitOf(run)}`;

  const PART = "part";
  const sumState = (run: number): string =>
    without === "sums have other bits in every second pass" || digitOf(run) % 2 === 0 ? "sum(1)" : "sum(3)";
  const EMPTY = "nothing ";
  const split = (value: string): [state: string, count: string] => {
    const at = value.indexOf(" ");
    return [value.slice(0, at), value.slice(at + 1)];
  };
  // Counts are added, in any order.
  const added = (...counts: string[]): string =>
    counts
      .flatMap((one) => one.match(/[a-z⟨][^a-z⟨]*/g) ?? [])
      .sort()
      .join("");
  const own = (run: number, tile: number): string => `${letters[tile]}${run}`;

  /** hand_on: a store of state and count. */
  function changesOf(thread: number, tile: number, state: string, count: string): Change[] {
    const place = entryOf(tile, thread);
    return hasFlags
      ? [
          { thread, place, value: count },
          { thread, place: stateOf(place), value: state },
        ]
      : [{ thread, place, value: `${state} ${count}` }];
  }

  function readEntry(m: Memory, thread: number, tile: number): [state: string, count: string] {
    const place = entryOf(tile, thread);
    const value = m.load(thread, hasFlags ? [stateOf(place), place] : [place], "entry", (values) =>
      values.join(" "),
    );
    m.note(lines.readEntry, () => `    reads ${place}: ${value?.trim()}`);
    return split(value as string);
  }

  /** count_tile. */
  function countTile(m: Memory, tile: number, run: number): string {
    const count = own(run, tile);
    return isInputWritten
      ? (m.load(0, [input(tile)], `items ${count}`, ([items]) =>
          items === "items" ? count : `⟨moved items of tile ${tile}⟩`,
        ) as string)
      : count;
  }

  /** Makes the first of the changes that are to be made. All threads make theirs, so any order is right, and none sees the others'. */
  function change(m: Memory, local: Local, run: number): Local {
    const [first, ...changes] = local.changes as [Change, ...Change[]];
    const { thread, place, value, found } = first;
    const text = (what: string) => () => `tile ${local.tile} of pass ${run} ${what} ${place}: ${value}`;
    if (found === undefined) {
      m.store(thread, place, value);
      m.note(lines.storeEntry, text("stores"));
    } else {
      const fails = failsForNoReason && m.choose(2) === 1;
      const last = m.exchange(thread, place, (now) => (now === found && !fails ? value : now));
      m.note(
        lines.exchangeEntry,
        text(last === found && !fails ? "exchanges" : `leaves "${last}", and does not store`),
      );
    }
    return { ...local, changes };
  }

  function lookBack(m: Memory, local: Local, run: number): Local {
    const { tile } = local;
    const left = [...local.left];
    const sums = [...local.sums];
    let missing = 0;
    for (const thread of range(digits)) {
      // Attempts after the first one can read nothing that this one could not.
      for (let isPart = true; isPart && (left[thread] as number) > 0; ) {
        const before = left[thread] as number;
        let state = "";
        let count = "";
        for (let at = 0; at < atOnce && isPart; at++) {
          [state, count] = readEntry(m, thread, Math.max(before, at + 1) - at - 1);
          isPart = state === PART;
          if (isPart) {
            sums[thread] = added(sums[thread] as string, count);
            left[thread] = (left[thread] as number) - 1;
          }
        }
        if (!isPart && state === sumState(run)) {
          sums[thread] = added(sums[thread] as string, count);
          left[thread] = 0;
        }
      }
      missing = Math.max(missing, left[thread] as number);
    }
    const known = { ...local, left, sums };
    if (missing === 0) {
      return leave(m, known, run);
    }
    if (without === "no wait is without end") {
      m.wait(lines.readEntry, () => `tile ${tile} waits for tile ${missing - 1}`);
    }
    m.note(lines.giveUp, () => `tile ${tile} waits for tile ${missing - 1} in vain`);
    const counted = countTile(m, missing - 1, run);
    m.note(lines.countTile, () => `tile ${tile} counts the items of tile ${missing - 1}`);
    const changes = range(digits).flatMap((thread): Change[] => {
      const [state, count] = readEntry(m, thread, missing - 1);
      if (state === PART || state === sumState(run)) {
        return [];
      }
      const made = missing === 1 && without !== "the first tile has no part" ? sumState(run) : PART;
      const [one, ...others] = changesOf(thread, missing - 1, made, counted) as [Change, ...Change[]];
      return hasFlags || without === "stand-ins exchange, and do not store"
        ? [one, ...others]
        : [{ ...one, found: `${state} ${count}` }];
    });
    // If the entries are there by now, it reads them again.
    return changes.length > 0 ? change(m, { ...known, changes }, run) : known;
  }

  function leave(m: Memory, local: Local, run: number): Local {
    const { tile, sums } = local;
    const right = range(tile)
      .map((one) => own(run, one))
      .join("");
    for (const sum of sums) {
      m.require(
        sum === right,
        () => `tile ${tile} of pass ${run} counts "${sum}", and "${right}" comes before it`,
      );
    }
    m.note(lines.storeSum, () => `tile ${tile} of pass ${run} knows what comes before it: "${right}"`);
    const changes =
      without === "no tile leaves a part behind" && tile > 0
        ? []
        : sums.flatMap((sum, thread) => changesOf(thread, tile, sumState(run), added(sum, own(run, tile))));
    const ending: Local = { at: "end", tile, changes, left: [], sums: [] };
    return changes.length > 0 ? change(m, ending, run) : end(m, ending);
  }

  function end(m: Memory, { tile }: Local): Local {
    if (isInputWritten) {
      m.store(0, input(m.choose(tiles)), "moved");
    }
    return { at: "done", tile, changes: [], left: [], sums: [] };
  }

  const owned = (tile: number, run: number): Local => ({
    at: "go on",
    tile,
    changes: tile > 0 ? range(digits).flatMap((thread) => changesOf(thread, tile, PART, own(run, tile))) : [],
    left: range(digits).map(() => tile),
    sums: range(digits).map(() => ""),
  });

  const entries = range(tiles).flatMap((tile) => range(digits).map((digit) => entryOf(tile, digit)));
  return {
    places: [
      ...entries,
      ...(hasFlags ? entries.map(stateOf) : []),
      ...(isInputWritten ? range(tiles).map(input) : []),
      ...(tickets ? new Set(range(runs).map((run) => ticketOf(run + 1))) : []),
    ],
    runs,
    initial: (place) =>
      place.startsWith("ticket")
        ? "0"
        : place.startsWith("items")
          ? "items"
          : place.startsWith("state")
            ? "nothing"
            : hasFlags
              ? ""
              : EMPTY,
    before(run, place) {
      if (place.startsWith("items")) {
        return "items";
      }
      if (!isFirstPass(run) || without === "entries are zero when a sort starts") {
        return undefined;
      }
      return this.initial(place);
    },
    starts: (run) =>
      range(tiles).map((tile) =>
        tickets ? { at: "start", tile: -1, changes: [], left: [], sums: [] } : owned(tile, run),
      ),
    step(local, m, run) {
      switch (local.at) {
        case "start": {
          const place = ticketOf(run);
          let taken: string;
          if (without === "tickets are taken by one addition") {
            taken = m.load(0, [place], "ticket", ([last]) => last) as string;
            m.store(0, place, `${Number(taken) + 1}`);
          } else {
            taken = m.exchange(0, place, (last) => `${Number(last) + 1}`);
          }
          m.note(lines.takeSortTicket, () => `a work-group of pass ${run} takes tile ${taken}`);
          const tile = Number(taken);
          return tile >= tiles ? { at: "done", tile: -1, changes: [], left: [], sums: [] } : owned(tile, run);
        }
        case "go on":
          return local.changes.length > 0 ? change(m, local, run) : lookBack(m, local, run);
        case "end":
          return local.changes.length > 0 ? change(m, local, run) : end(m, local);
        default:
          throw new Error(`a work-group takes no step at "${local.at}"`);
      }
    },
    isDone: ({ at }) => at === "done",
    wrongAtEnd(run, locals) {
      const ended = locals.map(({ tile }) => tile);
      const missing = range(tiles).find((tile) => !ended.includes(tile));
      return missing === undefined ? undefined : `pass ${run} ends, and nobody took tile ${missing}`;
    },
  };
}
