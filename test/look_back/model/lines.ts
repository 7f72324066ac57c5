// The lines of shaders/device/ that the model's steps stand for, and the functions that the model copies.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** A line of a shader: a part of its text that stands in one line of one function. */
export interface Line {
  readonly file: string;
  readonly function: string;
  readonly text: string;
}

const shaders = new URL("../../../shaders/device/", import.meta.url);
const texts = new Map<string, string>();

export function textOf(file: string): string {
  const known = texts.get(file) ?? readFileSync(new URL(file, shaders), "utf8").replaceAll("\r\n", "\n");
  texts.set(file, known);
  return known;
}

const guide = new URL("../../../docs/guides/how-it-works.md", import.meta.url);

/** What the guide says of the models. */
const guideSection = (): string =>
  readFileSync(guide, "utf8")
    .replaceAll("\r\n", "\n")
    .split(/^## /m)
    .find((section) => section.startsWith("What is proved of the look-back")) ?? "";

/** The numbers of states in those rows of the guide's table that begin with `start`. */
export const statesInGuide = (start: string): number[] =>
  guideSection()
    .split("\n")
    .filter((line) => line.startsWith(`| ${start}`))
    .flatMap((line) => [...line.matchAll(/\d+,\d+/g)].map(([number]) => Number(number.replace(",", ""))));

/** The guide's counter-example. */
export const exampleInGuide = (): string[] =>
  /```text\n([\s\S]*?)\n```/.exec(guideSection())?.[1]?.split("\n") ?? [];

/** The text of a function from its name to its last bracket; undefined if the file has none of that name. */
export function functionText(file: string, name: string): string | undefined {
  return new RegExp(`^fn ${name}\\([^]*?^\\}`, "m").exec(textOf(file))?.[0];
}

/** The number of a line in its file, from 1 on; 0 if it is not there. */
export function lineNumber({ file, function: name, text }: Line): number {
  const body = functionText(file, name);
  const at = body?.indexOf(text) ?? -1;
  if (body === undefined || at < 0) {
    return 0;
  }
  const all = textOf(file);
  return all.slice(0, all.indexOf(body) + at).split("\n").length;
}

export const describeLine = (line: Line): string => `${line.function}, ${line.file}:${lineNumber(line)}`;

const spine = "look_back/spine_entries.wgsl";
const lookBack = "look_back/look_back.wgsl";
const byThreads = "look_back/look_back_threads.wgsl";
const byVotes = "look_back/look_back_votes.wgsl";
const digits = "sort/first_by_look_back.wgsl";

export const lines = {
  takeTicket: {
    file: "look_back/tile_by_ticket.wgsl",
    function: "tile_of",
    text: "ticket = atomicAdd(&spine[2u * call.spine_entries * ENTRY_WORDS + run_number()], 1u);",
  },
  storeWord: {
    file: spine,
    function: "write_place",
    text: "_ = atomicExchange(&spine[first + 2u * word * GROUP_ENTRIES], run | (words[word] & 0xffffu));",
  },
  readPlace: {
    file: spine,
    function: "read_place",
    text: "is_whole &= ((low >> 16u) == run) & ((high >> 16u) == run);",
  },
  storePrefixes: {
    file: "kernels/scan_single_pass.wgsl",
    function: "take_tile",
    text: "store_prefixes(tile, thread, length, finish_run(run, combine(carry(), before)));",
  },
  handOnCarryByThreads: {
    file: byThreads,
    function: "find_carry",
    text: "write_place(entry_of_carry(tile / FAN_OUT + 1u), combine(before, total), 0u, 1u);",
  },
  handOnCarryByVotes: {
    file: byVotes,
    function: "find_carry",
    text: "write_place(entry_of_carry(tile / FAN_OUT + 1u), combine(before, total), 0u, 1u);",
  },
  claimCarry: {
    file: lookBack,
    function: "claims_carry",
    text: "return atomicExchange(&spine[first_word_of(call.spine_entries + entry_of_carry(group) + 1u)], run) != run;",
  },
  leave: {
    file: "kernels/scan_in_place.wgsl",
    function: "take_tile",
    text: "atomicStore(&spine[place_of_left(tile)], run_number());",
  },
  findLeft: {
    file: "kernels/scan_in_place.wgsl",
    function: "scan_left_tiles",
    text: "var is_left = own <= last_tile(length) && atomicLoad(&spine[place_of_left(own)]) == run_number();",
  },
  readTotalByThreads: {
    file: byThreads,
    function: "read_groups",
    text: "total = read_place(entry_of_tile(group * FAN_OUT + thread));",
  },
  readCarryByThreads: {
    file: byThreads,
    function: "read_groups",
    text: "carry = read_place(entry_of_carry(group));",
  },
  readByVotes: { file: byVotes, function: "read_groups", text: "found = read_place(entry);" },
  lookAgain: {
    file: lookBack,
    function: "look_back",
    text: "look_back_again(tile, total, thread, length);",
  },
  readCarryAgain: {
    file: lookBack,
    function: "look_back_again",
    text: "let found = read_entry(entry_of_carry(look_back_group));",
  },
  readTotalAgain: {
    file: lookBack,
    function: "total_before",
    text: "let found = read_entry(entry_of_tile(other));",
  },
  computeTotal: {
    file: lookBack,
    function: "total_before",
    text: "element = total_of_tile(other, thread, length);",
  },
  takeSortTicket: {
    file: "sort/tile_by_ticket.wgsl",
    function: "tile_of",
    text: "ticket = atomicAdd(&spine[FIRST_TICKET + call.digit], 1u);",
  },
  storeEntry: {
    file: digits,
    function: "hand_on",
    text: "atomicStore(&spine[entry], (state << 30u) | count);",
  },
  readEntry: {
    file: digits,
    function: "find_places",
    text: "entries[at] = atomicLoad(&spine[entry_of(max(left, at + 1u) - at - 1u, thread)]);",
  },
  giveUp: { file: digits, function: "find_places", text: "atomicMax(&tile_missing, left);" },
  countTile: {
    file: digits,
    function: "find_places",
    text: "count_tile(missing - 1u, thread, length);",
  },
  exchangeEntry: {
    file: digits,
    function: "find_places",
    text: "_ = atomicCompareExchangeWeak(&spine[entry], found, (state << 30u) | atomicLoad(&digit_words[thread]));",
  },
  storeSum: {
    file: digits,
    function: "find_places",
    text: "hand_on(entry_of(tile, thread), sum_state(), sum + count);",
  },
} as const satisfies Record<string, Line>;

/**
 * The functions that the model copies, and a digest of each one's text without blanks and comments. If a test says that one
 * changed: see whether the model still does what the shader does, mend it, and then write the new digest here.
 */
export const copied: readonly (readonly [file: string, name: string, digest: string])[] = [
  ["look_back/tile_by_ticket.wgsl", "tile_of", "45500cf7"],
  ["look_back/spine_entries.wgsl", "run_number", "31fc11bf"],
  ["look_back/spine_entries.wgsl", "first_word_of", "63543983"],
  ["look_back/spine_entries.wgsl", "read_place", "75b6fc00"],
  ["look_back/spine_entries.wgsl", "read_entry", "d8fd5f8b"],
  ["look_back/spine_entries.wgsl", "write_place", "5f089484"],
  ["look_back/look_back.wgsl", "entry_of_tile", "948fa0df"],
  ["look_back/look_back.wgsl", "entry_of_carry", "ab41d509"],
  ["look_back/look_back.wgsl", "claims_carry", "f15a145e"],
  ["look_back/look_back.wgsl", "hand_on", "a9af6d88"],
  ["look_back/look_back.wgsl", "look_back", "2f9ed1f8"],
  ["look_back/look_back.wgsl", "look_back_again", "ac661b6a"],
  ["look_back/look_back.wgsl", "total_before", "c0fe3c9c"],
  ["look_back/look_back_threads.wgsl", "stop_before", "9c05cba1"],
  ["look_back/look_back_threads.wgsl", "stop_at", "4cb68d82"],
  ["look_back/look_back_threads.wgsl", "find_carry", "5f31128e"],
  ["look_back/look_back_threads.wgsl", "read_groups", "a397a59e"],
  ["look_back/look_back_threads.wgsl", "with_total", "d23b7217"],
  ["look_back/look_back_threads.wgsl", "sum_of_totals", "f3adf5f6"],
  ["look_back/look_back_votes.wgsl", "find_carry", "7bec730f"],
  ["look_back/look_back_votes.wgsl", "read_groups", "312b53cc"],
  ["look_back/look_back_votes.wgsl", "all_lanes", "6719199a"],
  ["look_back/look_back_votes.wgsl", "with_total", "977a5b62"],
  ["look_back/look_back_votes.wgsl", "sum_of_totals", "bdda23b1"],
  ["kernels/scan_single_pass.wgsl", "scan_single_pass", "1975d065"],
  ["kernels/scan_single_pass.wgsl", "take_tile", "d08950cc"],
  ["kernels/scan_single_pass.wgsl", "store_last_total", "913ad902"],
  ["kernels/scan_in_place.wgsl", "take_tile", "97357936"],
  ["kernels/scan_in_place.wgsl", "place_of_left", "755fe0db"],
  ["kernels/scan_in_place.wgsl", "scan_left_tiles", "cadc2b30"],
  ["kernels/scan_in_place.wgsl", "take_left_tile", "f8882ba6"],
  ["look_back/total_handed_on.wgsl", "total_before", "31f5f9e0"],
  ["sort/tile_by_ticket.wgsl", "tile_of", "dc9d3d7d"],
  ["sort/first_by_look_back.wgsl", "sum_state", "f6935f7a"],
  ["sort/first_by_look_back.wgsl", "entry_of", "1612ac2c"],
  ["sort/first_by_look_back.wgsl", "hand_on_digits", "939e4942"],
  ["sort/first_by_look_back.wgsl", "hand_on", "995e592a"],
  ["sort/first_by_look_back.wgsl", "find_places", "38779646"],
  ["sort/count_tile.wgsl", "count_tile", "a7f84b4e"],
];

export function digestOf(file: string, name: string): string | undefined {
  const text = functionText(file, name)
    ?.replaceAll(/\/\/.*/g, "")
    .replaceAll(/\s+/g, "");
  return text === undefined ? undefined : createHash("sha256").update(text).digest("hex").slice(0, 8);
}
