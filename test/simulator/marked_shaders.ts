import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A barrier of a shader. A `workgroupUniformLoad` is one, too: it has a barrier before and after it. */
export interface Barrier {
  /** The file under `shaders/`, and which of its barriers it is, from 1: `work_group/blelloch.wgsl 3`. */
  readonly name: string;
}

const shaders = new URL("../../shaders/", import.meta.url);
const BARRIER = /\b(?:workgroupBarrier|storageBarrier|workgroupUniformLoad)(?=\()/g;

/** The text with the name of each barrier in a comment behind its line. Linking keeps comments, also where it writes loops out. */
function marked(
  file: string,
  text: string,
): { readonly text: string; readonly barriers: readonly Barrier[] } {
  const barriers: Barrier[] = [];
  const lines = text.split("\n").map((line) => {
    const [code = ""] = line.split("//");
    const names = Array.from(code.matchAll(BARRIER), () => {
      const name = `${file} ${barriers.length + 1}`;
      barriers.push({ name });
      return name;
    });
    return names.length > 0 ? `${line} // barriers: ${names.join(", ")}` : line;
  });
  return { text: lines.join("\n"), barriers };
}

/** A shader whose barriers have names. */
export interface MarkedShader {
  readonly path: string;
  /** As it is imported. */
  readonly name: string;
  readonly text: string;
  readonly barriers: readonly Barrier[];
}

/** All shaders that have barriers, but litmus tests. */
export function markedShaders(): readonly MarkedShader[] {
  return readdirSync(shaders, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".wgsl") && !file.startsWith("litmus/"))
    .sort()
    .map((file) => {
      const path = fileURLToPath(new URL(file, shaders));
      return {
        path,
        name: `shaders/${file}`,
        ...marked(file, readFileSync(path, "utf8").replaceAll("\r\n", "\n")),
      };
    })
    .filter(({ barriers }) => barriers.length > 0);
}

/** The names of the barriers that a marked kernel has. */
export const barriersIn = (code: string): readonly string[] => [
  ...new Set(
    Array.from(code.matchAll(/\/\/ barriers: (.*)$/gm), ([, names = ""]) => names.split(", ")).flat(),
  ),
];

/** A marked kernel without a barrier, wherever it has it. */
export function without(code: string, name: string): string {
  return code
    .split("\n")
    .map((line) => {
      const [text = "", names = ""] = line.split(" // barriers: ");
      const at = names.split(", ").indexOf(name);
      return at < 0 ? line : withoutBarrier(text, at, code);
    })
    .join("\n");
}

/** The line without its barrier of this number. A `workgroupUniformLoad` becomes a plain load, or `atomicLoad` of an atomic. */
function withoutBarrier(line: string, number: number, code: string): string {
  const match = [...line.matchAll(BARRIER)][number];
  if (match === undefined) {
    throw new Error(`the line ${line} has no barrier ${number}`);
  }
  const before = line.slice(0, match.index);
  const arguments_ = match.index + match[0].length;
  const end = closing(line, arguments_);
  const given = line.slice(arguments_ + 1, end);
  const after = line.slice(end + 1);
  if (given === "") {
    return before + after.replace(/^;/, "");
  }
  const [variable = ""] = /\w+/.exec(given) ?? [];
  const isAtomic = new RegExp(`var<workgroup> ${variable}: *(array<)?atomic<`).test(code);
  return `${before}${isAtomic ? `atomicLoad(${given})` : `(*(${given}))`}${after}`;
}

/** Where the parenthesis ends that starts at this place. */
function closing(line: string, start: number): number {
  let depth = 0;
  for (let at = start; at < line.length; at++) {
    depth += line[at] === "(" ? 1 : line[at] === ")" ? -1 : 0;
    if (depth === 0) {
      return at;
    }
  }
  throw new Error(`the parenthesis at ${start} of ${line} has no end`);
}
