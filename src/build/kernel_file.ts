import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import process from "node:process";
import { SourceError } from "../errors.ts";
import { linkDirectives } from "../in_kernel/directives.ts";
import { LINE_BREAK } from "../text/pieces.ts";

/** What a bundler is told of an error in a kernel's file. */
export interface Problem {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 0, in UTF-16 code units. */
  readonly column: number;
  readonly lineText: string;
}

/** A kernel's file, linked; or what is wrong with it. */
export async function linkFile(
  path: string,
  folder = process.cwd(),
): Promise<{ readonly code: string } | Problem> {
  const kernel = await readFile(path, "utf8");
  const name = relative(folder, path);
  try {
    return { code: linkDirectives(kernel, { name }) };
  } catch (cause) {
    if (!(cause instanceof SourceError)) {
      throw cause;
    }
    const { message, source, line, column } = cause;
    // The bundler says where; the message need not.
    const place = `${name}, line ${line}: `;
    return {
      text: message.startsWith(place) ? message.slice(place.length) : message,
      line,
      column: Math.max(0, column - 1),
      lineText: source.split(LINE_BREAK)[line - 1]?.trimEnd() ?? "",
    };
  }
}
