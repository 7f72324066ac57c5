import { resolve } from "node:path";
import typescript from "typescript-5.9";
import { expect, test } from "vitest";

const entries = [
  "index.ts",
  "node.ts",
  "wgsl.ts",
  "typegpu.ts",
  "wesl.ts",
  "three/index.ts",
  "simulator/index.ts",
  "reference/index.ts",
  "monoids/index.ts",
  "check/index.ts",
  "build/esbuild.ts",
  "build/vite.ts",
].map((file) => resolve("src", file));

test("each public name, and each member of a public type, has a doc comment", () => {
  const { sys, getParsedCommandLineOfConfigFile, createProgram, SymbolFlags } = typescript;
  const host = { ...sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  const config = getParsedCommandLineOfConfigFile("tsconfig.json", {}, host);
  // What is asked takes none of the declarations of others, and to read those takes longer than ours.
  const options = { ...config?.options, noLib: true, types: [] };
  const program = createProgram([...entries, resolve("src/wgsl-files.d.ts")], options);
  const checker = program.getTypeChecker();
  const isOurs = (symbol: typescript.Symbol): boolean =>
    symbol.declarations?.some((one) => one.getSourceFile().fileName.startsWith(resolve("src"))) ?? false;
  const lacksDoc = (symbol: typescript.Symbol): boolean =>
    symbol.getDocumentationComment(checker).length === 0 &&
    !symbol.getJsDocTags(checker).some(({ name }) => name === "internal");
  const seen = new Set<typescript.Symbol>();
  const without: string[] = [];
  let members = 0;
  for (const entry of entries) {
    const file = program.getSourceFile(entry);
    const module = file && checker.getSymbolAtLocation(file);
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const symbol = exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      if (seen.has(symbol)) {
        continue;
      }
      seen.add(symbol);
      if (lacksDoc(symbol)) {
        without.push(symbol.name);
      }
      if (symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class | SymbolFlags.TypeAlias)) {
        for (const member of checker.getDeclaredTypeOfSymbol(symbol).getProperties()) {
          // Not private members, symbols, and the `name` of an error, which is its class's.
          if (isOurs(member) && !/^(__|#)|^name$/.test(member.name)) {
            members++;
            if (lacksDoc(member)) {
              without.push(`${symbol.name}.${member.name}`);
            }
          }
        }
      }
    }
  }
  expect(without).toEqual([]);
  expect(seen.size).toBeGreaterThanOrEqual(300);
  expect(members).toBeGreaterThanOrEqual(1000);
});
