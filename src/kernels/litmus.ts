// Litmus tests of an adapter's memory as data: the kernel of each, what its results mean, and what relies on it.

import barriersFile from "#shaders/litmus/barriers.wgsl";
import coherenceFile from "#shaders/litmus/coherence.wgsl";
import dispatchesFile from "#shaders/litmus/dispatches.wgsl";
import loadBufferingFile from "#shaders/litmus/load_buffering.wgsl";
import messagePassingFile from "#shaders/litmus/message_passing.wgsl";
import progressFile from "#shaders/litmus/progress.wgsl";
import runLitmusFile from "#shaders/litmus/run_litmus.wgsl";
import storeBufferingFile from "#shaders/litmus/store_buffering.wgsl";
import taggedWordsFile from "#shaders/litmus/tagged_words.wgsl";
import ticketsFile from "#shaders/litmus/tickets.wgsl";
import wholeWordsFile from "#shaders/litmus/whole_words.wgsl";
import workGroupStoresFile from "#shaders/litmus/work_group_stores.wgsl";
import { linkSources } from "../text/link.ts";
import type { Constants } from "../text/module.ts";
import type { SourceText } from "../text/source.ts";
import { constantsText } from "./contract.ts";
import type { Kernel } from "./kernel.ts";
import { bindingsIn } from "./kernel.ts";

/** How many work-groups and threads run a test. Both are powers of two. */
export interface LitmusSizes {
  readonly workGroupSize: number;
  /** Work-groups that run the test. As many more stress memory meanwhile. */
  readonly testers: number;
}

/** How many instances ran, and how often something was seen. */
export interface Sightings {
  readonly instances: number;
  /** Outcomes that WebGPU forbids. */
  readonly forbidden: number;
  /** Outcomes that WebGPU allows, and that look as if memory went out of order. */
  readonly weak: number;
}

/** The name of a litmus test. */
export type LitmusName =
  | "dispatches"
  | "barriers"
  | "work-group stores"
  | "tickets"
  | "whole words"
  | "tagged words"
  | "progress"
  | "coherence"
  | "message passing"
  | "store buffering"
  | "load buffering";

/** A litmus test: a few loads and stores whose results tell how an adapter orders memory. */
export interface LitmusTest {
  readonly name: LitmusName;
  /** Declares `test_instance`. */
  readonly source: SourceText;
  /** What is seen if no outcome is weak or forbidden. */
  readonly usual: string;
  /** What a weak outcome is, if there is one. */
  readonly weak?: string;
  /** What a forbidden outcome is, if there is one. */
  readonly forbidden?: string;
  /** Which of Wavefold's kernels rely on memory that never shows a forbidden outcome. */
  readonly reliedOnBy?: string;
  /** What Wavefold does about weak outcomes. */
  readonly cure?: string;
  /** Constants of this test alone. */
  readonly constants?: Constants;
  /** Whether only the test's own work-groups run, and do not wait for each other at the start. */
  readonly isAlone?: true;
  /** How many times as many work-groups run the test. */
  readonly times?: number;
  /** Counts the outcomes of an iteration. `results` has two words of each instance, which are 0 where nothing was kept. */
  count(results: Uint32Array, sizes: LitmusSizes): Sightings;
}

/**
 * Counts by a function of an instance's two results. An instance that kept nothing did not run, and nobody stored a value above
 * `most`: neither is ever right.
 */
const ofEach =
  (outcome: (first: number, second: number) => "usual" | "weak" | "forbidden", most: number) =>
  (results: Uint32Array): Sightings => {
    let [forbidden, weak] = [0, 0];
    for (let at = 0; at < results.length; at += 2) {
      const [first, second] = [(results[at] ?? 0) - 1, (results[at + 1] ?? 0) - 1];
      const isValue = Math.min(first, second) >= 0 && Math.max(first, second) <= most;
      const seen = isValue ? outcome(first, second) : "forbidden";
      forbidden += seen === "forbidden" ? 1 : 0;
      weak += seen === "weak" ? 1 : 0;
    }
    return { instances: results.length / 2, forbidden, weak };
  };

/** How many counters give numbers, and how many threads claim one word. */
const COUNTERS = 16;
const CLAIMANTS = 8;

/** Counts numbers that are missing or given twice, and words that not exactly one thread was the first to claim. */
function countTickets(results: Uint32Array, { workGroupSize }: LitmusSizes): Sightings {
  const instances = results.length / 2;
  const given = new Uint8Array(instances);
  const firsts = new Uint8Array(instances / CLAIMANTS);
  for (let at = 0; at < instances; at++) {
    const [number, isFirst] = [(results[2 * at] ?? 0) - 1, (results[2 * at + 1] ?? 0) - 1];
    const place = number * COUNTERS + ((at >> 1) % COUNTERS);
    if (number >= 0 && place < instances) {
      given[place] = 1;
    }
    const word = Math.floor(at / (workGroupSize * CLAIMANTS)) * workGroupSize + (at % workGroupSize);
    firsts[word] = (firsts[word] ?? 0) + (isFirst === 1 ? 1 : 0);
  }
  const forbidden = given.filter((one) => one === 0).length + firsts.filter((one) => one !== 1).length;
  return { instances, forbidden, weak: 0 };
}

/** How often a work-group looks for what the one before it stored. */
const WAITS = 2000;

function countWaits(results: Uint32Array, { testers, workGroupSize }: LitmusSizes): Sightings {
  let [instances, weak] = [0, 0];
  for (let at = 0; at < results.length; at += 2 * workGroupSize) {
    const looks = (results[at] ?? 0) - 1;
    instances += looks >= 0 ? 1 : 0;
    weak += looks >= WAITS ? 1 : 0;
  }
  return { instances, forbidden: testers - instances, weak };
}

