import type { Operator } from "../algebra/monoid.ts";
import { operatorKeyOf, operators } from "../algebra/operators.ts";
import { plainTypes } from "../algebra/plain_types.ts";
import type { TypeName } from "../algebra/types.ts";
import { ArgumentError, refuseOthers, SourceError } from "../errors.ts";
import { algorithms, requireAlgorithm } from "../kernels/algorithms.ts";
import { lineOf, placeOf, plainText } from "../text/callers.ts";
import type { Piece } from "../text/pieces.ts";
import { compactText, eachToken, LINE_BREAK, piecesOf, tokensOf, wordsOf } from "../text/pieces.ts";
import { subgroupOf, workGroupAlgorithms } from "./algorithms.ts";
import {
  threadTileCoalescedReduce,
  threadTileCoalescedScan,
  threadTileCoalescedScanUpdate,
} from "./coalesced_tiles.ts";
import { threadTileShuffle, workGroupBroadcast, workGroupSplit } from "./exchange.ts";
import {
  coalescedReduce,
  coalescedScan,
  coalescedScanUniform,
  coalescedScanUpdate,
  threadTileReduce,
  threadTileScan,
  threadTileScanUpdate,
  workGroupAllocate,
  workGroupCompact,
  workGroupCompactUpdate,
  workGroupReduce,
  workGroupScan,
  workGroupScanUniform,
  workGroupScanUpdate,
} from "./functions.ts";
import type { InKernelOptions } from "./generate.ts";
import type { InKernelFunctions, LinkOptions, RefuseLink } from "./link.ts";
import {
  codeOf,
  joined,
  LINKED_NAME,
  linkText,
  requireText,
  sizeArguments,
  threadsOf,
  undeclaredCalls,
} from "./link.ts";
import { identityOf, numeric } from "./numeric.ts";
import {
  threadTileSegmentedReduce,
  threadTileSegmentedScan,
  workGroupSegmentedReduce,
  workGroupSegmentedScan,
} from "./segmented.ts";
import { workGroupSort, workGroupSortPairs } from "./sort.ts";

/** A comment that asks for functions. */
interface Directive {
  /** What follows `wavefold:`. */
  readonly body: string;
  /** Counted from 1. */
  readonly line: number;
  readonly lineText: string;
  /** Characters of the line before the comment. */
  readonly start: number;
  /** Where the comment starts in the text; undefined if it does not stand between declarations. */
  readonly place: number | undefined;
}

/** A kernel's text, and what its directives are checked against. */
interface Kernel {
  readonly name: string;
  readonly text: string;
  readonly pieces: readonly Piece[];
  readonly directives: readonly Directive[];
  /** The threads of each `@workgroup_size`; undefined if it is not written in literal numbers. */
  readonly workGroupSizes: readonly (number | undefined)[];
  readonly called: ReadonlySet<string>;
  /** The kernel's declarations, by their names. */
  readonly declared: ReadonlyMap<string, Piece>;
}

/** The settings of a directive, which follow the functions. */
interface Settings {
  readonly workGroupSize: number;
  readonly subgroups: boolean;
  readonly keys: ReadonlyMap<Key, string>;
}

/** A function's name, taken apart. */
type Form =
  | {
      readonly family: "work_group" | "coalesced" | "thread_tile";
      readonly kind: "scan" | "reduce";
      /** 0 if the family has no tiles. */
      readonly tileSize: number;
      readonly op: Operator<TypeName>;
      readonly type: TypeName;
      readonly update: boolean;
      readonly uniform: boolean;
      readonly segmented: boolean;
      /** Of thread tiles: whether only active threads take part. */
      readonly coalesced: boolean;
    }
  | { readonly family: "compact"; readonly update: boolean }
  | { readonly family: "allocate" }
  | { readonly family: "split" }
  /** `values` is undefined if keys are sorted alone. */
  | {
      readonly family: "sort";
      readonly type: TypeName;
      readonly values: TypeName | undefined;
      readonly descending: boolean;
    }
  /** `tileSize` is 0 for a broadcast in the whole work-group. */
  | { readonly family: "shuffle"; readonly tileSize: number; readonly type: TypeName }
  | { readonly family: "identity"; readonly op: Operator<TypeName>; readonly type: TypeName }
  | { readonly family: "numeric"; readonly type: TypeName };

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
type Key = (typeof KEYS)[number];

