import { ArgumentError } from "../errors.ts";
import { refuse } from "../refuse.ts";
import type { InKernelFunctions } from "./in_kernel.ts";

/** What {@link link} takes beside the kernel and the functions. */
export interface LinkOptions {
  /** What error messages call the kernel: its file's name. */
  readonly name?: string;
}

/**
 * What linking sees of WGSL: comments; directives, captured; and identifiers that may name a declaration, which are all
 * but members (after a dot) and attributes.
 */
export const WORDS =
  /\/\/.*|\/\*[\s\S]*?\*\/|(?<![@.]\s*)\b(?:((?:enable|requires|diagnostic)\b[^;\n]*;)|[A-Za-z_]\w*)/g;

/**
 * A declaration of in-kernel functions, with what it enables right above it: its first line, and what is indented or a
 * closing brace.
 */
export const DECLARATION =
  /^(?:(?:enable|diagnostic).*\n)?(?:@.*?)?(?:fn|const|struct|alias|override|var.*?>) (\w+).*(?:\n+[ )}].*)*/gm;

/** What a kernel declares, locals too; and comments, which declare nothing. */
const DECLARED = /\/\/.*|\/\*[\s\S]*?\*\/|\b(?:fn|const|struct|alias|override|var)\b\s*(?:<[^>]*>)?\s*(\w+)/g;

/** A text, and what it reaches of functions: those that it names, and what they name in turn. */
export function linkText(
  text: string,
  functions: readonly InKernelFunctions[],
  name: string,
  named: readonly string[] = text.match(WORDS) ?? [],
): string {
  const given = new Map<string, Set<string>>();
  for (const [declaration, one = ""] of [
    ...functions.flatMap(({ all }) => [...all.matchAll(DECLARATION)]),
    ...Array.from(text.matchAll(DECLARED), ([, own]) => ["", own]),
  ]) {
    given.set(one, new Set(given.get(one)).add(declaration as string));
  }
  // What is added to a set is gone through, too.
  const reached = new Set(named);
  const linked: string[] = [];
  for (const one of reached) {
    const [declaration, other] = given.get(one) ?? [];
    if (declaration) {
      if (other !== undefined) {
        throw new ArgumentError(
          `${name}: ${one} is given twice, ${other ? "and not the same; give functions a suffix" : "by the kernel, too; leave it out, or rename it"}`,
        );
      }
      linked.push(declaration.replace(/\n+/g, "\n"));
      declaration.match(WORDS)?.forEach((word) => {
        reached.add(word);
      });
    }
  }
  const directives = new Set(linked.length > 0 && reached.has("f16") ? ["enable f16;"] : []);
  // The lines keep their numbers, so that a compiler's message names the caller's line: what must come first goes onto
  // the first line, and the functions after the last.
  const body = [text, ...linked].join("\n\n").replace(WORDS, (word, directive) => {
    if (directive) {
      directives.add(directive);
    }
    return directive ? "" : word;
  });
  return [...[...directives].sort(), body].join(" ");
}

/**
 * One module of a kernel and the in-kernel functions that it calls: what they and the kernel `enable` first, each
 * helper once, and nothing that the kernel does not call. The kernel's lines keep their numbers. Same
 * input, same text.
 *
 * @throws {ArgumentError} when functions clash, or the kernel declares a name of theirs.
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
  if (typeof kernel !== "string") {
    refuse("link", `kernel is ${typeof kernel}`, "WGSL text");
  }
  return linkText(kernel, functions, options.name ?? "kernel");
}
