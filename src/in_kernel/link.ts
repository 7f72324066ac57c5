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

const byName = (pieces: readonly Piece[]): ReadonlyMap<string, Piece> =>
  new Map(pieces.map((piece) => [piece.name, piece]));

/** Links a text with the functions that it reaches: those that it names, and what these name in turn. */
export function linkText(
  text: string,
  functions: readonly InKernelFunctions[],
  name: string,
  named?: readonly string[],
): string {
  const kernel = piecesOf(text);
  const pieces = functions.flatMap((one) => one.pieces);
  const own = byName(kernel);
  const given = byName(pieces);
  const reachedBy = (roots: readonly string[]): ReadonlySet<string> =>
    reach(roots, (one) => (own.get(one) ?? given.get(one))?.words);
  const refuseKernel = (problem: string, option = "kernel"): never => {
    throw new ArgumentError(`${name}: ${problem}`, option);
  };
  const reached = reachedBy(named ?? kernel.flatMap(wordsOf));
  // The lines keep their numbers, so that a compiler's message names the caller's line: what must come first goes onto
  // the first line, and the functions after the last.
  const linked = [kernel.map(({ directive, blanks, text: whole }) => (directive ? blanks : whole)).join("")];
  for (const one of reached) {
    const [code, another] = new Set(pieces.filter((piece) => piece.name === one).map(compactText));
    if (another) {
      refuseKernel(`${one} is given twice; give one a suffix`, "functions");
    }
    if (code) {
      linked.push(code);
      for (const word of (given.get(one) as Piece).words) {
        // Names that the code declares inside, and variables such as a counter, are not taken from WGSL. Names of WGSL
        // never stand in such places.
        if (
          own.has(word) &&
          (given.has(word) || !RegExp(`(let|const|var\\S*|&)\\s*${word}\\W|\\W${word}\\s*[:)]`).test(code))
        ) {
          refuseKernel(`its ${word} hides what ${one} uses; rename it`);
        }
      }
    }
  }
  for (const entry of kernel) {
    const size = sizeArguments(entry);
    if (size) {
      const calls = reachedBy(entry.words);
      const threads = threadsOf(size);
      for (const { names, workGroupSize } of functions) {
        const called = names.find((one) => calls.has(one));
        if (called && workGroupSize && threads !== workGroupSize) {
          const problem = `${entry.name} calls ${called}, which is for ${workGroupSize} threads`;
          const override = size.split(/\W+/).find((one) => own.get(one)?.keyword === "override");
          if (threads || override) {
            refuseKernel(`${problem}, and has ${threads || `the override ${override}; make it a const`}`);
          }
          linked.push(
            `const_assert ${[0, 1, 2].map((at) => `array(${size}, 1, 1)[${at}]`).join(" * ")} == ${workGroupSize}; // ${problem}`,
          );
        }
      }
    }
  }
  return [...directivesAmong(reached), linked.join("\n\n")].join(" ");
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
