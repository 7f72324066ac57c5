// Builds the API reference from the TSDoc of src/. It lies here, in a workspace of its own, since TypeDoc takes
// another TypeScript than the one that this repository is checked with.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Application, Converter, JSX, LogLevel, PageEvent, ReflectionKind } from "typedoc";
import { called, GROUPS, isFold, MemberRouter, ReferenceTheme } from "./theme.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const own = fileURLToPath(new URL(".", import.meta.url));

/** The public entries, each with the file that it is made from: what package.json exports, as tsconfig.json maps it. */
async function entryPoints() {
  const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const { compilerOptions } = JSON.parse(await readFile(join(root, "tsconfig.json"), "utf8"));
  const files = Object.entries(exports)
    .filter(([, target]) => target.default !== undefined)
    .map(([name]) => {
      const entry = `wavefold${name.slice(1)}`;
      const [file] = compilerOptions.paths[entry] ?? [];
      if (file === undefined) {
        throw new Error(
          `${entry} is exported by package.json, and tsconfig.json's paths have no file for it`,
        );
      }
      return join(root, file);
    });
  // wavefold/whole has the names of wavefold.
  return [...new Set(files)];
}

/** Every kind that a name can be of, with a sentence at least. Fields often say all by their names. */
const DOCUMENTED = [
  "Module",
  "Variable",
  "Function",
  "Class",
  "Interface",
  "TypeAlias",
  "Method",
  "Accessor",
];

/** Parts of the element types that only the code generator reads, and what is derived from them. */
const INTERNAL = [
  "src/algebra/types.ts:Domain",
  "src/text/source.ts:SourceText",
  "src/kernels/algorithms.ts:algorithms",
  "src/kernels/look_back.ts:LookBackShape",
  "src/plan/grouping.ts:TileGrouping",
];

/** Makes the class that `@throws {ArgumentError}` names a link, which TypeDoc does not. */
function linkThrown({ project }) {
  const classes = new Map(
    project.getReflectionsByKind(ReflectionKind.Class).map((one) => [`{${one.name}}`, one]),
  );
  for (const { comment } of Object.values(project.reflections)) {
    for (const tag of comment?.getTags("@throws") ?? []) {
      const target = classes.get(tag.typeAnnotation);
      if (target !== undefined) {
        tag.content.unshift(
          { kind: "inline-tag", tag: "@link", text: target.name, target },
          { kind: "text", text: " " },
        );
        delete tag.typeAnnotation;
      }
    }
  }
}

/**
 * The landmarks of a page. TypeDoc has its content in divisions, its search in a second banner, and a footer around the
 * site's own.
 */
const landmarks = [
  ['<header class="tsd-page-toolbar">', '<section class="tsd-page-toolbar" aria-label="Contents">'],
  [/<\/header>\s*<div class="container container-main">/, '</section><div class="container container-main">'],
  ['<div class="col-content">', '<main id="main" class="col-content" data-pagefind-body>'],
  // The site's search takes the place of TypeDoc's, whose script asks for its element.
  [
    /<script [^>]*id="tsd-search-script"><\/script>/,
    '<script type="text/plain" id="tsd-search-script"></script>',
  ],
  [
    /<\/div>\s*<div class="col-sidebar">/,
    '</main><aside class="col-sidebar" aria-label="Contents of the reference">',
  ],
  [/<\/div>\s*<footer>(<footer class="site">.*?<\/footer>)<\/footer>/s, "</aside>$1"],
  ['<nav class="tsd-navigation">', '<nav class="tsd-navigation" aria-label="Modules">'],
];

/**
 * Gives each heading the level below the one that it stands under: TypeDoc leaves levels out. It has one size for each
 * tag, so the tags stay.
 */
function withLevels(contents) {
  let last = 0;
  return contents.replaceAll(/<h([1-6])\b/g, (tag, digit) => {
    const level = Math.min(Number(digit), last + 1);
    last = level;
    return level === Number(digit) ? tag : `${tag} aria-level="${level}"`;
  });
}

/** Takes out the links to themselves of headings that open and close what is below them: one control in another. */
const withoutNestedLinks = (contents) =>
  contents.replaceAll(/<summary\b.*?<\/summary>/gs, (summary) =>
    summary.replaceAll(/<a [^>]*class="tsd-anchor-icon".*?<\/a>/gs, ""),
  );

/** What a search is hardly for: the many types of options and results, and what the reference on the CPU has. */
const isLesser = ({ model }) =>
  !isFold(model) &&
  (model.kindOf(ReflectionKind.Interface | ReflectionKind.TypeAlias) ||
    model.parent?.name === "wavefold/reference");

/** Lets what the search finds in a page count for less. */
const withLessWeight = (contents) =>
  contents
    .replace(" data-pagefind-body", '$& data-pagefind-weight="0.2"')
    .replace(/<h1(?=[ >])/, '$& data-pagefind-weight="1"');

