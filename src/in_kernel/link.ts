import { ArgumentError, refuse, refuseOthers } from "../errors.ts";
import type { Piece } from "../text/pieces.ts";
import { compactText, directivesOf, isDirective, piecesOf, textOf, wordsOf } from "../text/pieces.ts";
import { reach } from "../text/reach.ts";

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

/** Links a text with the functions that it reaches: those that it names, and what these name in turn. */
export function linkText(
  text: string,
  functions: readonly InKernelFunctions[],
  name: string,
  named?: readonly string[],
): string {
  const kernel = piecesOf(text);
  const own = new Map(kernel.map((piece) => [piece.name, piece]));
  const pieces = functions.flatMap((one) => one.pieces);
  const given = new Map(pieces.map((piece) => [piece.name, piece]));
  const reachedBy = (words: readonly string[]): Set<string> =>
    reach(words, (one) => wordsOf(own.get(one) ?? given.get(one)));
  const linked: string[] = [];
  const reached = reachedBy(named ?? kernel.flatMap(wordsOf));
  for (const one of reached) {
    const [code, another] = new Set(pieces.filter((piece) => piece.name === one).map(compactText));
    if (another) {
      throw new ArgumentError(`${name}: ${one} is given twice; give one a suffix`, "functions");
    }
    if (code) {
      linked.push(code);
      for (const word of wordsOf(given.get(one))) {
        // Names that the code declares inside, and variables such as a counter, are not taken from WGSL. Names of WGSL
        // never stand in such places.
        if (
          own.has(word) &&
          (given.has(word) || !RegExp(`(let|const|var\\S*|&)\\s*${word}\\W|\\W${word}\\s*[:)]`).test(code))
        ) {
          throw new ArgumentError(`${name}: its ${word} hides what ${one} uses; rename it`, "kernel");
        }
      }
    }
  }
  const directives = directivesOf([
    ...kernel,
    ...functions.flatMap((one) => (one.names.some((called) => reached.has(called)) ? one.pieces : [])),
  ]);
  for (const entry of kernel) {
    const size = sizeArguments(entry);
    if (size) {
      const calls = reachedBy(wordsOf(entry));
      const threads = threadsOf(size);
      for (const { names, workGroupSize } of functions) {
        const called = names.find((one) => calls.has(one));
        if (called && workGroupSize && threads !== workGroupSize) {
          const problem = `${entry.name} calls ${called}, which is for ${workGroupSize} threads`;
          const override = piecesOf(size)
            .flatMap(wordsOf)
            .find((one) => own.get(one)?.keyword === "override");
          if (threads || override) {
            throw new ArgumentError(
              `${name}: ${problem}, and has ${threads || `the override ${override}; make it a const`}`,
              "kernel",
            );
          }
          linked.push(
            `const_assert array(${size}, 1, 1)[0] * array(${size}, 1, 1)[1] * array(${size}, 1, 1)[2] == ${workGroupSize}; // ${problem}`,
          );
        }
      }
    }
  }
  // The lines keep their numbers, so that a compiler's message names the caller's line: what must come first goes onto
  // the first line, and the functions after the last.
  return [
    ...[...new Set(directives)].sort(),
    [kernel.map(withoutDirective).join(""), ...linked].join("\n\n"),
  ].join(" ");
}

/** The text of a piece. If it is a directive, only what stands before the directive and the line breaks in it stay. */
function withoutDirective(piece: Piece): string {
  if (!isDirective(piece)) {
    return textOf(piece);
  }
  const [before = "", ...rest] = piece.parts;
  // A blank goes behind each CR, so that it and an LF stay two line breaks if something stood between them.
  const breaks = rest.join("").replace(/(\r?)[^\n-\r\x85\u2028\u2029]+/g, (_, cr) => cr && "\r ");
  return before.replace(/\r$/, "\r ") + breaks;
}

/**
 * Links a kernel and the in-kernel functions that it calls to one module. First come the directives of both, such as
 * `enable`. The module has each helper once, and nothing that the kernel does not call. The kernel's lines keep their
 * numbers. The same input gives the same text.
 *
 * @throws {ArgumentError} when functions clash, the kernel declares a name of theirs or one that they take from WGSL, or
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
  { name = "kernel", ...others }: LinkOptions = {},
): string {
  refuseOthers("link", others);
  if (typeof kernel !== "string") {
    refuse("link", "kernel", typeof kernel, "WGSL text");
  }
  return linkText(kernel, functions, name);
}
