import type { ModuleDeclaration } from "../../text/syntax.ts";
import { parseModule } from "../../text/syntax.ts";
import { Recent } from "../recent.ts";

// Many modules have declarations in common, such as kernels that are linked from the same files. Such a declaration is read once.

/** A declaration as a tree. Declarations of the same text have the same tree. */
export interface Tree {
  /** No other tree has it. */
  readonly id: number;
  readonly declaration: ModuleDeclaration;
  /** The names in it, but for those of members. */
  readonly names: readonly string[];
  /** The number of the text that others see of it: of a function all but its body, of a variable all but its attributes. */
  readonly outside: number;
  /** The names in that. */
  readonly outsideNames: readonly string[];
}

/** A tree in a module. */
export interface PlacedTree {
  readonly tree: Tree;
  /** Where the text starts from which the places in the tree count. */
  readonly offset: number;
}

/** How many texts of declarations are kept at least. */
const LEAST_TEXTS = 4096;
const kept = new Recent<string, readonly Tree[]>(LEAST_TEXTS);
let trees = 0;
const outsides = new Recent<string, number>(LEAST_TEXTS);
let texts = 0;

/** The trees of a module's declarations. @throws {TextFault} whose place may count from any declaration. */
export function sharedTrees(text: string): readonly PlacedTree[] {
  let offset = 0;
  return declarationTexts(text).flatMap((one) => {
    const from = offset;
    offset += one.length;
    return kept.of(one, () => treesOf(one)).map((tree) => ({ tree, offset: from }));
  });
}

/** The same, where all places count from the start of the module. @throws {TextFault} */
export const separateTrees = (text: string): readonly PlacedTree[] =>
  treesOf(text).map((tree) => ({ tree, offset: 0 }));

const treesOf = (text: string): readonly Tree[] =>
  parseModule(text).map((declaration) => {
    const { outside, from } = outsideOf(declaration);
    const to = declaration.kind === "function" ? declaration.body.from : declaration.to;
    return {
      id: ++trees,
      declaration,
      names: namesIn(declaration),
      outside: outsides.of(text.slice(from, to), () => ++texts),
      outsideNames: namesIn(outside),
    };
  });

/** What others see of a declaration, and where its text starts. */
function outsideOf(declaration: ModuleDeclaration): { readonly outside: object; readonly from: number } {
  const { kind, from } = declaration;
  if (kind === "function") {
    const { body: _, ...outside } = declaration;
    return { outside, from };
  }
  if (kind === "variable" && declaration.keyword === "var") {
    const { attributes, ...outside } = declaration;
    return { outside, from: attributes.at(-1)?.to ?? from };
  }
  return { outside: declaration, from };
}

/** The names that an expression in a tree has, each once. */
function namesIn(tree: object): readonly string[] {
  const names = new Set<string>();
  const visit = (node: object): void => {
    const { kind, name } = node as { readonly kind?: string; readonly name?: unknown };
    if (kind === "name" && typeof name === "string") {
      names.add(name);
    }
    for (const part of Object.values(node)) {
      if (typeof part === "object" && part !== null) {
        visit(part);
      }
    }
  };
  visit(tree);
  return [...names];
}

/** Matches comments, of block comments only the start, and what may end a declaration or holds such. */
const PARTS = /\/\/[^\n-\r\x85\u2028\u2029]*|\/\*|[{}()[\];]/g;
const COMMENT_PARTS = /\/\*|\*\//g;

/** The texts of a module's declarations. Joined, they are its text. */
function declarationTexts(text: string): readonly string[] {
  const texts: string[] = [];
  let start = 0;
  let depth = 0;
  PARTS.lastIndex = 0;
  for (let found = PARTS.exec(text); found !== null; found = PARTS.exec(text)) {
    const [part] = found;
    if (part === "/*") {
      PARTS.lastIndex = endOfComment(text, PARTS.lastIndex);
    } else if (part === "{" || part === "(" || part === "[") {
      depth++;
    } else if (part === "}" || part === ")" || part === "]") {
      depth--;
    }
    if (depth === 0 && (part === ";" || part === "}")) {
      texts.push(text.slice(start, PARTS.lastIndex));
      start = PARTS.lastIndex;
    }
  }
  return [...texts, text.slice(start)];
}

/** Where a block comment ends, whose start is before a place. Comments may be in it. */
function endOfComment(text: string, from: number): number {
  COMMENT_PARTS.lastIndex = from;
  for (let depth = 1; depth > 0; ) {
    const found = COMMENT_PARTS.exec(text);
    if (found === null) {
      return text.length;
    }
    depth += found[0] === "/*" ? 1 : -1;
  }
  return COMMENT_PARTS.lastIndex;
}
