import { refuse } from "../errors.ts";

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

/** An entry of the spine: a tile's total; or a group's carry, which is what comes before the group. */
export interface SpineEntry {
  readonly kind: "total" | "carry";
  readonly index: number;
  /** Whether it lies in the place apart, where another tile than its owner handed it on. */
  readonly apart?: true;
}

/** Where a tile is. */
export type TileState = "not started" | "running" | "waiting" | "stuck" | "done";

/** Values of entries, by index; nothing where none is handed on. Group 0 has no carry. */
export type Spine<T> = Readonly<Record<SpineEntry["kind"], readonly (T | undefined)[]>>;

/** One turn of one tile in a single-pass scan. */
export interface LookBackStep<T> {
  readonly tile: number;
  /**
   * `start`: it takes a slot. `stick`: it takes no more turns until no other tile can. `hand on`: an
   * entry of its own. `wait`: of the group that it looks at a total is not there, or of the farthest
   * one the carry. `go on`: the totals are there and the carry is not, so it looks at the group before
   * next. `read`: all is there, so its own carry is known. `give up`: it has waited long enough, and
   * begins again at the nearest group whose carry is there, or at the first one. `fall back`: it
   * computes what is missing, and hands it on apart. `finish`: it writes its prefixes.
   */
  readonly action:
    | "start"
    | "stick"
    | "hand on"
    | "wait"
    | "go on"
    | "read"
    | "give up"
    | "fall back"
    | "finish";
  /** The group that it looks at; nothing where it looks at none. */
  readonly group: number | undefined;
  /** Entries that it hands on, finds there, or does not find, in this turn. */
  readonly handedOn: readonly SpineEntry[];
  readonly read: readonly SpineEntry[];
  readonly missing: readonly SpineEntry[];
  /** Entries that it has from earlier turns, and needs for what it is at. */
  readonly held: readonly SpineEntry[];
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
  /** Tiles of a group; 4 where it is left out. */
  readonly fanOut?: number;
  /** Groups that a tile looks through, its own among them; 32 where it is left out. */
  readonly mostGroups?: number;
  /** Tiles that run at once; all where it is left out. */
  readonly slots?: number;
  /** How often a tile looks at a group in vain before it falls back; 3 where it is left out. */
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
 * Carries out shaders/device/look_back/look_back.wgsl, reading one group after another, a turn of one tile a step: a scan
 * in a single pass over tiles. A tile hands on its total, and the last tile of a group the next group's carry.
 * A tile looks at its own group's totals and carry, and as long as the totals are there and the carry is
 * not, at the group before. Its own carry is the carry found; then, in order, for each group from there on
 * the combined totals of all tiles but the last, and the last one's; and the combined totals of the tiles
 * before it in its own group: grouped the same wherever the carry was found. No tile waits for ever: after
 * `patience` vain looks at a group it computes what is missing, in the same order.
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
  const { exclusive = false, tileSize = 1, fanOut = 4, mostGroups = 32, patience = 3, seed } = options;
  const tiles = Math.ceil(elements.length / tileSize);
  const { slots = Math.max(1, tiles) } = options;
  for (const [name, value] of Object.entries({ tileSize, fanOut, mostGroups, slots, patience })) {
    if (!Number.isInteger(value) || value < 1) {
      refuse("lookBackSteps", name, value, "a whole number from 1 up");
    }
  }
  const stuck = new Set(options.stuck);
  const groups = Math.ceil(tiles / fanOut);
  const empty = (): Record<SpineEntry["kind"], (T | undefined)[]> => ({
    total: new Array(tiles).fill(undefined),
    carry: new Array(groups).fill(undefined),
  });
  const spine = empty();
  const apart = empty();
  const carries = new Array<T | undefined>(tiles).fill(undefined);
  const states = new Array<TileState>(tiles).fill("not started");
  const outputs = new Array<T | undefined>(elements.length).fill(undefined);

  const itemsOf = (tile: number): readonly T[] => elements.slice(tile * tileSize, (tile + 1) * tileSize);
  /** Combined where there are two: nothing comes before the first. */
  const join = (earlier: T | undefined, later: T | undefined): T | undefined =>
    earlier === undefined || later === undefined ? (earlier ?? later) : combine(earlier, later);
  const fold = (values: readonly (T | undefined)[]): T | undefined => values.reduce(join, undefined);
  /** The totals of a group that come before a tile. */
  const totalsBefore = (tile: number, group: number): SpineEntry[] =>
    Array.from({ length: Math.min(fanOut, tile - group * fanOut) }, (_, member) => ({
      kind: "total",
      index: group * fanOut + member,
    }));
  const valueIn = ({ kind, index, apart: isApart }: SpineEntry): T | undefined =>
    (isApart ? apart : spine)[kind][index];
  const inApart = (entry: SpineEntry): SpineEntry => ({ ...entry, apart: true });
  /** The place in which an entry is, its owner's first. */
  const placeOf = (entry: SpineEntry): SpineEntry | undefined =>
    [entry, inApart(entry)].find((place) => valueIn(place) !== undefined);

