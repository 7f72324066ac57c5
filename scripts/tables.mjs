// How the tables of src/adapters/ become the package's files.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import typescript from "typescript-5.9";
import { slashed } from "./modules.mjs";

const FILE = /[\\/]adapters[\\/](?:gpu|nvidia|software)\.ts\?\w+$/;

/**
 * The text of a source file whose imports of tables name each table on its own: `import { sort } from "../adapters/gpu.ts"` becomes
 * `import { sort } from "../adapters/gpu.ts?sort"`. Files of `src/adapters/` import from `./gpu.ts`.
 */
export function byName(code, path) {
  const folder = /[\\/]src[\\/]adapters[\\/]\w+\.ts$/.test(path) ? "\\./" : '\\.[^"]*/adapters/';
  const imports = new RegExp(`import \\{([^}]*)\\} from "(${folder}(?:gpu|nvidia|software)\\.ts)";`, "g");
  return code.replaceAll(imports, (_, names, file) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean)
      .map((name) => `import { ${name} } from "${file}?${name.split(" ")[0]}";`)
      .join(" "),
  );
}

/**
 * A plugin for Rolldown: each table of an adapter's file is a module. A bundler keeps a file's declarations together, and the tables of
 * sorts would come with every scan.
 */
export const tablesByName = {
  name: "tables-by-name",
  transform: {
    filter: { id: /[\\/]src[\\/].*\.ts$/, code: /\/(?:gpu|nvidia|software)\.ts"/ },
    handler: (code, id) => ({ code: byName(code, id) }),
  },
  resolveId: {
    filter: { id: /\/(?:gpu|nvidia|software)\.ts\?\w+$/ },
    async handler(source, importer) {
      const [path, name] = source.split("?");
      const { id } = await this.resolve(path, importer.split("?")[0]);
      return `${id}?${name}`;
    },
  },
  load: {
    filter: { id: FILE },
    async handler(id) {
      const [path, name] = slashed(id).split("?");
      const code = tableOf(await readFile(path, "utf8"), basename(path), name);
      return { code, moduleType: "ts", moduleSideEffects: false };
    },
  },
};

/** The module of a table. It imports the other tables that this one names. */
export function tableOf(text, path, name) {
  const { createSourceFile, isImportDeclaration, isVariableStatement, ScriptTarget } = typescript;
  const { statements } = createSourceFile(path, text, ScriptTarget.Latest, true);
  const tables = new Map();
  for (const statement of statements) {
    if (isVariableStatement(statement)) {
      for (const { name, initializer } of statement.declarationList.declarations) {
        tables.set(name.text, initializer);
      }
    } else if (!isImportDeclaration(statement)) {
      throw new Error(`${path} has more than tables: ${statement.getText().slice(0, 80)}`);
    }
  }
  const table = tables.get(name);
  if (table === undefined) {
    throw new Error(`${path} has no table ${name}; it has ${[...tables.keys()].join(", ")}`);
  }
  const others = [...namesIn(table)].filter((one) => tables.has(one));
  return [
    ...others.map((one) => `import { ${one} } from "./${path}?${one}";\n`),
    `export const ${name} = ${table.getText()};\n`,
  ].join("");
}

/** The names that an expression uses. The name of a property is none. */
function namesIn(node, found = new Set()) {
  const { forEachChild, isIdentifier, isPropertyAssignment } = typescript;
  if (isIdentifier(node)) {
    found.add(node.text);
  }
  forEachChild(node, (child) => {
    if (!isPropertyAssignment(node) || child !== node.name) {
      namesIn(child, found);
    }
  });
  return found;
}
