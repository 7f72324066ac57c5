import { ArgumentError, refuse, refuseOthers } from "../errors.ts";
import { directivesAmong, reach } from "../text/link.ts";
import type { Piece } from "../text/pieces.ts";
import { compactText, piecesOf, wordsOf } from "../text/pieces.ts";

/** In-kernel functions as text, to link into a kernel. */
export interface InKernelFunctions {
  /** The functions that a kernel may call. */
  readonly names: readonly string[];
  /** Bytes of work-group memory that they use together. */
  readonly workGroupMemory: number;
  /**
   * The functions and everything they need, as WGSL that compiles as it stands. Only the `counter` must come from your
   * kernel.
   */
  readonly code: string;
  /** Threads of the work-groups that may call them. Any number, if it is missing. */
  readonly workGroupSize?: number;
  /** The same code by its declarations, with some that nothing in it needs. @internal */
  readonly pieces: readonly Piece[];
}

/** What {@link link} takes beside the kernel and the functions. */
export interface LinkOptions {
  /** What error messages call the kernel: its file's name. */
  readonly name?: string;
}

/** The arguments of `@workgroup_size`, if the piece has that attribute. */
export const sizeArguments = ({ code }: Piece): string | undefined =>
  /@ *workgroup_size *\( *([^@]*?)[, ]*\) *[@f]/.exec(code)?.[1];

/** The number of threads, if the arguments of `@workgroup_size` are literal numbers; else NaN. */
export const threadsOf = (size: string): number =>
  size.split(",").reduce((threads, one) => threads * Number(one.replace(/[iu] *$/, "")), 1);

/** Pieces by their names. A text may be long, so that a search for each name would take quadratic time. */
const byName = (pieces: readonly Piece[]): ReadonlyMap<string, Piece> =>
  new Map(pieces.map((piece) => [piece.name, piece]));

const reachAmong = (named: ReadonlyMap<string, Piece>, roots: readonly string[]): ReadonlySet<string> =>
  reach(roots, (name) => named.get(name)?.words);

