import { refuseOthers, SourceError } from "../errors.ts";
import { lineOf, placeOf, plainText } from "../text/callers.ts";
import type { Piece } from "../text/pieces.ts";
import { compactText, LINE_BREAK, piecesOf, tokensOf, wordsOf } from "../text/pieces.ts";
import type { Directive, Fault, NamedText } from "./directive_comments.ts";
import { directivesOf, EXAMPLE, faultAt } from "./directive_comments.ts";
import { generateRequest } from "./directive_functions.ts";
import type { Form } from "./directive_names.ts";
import { formOf, isSizeless } from "./directive_names.ts";
import type { Settings } from "./directive_settings.ts";
import { settingsOf, TAKERS, takes } from "./directive_settings.ts";
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

/** A kernel's text, and what its directives are checked against. */
interface Kernel extends NamedText {
  readonly pieces: readonly Piece[];
  readonly directives: readonly Directive[];
  /** The threads of each `@workgroup_size`; undefined if it is not written in literal numbers. */
  readonly workGroupSizes: readonly (number | undefined)[];
  readonly called: ReadonlySet<string>;
  /** The kernel's declarations, by their names. */
  readonly declared: ReadonlyMap<string, Piece>;
}

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
  const directives = directivesOf({ name, text });
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
  const functions = asked.map((sets) => sets.flatMap((set) => set.functions));
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
  const names = (LIST.exec(body)?.[1] ?? "").split(",").map((name) => name.trim());
  const suffix = /\ssuffix=(\S+)/.exec(body)?.[1];
  const counter = /\scounter=(\w+)/.exec(body)?.[1];
  const functions = directivesOf({ name: "emit", text }).flatMap((directive) =>
    functionsOf(directive, {
      name: "emit",
      text,
      pieces: [],
      directives: [directive],
      workGroupSizes: [],
      called: new Set(names.flatMap((name) => [name, `${name}_${suffix}`])),
      declared: new Map(
        piecesOf(counter === undefined ? "" : `var<workgroup> ${counter}: u32;`).map((piece) => [
          piece.name,
          piece,
        ]),
      ),
    }).flatMap((set) => set.functions),
  );
  return codeOf(
    functions.flatMap((set) => set.pieces),
    functions.flatMap((set) => set.names),
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
      .filter((code, index, all) => !placed.has(code) && all.indexOf(code) === index);
    if (place === undefined) {
      return [];
    }
    for (const code of texts) {
      placed.add(code);
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
  return link(marked, (reached, [kernelText = "", ...others]) => {
    const withFunctions = perDirective.reduce(
      (linked, texts, at) =>
        linked.replace(markOf(at), () =>
          texts.map((code) => `${plainText(name, code).replace(/\s+/g, " ")} `).join(""),
        ),
      kernelText,
    );
    return joined(reached, [withFunctions, ...others.filter((code) => !placed.has(code))]);
  });
}

/** Throws if the kernel calls a name, and directives ask for it with several work-group sizes. */
function requireOneSize(kernel: Kernel, asked: readonly (readonly Asked[])[]): void {
  const sizes = new Map<string, number>();
  asked.forEach((sets, at) => {
    for (const { short, workGroupSize } of sets.filter((set) => kernel.called.has(set.short))) {
      const other = sizes.get(short) ?? workGroupSize;
      sizes.set(short, other);
      if (other !== workGroupSize) {
        throw faultAt(
          kernel,
          kernel.directives[at] as Directive,
        )(
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
      isBlank && /^\/\/\s*wavefold[^\w:]/i.test(token) && missing.some((name) => token.includes(name)),
  );
  if (comment >= 0) {
    refuseAt(comment, `a directive has a colon after the word wavefold, as in ${EXAMPLE}`);
  }
  for (const called of missing) {
    const [, written] = /_(\d+)$/.exec(called) ?? [];
    const found = formOf(called, { suffix: undefined, workGroupSize: Number(written) });
    if (typeof found !== "string") {
      const { base, form } = found;
      const size = written ?? (workGroupSizes.length === 1 ? workGroupSizes[0] : undefined) ?? 256;
      const settings = `${isSizeless(form) ? "" : ` ${size}`}${takes(form, "counter") ? " counter=NAME" : ""}`;
      refuseAt(
        tokens.findIndex(([, , word]) => word === called),
        `${called} is called, and neither declared nor asked for; write // wavefold: ${base}${settings}, or give the text to link() alone`,
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
  ...[, problem, clashing, size]: Parameters<RefuseLink>
): SourceError {
  if (size) {
    const at = asked.findIndex((functions) =>
      functions.some((set) => set.names.includes(clashing) && set.workGroupSize === size),
    );
    return faultAt(kernel, kernel.directives[at] as Directive)(problem);
  }
  const declaration = kernel.declared.get(clashing);
  if (declaration !== undefined) {
    const line = lineOf(kernel.pieces, declaration);
    const cure =
      declaration.keyword === "struct"
        ? "leave it out"
        : "choose another, or if the text is linked already, leave its // wavefold: lines out";
    return new SourceError(
      `${kernel.name}, line ${line}: the name ${clashing} is taken by a linked function; ${cure}`,
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
  return faultAt(
    kernel,
    kernel.directives[at] as Directive,
  )(`two functions named ${clashing} differ; give one of them another name, with suffix=name`);
}

/** A function that a directive asks for: one set for each name that the kernel calls it by. */
interface Asked {
  /** Its name without the work-group size. */
  readonly short: string;
  readonly workGroupSize: number;
  readonly functions: readonly InKernelFunctions[];
}

/** Matches the functions of a directive, divided by commas, and what follows them. */
const LIST = /^((?:[^\s,=]+\s*,\s*)*[^\s,=]+)(?:\s+(.*))?$/s;

/** A function's name in a directive, and what it says. */
interface NamedForm {
  readonly name: string;
  /** The name without suffix and size. */
  readonly base: string;
  readonly form: Form;
}

/**
 * The functions that one directive asks for. It throws if the directive means nothing, or if the kernel does not call a
 * function.
 */
function functionsOf(directive: Directive, kernel: Kernel): Asked[] {
  const fault = faultAt(kernel, directive);
  const [, list, rest = ""] = LIST.exec(directive.body) ?? [];
  if (list === undefined) {
    throw fault(`a directive takes functions, divided by commas, and then their settings, as in ${EXAMPLE}`);
  }
  const names = list.split(",").map((name) => name.trim());
  const takesSize = names.some((name) => /^(work_group|coalesced|thread_tile)_/.test(name));
  const settings = settingsOf(rest, { takesSize, workGroupSizes: kernel.workGroupSizes }, fault);
  const endings = { suffix: settings.keys.get("suffix"), workGroupSize: settings.workGroupSize };
  const named = names.map((name): NamedForm => {
    const form = formOf(name, endings);
    if (typeof form === "string") {
      throw fault(form, name);
    }
    return { name, ...form };
  });
  requireMeaning(named, settings, fault);
  return named.map((item) =>
    isSizeless(item.form)
      ? askedWithoutSize(item, settings, kernel, fault)
      : askedBySize(item, settings, kernel, fault),
  );
}

/** Throws if a setting means nothing to all functions of a directive. */
function requireMeaning(named: readonly NamedForm[], settings: Settings, fault: Fault): void {
  const names = named.map(({ name }) => name).join(", ");
  if (settings.subgroups && named.every(({ form }) => isSizeless(form))) {
    throw fault(`subgroups means nothing to ${names}; leave it out`, "subgroups");
  }
  for (const [key, value] of settings.keys) {
    if (!named.some(({ form }) => takes(form, key))) {
      throw fault(`${key} means nothing to ${names}; it is for ${TAKERS[key]}`, `${key}=${value}`);
    }
  }
}

/** A function that is the same for all work-group sizes, so that it needs no other names. */
function askedWithoutSize(
  { name, base, form }: NamedForm,
  settings: Settings,
  kernel: Kernel,
  fault: Fault,
): Asked {
  if (!kernel.called.has(base)) {
    throw fault(notCalled(base, kernel), name);
  }
  const request = { name, form, settings, suffix: undefined };
  return { short: base, workGroupSize: 0, functions: [generateRequest(request, kernel.declared, fault)] };
}

/** A function for work-groups of one size, by each name that the kernel calls it by. */
function askedBySize(
  { name, base, form }: NamedForm,
  settings: Settings,
  kernel: Kernel,
  fault: Fault,
): Asked {
  const { called, declared } = kernel;
  const { workGroupSize } = settings;
  const suffix = settings.keys.get("suffix");
  const short = suffix === undefined ? base : `${base}_${suffix}`;
  const withSize = suffix === undefined ? `${workGroupSize}` : `${suffix}_${workGroupSize}`;
  const suffixes = [
    ...(called.has(short) ? [suffix] : []),
    ...(called.has(`${short}_${workGroupSize}`) ? [withSize] : []),
  ];
  // If the kernel does not call the function, other mistakes in the directive are still reported first.
  const functions = (suffixes.length === 0 ? [suffix] : suffixes).map((ending) =>
    generateRequest({ name, form, settings, suffix: ending }, declared, fault),
  );
  if (suffixes.length === 0) {
    throw fault(notCalled(short, kernel), name);
  }
  return { short, workGroupSize, functions };
}

function notCalled(name: string, { called, declared }: Kernel): string {
  const others = [...called].filter((word) => /^(work_group|coalesced|thread_tile)_/.test(word));
  const unknown = others.filter((word) => !declared.has(word)).sort();
  const calls = unknown.length === 0 ? "no such function" : unknown.join(", ");
  return `${name} is asked for, and not called; the kernel calls ${calls}`;
}