const EXAMPLE = "// wavefold: work_group_scan_exclusive_add_u32 256";
const FORMS =
  "work_group_scan_(inclusive|exclusive)_<op>_<type>[_total|_uniform|_update], work_group_reduce_<op>_<type>, both after coalesced_ or thread_tile_<N>_ too, work_group_compact[_update][_uniform], work_group_allocate[_uniform], thread_tile_<N>_coalesced_ before scan_(inclusive|exclusive)_<op>_<type>[_total|_update] or reduce_<op>_<type>, work_group_segmented_ or thread_tile_<N>_segmented_ before scan_(inclusive|exclusive)_<op>_<type>[_total] or reduce_<op>_<type>, work_group_split[_total|_uniform], work_group_sort[_descending]_<type>[_partial], work_group_sort_pairs[_descending]_<type>_<type>[_partial], work_group_broadcast_<type>, thread_tile_<N>_(broadcast|shuffle[_up|_down|_xor])_<type>, identity_<op>_<type>, and add_u64, mul_f64 and others on u64, i64, f64 and f16";

/**
 * Links the functions that a kernel asks for in comments. Such a comment has `// wavefold:`, then the functions by the
 * names that the kernel calls, their work-group size, and settings. You may leave out the size if the text has one
 * `@workgroup_size` of literal numbers, or if the functions take no size, as `identity_max_f32` and `add_u64`. The
 * settings are `subgroups`, `algorithm=blelloch`, `counter=bump.used`, `capacity=1024` (or an expression without blanks),
 * `items=4`, `bits=0,8`, `suffix=name` and `min_subgroup_size=32`, `max_subgroup_size=32`. Lines keep their numbers. A text that asks for nothing
 * comes out as it was. The functions that use a counter or a capacity stand on the directive's line, so that a compiler's
 * message about these names that line.
 *
 * @throws {SourceError} at the directive's line, if there is no such function, if the kernel does not call it, or if an
 * entry point of another size calls it; at the call, if the kernel neither declares nor asks for a function that can be asked for; at the kernel's line, if the kernel declares a name that a function has or takes from
 * WGSL.
 *
 * @example
 * ```ts
 * const code = linkDirectives(`// wavefold: work_group_scan_exclusive_add_u32 256
 * ${myKernel}`);
 * // in myKernel:  let rank = work_group_scan_exclusive_add_u32(x, local_index);
 * ```
 */
export function linkDirectives(source: string, options: LinkOptions = {}): string {
  const text = requireText("linkDirectives", "source", source);
  const { name = "kernel", ...others } = options;
  refuseOthers("linkDirectives", others, "name");
  const directives = directivesOf(text, name);
  const pieces = piecesOf(text);
  const kernel: Kernel = {
    name,
    text,
    pieces,
    directives,
    workGroupSizes: pieces.flatMap((piece) => {
      const size = sizeArguments(piece);
      return size === undefined ? [] : [threadsOf(size) || undefined];
    }),
    called: new Set(pieces.flatMap(wordsOf)),
    declared: new Map(pieces.map((piece) => [piece.name, piece])),
  };
  const asked = directives.map((directive) => functionsOf(directive, kernel));
  requireOneSize(kernel, asked);
  requireAsked(kernel, asked);
  if (directives.length === 0) {
    return text;
  }
  const functions = asked.map((ones) => ones.flatMap((one) => one.functions));
  return withCounters(kernel, functions, (text, join) =>
    linkText(
      text,
      functions.flat(),
      (...problem) => {
        throw clash(kernel, functions, ...problem);
      },
      join,
    ),
  );
}

/**
 * The functions that a directive asks for, alone. `body` is what follows `wavefold:` in it. A counter that it names counts as declared.
 *
 * @throws {SourceError} if there is no such function.
 */
export function codeOfDirective(body: string): string {
  const text = `// wavefold: ${body.replace(LINE_BREAK, " ")}`;
  const names = (LIST.exec(body)?.[1] ?? "").split(",").map((one) => one.trim());
  const suffix = /\ssuffix=(\S+)/.exec(body)?.[1];
  const counter = /\scounter=(\w+)/.exec(body)?.[1];
  const functions = directivesOf(text, "emit").flatMap((directive) =>
    functionsOf(directive, {
      name: "emit",
      text,
      pieces: [],
      directives: [directive],
      workGroupSizes: [],
      called: new Set(names.flatMap((one) => [one, `${one}_${suffix}`])),
      declared: new Map(
        piecesOf(counter === undefined ? "" : `var<workgroup> ${counter}: u32;`).map((piece) => [
          piece.name,
          piece,
        ]),
      ),
    }).flatMap((one) => one.functions),
  );
  return codeOf(
    functions.flatMap((one) => one.pieces),
    functions.flatMap((one) => one.names),
  );
}

