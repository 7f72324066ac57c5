import { ArgumentError } from "../errors.ts";

/** What a trace combines with: an operator on any values, its order kept. */
export interface Combining<T> {
  readonly identity: T;
  combine(earlier: T, later: T): T;
}

/** What happens at one place in one step: nothing comes in, one value moves there, or two are combined. */
export interface Move {
  readonly to: number;
  /** Places of the step before: none (it becomes the identity), one, or the earlier and the later one. */
  readonly from: readonly [] | readonly [number] | readonly [earlier: number, later: number];
}

/** One step of an algorithm on work-group memory. Places that no move names keep their value. */
export interface TreeStep<T> {
  readonly phase: "load" | "up-sweep" | "clear" | "down-sweep" | "combine" | "shift" | "result";
  /** How far apart the values are that the step combines; 0 where it combines none. */
  readonly distance: number;
  readonly moves: readonly Move[];
  /** Whether each place's own element comes in after the value that is there. */
  readonly withElements: boolean;
  /** Every place afterwards: the elements, and up to a power of two the identity. */
  readonly cells: readonly T[];
}

/** Which prefixes a trace ends with. */
export interface TreeOptions {
  /** Whether a prefix leaves out the element at its own place. */
  readonly exclusive?: boolean;
}

const applied = <T>(
  cells: readonly T[],
  moves: readonly Move[],
  { identity, combine }: Combining<T>,
): T[] => {
  const next = [...cells];
  for (const { to, from } of moves) {
    const [first, second] = from.map((place) => cells[place] as T);
    next[to] =
      from.length === 0 ? identity : from.length === 1 ? (first as T) : combine(first as T, second as T);
  }
  return next;
};

/**
 * Carries out shaders/work_group/blelloch.wgsl, step by step: totals are combined up a binary tree,
 * and prefixes handed down it.
 *
 * @returns the prefixes.
 *
 * @example
 * ```ts
 * const sum = { identity: 0, combine: (earlier: number, later: number) => earlier + later };
 * const steps = [...blellochSteps([3, 1, 7, 0], sum)];
 * Array.from(steps, ({ phase }) => phase); // ["load", "up-sweep", "up-sweep", "clear", "down-sweep", "down-sweep"]
 * steps.at(-1)?.cells; // 0 3 4 11
 * ```
 */
export function* blellochSteps<T>(
  elements: readonly T[],
  combining: Combining<T>,
  { exclusive = true }: TreeOptions = {},
): Generator<TreeStep<T>, T[]> {
  if (elements.length === 0) {
    return [];
  }
  const { identity, combine } = combining;
  const leaves = 2 ** Math.ceil(Math.log2(elements.length));
  let cells = Array.from({ length: leaves }, (_, place) =>
    place < elements.length ? (elements[place] as T) : identity,
  );
  const step = (phase: TreeStep<T>["phase"], distance: number, moves: readonly Move[]): TreeStep<T> => {
    cells = applied(cells, moves, combining);
    return { phase, distance, moves, withElements: false, cells };
  };
  yield step("load", 0, []);
  for (let half = 1; half < leaves; half *= 2) {
    const moves: Move[] = [];
    for (let right = 2 * half - 1; right < leaves; right += 2 * half) {
      moves.push({ to: right, from: [right - half, right] });
    }
    yield step("up-sweep", half, moves);
  }
  yield step("clear", 0, [{ to: leaves - 1, from: [] }]);
  for (let half = leaves / 2; half >= 1; half /= 2) {
    const moves: Move[] = [];
    for (let right = 2 * half - 1; right < leaves; right += 2 * half) {
      // The prefix comes before the left total: it stands for what is further left.
      moves.push({ to: right - half, from: [right] }, { to: right, from: [right, right - half] });
    }
    yield step("down-sweep", half, moves);
  }
  if (!exclusive) {
    cells = cells.map((prefix, place) =>
      place < elements.length ? combine(prefix, elements[place] as T) : prefix,
    );
    const moves = elements.map((_, to): Move => ({ to, from: [to] }));
    yield { phase: "result", distance: 0, moves, withElements: true, cells };
  }
  return cells.slice(0, elements.length);
}

/**
 * Carries out shaders/work_group/hillis_steele.wgsl, step by step: each value is combined with the one
 * 1, 2, 4 … places before it.
 *
 * @returns the prefixes.
 */
