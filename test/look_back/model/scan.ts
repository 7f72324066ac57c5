// The single pass as a model: kernels/scan_single_pass.wgsl with look_back/*.wgsl, and in place with kernels/scan_in_place.wgsl. An
// entry has several words, and each has the number of the run.
//
// An element is a text: the names of the tiles that it combines, in order. The tiles of run 1 are a1, b1 and so on. What is put
// together from words of different elements is a text that is none of these.

import type { Memory, Model } from "./explore.ts";
import { lines } from "./lines.ts";

/** The rules that keep the single pass right. Without one of them, the model must go wrong. */
export const scanRules = {
  "each word has a tag": "the tag of the first word alone says that an entry is there",
  "tag and value are in one word":
    "a word of its own says that an entry is there; it is stored last, and read first",
  "tag and value come from one load": "the value is loaded again, once the tags were right",
  "owner and stand-in have places of their own":
    "what is handed on in the owner's stead goes to the owner's place",
  "one stand-in hands on a carry": "each work-group that computed a carry in its owner's stead hands it on",
  "no wait is without end": "a work-group tries to read until everything is there",
  "the input stays as it is": "a tile stores its prefixes where its items were",
  "a tag is the number of the run": "a tag says only that an entry is there",
  "numbers used up, spine replaced": "after its last number a spine goes on with the first one",
  "no run has the number of an empty entry": "runs are numbered from 0 on",
  "tickets are taken by one addition": "a ticket is loaded, and then stored with one more",
  "each run has a ticket of its own": "all runs take tickets from one counter",
  "who lacks a total says so": "a reader that lacks a total leaves it to the others",
  "a carry counts if no thread lacks a total of its group":
    "a thread that found a carry comes before one that lacks a total",
  "a tile that is left says so": "a tile that does not find what comes before it ends, and stores nothing",
  "a tile that is left keeps its items":
    "a tile that does not find what comes before it stores what it has found so far",
  "a tile is left in one run": "a tile that is left says so without the number of the run",
} as const;
export type ScanRule = keyof typeof scanRules;

export interface ScanOptions {
  readonly tiles: number;
  readonly runs: number;
  readonly way: "by threads" | "by votes";
  readonly fanOut: number;
  readonly mostGroups: number;
  /** Words of an entry. */
  readonly words: number;
  /** How many runs a spine has numbers for. */
  readonly numbers: number;
  readonly tickets: boolean;
  /** Whether a total has other bits if another work-group computes it than the owner. */
  readonly bitsDiffer: boolean;
  /** Whether the words of an entry are stored one by one, in any order. Else they are stored in one step. */
  readonly wordByWord: boolean;
  /** Whether tiles are scanned in place, by threads or by votes. Then the model's dispatches are two for each run. */
  readonly inPlace: boolean;
  readonly without?: ScanRule | undefined;
}

export const scanDefaults: ScanOptions = {
  tiles: 4,
  runs: 2,
  way: "by threads",
  fanOut: 2,
  mostGroups: 2,
  words: 2,
  numbers: 4095,
  tickets: false,
  bitsDiffer: false,
  wordByWord: false,
  inPlace: false,
};

type Store = readonly [place: string, value: string];

/** What a work-group knows. */
interface Local {
  readonly at: "start" | "ticket" | "go on" | "end" | "done" | "left";
  readonly tile: number;
  /** Words that are still to be stored, in any order. */
  readonly stores: readonly Store[];
  /** Whether this is the second dispatch in place. */
  readonly isSecond?: boolean;
  /** Where the slow way is; undefined before it. */
  readonly again?: Again;
  readonly prefix?: string;
}

interface Again {
  readonly group: number;
  readonly member: number;
  readonly seeks: boolean;
  readonly known: string;
  readonly sum: string;
  readonly last: string;
  /** A total that was computed in its owner's stead. */
  readonly computed?: string;
}

const letters = "abcdefghijklmnop";