/** Matches the functions that name a counter or a capacity of the kernel's. */
const COUNTS = /^_(counter_update|allocation_start|allocation_capacity)_/;

/** The kernel's text linked by `link`, with those functions on the lines of the directives that name the counter. */
function withCounters(
  { text, directives, name }: Kernel,
  functions: readonly (readonly InKernelFunctions[])[],
  link: (text: string, join: typeof joined) => string,
): string {
  const placed = new Set<string>();
  const perDirective = directives.map(({ place }, at): readonly string[] => {
    const texts = (functions[at] ?? [])
      .flatMap(({ pieces }) => pieces)
      .filter((piece) => COUNTS.test(piece.name))
      .map(compactText)
      .filter((one, index, all) => !placed.has(one) && all.indexOf(one) === index);
    if (place === undefined) {
      return [];
    }
    for (const one of texts) {
      placed.add(one);
    }
    return texts;
  });
  // A comment marks where each function goes, since linking leaves the kernel's comments as they are.
  let marked = text;
  const markOf = (at: number): string => `/*\u{e000}wavefold ${at}*/`;
  for (let at = directives.length - 1; at >= 0; at--) {
    const place = directives[at]?.place;
    if (place !== undefined) {
      marked = marked.slice(0, place) + markOf(at) + marked.slice(place);
    }
  }
  return link(marked, (reached, [own = "", ...others]) => {
    const withFunctions = perDirective.reduce(
      (linked, texts, at) =>
        linked.replace(markOf(at), () =>
          texts.map((one) => `${plainText(name, one).replace(/\s+/g, " ")} `).join(""),
        ),
      own,
    );
    return joined(reached, [withFunctions, ...others.filter((one) => !placed.has(one))]);
  });
}

/** Throws if the kernel calls a name, and directives ask for it with several work-group sizes. */
function requireOneSize(kernel: Kernel, asked: readonly (readonly Asked[])[]): void {
  const sizes = new Map<string, number>();
  asked.forEach((ones, at) => {
    for (const { short, workGroupSize } of ones.filter((one) => kernel.called.has(one.short))) {
      const other = sizes.get(short) ?? workGroupSize;
      sizes.set(short, other);
      if (other !== workGroupSize) {
        throw fault(
          kernel,
          kernel.directives[at] as Directive,
          `the kernel calls ${short}, which is given for several work-group sizes; call ${short}_${other} or ${short}_${workGroupSize}`,
        );
      }
    }
  });
}

/**
 * Throws if the kernel calls a function of ours that it neither declares nor asks for. The functions of a caller's own operator are linked
 * later, by hand.
 */
function requireAsked(kernel: Kernel, asked: readonly (readonly Asked[])[]): void {
  const { name, text, pieces, workGroupSizes } = kernel;
  const given = asked.flat().flatMap(({ functions }) => functions);
  const missing = undeclaredCalls(pieces, given).filter(mayBeLinked);
  const tokens = missing.length === 0 ? [] : tokensOf(text);
  const refuseAt = (at: number, problem: string): never => {
    const { line, column } = placeOf(
      tokens
        .slice(0, at)
        .map(([token]) => token)
        .join(""),
    );
    throw new SourceError(`${name}, line ${line}: ${problem}`, text, line, column);
  };
  const comment = tokens.findIndex(
    ([token, isBlank]) =>
      isBlank && /^\/\/\s*wavefold[^\w:]/i.test(token) && missing.some((one) => token.includes(one)),
  );
  if (comment >= 0) {
    refuseAt(comment, `a directive has a colon after the word wavefold, as in ${EXAMPLE}`);
  }
  for (const one of missing) {
    const [, written] = /_(\d+)$/.exec(one) ?? [];
    const found = formOf(one, { keys: new Map(), subgroups: false, workGroupSize: Number(written) });
    if (typeof found !== "string") {
      const { base, form } = found;
      const size = written ?? (workGroupSizes.length === 1 ? workGroupSizes[0] : undefined) ?? 256;
      const settings = `${isSizeless(form) ? "" : ` ${size}`}${takes(form, "counter") ? " counter=NAME" : ""}`;
      refuseAt(
        tokens.findIndex(([, , word]) => word === one),
        `${one} is called, and neither declared nor asked for; write // wavefold: ${base}${settings}, or give the text to link() alone`,
      );
    }
  }
}

/** Whether a name looks like one of ours, or like one of an operator of the caller's. */
const mayBeLinked = (name: string): boolean =>
  LINKED_NAME.test(name) || /^identity_|[ui]64|f64|f16|_jam$/.test(name);

