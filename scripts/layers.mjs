// Checks that imports point down, that src/parts.ts alone has what the package loads later, and that src/adapters/ alone decides by an
// adapter's vendor:
// `node scripts/layers.mjs [FOLDER]`. TypeScript's scanner finds the imports, so those of types, `import(…)` and
// `typeof import(…)` count, too.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import typescript from "typescript-5.9";

/** Folders and files, from the bottom up. An entry imports only from lines before its own, and from itself. */
const layers = [
  ["src/errors.ts", "src/version.ts", "src/wgsl-files.d.ts"],
  ["src/parts.ts"],
  ["src/options.ts"],
  ["src/text"],
  ["src/shader-files.d.ts"],
  ["src/simulator"],
  ["src/algebra"],
  ["src/kernels"],
  ["src/adapters"],
  ["src/in_kernel", "src/plan"],
  ["src/primitives"],
  ["src/cpu", "src/gpu/device", "src/gpu/adapters", "src/gpu/diagnosis"],
  ["src/reference"],
  ["src/gpu/executor"],
  ["src/gpu/streams"],
  ["src/gpu/at_hand"],
  ["src/gpu/recordings"],
  ["src/gpu/gpu_arrays"],
  ["src/gpu/forms"],
  ["src/gpu/parts"],
  ["src/gpu/call_types.ts"],
  ["src/gpu/fold.ts"],
  ["src/gpu/tuning"],
  ["src/gpu/open.ts"],
  ["src/monoids", "src/laws", "src/three", "src/build"],
  ["src/index.ts", "src/wgsl.ts", "src/typegpu.ts"],
  ["src/wesl.ts"],
  ["src/dawn.ts"],
  ["src/node.ts"],
  ["bench"],
  ["src/cli"],
  ["examples", "scripts", "site", "test"],
];

/** What a folder may not import although it lies below. */
const apart = {
  "src/reference": ["src/in_kernel", "src/gpu"],
  "src/cpu": ["src/in_kernel", "src/reference", "src/gpu"],
  "src/gpu": ["src/in_kernel", "src/reference"],
  "src/monoids": ["src/in_kernel", "src/plan", "src/gpu"],
  "src/laws": ["src/in_kernel"],
  "src/three": ["src/in_kernel", "src/plan", "src/reference"],
  "src/build": ["src/plan", "src/reference", "src/gpu"],
};

/** The files that may use the bench, since their commands time something. */
const benchUsers = ["src/cli/bench.ts", "src/cli/tune.ts", "src/cli/options.ts"];

/** What compares vendors beside `src/adapters`: what describes an adapter, and what stands for one. */
const describers = ["src/adapters", "src/gpu/diagnosis", "src/simulator"];
/** A comparison of a vendor, or a vendor's name, outside of comments. */
const vendorChoice =
  /\bvendor\b\s*[!=]==|[!=]==\s*(?:\w+\.)*vendor\b|"(?:amd|apple|arm|intel|nvidia|qualcomm)"/;

/** What the package loads with `import()`, each by a loader of its own: `import { loadSorts }` of it is an import of what `loadSorts` loads. */
const PARTS = "src/parts.ts";

/** What entries besides `wavefold` load so: `wavefold/laws` needs fast-check, which may be missing; few programs simulate. */
const otherParts = ["src/laws/laws.ts", "src/simulator/index.ts"];

const isIn = (path, folder) => path === folder || path.startsWith(`${folder}/`);
/** The entry of `layers` that a path belongs to. */
const entryOf = (path) => layers.flat().find((entry) => isIn(path, entry));
/** Whether an entry may not import another one although it lies below. */
const isApart = (own, other) =>
  Object.entries(apart).some(
    ([folder, others]) => isIn(own, folder) && others.some((one) => isIn(other, one)),
  );
const levelOf = (entry) => layers.findIndex((names) => names.includes(entry));

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), ".."));
const roots = [...new Set(layers.flat().map((entry) => entry.split("/")[0]))];
const files = roots
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && /\.m?[tj]s$/.test(one.name))
      .map((one) => relative(root, join(one.parentPath, one.name)).split(sep).join("/")),
  )
  .filter((path) => !path.includes("node_modules/"));