export function* hillisSteeleSteps<T>(
  elements: readonly T[],
  combining: Combining<T>,
  { exclusive = false }: TreeOptions = {},
): Generator<TreeStep<T>, T[]> {
  let cells = [...elements];
  const step = (phase: TreeStep<T>["phase"], distance: number, moves: readonly Move[]): TreeStep<T> => {
    cells = applied(cells, moves, combining);
    return { phase, distance, moves, withElements: false, cells };
  };
  if (elements.length > 0) {
    yield step("load", 0, []);
  }
  for (let distance = 1; distance < elements.length; distance *= 2) {
    const moves: Move[] = [];
    for (let to = distance; to < elements.length; to++) {
      moves.push({ to, from: [to - distance, to] });
    }
    yield step("combine", distance, moves);
  }
  if (exclusive && elements.length > 0) {
    yield step(
      "shift",
      0,
      elements.map((_, to): Move => ({ to, from: to === 0 ? [] : [to - 1] })),
    );
  }
  return cells;
}

/** An entry of the spine: a tile's total, the total of a group of tiles, or what comes before a section. */
export interface SpineEntry {
  readonly kind: "total" | "group" | "section";
  readonly index: number;
  /** Whether it lies in the place apart, where another tile than its owner handed it on. */
  readonly apart?: true;
}

/** Where a tile is. */
export type TileState = "not started" | "running" | "waiting" | "stuck" | "done";

/** Values of entries, by index; nothing where none is handed on. */
export type Spine<T> = Readonly<Record<SpineEntry["kind"], readonly (T | undefined)[]>>;

/** One turn of one tile in a single-pass scan. */
export interface LookBackStep<T> {
  readonly tile: number;
  /**
   * `start`: it takes a slot. `stick`: it takes no more turns until no other tile can. `hand on`: an
   * entry of its own. `read`: all that it still needed was there. `wait`: some was not. `fall back`: it
   * has waited long enough, computes what is missing, and hands it on apart. `finish`: it writes its
   * prefixes.
   */
  readonly action: "start" | "stick" | "hand on" | "read" | "wait" | "fall back" | "finish";
  /** What it wants: its group's total, what comes before the next section, or its own carry. */
  readonly purpose: "group" | "section" | "carry" | undefined;
  /** Entries that it hands on, finds there, or does not find, in this turn. */
  readonly handedOn: readonly SpineEntry[];
  readonly read: readonly SpineEntry[];
  readonly missing: readonly SpineEntry[];
  /** Tiles whose items it reads from the input to fall back. */
  readonly inputs: readonly number[];
  /** The entries afterwards: the owners', and those that others handed on apart. */
  readonly spine: Spine<T>;
  readonly apart: Spine<T>;
  /** Each tile's carry; nothing while it is not known, or nothing comes before. */
  readonly carries: readonly (T | undefined)[];
  readonly states: readonly TileState[];
  /** The prefixes that are written. */
  readonly outputs: readonly (T | undefined)[];
}

/** How a single-pass scan is carried out. */
export interface LookBackOptions {
  readonly exclusive?: boolean;
  /** Items of a tile; 1 where it is left out. */
  readonly tileSize?: number;
  /** Tiles of a group, and groups of a section; 4 where it is left out. */
  readonly fanOut?: number;
  /** Tiles that run at once; all where it is left out. */
  readonly slots?: number;
  /** How often a tile looks in vain before it falls back; 3 where it is left out. */
  readonly patience?: number;
  /** The order in which the tiles start, and which of the running ones has the next turn: by this seed, or in order. */
  readonly seed?: number;
  /** Tiles that stop after their start, until no other can go on. */
  readonly stuck?: Iterable<number>;
}

/** Mulberry32: numbers from 0 up to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Carries out shaders/device/look_back.wgsl, a turn of one tile a step: a scan in a single pass over
 * tiles. A tile hands on its total; the last tile of a group the group's; the last one of a section what
 * comes before the next. A tile's carry is, in order, what comes before its section, the totals of the
 * groups before its own, and those of the tiles before it in its group. No tile waits for ever: after
 * `patience` vain looks it computes what is missing, in the same order and so to the same bits.
 *
 * @returns the prefixes.
 * @throws {ArgumentError} when an option means nothing.
 *
 * @example
 * ```ts
 * const sum = { identity: 0, combine: (earlier: number, later: number) => earlier + later };
 * const steps = [...lookBackSteps([3, 1], sum)];
 * Array.from(steps, ({ tile }) => tile); // 0 1 0 1 0 1 1
 * Array.from(steps, ({ action }) => action); // ["start", "start", "hand on", "hand on", "finish", "read", "finish"]
 * ```
 */