/**
 * The error for names that clash. It is at the kernel's declaration, if that has the name of a linked function; else at the
 * first directive that does not go with those before it.
 */
function clash(
  kernel: Kernel,
  asked: readonly (readonly InKernelFunctions[])[],
  ...[, problem, own, size]: Parameters<RefuseLink>
): SourceError {
  if (size) {
    const at = asked.findIndex((functions) =>
      functions.some((one) => one.names.includes(own) && one.workGroupSize === size),
    );
    return fault(kernel, kernel.directives[at] as Directive, problem);
  }
  const declaration = kernel.declared.get(own);
  if (declaration !== undefined) {
    const line = lineOf(kernel.pieces, declaration);
    const cure = declaration.keyword === "struct" ? "leave it out" : "choose another";
    return new SourceError(
      `${kernel.name}, line ${line}: the name ${own} is taken by a linked function; ${cure}`,
      kernel.text,
      line,
      0,
    );
  }
  const at = asked.findIndex((_, index) => {
    try {
      linkText(kernel.text, asked.slice(0, index + 1).flat(), (_, text) => {
        throw new Error(text);
      });
      return false;
    } catch {
      return true;
    }
  });
  return fault(
    kernel,
    kernel.directives[at] as Directive,
    `two functions named ${own} differ; give one of them another name, with suffix=name`,
  );
}

/** An error at a directive, and at a word of it. */
function fault(
  { name, text }: Pick<Kernel, "name" | "text">,
  { line, lineText, start }: Pick<Directive, "line" | "lineText" | "start">,
  problem: string,
  word = "wavefold",
): SourceError {
  // A line may be longer than a pattern can be.
  const part = word.slice(0, 100);
  const whole = new RegExp(`(?<!\\w)${part.replace(/\W/g, "\\$&")}${part === word ? "(?!\\w)" : ""}`, "i");
  const column = start + Math.max(0, lineText.slice(start).search(whole)) + 1;
  return new SourceError(`${name}, line ${line}: ${problem}`, text, line, column);
}

/** The directives of a text. A directive in a block comment does not count. If it is all of that comment, it is an error. */
function directivesOf(text: string, name: string): Directive[] {
  const directives: Directive[] = [];
  const lines = text.split(LINE_BREAK);
  let line = 1;
  let lineStart = 0;
  let index = 0;
  let depth = 0;
  let isBetween = true;
  // Only for directives: the blanks at the end of a long line would take time at each token.
  const here = () => ({ line, lineText: (lines[line - 1] ?? "").trimEnd(), start: index - lineStart });
  eachToken(text, (token, blank) => {
    if (!blank) {
      depth += "{[(".includes(token) ? 1 : "}])".includes(token) ? -1 : 0;
      isBetween = depth === 0 && /[;}]/.test(token);
    } else if (typeof blank === "string") {
      const body = /^\/\/\s*wavefold\s*:(.*)/is.exec(token)?.[1];
      if (body !== undefined) {
        directives.push({ ...here(), body: body.trim(), place: isBetween ? index : undefined });
      } else if (token === "/*") {
        BLOCK.lastIndex = index;
        if (BLOCK.test(text)) {
          throw fault({ name, text }, here(), `a directive is a comment of one line, as in ${EXAMPLE}`);
        }
      }
    }
    index += token.length;
    for (const { 0: end, index: at } of token.matchAll(LINE_BREAK)) {
      line++;
      lineStart = index - token.length + at + end.length;
    }
  });
  return directives;
}

/** Matches a block comment that starts with a directive. */
const BLOCK = /\/\*+\s*wavefold\s*:\s*(work_group|coalesced|thread_tile)_/iy;

/** A function that a directive asks for: one set for each name that the kernel calls it by. */
interface Asked {
  /** Its name without the work-group size. */
  readonly short: string;
  readonly workGroupSize: number;
  readonly functions: readonly InKernelFunctions[];
}

/** Matches the functions of a directive, divided by commas, and what follows them. */
const LIST = /^((?:[^\s,=]+\s*,\s*)*[^\s,=]+)(?:\s+(.*))?$/s;

/**
 * The functions that one directive asks for. It throws if the directive means nothing, or if the kernel does not call a
 * function.
 */