/** Each `import()` of a relative path in a text, and whether it stands in `part()`, which tells of a failure. */
function loadsIn(text) {
  const { SyntaxKind, forEachChild, isCallExpression } = typescript;
  const found = [];
  const visit = (node) => {
    if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
      const name = node.arguments[0]?.text;
      const { parent } = node;
      if (name?.startsWith(".")) {
        found.push({ name, isTold: isCallExpression(parent) && parent.expression.text === "part" });
      }
    }
    forEachChild(node, visit);
  };
  visit(typescript.createSourceFile("a.ts", text, typescript.ScriptTarget.Latest, true));
  return found;
}

/** The files that `src/parts.ts` loads, by the names of their loaders. */
const partOf = new Map(
  [
    ...readFileSync(join(root, PARTS), "utf8").matchAll(
      /^export const (\w+) = .*once\(\(\) => import\("\.\/([^"]+)"\)\);$/gm,
    ),
  ].map(([, loader, path]) => [loader, `src/${path}`]),
);

const parts = [...partOf.values()];

/** The parts whose loaders a text imports or hands on. */
const partsIn = (text) =>
  [...text.matchAll(/^(?:import|export) \{([^}]*)\} from "[./]*\/parts\.ts";$/gm)]
    .flatMap(([, names]) => names.match(/\w+/g) ?? [])
    .flatMap((name) => partOf.get(name) ?? []);

const problems = [];
/** What each file imports by a relative path. */
const imports = new Map();
for (const file of files) {
  const text = readFileSync(join(root, file), "utf8");
  const pathOf = (name) => join(dirname(file), name).split(sep).join("/");
  const { importedFiles } = typescript.preProcessFile(text, true, true);
  const targets = importedFiles
    .filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => pathOf(fileName))
    .filter((path) => file !== PARTS || !parts.includes(path))
    .concat(partsIn(text));
  if (file.startsWith("src/") && !file.startsWith("src/cli/") && file !== PARTS && text.includes("import(")) {
    for (const { name, isTold } of loadsIn(text)) {
      const target = pathOf(name);
      if (!otherParts.includes(target)) {
        problems.push(`${file} loads ${target}; src/parts.ts has what the package loads later`);
      } else if (!isTold) {
        problems.push(`${file} loads ${target} without part()`);
      }
    }
  }
  imports.set(file, targets);
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  const choice = vendorChoice.exec(code);
  if (choice && file.startsWith("src/") && !describers.some((folder) => isIn(file, folder))) {
    problems.push(`${file} decides by a vendor (${choice[0]}); a trait in src/adapters/ says what differs`);
  }
  const own = entryOf(file);
  if (own === undefined) {
    problems.push(`${file} is in no layer of scripts/layers.mjs`);
    continue;
  }
  for (const target of targets) {
    const other = entryOf(target);
    if (other === undefined || other === own) {
      continue;
    }
    // Tests and scripts may use each other.
    const isTop = levelOf(own) === layers.length - 1;
    if (!isTop && levelOf(other) >= levelOf(own)) {
      problems.push(`${file} imports ${target}, which is no lower layer`);
    } else if (isApart(own, other)) {
      problems.push(`${file} imports ${target}, which ${own} does without`);
    } else if (other === "bench" && own === "src/cli" && !benchUsers.includes(file)) {
      problems.push(`${file} imports ${target}; only ${benchUsers.join(", ")} may`);
    }
  }
}

const done = new Set();
/** Reports each circle that a walk from a file comes upon. */
function walk(file, path) {
  const start = path.indexOf(file);
  if (start >= 0) {
    problems.push(`a circle of imports: ${[...path.slice(start), file].join(" -> ")}`);
  } else if (!done.has(file)) {
    for (const target of imports.get(file) ?? []) {
      walk(target, [...path, file]);
    }
    done.add(file);
  }
}
for (const file of files) {
  walk(file, []);
}

for (const problem of problems) {
  console.error(problem);
}
console.log(`${files.length} files, ${problems.length} problems with their imports`);
process.exitCode = problems.length === 0 ? 0 : 1;