function withLandmarks(page) {
  for (const [found, put] of landmarks) {
    const changed = page.contents.replace(found, put);
    if (changed === page.contents) {
      throw new Error(`${page.url} has no ${found}: TypeDoc's pages have changed`);
    }
    page.contents = changed;
  }
  page.contents = withoutNestedLinks(withLevels(page.contents));
  if (isLesser(page)) {
    page.contents = withLessWeight(page.contents);
  }
}

const foldOf = (project) =>
  project.getReflectionsByKind(ReflectionKind.Class | ReflectionKind.Interface).find(isFold);

/** Puts the members of a group as the source has them: what is used most comes first. */
function orderMembers({ groups }) {
  for (const { title, children } of groups) {
    if (!GROUPS.includes(title)) {
      const names = children.map(({ name }) => name).join(", ");
      throw new Error(`Fold's ${names}: the comment needs @group with one of ${GROUPS.join("; ")}`);
    }
    children.sort((a, b) => a.id - b.id);
  }
}

/**
 * Writes the reference into a folder, in the site's frame. A warning of TypeDoc's is an error.
 *
 * @returns the address of each public name's page, from that folder.
 */
export async function buildApi(folder, frame) {
  const app = await Application.bootstrap({
    tsconfig: join(root, "tsconfig.build.json"),
    basePath: root,
    entryPoints: await entryPoints(),
    name: "API reference",
    readme: join(own, "index.md"),
    favicon: join(root, "site", "mark.svg"),
    customCss: join(own, "api.css"),
    customJs: join(own, "navigation.js"),
    lightHighlightTheme: "github-light-high-contrast",
    darkHighlightTheme: "github-dark-default",
    highlightLanguages: ["typescript", "javascript", "shellscript", "json"],
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    disableSources: true,
    hideGenerator: true,
    visibilityFilters: {},
    navigation: {
      includeCategories: false,
      includeGroups: false,
      excludeReferences: true,
      includeFolders: false,
    },
    // What a program calls comes first, and the many types of its options last.
    groupOrder: [
      ...["Modules", "Functions", "Variables", "Classes", "Interfaces", "Type Aliases"],
      ...GROUPS,
      "*",
    ],
    router: "members",
    theme: "reference",
    kindSortOrder: [
      ...["Project", "Module", "Reference", "Namespace", "Enum", "EnumMember"],
      ...["Function", "Variable", "Class", "Interface", "TypeAlias"],
      ...["Constructor", "Property", "Accessor", "Method", "Parameter", "TypeParameter", "TypeLiteral"],
      ...[
        "CallSignature",
        "ConstructorSignature",
        "IndexSignature",
        "GetSignature",
        "SetSignature",
        "Document",
      ],
    ],
    preservedTypeAnnotationTags: ["@throws"],
    validation: { notExported: true, invalidLink: true, invalidPath: true, notDocumented: true },
    requiredToBeDocumented: DOCUMENTED,
    intentionallyNotExported: INTERNAL,
    logLevel: LogLevel.Warn,
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, linkThrown);
  app.renderer.defineRouter("members", MemberRouter);
  app.renderer.defineTheme("reference", ReferenceTheme);
  // There is one only while pages are written.
  let router;
  app.renderer.hooks.on("body.begin", (context) => {
    router = context.router;
    const home = "../".repeat(context.page.url.split("/").length);
    return JSX.createElement(JSX.Raw, { html: frame.header(home) });
  });
  app.renderer.hooks.on("head.end", () =>
    JSX.createElement("meta", { name: "color-scheme", content: "light dark" }),
  );
  app.renderer.on(PageEvent.END, withLandmarks);
  app.renderer.hooks.on("footer.end", () => JSX.createElement(JSX.Raw, { html: frame.footer }));
  const project = await app.convert();
  if (project !== undefined) {
    app.validate(project);
    orderMembers(foldOf(project));
    await app.generateDocs(project, folder);
  }
  if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error("the API reference has warnings: they are above");
  }
  // The index of TypeDoc's search, which no page loads.
  await rm(join(folder, "assets", "search.js"));
  // The style of the frame goes first; TypeDoc takes one file.
  const css = join(folder, "assets", "custom.css");
  await writeFile(css, `${frame.css}\n${await readFile(css, "utf8")}`);
  const addresses = new Map();
  for (const one of project.getReflectionsByKind(ReflectionKind.SomeExport)) {
    if (one.parent?.kindOf(ReflectionKind.Module) && !one.isReference() && !addresses.has(one.name)) {
      addresses.set(one.name, router.getFullUrl(one));
    }
  }
  for (const { title, children } of foldOf(project).groups) {
    for (const member of children) {
      addresses.set(called(member), router.getFullUrl(member));
      // The names of what a fold has beside its primitives are names of other things, too.
      if (title !== "Device" && !addresses.has(member.name)) {
        addresses.set(member.name, router.getFullUrl(member));
      }
    }
  }
  return addresses;
}