function functionsOf(directive: Directive, kernel: Kernel): Asked[] {
  const [, list, rest = ""] = LIST.exec(directive.body) ?? [];
  if (list === undefined) {
    throw fault(
      kernel,
      directive,
      `a directive takes functions, divided by commas, and then their settings, as in ${EXAMPLE}`,
    );
  }
  const names = list.split(",").map((one) => one.trim());
  const settings = settingsOf(
    directive,
    rest,
    kernel,
    names.some((name) => /^(work_group|coalesced|thread_tile)_/.test(name)),
  );
  const forms = names.map((name) => {
    const form = formOf(name, settings);
    if (typeof form === "string") {
      throw fault(kernel, directive, form, name);
    }
    return { name, ...form };
  });
  if (settings.subgroups && forms.every(({ form }) => isSizeless(form))) {
    throw fault(
      kernel,
      directive,
      `subgroups means nothing to ${names.join(", ")}; leave it out`,
      "subgroups",
    );
  }
  for (const [key, value] of settings.keys) {
    if (!forms.some(({ form }) => takes(form, key))) {
      throw fault(
        kernel,
        directive,
        `${key} means nothing to ${names.join(", ")}; it is for ${TAKERS[key]}`,
        `${key}=${value}`,
      );
    }
  }
  return forms.map(({ name, base, form }) => {
    const suffix = settings.keys.get("suffix");
    const size = String(settings.workGroupSize);
    if (isSizeless(form)) {
      // These functions are the same for all work-group sizes, so they need no other names.
      if (!kernel.called.has(base)) {
        throw fault(kernel, directive, notCalled(base, kernel), name);
      }
      const functions = [generate(name, form, settings, undefined, directive, kernel)];
      return { short: base, workGroupSize: 0, functions };
    }
    const short = suffix === undefined ? base : `${base}_${suffix}`;
    const endings = [
      ...(kernel.called.has(short) ? [suffix] : []),
      ...(kernel.called.has(`${short}_${size}`) ? [suffix === undefined ? size : `${suffix}_${size}`] : []),
    ];
    // If the kernel does not call the function, other mistakes in the directive are still reported first.
    const functions = (endings.length === 0 ? [suffix] : endings).map((ending) =>
      generate(name, form, settings, ending, directive, kernel),
    );
    if (endings.length === 0) {
      throw fault(kernel, directive, notCalled(short, kernel), name);
    }
    return { short, workGroupSize: settings.workGroupSize, functions };
  });
}

/** Types whose arithmetic WGSL does not have. */
const emulated = ["u64", "i64", "f64", "f16"] as const satisfies readonly TypeName[];

/** Functions that each thread calls by itself: they take no size, and no settings. */
const isSizeless = ({ family }: Form): boolean => family === "identity" || family === "numeric";

function notCalled(name: string, { called, declared }: Kernel): string {
  const others = [...called].filter((one) => /^(work_group|coalesced|thread_tile)_/.test(one));
  const unknown = others.filter((one) => !declared.has(one)).sort();
  const calls = unknown.length === 0 ? "no such function" : unknown.join(", ");
  return `${name} is asked for, and not called; the kernel calls ${calls}`;
}

function settingsOf(directive: Directive, rest: string, kernel: Kernel, takesSize: boolean): Settings {
  const keys = new Map<Key, string>();
  let written: string | undefined;
  let subgroups = false;
  const twice = (word: string): SourceError => fault(kernel, directive, `${word} is given twice`, word);
  for (const word of rest.split(/\s+/).filter((one) => one !== "")) {
    const [, key, value] = /^(\w+)=(.+)$/s.exec(word) ?? [];
    if (key !== undefined && value !== undefined) {
      if (!isKey(key)) {
        throw fault(kernel, directive, `${key} is not a setting; it takes ${KEYS.join(", ")}`, word);
      }
      if (keys.has(key)) {
        throw twice(key);
      }
      const [pattern, takes] = NUMBERS[key] ?? [];
      if (pattern?.test(value) === false) {
        throw fault(kernel, directive, `${word}: it takes ${takes}`, word);
      }
      keys.set(key, value);
    } else if (word === "subgroups") {
      if (subgroups) {
        throw twice(word);
      }
      subgroups = true;
    } else if (/^\d+$/.test(word)) {
      if (written !== undefined) {
        throw fault(
          kernel,
          directive,
          `the work-group size is given twice, as ${written} and ${word}; it takes the product of @workgroup_size`,
          word,
        );
      }
      written = word;
    } else {
      throw fault(
        kernel,
        directive,
        `${word} is neither a work-group size, nor subgroups, nor a setting such as algorithm=blelloch; functions are divided by commas`,
        word,
      );
    }
  }
  const algorithm = keys.get("algorithm");
  if (
    subgroups &&
    algorithm !== undefined &&
    algorithm !== "subgroup" &&
    Object.hasOwn(algorithms, algorithm)
  ) {
    throw fault(
      kernel,
      directive,
      `subgroups and algorithm=${algorithm} contradict each other; leave one of them out`,
      "algorithm",
    );
  }
  const workGroupSize = takesSize || written !== undefined ? workGroupSizeOf(directive, written, kernel) : 0;
  return { workGroupSize, subgroups, keys };
}