export function* lookBackSteps<T>(
  elements: readonly T[],
  { combine, identity }: Combining<T>,
  options: LookBackOptions = {},
): Generator<LookBackStep<T>, T[]> {
  const { exclusive = false, tileSize = 1, fanOut = 4, patience = 3, seed } = options;
  const tiles = Math.ceil(elements.length / tileSize);
  const { slots = Math.max(1, tiles) } = options;
  for (const [name, value, least] of [
    ["tileSize", tileSize, 1],
    ["fanOut", fanOut, 2],
    ["slots", slots, 1],
    ["patience", patience, 1],
  ] as const) {
    if (!Number.isInteger(value) || value < least) {
      throw new ArgumentError(`lookBackSteps: ${name} is ${value}; it takes a whole number from ${least} up`);
    }
  }
  const stuck = new Set(options.stuck);
  const sectionSize = fanOut * fanOut;
  // Nothing comes before section 0: its place stays empty, and is never read.
  const sections = Math.max(1, Math.ceil(tiles / sectionSize));
  const empty = (): Record<SpineEntry["kind"], (T | undefined)[]> => ({
    total: new Array(tiles).fill(undefined),
    group: new Array(Math.floor(tiles / fanOut)).fill(undefined),
    section: new Array(sections).fill(undefined),
  });
  const spine = empty();
  const apart = empty();
  const carries = new Array<T | undefined>(tiles).fill(undefined);
  const states = new Array<TileState>(tiles).fill("not started");
  const outputs = new Array<T | undefined>(elements.length).fill(undefined);

  const itemsOf = (tile: number): readonly T[] => elements.slice(tile * tileSize, (tile + 1) * tileSize);
  const fold = (values: readonly T[]): T =>
    values.slice(1).reduce((earlier, later) => combine(earlier, later), values[0] as T);
  const run = (kind: SpineEntry["kind"], first: number, count: number): SpineEntry[] =>
    Array.from({ length: count }, (_, at) => ({ kind, index: first + at }));
  /** What a group's or a section's entry is made of, in order. */
  const partsOf = ({ kind, index }: SpineEntry): SpineEntry[] =>
    kind === "group"
      ? run("total", index * fanOut, fanOut)
      : [...run("section", index - 1, index > 1 ? 1 : 0), ...run("group", (index - 1) * fanOut, fanOut)];
  /** What comes before a tile, in order. */
  const before = (tile: number): SpineEntry[] => {
    const section = Math.floor(tile / sectionSize);
    const group = Math.floor(tile / fanOut);
    return [
      ...run("section", section, section > 0 ? 1 : 0),
      ...run("group", section * fanOut, group - section * fanOut),
      ...run("total", group * fanOut, tile - group * fanOut),
    ];
  };

  const copyOf = (one: ReturnType<typeof empty>): Spine<T> => ({
    total: [...one.total],
    group: [...one.group],
    section: [...one.section],
  });
  const step = (
    tile: number,
    action: LookBackStep<T>["action"],
    details: Partial<LookBackStep<T>> = {},
  ): LookBackStep<T> => ({
    tile,
    action,
    purpose: undefined,
    handedOn: [],
    read: [],
    missing: [],
    inputs: [],
    ...details,
    spine: copyOf(spine),
    apart: copyOf(apart),
    carries: [...carries],
    states: [...states],
    outputs: [...outputs],
  });
  const handOn = (tile: number, kind: SpineEntry["kind"], index: number, value: T): LookBackStep<T> => {
    spine[kind][index] = value;
    return step(tile, "hand on", { handedOn: [{ kind, index }] });
  };

  /** An entry that is not there: from the input, or from its parts, which may not be there either. */
  function* fallBack(
    tile: number,
    purpose: LookBackStep<T>["purpose"],
    { kind, index }: SpineEntry,
  ): Generator<LookBackStep<T>, T> {
    const read: SpineEntry[] = [];
    let value: T;
    if (kind === "total") {
      value = fold(itemsOf(index));
    } else {
      const values: T[] = [];
      for (const part of partsOf({ kind, index })) {
        const own = spine[part.kind][part.index];
        const others = apart[part.kind][part.index];
        if (own === undefined && others === undefined) {
          values.push(yield* fallBack(tile, purpose, part));
          read.push({ ...part, apart: true });
        } else {
          values.push((own ?? others) as T);
          read.push(own === undefined ? { ...part, apart: true } : part);
        }
      }
      value = fold(values);
    }
    apart[kind][index] = value;
    yield step(tile, "fall back", {
      purpose,
      read,
      inputs: kind === "total" ? [index] : [],
      handedOn: [{ kind, index, apart: true }],
    });
    return value;
  }

  /** The entries' combination: looks until all are there, or computes those that are not. */
  function* gather(
    tile: number,
    purpose: LookBackStep<T>["purpose"],
    entries: readonly SpineEntry[],
  ): Generator<LookBackStep<T>, T> {
    const found: (T | undefined)[] = entries.map(() => undefined);
    let wanted = entries.map((entry, at) => ({ entry, at }));
    for (let looks = 0; wanted.length > 0 && looks < patience; looks++) {
      const isThere = ({ entry }: { entry: SpineEntry }): boolean =>
        spine[entry.kind][entry.index] !== undefined;
      const there = wanted.filter(isThere);
      wanted = wanted.filter((one) => !isThere(one));
      for (const { entry, at } of there) {
        found[at] = spine[entry.kind][entry.index];
      }
      states[tile] = wanted.length > 0 ? "waiting" : "running";
      yield step(tile, wanted.length > 0 ? "wait" : "read", {
        purpose,
        read: there.map(({ entry }) => entry),
        missing: wanted.map(({ entry }) => entry),
      });
    }
    states[tile] = "running";
    for (const { entry, at } of wanted) {
      // Somebody else may have fallen back for it, or its owner have come after all.
      const own = spine[entry.kind][entry.index];
      const value = own ?? apart[entry.kind][entry.index];
      if (value === undefined) {
        found[at] = yield* fallBack(tile, purpose, entry);
      } else {
        found[at] = value;
        yield step(tile, "read", { purpose, read: [own === undefined ? { ...entry, apart: true } : entry] });
      }
    }
    return fold(found as T[]);
  }

  function* turnsOf(tile: number): Generator<LookBackStep<T>, void> {
    const items = itemsOf(tile);
    const next = tile + 1;
    states[tile] = "running";
    yield step(tile, "start");
    if (stuck.has(tile)) {
      states[tile] = "stuck";
      yield step(tile, "stick");
      states[tile] = "running";
    }
    yield handOn(tile, "total", tile, fold(items));
    if (next % fanOut === 0) {
      const group: SpineEntry = { kind: "group", index: next / fanOut - 1 };
      yield handOn(tile, "group", group.index, yield* gather(tile, "group", partsOf(group)));
    }
    if (next % sectionSize === 0 && next / sectionSize < sections) {
      const section: SpineEntry = { kind: "section", index: next / sectionSize };
      yield handOn(tile, "section", section.index, yield* gather(tile, "section", partsOf(section)));
    }
    const entries = before(tile);
    const carry = entries.length > 0 ? yield* gather(tile, "carry", entries) : undefined;
    carries[tile] = carry;
    let prefix = carry;
    items.forEach((item, at) => {
      const inclusive = prefix === undefined ? item : combine(prefix, item);
      outputs[tile * tileSize + at] = exclusive ? (prefix ?? identity) : inclusive;
      prefix = inclusive;
    });
    states[tile] = "done";
    yield step(tile, "finish");
  }

  const random = seed === undefined ? undefined : randomNumbers(seed);
  const waiting = Array.from({ length: tiles }, (_, tile) => tile);
  if (random !== undefined) {
    for (let last = waiting.length - 1; last > 0; last--) {
      const other = Math.floor(random() * (last + 1));
      [waiting[last], waiting[other]] = [waiting[other] as number, waiting[last] as number];
    }
  }
  const running: { readonly tile: number; readonly turns: Generator<LookBackStep<T>, void> }[] = [];
  for (let turn = 0; ; turn++) {
    while (running.length < slots && waiting.length > 0) {
      const tile = waiting.shift() as number;
      running.push({ tile, turns: turnsOf(tile) });
    }
    if (running.length === 0) {
      return outputs as T[];
    }
    // A stuck tile goes on once nothing else can. Those that wait have fewer turns than those that work.
    const able = running.filter(({ tile }) => states[tile] !== "stuck");
    const tickets = able.flatMap((one) =>
      random && states[one.tile] !== "waiting" ? [one, one, one] : [one],
    );
    const next = (tickets[random ? Math.floor(random() * tickets.length) : turn % tickets.length] ??
      running[0]) as (typeof running)[number];
    const { value } = next.turns.next();
    if (value) {
      yield value;
    }
    if (value?.action === "finish") {
      running.splice(running.indexOf(next), 1);
    }
  }
}
