import { WavefoldError } from "../../errors.ts";
import type { Machine } from "./machine.ts";
import { nameOfThread } from "./machine.ts";
import { Memory, StorageRange } from "./memory.ts";

/** The bindings of a dispatch, by "group,binding". */
type Ranges = ReadonlyMap<string, StorageRange>;

/**
 * Runs a dispatch with subgroups of the other size on a copy of what it may write, then as usual. It is a finding if that leaves other words.
 * Bits are compared, so that a NaN is as good as any other value. A dispatch that waits for ever has not stored all, and is not compared.
 */
export function runWithBothSizes(machine: Machine, ranges: Ranges, run: (ranges: Ranges) => void): void {
  const earlier = machine.findings.length;
  const copies = copiesOf(ranges);
  machine.withOtherSubgroups(() => run(copies));
  run(ranges);
  if (!machine.findings.slice(earlier).some(({ kind }) => kind === "stuck")) {
    reportDifferences(machine, differencesOf(ranges, copies));
  }
}

/** The bytes of a memory that ranges hold, from the first one on. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The same ranges over copies of the memory that may be written. Ranges of one buffer share a copy, as they share the buffer. */
function copiesOf(ranges: Ranges): Ranges {
  const spans = new Map<Memory, Span>();
  for (const { memory, offset, size, isWritten } of ranges.values()) {
    const known = spans.get(memory);
    if (known || isWritten) {
      const span = known ?? { from: offset, to: offset };
      spans.set(memory, { from: Math.min(span.from, offset), to: Math.max(span.to, offset + size) });
    }
  }
  const copies = new Map(
    [...spans].map(([memory, span]) => [memory, { from: span.from, copy: copyOf(memory, span) }]),
  );
  const copied = ([key, range]: [string, StorageRange]): [string, StorageRange] => {
    const { from, copy } = copies.get(range.memory) ?? { from: 0, copy: range.memory };
    const made = new StorageRange(copy, range.offset - from, range.size, range.isWritten);
    made.name = range.name;
    return [key, made];
  };
  return new Map([...ranges].map(copied));
}

function copyOf(memory: Memory, { from, to }: Span): Memory {
  try {
    const copy = new Memory(to - from, memory.label, memory.written.length > 0);
    copy.bytes.set(memory.bytes.subarray(from, to));
    copy.written.set(memory.written.subarray(from >> 2, (to + 3) >> 2));
    return copy;
  } catch (cause) {
    throw new WavefoldError(
      `otherSubgroupSize takes a copy of what a dispatch may write, and there is no room for one of ${to - from} bytes of "${memory.label}"; leave the option out, or take a smaller buffer (${String(cause)})`,
    );
  }
}

/** A binding with other words than its copy. */
interface Difference {
  readonly range: StorageRange;
  /** The first word that differs. */
  readonly first: number;
  readonly value: number;
  readonly otherValue: number;
  readonly count: number;
}

function differencesOf(ranges: Ranges, copies: Ranges): readonly Difference[] {
  return [...ranges].flatMap(([key, range]) => {
    const others = copies.get(key)?.words ?? range.words;
    const { words } = range;
    const first = words.findIndex((word, at) => word !== others[at]);
    if (!range.isWritten || first < 0) {
      return [];
    }
    const count = words.reduce((sum, word, at) => sum + (word === others[at] ? 0 : 1), 0);
    return [{ range, first, value: words[first] as number, otherValue: others[first] as number, count }];
  });
}

const hexOf = (word: number): string => `0x${(word >>> 0).toString(16).padStart(8, "0")}`;

/** Reports what differs. It is one finding: all of it may have one cause. */
function reportDifferences(machine: Machine, differences: readonly Difference[]): void {
  const [difference, ...rest] = differences;
  if (difference === undefined) {
    return;
  }
  const { range, first, value, otherValue, count } = difference;
  const { subgroupSize, otherSubgroupSize } = machine.options;
  const write = range.memory.lastWrite((range.offset >> 2) + first, machine);
  const others = rest.map(
    (one) => `; of ${one.range.name}, ${one.count} of ${one.range.words.length} differ`,
  );
  const writer = write ? `; ${nameOfThread(write.thread)} wrote it at ${machine.nameOfSite(write.site)}` : "";
  machine.report(
    "subgroup-size",
    write?.site ?? -1,
    `word ${first} of ${range.name} is ${hexOf(value)} with subgroups of ${subgroupSize} lanes, and ${hexOf(otherValue)} with ${otherSubgroupSize}${writer}; ${count} of its ${range.words.length} words differ${others.join("")}`,
    write ? [write.thread] : [],
  );
}