const lookBack = "single passes and sorts";
const everything = "all kernels";
const isWrong = (first: number, second: number): "usual" | "forbidden" =>
  first + second === 0 ? "usual" : "forbidden";

/** All litmus tests. What Wavefold relies on comes first. */
export const litmusTests: readonly LitmusTest[] = [
  {
    name: "dispatches",
    source: dispatchesFile,
    usual: "each dispatch saw all that the one before it stored",
    forbidden: "a dispatch missed what the one before it stored",
    reliedOnBy: everything,
    count: ofEach(isWrong, 4),
  },
  {
    name: "barriers",
    source: barriersFile,
    usual: "after a barrier, each thread saw what its work-group had stored",
    forbidden: "a thread missed what its work-group had stored before a barrier",
    reliedOnBy: everything,
    count: ofEach(isWrong, 4),
  },
  {
    name: "work-group stores",
    source: workGroupStoresFile,
    usual: "each atomic store in work-group memory replaced the value that was there",
    forbidden: "an atomic store in work-group memory did not replace the value that was there",
    reliedOnBy: "sorts, partitions by classes and other kernels that clear counters",
    count: ofEach(isWrong, 4),
  },
  {
    name: "tickets",
    source: ticketsFile,
    usual: "each number was given once, and each word had one first claimant",
    forbidden: "a number was given twice or never, or a word had no or two first claimants",
    reliedOnBy: lookBack,
    constants: { COUNTERS, CLAIMANTS },
    count: countTickets,
  },
  {
    name: "whole words",
    source: wholeWordsFile,
    usual: "each word was loaded as one store left it",
    forbidden: "a word was loaded with halves of two stores",
    reliedOnBy: lookBack,
    count: ofEach((low, high) => (low === high ? "usual" : "forbidden"), 0xffff),
  },
  {
    name: "tagged words",
    source: taggedWordsFile,
    usual: "each value of two words with the right tags was the one that was handed on",
    forbidden: "a value of two words with the right tags was another one than was handed on",
    reliedOnBy: lookBack,
    count: ofEach((_, isOther) => (isOther === 0 ? "usual" : "forbidden"), 1),
  },
  {
    name: "progress",
    source: progressFile,
    usual: "each work-group saw what the work-group before it handed on",
    weak: "a work-group waited in vain for the one before it",
    cure: "it then computes what it waits for",
    forbidden: "a work-group did not run",
    reliedOnBy: everything,
    constants: { WAITS },
    isAlone: true,
    times: 8,
    count: countWaits,
  },
  {
    name: "coherence",
    source: coherenceFile,
    usual: "no load got an older value than the load of the same place before it",
    forbidden: "a load got an older value than the load of the same place before it",
    count: ofEach((earlier, later) => (later < earlier ? "forbidden" : "usual"), 2),
  },
  {
    name: "message passing",
    source: messagePassingFile,
    usual: "no later store was seen without the earlier one",
    weak: "a later store was seen without the earlier one",
    cure: "each word that is handed on has a tag",
    forbidden: "a load got a value that nobody stored",
    reliedOnBy: everything,
    count: ofEach((second, first) => (second === 1 && first === 0 ? "weak" : "usual"), 1),
  },
  {
    name: "store buffering",
    source: storeBufferingFile,
    usual: "no two threads missed each other's store",
    weak: "two threads missed each other's store",
    cure: "no kernel relies on the order of two places",
    forbidden: "a load got a value that nobody stored",
    reliedOnBy: everything,
    count: ofEach((one, other) => (one === 0 && other === 0 ? "weak" : "usual"), 1),
  },
  {
    name: "load buffering",
    source: loadBufferingFile,
    usual: "no two threads saw each other's later store",
    weak: "two threads saw each other's later store",
    cure: "no kernel relies on the order of two places",
    forbidden: "a load got a value that nobody stored",
    reliedOnBy: everything,
    count: ofEach((one, other) => (one === 1 && other === 1 ? "weak" : "usual"), 1),
  },
];

/** The most words from one instance's place to the next. */
export const MOST_STRIDE = 8;
/** Where stress goes in `places`, by the names in run_litmus.wgsl. */
const stress = { STRESSED: 128, LINES: 32, LINE: 64 } as const;
/** The words before the instances' places in `places`. */
export const WORDS_BEFORE = stress.STRESSED + stress.LINES * stress.LINE;

/** How many work-groups a test starts, and how many of them run it. */
export function groupsOf(test: LitmusTest, { testers }: LitmusSizes): { started: number; running: number } {
  const running = testers * (test.times ?? 1);
  return { started: test.isAlone ? running : 2 * running, running };
}

/** The kernel of a litmus test. */
export function litmusKernel(test: LitmusTest, sizes: LitmusSizes): Kernel {
  const { started, running } = groupsOf(test, sizes);
  const constants = {
    WORK_GROUP_SIZE: sizes.workGroupSize,
    TESTERS: running,
    SPREAD: started / running,
    MOST_STRIDE,
    ...stress,
    FIRST_PLACE: WORDS_BEFORE,
    ...test.constants,
  };
  const entryPoint = "run_litmus";
  const module = linkSources([constantsText(constants), test.source, runLitmusFile], entryPoint);
  return {
    label: `wavefold litmus test of ${test.name}`,
    entryPoint,
    bindings: bindingsIn(module.code),
    vector: 1,
    tile: sizes.workGroupSize,
    ...module,
  };
}