  const copyOf = (one: Spine<T>): Spine<T> => ({ total: [...one.total], carry: [...one.carry] });
  const step = (
    tile: number,
    action: LookBackStep<T>["action"],
    details: Partial<LookBackStep<T>> = {},
  ): LookBackStep<T> => ({
    tile,
    action,
    group: undefined,
    handedOn: [],
    read: [],
    missing: [],
    held: [],
    inputs: [],
    ...details,
    spine: copyOf(spine),
    apart: copyOf(apart),
    carries: [...carries],
    states: [...states],
    outputs: [...outputs],
  });
  const handOn = (tile: number, entry: SpineEntry, value: T | undefined): LookBackStep<T> => {
    spine[entry.kind][entry.index] = value;
    return step(tile, "hand on", { handedOn: [entry] });
  };

  /** With a group's totals: those of all tiles but its last combined first. */
  const joinGroup = (before: T | undefined, totals: readonly (T | undefined)[]): T | undefined =>
    join(join(before, fold(totals.slice(0, fanOut - 1))), totals[fanOut - 1]);

  /** From the tile's own group back, until a carry is there. */
  function* lookBack(tile: number): Generator<LookBackStep<T>, void> {
    const own = Math.floor(tile / fanOut);
    const totalsOfGroups: (T | undefined)[][] = [];
    let held: readonly SpineEntry[] = [];
    for (let group = own; ; group--) {
      const totals = totalsBefore(tile, group);
      // Nothing comes before group 0.
      const carry: readonly SpineEntry[] = group > 0 ? [{ kind: "carry", index: group }] : [];
      const needed = own - group === mostGroups - 1 ? [...totals, ...carry] : totals;
      const found = new Map<SpineEntry, T>();
      const missingOf = (entries: readonly SpineEntry[]): SpineEntry[] =>
        entries.filter((one) => !found.has(one));
      for (let looks = 0; ; looks++) {
        const read: SpineEntry[] = [];
        const look = (placed: (entry: SpineEntry) => SpineEntry): void => {
          for (const entry of missingOf([...totals, ...carry])) {
            const place = placed(entry);
            const value = valueIn(place);
            if (value !== undefined) {
              found.set(entry, value);
              read.push(place);
            }
          }
        };
        look((entry) => entry);
        if (looks === patience && missingOf(needed).length > 0) {
          // Somebody else may have fallen back for it.
          look(inApart);
        }
        const missing = missingOf(needed);
        const absent = missingOf(carry);
        states[tile] = missing.length > 0 && looks < patience ? "waiting" : "running";
        if (missing.length === 0) {
          totalsOfGroups.unshift(totals.map((entry) => found.get(entry)));
          if (absent.length > 0) {
            yield step(tile, "go on", { group, held, read, missing: absent });
            held = [...held, ...read];
            break;
          }
          carries[tile] = totalsOfGroups.reduce(joinGroup, carry[0] && found.get(carry[0]));
          if (tile > 0) {
            yield step(tile, "read", { group, held, read });
          }
          return;
        }
        if (looks === patience) {
          yield* lookAgain(tile);
          return;
        }
        yield step(tile, "wait", { group, held, read, missing });
        held = [...held, ...read];
      }
    }
  }

  /** The carries of the groups from the nearest that is there to the tile's own; what is missing is computed. */
  function* lookAgain(tile: number): Generator<LookBackStep<T>, void> {
    const own = Math.floor(tile / fanOut);
    const missing: SpineEntry[] = [];
    let held: readonly SpineEntry[] = [];
    let group = own;
    for (; group > 0; group--) {
      const entry: SpineEntry = { kind: "carry", index: group };
      const place = placeOf(entry);
      if (place !== undefined) {
        held = [place];
        break;
      }
      missing.push(entry);
    }
    yield step(tile, "give up", { group, read: held, missing });
    let before = held[0] && valueIn(held[0]);
    for (; ; group++) {
      const read: SpineEntry[] = [];
      for (const entry of totalsBefore(tile, group)) {
        let place = placeOf(entry);
        if (place === undefined) {
          place = inApart(entry);
          apart.total[entry.index] = fold(itemsOf(entry.index));
          yield step(tile, "fall back", { group, inputs: [entry.index], handedOn: [place] });
        }
        read.push(place);
      }
      before = joinGroup(before, read.map(valueIn));
      if (group === own) {
        carries[tile] = before;
        yield step(tile, "read", { group, held, read });
        return;
      }
      const next: SpineEntry = { kind: "carry", index: group + 1, apart: true };
      apart.carry[next.index] = before;
      yield step(tile, "fall back", { group, held, read, handedOn: [next] });
      held = [next];
    }
  }

  function* turnsOf(tile: number): Generator<LookBackStep<T>, void> {
    const items = itemsOf(tile);
    const next = (tile + 1) / fanOut;
    states[tile] = "running";
    yield step(tile, "start");
    if (stuck.has(tile)) {
      states[tile] = "stuck";
      yield step(tile, "stick");
      states[tile] = "running";
    }
    const total = fold(items);
    yield handOn(tile, { kind: "total", index: tile }, total);
    yield* lookBack(tile);
    // The kernel hands on what comes after the last group too; nobody reads it.
    if (Number.isInteger(next) && next < groups) {
      yield handOn(tile, { kind: "carry", index: next }, join(carries[tile], total));
    }
    let prefix = carries[tile];
    items.forEach((item, at) => {
      const earlier = prefix;
      prefix = join(prefix, item);
      outputs[tile * tileSize + at] = (exclusive ? earlier : prefix) ?? identity;
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
