import { ArgumentError, SourceError } from "../errors.ts";
import type { InKernelFunctions } from "./functions.ts";
import { renameDeclaration } from "./functions.ts";
import { IDENTIFIERS, reachable } from "./module.ts";

/** What {@link link} takes beside the kernel and the functions. */
export interface LinkOptions {
  /** What error messages call the kernel: its file's name. */
  readonly name?: string;
}

const COMMENTS = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const DIRECTIVE = /^\s*(enable|requires|diagnostic)\b[^;]*;\s*(\/\/.*)?$/;
const DECLARED = /\b(?:fn|const|override|var|struct|alias)\b\s*(?:<[^>]*>)?\s*(\w+)/g;

/** Links functions into a kernel. */
export function linkText(kernel: string, functions: readonly InKernelFunctions[], name: string): string {
  const code = kernel.replace(COMMENTS, (comment) => comment.replace(/./g, " "));
  const lineAt = (index = code.length): number => code.slice(0, index).split("\n").length;
  const declared = [...code.matchAll(DECLARED)];
  const added = collect(new Set(code.match(IDENTIFIERS)), functions, name);
  for (const [own, { keyword }] of added.declarations) {
    const clash = declared.find(([, one]) => one === own);
    if (clash !== undefined) {
      const line = lineAt(clash.index);
      throw new SourceError(
        `${name}, line ${line}: ${
          keyword === "struct" && !own.includes("_")
            ? `${own} is declared by the functions that are linked; leave it out`
            : `the name ${own} is taken by a linked function; choose another`
        }`,
        kernel,
        line,
        0,
      );
    }
  }

  // The kernel's lines keep their numbers, so that a compiler's message names the caller's line:
  // what must come first goes onto the first line, and the functions after the last.
  const first = lineAt(declared[0]?.index);
  const late = new Set<string>();
  const body = kernel.split("\n").map((text, at) => {
    if (at < first || !DIRECTIVE.test(text)) {
      return text;
    }
    late.add(text.replace(/\/\/.*$/, "").trim());
    return "";
  });
  const present = [...code.matchAll(/\benable\b([^;]*)/g)].flatMap(
    ([, list = ""]) => list.match(/\w+/g)?.map((one) => `enable ${one};`) ?? [],
  );
  const needed = [...added.directives].filter((one) => !present.includes(one)).sort();
  const head = [...needed, ...late].join(" ");
  if (head !== "") {
    body[0] = body[0] === "" ? head : `${head} ${body[0]}`;
  }
  const library = [...added.declarations.values()].map(({ text }) => text);
  return [
    ...body,
    ...(library.length === 0 || body.at(-1) === "" ? [] : [""]),
    ...(library.length === 0 ? [] : [`${library.join("\n\n")}\n`]),
  ].join("\n");
}

/** The declarations of the functions that the kernel calls, under the names that it calls them by. */
function collect(
  called: ReadonlySet<string>,
  functions: readonly InKernelFunctions[],
  kernelName: string,
): {
  readonly directives: ReadonlySet<string>;
  readonly declarations: ReadonlyMap<string, InKernelFunctions["declarations"][number]>;
} {
  const directives = new Set<string>();
  const declarations = new Map<string, InKernelFunctions["declarations"][number]>();
  for (const set of functions) {
    const short = new Map<string, string>();
    const roots: string[] = [];
    set.names.forEach((name, at) => {
      const long = set.longNames[at] as string;
      const others = functions.flatMap((other) =>
        other.longNames.filter((one, index) => other.names[index] === name && one !== long),
      );
      if (called.has(name)) {
        if (others.length > 0) {
          throw new ArgumentError(
            `link: ${kernelName} calls ${name}, which is given for several work-group sizes; call ${[long, ...others].join(" or ")}`,
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
    for (const one of reachable(set.declarations, roots)) {
      const declaration = renameDeclaration(one, short);
      const { name, text } = declaration;
      if ((declarations.get(name)?.text ?? text) !== text) {
        throw new ArgumentError(`link: ${name} is given twice, and not the same; give one of them a suffix`);
      }
      declarations.set(name, declaration);
    }
    for (const one of roots.length > 0 ? set.directives : []) {
      directives.add(one);
    }
  }
  return { directives, declarations };
}

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
  return linkText(kernel, functions, options.name ?? "kernel");
}