/** The words of a piece that may name a function, since a parenthesis follows. Others may be variables and members of the same name. */
export const callsOf = ({ code }: Piece): readonly string[] =>
  code.match(/(?<!\p{XID_Continue})\p{XID_Continue}+(?= *\()/gu) ?? [];

/** Matches the names of functions that linking gives. Those of an operator of the caller's are among them. */
export const LINKED_NAME =
  /^(work_group|coalesced|thread_tile_\d+)_(segmented_|coalesced_)?(scan|reduce|compact|allocate|split|sort|broadcast|shuffle)(_|$)/;

/**
 * The functions that a text calls, and that neither the text nor `functions` have. A text for a preprocessor may get its functions from
 * elsewhere, so it has none.
 */
export function undeclaredCalls(
  kernel: readonly Piece[],
  functions: readonly InKernelFunctions[],
): readonly string[] {
  const declared = byName([...kernel, ...functions.flatMap(({ pieces }) => pieces)]);
  return kernel.some(({ keyword, code }) => keyword === "import" || code.includes("#"))
    ? []
    : kernel.flatMap(callsOf).filter((name) => !declared.has(name));
}

/** The WGSL that a caller gave, without a byte order mark. @throws {ArgumentError} for what is no text. */
export function requireText(caller: string, option: string, given: unknown): string {
  return typeof given === "string"
    ? given.replace(/^\uFEFF/, "")
    : refuse(
        caller,
        option,
        Object(given) === given
          ? `of the class ${Object.prototype.toString.call(given).slice(8, -1)}`
          : given,
        "WGSL text, as a string",
      );
}

/** Parts of a linked text as one, after the directives among what is reached. */
export const joined = (reached: ReadonlySet<string>, texts: readonly string[]): string =>
  [...directivesAmong(reached), texts.join("\n\n")].join(" ");

/** The functions of these names and all that they need, as one text. */
export function codeOf(pieces: readonly Piece[], names: readonly string[]): string {
  const named = byName(pieces);
  const reached = reachAmong(named, names);
  const texts = [...reached].flatMap((name) => named.get(name) ?? []).map(compactText);
  return joined(reached, ["", ...texts]).trim();
}

/**
 * Throws an error for a kernel and its functions. `name` is declared twice. Or, with `size`, it is a function for work-groups of `size`
 * threads, and the kernel's have another number.
 */
export type RefuseLink = (option: string, problem: string, name: string, size?: number) => never;

/**
 * Links a text with the functions that it reaches: those that it names, and what these name in turn. `join` takes the names of all, and
 * the parts of the linked text: the text itself, the functions, and assertions.
 */
export function linkText(
  text: string,
  functions: readonly InKernelFunctions[],
  refuseLink: RefuseLink,
  join = joined,
): string {
  const kernel = piecesOf(text);
  const pieces = functions.flatMap((set) => set.pieces);
  const declared = byName(kernel);
  const given = byName(pieces);
  const reached = reachAmong(byName([...kernel, ...pieces]), kernel.flatMap(wordsOf));
  // The lines keep their numbers, so that a compiler's message names the caller's line: what must come first goes onto
  // the first line, and the functions after the last.
  const linked = [kernel.map((piece) => (piece.directive ? piece.blanks : piece.text)).join("")];
  for (const name of reached) {
    const piece = given.get(name);
    if (piece) {
      const [code = "", another] = new Set(pieces.filter((other) => other.name === name).map(compactText));
      if (another) {
        refuseLink("functions", `${name} is given twice; give one a suffix`, name);
      }
      linked.push(code);
      for (const word of piece.words) {
        // A function's local names and parameters, a counter and a capacity are not names of WGSL. Names of WGSL never stand in such
        // places.
        if (
          declared.has(word) &&
          (given.has(word) ||
            !RegExp(
              `(let|const|var(\\s*<[^>]*>)?)\\s*${word}\\W|[&(]\\s*${word}\\s*[,.)[]|\\W${word}\\s*:`,
            ).test(code))
        ) {
          refuseLink("kernel", `its ${word} shadows a name of ${name}`, word);
        }
      }
    }
  }
  linked.push(...sizeAssertions(kernel, functions, refuseLink));
  return join(reached, linked);
}

/** Assertions that work-groups have the sizes of the functions that they call. It refuses sizes that are known to differ. */
function* sizeAssertions(
  kernel: readonly Piece[],
  functions: readonly InKernelFunctions[],
  refuseLink: RefuseLink,
): Iterable<string> {
  const declared = byName(kernel);
  const calling = new Map(kernel.map((piece) => [piece.name, callsOf(piece)]));
  for (const entry of kernel) {
    const size = sizeArguments(entry);
    if (size) {
      const calls = reach([entry.name], (name) => calling.get(name));
      const threads = threadsOf(size);
      for (const { names, workGroupSize } of functions) {
        const called = names.find(calls.has, calls);
        if (called && workGroupSize && threads !== workGroupSize) {
          const problem = `${entry.name} calls ${called}, which takes ${workGroupSize} threads`;
          const override = piecesOf(size)
            .flatMap(wordsOf)
            .find((word) => declared.get(word)?.keyword === "override");
          if (threads || override) {
            refuseLink(
              "kernel",
              `${problem}, and has ${threads || `the override ${override}; make it a const`}`,
              called,
              workGroupSize,
            );
          }
          const sizes = `array(${size},1,1)`;
          yield `const_assert ${sizes}[0]*${sizes}[1]*${sizes}[2] == ${workGroupSize}; // ${problem}`;
        }
      }
    }
  }
}

/**
 * Links a kernel and the in-kernel functions that it calls to one module. First come the directives of both, such as
 * `enable`. The module has each helper once, and nothing that the kernel does not call. The kernel's lines keep their
 * numbers. The same input gives the same text.
 *
 * @throws {ArgumentError} when functions clash, the kernel calls one that is not given, declares a name of theirs or one that they take from WGSL, or
 * an entry point that calls one has another work-group size.
 *
 * @example
 * ```ts
 * const scan = workGroupScan({ type: u32, op: add, workGroupSize: 256 });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  let scanned = work_group_scan_inclusive_add_u32_total(x, local_index);
 * ```
 */
export function link(
  kernel: string,
  functions: readonly InKernelFunctions[],
  options: LinkOptions = {},
): string {
  const { name = "kernel", ...others }: LinkOptions = Object(options);
  refuseOthers("link", others, "name");
  const text = requireText("link", "kernel", kernel);
  if (!Array.isArray(functions) || !functions.every((one) => one?.pieces)) {
    refuse("link", "functions", typeof functions, "an array of functions");
  }
  const refuseLink = (option: string, problem: string): never => {
    throw new ArgumentError(`${name}: ${problem}`, option);
  };
  // A text with directives may be linked by them later.
  if (!/\/\/\s*wavefold\s*:/i.test(text)) {
    const missing = undeclaredCalls(piecesOf(text), functions).find((one) => LINKED_NAME.test(one));
    if (missing) {
      refuseLink(
        "functions",
        `it calls ${missing}, which none of the functions has; give that function, too`,
      );
    }
  }
  return linkText(text, functions, refuseLink);
}
