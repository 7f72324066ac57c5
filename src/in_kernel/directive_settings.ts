import { algorithms } from "../kernels/algorithms.ts";
import type { Fault } from "./directive_comments.ts";
import { EXAMPLE } from "./directive_comments.ts";
import type { Form } from "./directive_names.ts";
import { isSizeless } from "./directive_names.ts";

/** The settings of a directive, which follow the functions. */
export interface Settings {
  /** 0 if the functions take none. */
  readonly workGroupSize: number;
  readonly subgroups: boolean;
  readonly keys: ReadonlyMap<Key, string>;
}

const KEYS = [
  "algorithm",
  "counter",
  "capacity",
  "items",
  "bits",
  "suffix",
  "min_subgroup_size",
  "max_subgroup_size",
] as const;
export type Key = (typeof KEYS)[number];

const isKey = (name: string): name is Key => (KEYS as readonly string[]).includes(name);

const SUBGROUP_SIZE = [/^\d+$/, "4, 8, 16, 32, 64 or 128"] as const;

/** What settings that are numbers look like. */
const NUMBERS: Readonly<Partial<Record<Key, readonly [pattern: RegExp, takes: string]>>> = {
  items: [/^\d+$/, "the keys of a thread, such as items=4"],
  bits: [/^\d+,\d+$/, "the first bit and the one after the last, such as bits=0,8"],
  min_subgroup_size: SUBGROUP_SIZE,
  max_subgroup_size: SUBGROUP_SIZE,
};

/** The functions that take a setting, for messages. */
export const TAKERS = {
  algorithm: "work_group_ and coalesced_ functions; thread tiles take subgroups, or nothing",
  counter: "_update functions and work_group_allocate",
  capacity: "work_group_allocate",
  items: "work_group_sort",
  bits: "work_group_sort",
  suffix: "all",
  min_subgroup_size: "all",
  max_subgroup_size: "all",
} as const satisfies Record<Key, string>;

/** Whether a setting means something to a function. */
export function takes(form: Form, key: Key): boolean {
  if (isSizeless(form)) {
    return false;
  }
  switch (key) {
    case "algorithm":
      return form.family !== "thread_tile" && form.family !== "shuffle";
    case "counter":
      return form.family === "allocate" || ("update" in form && form.update);
    case "capacity":
      return form.family === "allocate";
    case "items":
    case "bits":
      return form.family === "sort";
    case "suffix":
    case "min_subgroup_size":
    case "max_subgroup_size":
      return true;
    default:
      return key satisfies never;
  }
}

/** The words of a directive that follow the functions, while they are read. */
interface Written {
  readonly keys: Map<Key, string>;
  subgroups: boolean;
  size: string | undefined;
}

/** What the size of a work-group is found by, if the directive does not have it. */
export interface SizeSource {
  /** Whether one of the functions takes a size. */
  readonly takesSize: boolean;
  /** The threads of each `@workgroup_size`; undefined if it is not written in literal numbers. */
  readonly workGroupSizes: readonly (number | undefined)[];
}

/**
 * Reads the settings that follow the functions of a directive.
 *
 * @throws {SourceError} if a word is no setting, if a setting is given twice, or if two contradict each other or the kernel.
 */
export function settingsOf(rest: string, { takesSize, workGroupSizes }: SizeSource, fault: Fault): Settings {
  const written: Written = { keys: new Map(), subgroups: false, size: undefined };
  for (const word of rest.split(/\s+/).filter((word) => word !== "")) {
    readWord(word, written, fault);
  }
  const { keys, subgroups, size } = written;
  const algorithm = keys.get("algorithm");
  if (
    subgroups &&
    algorithm !== undefined &&
    algorithm !== "subgroup" &&
    Object.hasOwn(algorithms, algorithm)
  ) {
    throw fault(
      `subgroups and algorithm=${algorithm} contradict each other; leave one of them out`,
      "algorithm",
    );
  }
  if (size !== undefined) {
    return { workGroupSize: writtenSize(size, workGroupSizes, fault), subgroups, keys };
  }
  return { workGroupSize: takesSize ? sizeOfKernel(workGroupSizes, fault) : 0, subgroups, keys };
}

function readWord(word: string, written: Written, fault: Fault): void {
  const setting = /^(\w+)=(.+)$/s.exec(word);
  if (setting !== null) {
    readKey(setting, written.keys, fault);
  } else if (word === "subgroups") {
    if (written.subgroups) {
      throw fault(`${word} is given twice`, word);
    }
    written.subgroups = true;
  } else if (/^\d+$/.test(word)) {
    if (written.size !== undefined) {
      throw fault(
        `the work-group size is given twice, as ${written.size} and ${word}; it takes the product of @workgroup_size`,
        word,
      );
    }
    written.size = word;
  } else {
    throw fault(
      `${word} is neither a work-group size, nor subgroups, nor a setting such as algorithm=blelloch; functions are divided by commas`,
      word,
    );
  }
}

function readKey([word, key = "", value = ""]: RegExpExecArray, keys: Map<Key, string>, fault: Fault): void {
  if (!isKey(key)) {
    throw fault(`${key} is not a setting; it takes ${KEYS.join(", ")}`, word);
  }
  if (keys.has(key)) {
    throw fault(`${key} is given twice`, key);
  }
  const [pattern, numbers] = NUMBERS[key] ?? [];
  if (pattern?.test(value) === false) {
    throw fault(`${word}: it takes ${numbers}`, word);
  }
  keys.set(key, value);
}

/** The size that a directive has. It throws if no `@workgroup_size` of the kernel can have as many threads. */
function writtenSize(written: string, workGroupSizes: SizeSource["workGroupSizes"], fault: Fault): number {
  const size = Number(written);
  const inRange = size >= 1 && size <= 1024;
  const isOther = (threads: number | undefined) => threads !== undefined && threads !== size;
  if (inRange && workGroupSizes.length > 0 && workGroupSizes.every(isOther)) {
    throw fault(
      `the work-group size is ${size}, and the file's @workgroup_size has ${[...new Set(workGroupSizes)].join(" or ")} threads`,
      written,
    );
  }
  return size;
}

/** The size of a kernel that has a single `@workgroup_size`, in literal numbers. It throws for others. */
function sizeOfKernel(workGroupSizes: SizeSource["workGroupSizes"], fault: Fault): number {
  const [size] = workGroupSizes;
  if (size !== undefined && workGroupSizes.length === 1) {
    return size;
  }
  const counts = ["has no @workgroup_size", "has a @workgroup_size that is not written in numbers"];
  const found = counts[workGroupSizes.length] ?? `has ${workGroupSizes.length} @workgroup_size`;
  throw fault(
    `the work-group size is missing, and the file ${found}; write it after the functions, as in ${EXAMPLE}`,
  );
}