// Of readers that stopped at the same distance, one that lacks something comes before those that found a carry.
const LACKS = -1;
const COMES_LAST = 99;

export function scanModel(options: ScanOptions): Model<Local> {
  const { tiles, runs, way, fanOut, mostGroups, words, numbers, tickets, bitsDiffer } = options;
  const { wordByWord, without, inPlace } = options;
  const range = (length: number): number[] => Array.from({ length }, (_, at) => at);
  const tileName = (run: number, tile: number): string => `${letters[tile]}${run}`;

  // Entries and their places.
  const entryOfTile = (tile: number): string => `total of tile ${tile}`;
  const entryOfCarry = (group: number): string => `carry of group ${group}`;
  const inStead = (entry: string): string =>
    without === "owner and stand-in have places of their own" ? entry : `${entry} by a stand-in`;
  const word = (entry: string, at: number): string => `${entry}, word ${at}`;
  const flag = (entry: string): string => `${entry}, flag`;
  const hasFlags = without === "tag and value are in one word";
  const entryPlaces = (entry: string): string[] => [
    ...(hasFlags ? [flag(entry)] : []),
    ...range(words).map((at) => word(entry, at)),
  ];
  const groups = range(Math.floor(tiles / fanOut)).map((group) => group + 1);
  const entries = [...range(tiles).map(entryOfTile), ...groups.map(entryOfCarry)].flatMap((entry) => [
    ...new Set([entry, inStead(entry)]),
  ]);
  const claim = (group: number): string => `claim to the carry of group ${group}`;
  const areClaimed = without !== "one stand-in hands on a carry";
  const input = (tile: number): string => `items of tile ${tile}`;
  const isInputWritten = inPlace || without === "the input stays as it is";
  const placeOfLeft = (tile: number): string => word(inStead(entryOfTile(tile)), 0);
  /** It has the number of the run, and no tag. */
  const leftIn = (run: number): string =>
    `0 left in ${without === "a tile is left in one run" ? "a run" : tagOf(run)}`;
  /** The run of a dispatch. */
  const runOf = (dispatch: number): number => (inPlace ? Math.ceil(dispatch / 2) : dispatch);
  const isSecond = (dispatch: number): boolean => inPlace && dispatch % 2 === 0;
  const ticketOf = (run: number): string =>
    without === "each run has a ticket of its own" ? "ticket" : `ticket of run ${numberOf(run)}`;

  // Runs are numbered from 1 on. After the last number, a new spine replaces the old one.
  const firstNumber = without === "no run has the number of an empty entry" ? 0 : 1;
  const numberOf = (run: number): number => ((run - 1) % numbers) + firstNumber;
  const tagOf = (run: number): string =>
    without === "a tag is the number of the run" ? "1" : `${numberOf(run)}`;
  const isNewSpine = (run: number): boolean =>
    run === 1 || (without !== "numbers used up, spine replaced" && (run - 1) % numbers === 0);

  // A word is its tag and the element that it is a part of. An empty one has tag 0.
  const EMPTY = "0 ";
  const split = (value: string): [tag: string, element: string] => {
    const at = value.indexOf(" ");
    return [value.slice(0, at), value.slice(at + 1)];
  };
  const elementOf = (parts: readonly string[]): string =>
    parts.every((part) => part === parts[0]) ? (parts[0] as string) : `⟨${parts.join("|")}⟩`;
  const show = (element: string): string => (element === "" ? "nothing" : element);

  const wordsToStore = (entry: string, element: string, run: number): Store[] => [
    ...range(words).map((at): Store => [word(entry, at), `${hasFlags ? "0" : tagOf(run)} ${element}`]),
    ...(hasFlags ? [[flag(entry), `${tagOf(run)} `] as Store] : []),
  ];

  /** read_place. */
  function readPlace(m: Memory, thread: number, entry: string, run: number): string | undefined {
    const meaning = (values: readonly string[]): string | undefined => {
      const parts = values.map(split);
      const tagged = hasFlags || without === "each word has a tag" ? parts.slice(0, 1) : parts;
      const isWhole = tagged.every(([tag]) => tag === tagOf(run));
      return isWhole ? elementOf((hasFlags ? parts.slice(1) : parts).map(([, part]) => part)) : undefined;
    };
    let found = m.load(thread, entryPlaces(entry), `entry of run ${run}`, meaning);
    if (found !== undefined && without === "tag and value come from one load") {
      found = m.load(thread, entryPlaces(entry), "value", (values) =>
        elementOf(values.map((one) => split(one)[1])),
      );
    }
    m.note(lines.readPlace, () => `    reads ${entry}: ${found === undefined ? "not there" : show(found)}`);
    return found;
  }

  /** read_entry. */
  const readEntry = (m: Memory, entry: string, run: number): string | undefined =>
    readPlace(m, 0, entry, run) ?? readPlace(m, 0, inStead(entry), run);

  /** total_of_tile: what a work-group computes in the owner's stead. */
  function totalOfTile(m: Memory, tile: number, run: number): string {
    const name = `${tileName(run, tile)}${bitsDiffer ? "'" : ""}`;
    return isInputWritten
      ? (m.load(0, [input(tile)], `items ${name}`, ([items]) =>
          items === "items" ? name : `⟨prefixes of tile ${tile}⟩`,
        ) as string)
      : name;
  }

  /** find_carry of look_back_threads.wgsl. */
  function findByThreads(m: Memory, tile: number, run: number): string | undefined {
    const own = Math.floor(tile / fanOut);
    const totals = new Map<string, string>();
    const carries = new Map<number, string>();
    // The nearest stop: a distance, and the thread that found a carry there. A thread that lacks something comes first.
    let stop: { away: number; thread: number } | undefined;
    const noteStop = (away: number, thread: number): void => {
      const before = stop ?? { away: Number.POSITIVE_INFINITY, thread: 0 };
      if (away < before.away || (away === before.away && thread < before.thread)) {
        stop = { away, thread };
      }
    };
    const stopBefore = (away: number): void => {
      if (without === "a carry counts if no thread lacks a total of its group") {
        noteStop(away, COMES_LAST);
      } else if (without !== "who lacks a total says so") {
        noteStop(away, LACKS);
      }
    };
    const readGroups = (thread: number): void => {
      for (let away = 0; away < mostGroups; away++) {
        const group = own - away;
        // The order of these loads does not matter. The carry of a group whose total is missing is not used.
        const isNeeded = !(away === 0 && thread >= tile % fanOut);
        const entry = entryOfTile(group * fanOut + thread);
        const total = isNeeded
          ? (readPlace(m, thread, entry, run) ?? readPlace(m, thread, inStead(entry), run))
          : "";
        if (total === undefined) {
          stopBefore(away);
          return;
        }
        totals.set(`${away} ${thread}`, total);
        const isLast = away === mostGroups - 1;
        const carryEntry = entryOfCarry(group);
        let carry = group === 0 ? "" : readPlace(m, thread, carryEntry, run);
        if (carry === undefined && isLast) {
          carry = readPlace(m, thread, inStead(carryEntry), run);
        }
        if (carry !== undefined) {
          carries.set(thread, carry);
          noteStop(away, thread);
          return;
        }
      }
      stopBefore(mostGroups);
    };
    for (const thread of range(fanOut)) {
      readGroups(thread);
    }
    if (stop === undefined || stop.thread === LACKS || stop.thread === COMES_LAST) {
      return undefined;
    }
    const { away: nearest, thread } = stop;
    // What nobody stored in work-group memory is zero, which is no element.
    const totalOf = (away: number, member: number): string => totals.get(`${away} ${member}`) ?? "⟨nothing⟩";
    const sumOf = (away: number): string =>
      range(fanOut - 1)
        .map((member) => totalOf(away, member))
        .join("");
    let before = carries.get(thread) as string;
    for (let away = nearest; away > 0; away--) {
      before += sumOf(away) + totalOf(away, fanOut - 1);
    }
    return before + sumOf(0);
  }

  /** find_carry of look_back_votes.wgsl, with two subgroups that look back. */
  function findByVotes(m: Memory, tile: number, run: number): string | undefined {
    const AT_ONCE = 2;
    const own = Math.floor(tile / fanOut);
    const sums = new Map<number, string>();
    const lasts = new Map<number, string>();
    const carries = new Map<number, string>();
    let stop: { away: number; subgroup: number } | undefined;
    const noteStop = (away: number, subgroup: number): void => {
      if (stop === undefined || away < stop.away || (away === stop.away && subgroup < stop.subgroup)) {
        stop = { away, subgroup };
      }
    };
    const readGroups = (subgroup: number): void => {
      for (let away = subgroup; away < mostGroups; away++) {
        if (away > own) {
          break;
        }
        const group = own - away;
        const members = away === 0 ? tile % fanOut : fanOut;
        const needed = away === mostGroups - 1 && group > 0 ? fanOut + 1 : members;
        // A lane for each total, and one for the carry. Lanes that read what nobody needs are left out.
        const lanes = [...range(members), ...(group > 0 ? [fanOut] : [])];
        const entryOf = (lane: number): string =>
          lane === fanOut ? entryOfCarry(group) : entryOfTile(group * fanOut + lane);
        const threadOf = (lane: number): number => subgroup * (fanOut + 1) + lane;
        const found = new Map(lanes.map((lane) => [lane, readPlace(m, threadOf(lane), entryOf(lane), run)]));
        const allThere = (): boolean =>
          lanes.every((lane) => found.get(lane) !== undefined || lane >= needed);
        if (!allThere()) {
          for (const lane of lanes) {
            found.set(lane, found.get(lane) ?? readPlace(m, threadOf(lane), inStead(entryOf(lane)), run));
          }
          if (!allThere()) {
            if (without !== "who lacks a total says so") {
              noteStop(away, LACKS);
            }
            break;
          }
        }
        const before = group === 0 ? "" : found.get(fanOut);
        sums.set(
          away,
          range(Math.min(members, fanOut - 1))
            .map((lane) => found.get(lane))
            .join(""),
        );
        lasts.set(away, members === fanOut ? (found.get(fanOut - 1) as string) : "");
        if (before !== undefined) {
          carries.set(subgroup, before);
          noteStop(away, subgroup);
        }
        if (before !== undefined || subgroup < AT_ONCE - 1) {
          break;
        }
      }
    };
    for (const subgroup of range(AT_ONCE)) {
      readGroups(subgroup);
    }
    if (stop === undefined || stop.subgroup === LACKS) {
      return undefined;
    }
    let before = carries.get(stop.subgroup) ?? "⟨nothing⟩";
    for (let away = stop.away; away > 0; away--) {
      before += (sums.get(away) ?? "⟨nothing⟩") + (lasts.get(away) ?? "⟨nothing⟩");
    }
    return before + (sums.get(0) ?? "⟨nothing⟩");
  }

  /** The end of a tile: it hands on the next group's carry if it is the last of its group, and stores its prefixes. */
  function found(m: Memory, local: Local, run: number, prefix: string, handsOn: boolean): Local {
    const { tile } = local;
    const { again: _, ...rest } = local;
    if (handsOn && tile % fanOut === fanOut - 1) {
      const entry = entryOfCarry(Math.floor(tile / fanOut) + 1);
      const stores = wordsToStore(entry, prefix + tileName(run, tile), run);
      return storeWords(m, { ...rest, at: "end", stores, prefix }, run);
    }
    return end(m, { ...rest, prefix }, run);
  }

  function end(m: Memory, { tile, prefix = "" }: Local, run: number): Local {
    m.note(lines.storePrefixes, () => `tile ${tile} ends; before it comes ${show(prefix)}`);
    const right = range(tile)
      .map((one) => tileName(run, one))
      .join("");
    m.require(
      prefix.replaceAll("'", "") === right,
      () => `tile ${tile} of run ${run} finds ${show(prefix)}, and ${show(right)} comes before it`,
    );
    if (isInputWritten) {
      m.store(0, input(tile), "prefixes");
    }
    return { at: "done", tile, stores: [] };
  }

  /** Stores the words that are to be stored: all of them, or any one. */
  function storeWords(m: Memory, local: Local, run: number): Local {
    const { stores, tile } = local;
    const which = wordByWord ? m.choose(stores.length) : 0;
    const now = wordByWord ? stores.slice(which, which + 1) : stores;
    for (const [place, value] of now) {
      m.store(0, place, value);
    }
    m.note(lines.storeWord, () => {
      const texts = now.map(([place, value]) => `${place} = ${value.trim().replace(" ", ":")}`);
      return `tile ${tile} of run ${run} stores ${texts.join("; ")}`;
    });
    return { ...local, stores: stores.filter((one) => !now.includes(one)) };
  }

  /** A work-group that computed a carry in its owner's stead hands it on, if it is the first one. */
  function handOnInStead(m: Memory, local: Local, run: number, group: number, carry: string): Local {
    const stores = wordsToStore(inStead(entryOfCarry(group)), carry, run);
    if (!areClaimed) {
      return storeWords(m, { ...local, stores }, run);
    }
    // It stores the carry in the same step. Others may still see the claim without the carry, since a load may be late.
    const last = m.exchange(0, claim(group), () => tagOf(run));
    const isFirst = last !== tagOf(run);
    m.note(lines.claimCarry, () => `tile ${local.tile} is ${isFirst ? "" : "not "}the first to come to it`);
    return isFirst ? storeWords(m, { ...local, stores }, run) : local;
  }

  /** look_back_again: the slow way. */
  function lookAgain(m: Memory, local: Local, run: number): Local {
    const { tile } = local;
    const own = Math.floor(tile / fanOut);
    let at = local.again as Again;
    if (at.seeks) {
      m.note(lines.lookAgain, () => `tile ${tile} looks again, slowly`);
      let group = own;
      let known = "";
      for (; group > 0; group--) {
        const carry = readEntry(m, entryOfCarry(group), run);
        if (carry !== undefined) {
          known = carry;
          break;
        }
      }
      at = { ...at, group, known, seeks: false };
    }
    for (;;) {
      const members = at.group === own ? tile % fanOut : fanOut;
      while (at.member < members) {
        const other = at.group * fanOut + at.member;
        let element = at.computed ?? readEntry(m, entryOfTile(other), run);
        if (element === undefined && local.isSecond) {
          element = "⟨nothing⟩";
        }
        if (element === undefined) {
          element = totalOfTile(m, other, run);
          const stores = wordsToStore(inStead(entryOfTile(other)), element, run);
          m.note(lines.computeTotal, () => `tile ${tile} computes the total of tile ${other}`);
          return storeWords(m, { ...local, stores, again: { ...at, computed: element } }, run);
        }
        const { computed: _, ...rest } = at;
        at =
          at.member < fanOut - 1
            ? { ...rest, sum: at.sum + element, member: at.member + 1 }
            : { ...rest, last: element, member: at.member + 1 };
      }
      const known = at.known + at.sum;
      if (at.group === own) {
        return found(m, local, run, known, members === fanOut - 1);
      }
      const next = known + at.last;
      const { group } = at;
      at = { group: group + 1, member: 0, seeks: false, known: next, sum: "", last: "" };
      return handOnInStead(m, { ...local, again: at }, run, group + 1, next);
    }
  }

  function lookBack(m: Memory, local: Local, run: number): Local {
    if (local.again !== undefined) {
      return lookAgain(m, local, run);
    }
    const { tile } = local;
    m.note(
      way === "by votes" ? lines.readByVotes : lines.readTotalByThreads,
      () => `tile ${tile} looks back`,
    );
    const prefix = way === "by votes" ? findByVotes(m, tile, run) : findByThreads(m, tile, run);
    if (prefix !== undefined) {
      return found(m, local, run, prefix, true);
    }
    if (without === "no wait is without end") {
      m.wait(lines.readTotalByThreads, () => `tile ${tile} waits`);
    }
    if (inPlace) {
      m.note(lines.leave, () => `tile ${tile} of run ${run} is left`);
      if (without === "a tile that is left keeps its items") {
        m.store(0, input(tile), "prefixes");
      }
      if (without !== "a tile that is left says so") {
        m.store(0, placeOfLeft(tile), leftIn(run));
      }
      return { at: "done", tile, stores: [] };
    }
    const again = { group: 0, member: 0, seeks: true, known: "", sum: "", last: "" };
    return lookAgain(m, { ...local, again }, run);
  }

  /** scan_left_tiles, for one tile. */
  function scanLeft(m: Memory, local: Local, run: number): Local {
    const { tile } = local;
    const isLeft =
      m.load(0, [placeOfLeft(tile)], `left in run ${run}`, ([value]) => `${value === leftIn(run)}`) ===
      "true";
    const items = m.load(0, [input(tile)], "items", ([value]) => value);
    m.note(
      lines.findLeft,
      () => `tile ${tile} of run ${run} is ${isLeft ? "" : "not "}left, and holds ${items}`,
    );
    m.require(
      items === (isLeft ? "items" : "prefixes"),
      () => `tile ${tile} of run ${run} is ${isLeft ? "" : "not "}left, and holds ${items}`,
    );
    if (!isLeft) {
      return { at: "done", tile, stores: [] };
    }
    const again = { group: 0, member: 0, seeks: true, known: "", sum: "", last: "" };
    return lookAgain(m, { ...local, at: "go on", again }, run);
  }

  const owned = (tile: number, run: number): Local => ({
    at: "go on",
    tile,
    stores: wordsToStore(entryOfTile(tile), tileName(run, tile), run),
  });

  return {
    places: [
      ...entries.flatMap(entryPlaces),
      ...(areClaimed ? groups.map(claim) : []),
      ...(isInputWritten ? range(tiles).map(input) : []),
      ...(tickets ? new Set(range(runs).map((run) => ticketOf(run + 1))) : []),
    ],
    runs: inPlace ? 2 * runs : runs,
    initial: (place) => (/^(ticket|claim)/.test(place) ? "0" : place.startsWith("items") ? "items" : EMPTY),
    before: (dispatch, place) =>
      isSecond(dispatch)
        ? undefined
        : place.startsWith("items")
          ? "items"
          : isNewSpine(runOf(dispatch))
            ? /^(ticket|claim)/.test(place)
              ? "0"
              : EMPTY
            : undefined,
    starts: (dispatch) =>
      range(tiles).map((tile) =>
        isSecond(dispatch)
          ? { at: "left", tile, stores: [], isSecond: true }
          : tickets
            ? { at: "start", tile: -1, stores: [] }
            : owned(tile, runOf(dispatch)),
      ),
    step(local, m, dispatch) {
      const run = runOf(dispatch);
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
          m.note(lines.takeTicket, () => `a work-group of run ${run} takes tile ${taken}`);
          const tile = Number(taken);
          return tile >= tiles ? { at: "done", tile: -1, stores: [] } : owned(tile, run);
        }
        case "go on":
          return local.stores.length > 0 ? storeWords(m, local, run) : lookBack(m, local, run);
        case "left":
          return scanLeft(m, local, run);
        case "end":
          return local.stores.length > 0 ? storeWords(m, local, run) : end(m, local, run);
        default:
          throw new Error(`a work-group takes no step at "${local.at}"`);
      }
    },
    isDone: ({ at }) => at === "done",
    wrongAtEnd(run, locals) {
      const ended = locals.map(({ tile }) => tile);
      const missing = range(tiles).find((tile) => !ended.includes(tile));
      return missing === undefined ? undefined : `run ${run} ends, and nobody took tile ${missing}`;
    },
  };
}
