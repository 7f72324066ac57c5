import { ArgumentError, SourceError } from "../errors.ts";
import type { InKernelFunctions } from "./functions.ts";
import { renameDeclaration } from "./functions.ts";
import type { Declaration, Line, Module } from "./module.ts";
import { assemble, linesOf, parse, reachable } from "./module.ts";

/** What {@link link} takes beside the kernel and the functions. */
export interface LinkOptions {
  /** What error messages call the kernel: its file's name. */
  readonly name?: string;
}

const DIRECTIVE = /^\s*(enable|requires|diagnostic)\b[^;]*;\s*(\/\/.*)?$/;

/** Links functions into a kernel, with the origin of each line. */
export function linkModule(
  kernel: string,
  functions: readonly InKernelFunctions[],
  { name = "kernel" }: LinkOptions = {},
): Module {
  const source = { name, text: kernel, callers: true };
  const kernelLines = linesOf(source);
  const own = parse(kernelLines);
  const added = collect(own.declarations, functions, name);

  // The kernel's lines keep their numbers, so that a compiler's message names the caller's line:
  // what must come first goes onto the first line, and the functions after the last.
  const firstDeclaration = own.declarations[0]?.lines[0]?.number ?? kernelLines.length + 1;
  const late = kernelLines.filter(({ text, number }) => DIRECTIVE.test(text) && number > firstDeclaration);
  const present = new Set(own.enables);
  const needed = [...added.enables].filter((one) => !present.has(one)).sort();
  const head = [
    ...needed.map((one) => `enable ${one};`),
    ...new Set(late.map(({ text }) => text.replace(/\/\/.*$/, "").trim())),
  ].join(" ");
  const isLate = new Set(late);
  const body = kernelLines.map((line): Line => {
    const text = isLate.has(line) ? "" : line.text;
    return line.number === 1 && head !== ""
      ? { ...line, text: text === "" ? head : `${head} ${text}` }
      : { ...line, text };
  });
  const library = assemble([], added.declarations);
  const blank: Line = { text: "", source, number: kernelLines.length };
  const lines =
    added.declarations.length === 0
      ? body
      : [...body, ...(body.at(-1)?.text === "" ? [] : [blank]), ...library.lines];
  return { code: lines.map((line) => line.text).join("\n"), lines };
}

/** The declarations of the functions that the kernel calls, under the names that it calls them by. */
function collect(
  own: readonly Declaration[],
  functions: readonly InKernelFunctions[],
  kernelName: string,
): { enables: ReadonlySet<string>; declarations: readonly Declaration[] } {
  const declared = new Set(own.map((one) => one.name));
  const called = new Set(own.flatMap((one) => [...one.references]));
  const enables = new Set<string>();
  const added = new Map<string, Declaration>();
  for (const set of functions) {
    const short = new Map<string, string>();
    const roots: string[] = [];
    set.names.forEach((name, at) => {
      const long = set.longNames[at] as string;
      const others = functions.filter(
        (other) => other !== set && other.names.includes(name) && !other.longNames.includes(long),
      );
      if (called.has(name)) {
        if (others.length > 0) {
          const longs = [set, ...others].map((other) => other.longNames[other.names.indexOf(name)]);
          throw new ArgumentError(
            `link: ${kernelName} calls ${name}, which is given for several work-group sizes; call ${longs.join(" or ")}`,
          );
        }
        if (called.has(long)) {
          throw new ArgumentError(
            `link: ${kernelName} calls ${name} and ${long}, which are the same; keep to one`,
          );
        }
        short.set(long, name);
      }
      if (called.has(name) || called.has(long)) {
        roots.push(long);
      }
    });
    const kept = reachable(set.declarations, roots);
    for (const one of kept.length > 0 ? set.enables : []) {
      enables.add(one);
    }
    for (const declaration of kept.map((one) => renameDeclaration(one, short))) {
      const { name } = declaration;
      const other = added.get(name);
      const text = textOf(declaration);
      if (declared.has(name)) {
        const line = own.find((one) => one.name === name)?.lines.find((one) => !/^\s*\/\//.test(one.text));
        const problem =
          declaration.keyword === "struct" && !name.includes("_")
            ? `${name} is declared by the functions that are linked; leave it out`
            : `the name ${name} is taken by a linked function; choose another`;
        throw new SourceError(
          `${kernelName}, line ${line?.number ?? 0}: ${problem}`,
          line?.source.text ?? "",
          line?.number ?? 0,
          0,
        );
      }
      if (other !== undefined && textOf(other) !== text) {
        throw new ArgumentError(`link: ${name} is given twice, and not the same; give one of them a suffix`);
      }
      added.set(name, declaration);
    }
  }
  return { enables, declarations: [...added.values()] };
}

const textOf = (declaration: Declaration): string => declaration.lines.map((line) => line.text).join("\n");

/**
 * One module of a kernel and the in-kernel functions that it calls: what they `enable` first, each
 * helper once, and nothing that the kernel does not call. The kernel's lines keep their numbers. Same
 * input, same text.
 *
 * A function goes by its short name, `work_group_reduce_add_u32`; where two work-group sizes live in
 * one module, by its long one, `work_group_reduce_add_u32_256`.
 *
 * @throws {ArgumentError} when functions clash.
 * @throws {SourceError} when the kernel declares a name of theirs.
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
    throw new ArgumentError(`link: kernel is ${typeof kernel}; it takes WGSL text`);
  }
  return linkModule(kernel, functions, options).code;
}