function workGroupSizeOf(directive: Directive, written: string | undefined, kernel: Kernel): number {
  const sizes = kernel.workGroupSizes;
  if (written === undefined) {
    const [only] = sizes;
    if (only === undefined || sizes.length > 1) {
      const found =
        sizes.length === 0
          ? "has no @workgroup_size"
          : sizes.length === 1
            ? "has a @workgroup_size that is not written in numbers"
            : `has ${sizes.length} @workgroup_size`;
      throw fault(
        kernel,
        directive,
        `the work-group size is missing, and the file ${found}; write it after the functions, as in ${EXAMPLE}`,
      );
    }
    return only;
  }
  const size = Number(written);
  const inRange = size >= 1 && size <= 1024;
  if (inRange && sizes.length > 0 && sizes.every((one) => one !== undefined && one !== size)) {
    throw fault(
      kernel,
      directive,
      `the work-group size is ${size}, and the file's @workgroup_size has ${[...new Set(sizes)].join(" or ")} threads`,
      written,
    );
  }
  return size;
}

const SUBGROUP_SIZE = [/^\d+$/, "4, 8, 16, 32, 64 or 128"] as const;

/** What settings that are numbers look like. */
const NUMBERS: Readonly<Partial<Record<Key, readonly [pattern: RegExp, takes: string]>>> = {
  items: [/^\d+$/, "the keys of a thread, such as items=4"],
  bits: [/^\d+,\d+$/, "the first bit and the one after the last, such as bits=0,8"],
  min_subgroup_size: SUBGROUP_SIZE,
  max_subgroup_size: SUBGROUP_SIZE,
};

const isKey = (name: string): name is Key => (KEYS as readonly string[]).includes(name);

/** The functions that take a setting, for messages. */
const TAKERS = {
  algorithm: "work_group_ and coalesced_ functions; thread tiles take subgroups, or nothing",
  counter: "_update functions and work_group_allocate",
  capacity: "work_group_allocate",
  items: "work_group_sort",
  bits: "work_group_sort",
  suffix: "all",
  min_subgroup_size: "all",
  max_subgroup_size: "all",
} as const satisfies Record<Key, string>;

function takes(form: Form, key: Key): boolean {
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

/** The function that a name stands for, and its name without suffix and size; or what is wrong with the name. */
function formOf(name: string, { keys, workGroupSize }: Settings): { base: string; form: Form } | string {
  const without = (text: string, ending: string | number | undefined): string =>
    text.endsWith(`_${ending}`) ? text.slice(0, -`_${ending}`.length) : text;
  const short = without(name, workGroupSize);
  const bases = [name, short, without(name, keys.get("suffix")), without(short, keys.get("suffix"))];
  let problem = "";
  for (const base of bases) {
    const form = parseName(base);
    if (typeof form !== "string") {
      return { base, form };
    }
    problem = form;
  }
  return problem;
}

const notType = (name: string, type: string): string =>
  `${name}: ${type} is not an element type; the types are ${Object.keys(plainTypes).join(", ")}`;

function parseName(name: string): Form | string {
  const compact = /^work_group_compact(_update)?(?:_uniform)?$/.exec(name);
  if (compact !== null) {
    return { family: "compact", update: compact[1] !== undefined };
  }
  if (/^work_group_allocate(?:_uniform)?$/.test(name)) {
    return { family: "allocate" };
  }
  if (/^work_group_split(?:_total|_uniform)?$/.test(name)) {
    return { family: "split" };
  }
  const [, pairs, descending, sortedType = "", values] =
    /^work_group_sort(_pairs)?(_descending)?_([^_]+)(?:_([^_]+))?$/.exec(name.replace(/_partial$/, "")) ?? [];
  if (sortedType !== "" && (pairs === undefined) === (values === undefined)) {
    const stranger = [sortedType, values ?? sortedType].find((type) => !Object.hasOwn(plainTypes, type));
    return stranger === undefined
      ? {
          family: "sort",
          type: sortedType as TypeName,
          values: values as TypeName | undefined,
          descending: descending !== undefined,
        }
      : notType(name, stranger);
  }
  const [, shuffled, tileSize, moved = ""] =
    /^(work_group_broadcast|thread_tile_([1-9]\d*)_(?:broadcast|shuffle(?:_up|_down|_xor)?))_([^_]+)$/.exec(
      name,
    ) ?? [];
  if (shuffled !== undefined) {
    return Object.hasOwn(plainTypes, moved)
      ? { family: "shuffle", tileSize: Number(tileSize ?? 0), type: moved as TypeName }
      : notType(name, moved);
  }
  const numericType = emulated.find((type) => numeric(plainTypes[type]).names.includes(name));
  if (numericType !== undefined) {
    return { family: "numeric", type: numericType };
  }
  const [, identityOperand] = /^identity_(.+)$/.exec(name) ?? [];
  const [, scope = "", tile, part, direction, operand = ""] =
    /^(work_group|coalesced|thread_tile_([1-9]\d*))(_segmented|_coalesced)?_(?:scan_(inclusive|exclusive)|reduce)_(.+)$/.exec(
      name,
    ) ??
    (identityOperand === undefined ? [] : ["", "identity", undefined, undefined, undefined, identityOperand]);
  const [segmented, coalesced] = [part === "_segmented", part === "_coalesced"];
  if (scope === "" || (segmented && scope === "coalesced") || (coalesced && tile === undefined)) {
    return `${name} is not a function; it takes ${FORMS}`;
  }
  const [, pair = "", ending] = /^(.+?)(_total|_uniform|_update)?$/.exec(operand) ?? [];
  const [, opName, typeName = ""] = /^(?:(\w+)_)?([^_]*)$/.exec(pair) ?? [];
  if (!Object.hasOwn(plainTypes, typeName) || opName === undefined) {
    return `${name}: ${pair} does not end in an operator and an element type; the types are ${Object.keys(plainTypes).join(", ")}`;
  }
  const op = Object.values<Operator>(operators).find((one) => operatorKeyOf(one) === opName);
  if (op === undefined) {
    return `${name}: ${opName} is not an operator; it takes ${Object.values<Operator>(operators).map(operatorKeyOf).join(", ")}`;
  }
  if (direction === undefined && ending !== undefined) {
    return `${name}: ${ending} is for scans, and this is ${scope === "identity" ? "an identity" : "a reduction"}; leave it out`;
  }
  if (scope === "identity") {
    return { family: "identity", op: op as Operator<TypeName>, type: typeName as TypeName };
  }
  if (segmented && (ending === "_uniform" || ending === "_update")) {
    return `${name}: ${ending} is not for segments, which have totals of their own; use _total`;
  }
  if (tile !== undefined && ending === "_uniform") {
    return `${name}: a tile's total is not the same for all threads of the work-group; use _total`;
  }
  return {
    family: tile === undefined ? (scope as "work_group" | "coalesced") : "thread_tile",
    kind: direction === undefined ? "reduce" : "scan",
    tileSize: Number(tile ?? 0),
    // Whether the operator takes the type is checked where the function is generated.
    op: op as Operator<TypeName>,
    type: typeName as TypeName,
    update: ending === "_update",
    uniform: ending === "_uniform",
    segmented,
    coalesced,
  };
}

const isWord = (text: string): boolean => [...tokensOf(text)].every(([, , word]) => word === text);

/** Options by their names in messages, which the functions of `wavefold/wgsl` throw, and what a directive calls them. */
const namesInDirectives = [
  ["workGroupSize", "the work-group size"],
  ["tileSize", "the tile"],
  ["minSize", "min_subgroup_size"],
  ["maxSize", "max_subgroup_size"],
] as const;

/** Generates the set of one function. Its errors are reported at the directive. */
function generate(
  name: string,
  form: Form,
  settings: Settings,
  suffix: string | undefined,
  directive: Directive,
  kernel: Kernel,
): InKernelFunctions {
  const { keys } = settings;
  const counter = keys.get("counter");
  if (takes(form, "counter") && counter === undefined) {
    throw fault(
      kernel,
      directive,
      `${name} takes a counter: an atomic<u32>, by its name in the kernel, such as counter=bump.used`,
      name,
    );
  }
  const variable = /^[^.[]+/.exec(counter ?? "")?.[0] ?? "";
  if (counter !== undefined && isWord(variable) && kernel.declared.get(variable)?.keyword !== "var") {
    throw fault(
      kernel,
      directive,
      `counter=${counter}: the kernel declares no variable ${variable}`,
      `counter=${counter}`,
    );
  }
  try {
    return functionsOfForm(form, settings, suffix, counter);
  } catch (cause) {
    if (!(cause instanceof ArgumentError || cause instanceof SourceError)) {
      throw cause;
    }
    let problem = cause.message.replace(/^\w+(<[^>]*>)?: /, "").replace(/, line \d+: /, ": ");
    for (const [option, word] of namesInDirectives) {
      problem = problem.replaceAll(option, word);
    }
    throw fault(kernel, directive, `${name}: ${problem}`, name);
  }
}

function functionsOfForm(
  form: Form,
  { workGroupSize, subgroups, keys }: Settings,
  suffix: string | undefined,
  counter = "",
): InKernelFunctions {
  const algorithm = requireAlgorithm(
    keys.get("algorithm") ?? (subgroups ? "subgroup" : "hillis-steele"),
    "algorithm",
  );
  const least = keys.get("min_subgroup_size");
  const most = keys.get("max_subgroup_size");
  // Sizes are checked even if they mean nothing to the algorithm.
  const bySubgroups = subgroupOf({
    ...(least !== undefined && { minSize: Number(least) }),
    ...(most !== undefined && { maxSize: Number(most) }),
  });
  const common: InKernelOptions = {
    workGroupSize,
    algorithm: algorithm === "subgroup" ? bySubgroups : workGroupAlgorithms[algorithm],
    ...(suffix !== undefined && { suffix }),
  };
  switch (form.family) {
    case "identity":
      return identityOf<TypeName>({ type: plainTypes[form.type], op: form.op });
    case "numeric":
      return numeric(plainTypes[form.type]);
    case "compact":
      return form.update ? workGroupCompactUpdate({ ...common, counter }) : workGroupCompact(common);
    case "allocate": {
      const capacity = keys.get("capacity");
      return workGroupAllocate({
        ...common,
        counter,
        ...(capacity !== undefined && { capacity: /^\d+$/.test(capacity) ? Number(capacity) : capacity }),
      });
    }
    case "split":
      return workGroupSplit(common);
    case "sort": {
      const items = keys.get("items");
      const [from = 0, to = 0] = keys.get("bits")?.split(",").map(Number) ?? [];
      const options = {
        ...common,
        type: plainTypes[form.type],
        descending: form.descending,
        ...(items !== undefined && { items: Number(items) }),
        ...(keys.has("bits") && { bits: [from, to] as const }),
      };
      return form.values === undefined
        ? workGroupSort(options)
        : workGroupSortPairs({ ...options, values: plainTypes[form.values] });
    }
    case "shuffle": {
      const { tileSize } = form;
      const type = plainTypes[form.type];
      const { algorithm: _, ...others } = common;
      return tileSize === 0
        ? workGroupBroadcast({ ...others, type })
        : threadTileShuffle({ ...common, type, tileSize });
    }
    case "work_group":
    case "coalesced": {
      const options = { ...common, type: plainTypes[form.type], op: form.op };
      const isCoalesced = form.family === "coalesced";
      if (form.update) {
        return (isCoalesced ? coalescedScanUpdate : workGroupScanUpdate)<TypeName>({ ...options, counter });
      }
      if (form.uniform) {
        return (isCoalesced ? coalescedScanUniform : workGroupScanUniform)<TypeName>(options);
      }
      if (form.segmented) {
        return (form.kind === "reduce" ? workGroupSegmentedReduce : workGroupSegmentedScan)<TypeName>(
          options,
        );
      }
      return form.kind === "reduce"
        ? (isCoalesced ? coalescedReduce : workGroupReduce)<TypeName>(options)
        : (isCoalesced ? coalescedScan : workGroupScan)<TypeName>(options);
    }
    case "thread_tile": {
      const options = {
        ...common,
        type: plainTypes[form.type],
        op: form.op,
        tileSize: form.tileSize,
      };
      if (form.update) {
        return (form.coalesced ? threadTileCoalescedScanUpdate : threadTileScanUpdate)<TypeName>({
          ...options,
          counter,
        });
      }
      if (form.coalesced) {
        return (form.kind === "reduce" ? threadTileCoalescedReduce : threadTileCoalescedScan)<TypeName>(
          options,
        );
      }
      if (form.segmented) {
        return (form.kind === "reduce" ? threadTileSegmentedReduce : threadTileSegmentedScan)<TypeName>(
          options,
        );
      }
      return (form.kind === "reduce" ? threadTileReduce : threadTileScan)<TypeName>(options);
    }
    default:
      return form satisfies never;
  }
}
