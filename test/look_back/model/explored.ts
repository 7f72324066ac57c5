// Whether every interleaving was explored of the model as it stands. To explore all of them takes a minute, and finds the same as
// long as nothing changes that it depends on: so a digest of that is kept in explored.json.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { copied, digestOf, exampleInGuide, statesInGuide } from "./lines.ts";

const folder = new URL("./", import.meta.url);
const record = new URL("explored.json", folder);

/** All that decides what is found, by name: the model and its cases, the functions that it copies, and what the guide says. */
export const partsOfModel = (): ReadonlyMap<string, string> =>
  new Map([
    ...readdirSync(folder)
      .filter((name) => /\.ts$/.test(name) && !/^explored\.|\.test\.ts$/.test(name))
      .sort()
      .map((name) => [name, readFileSync(new URL(name, folder), "utf8").replaceAll("\r\n", "\n")] as const),
    ...copied.map(([file, name]) => [`${name} of ${file}`, digestOf(file, name) ?? ""] as const),
    ["the guide", JSON.stringify([statesInGuide(""), exampleInGuide()])],
  ]);

export const digestOfParts = (parts: ReadonlyMap<string, string>): string =>
  createHash("sha256")
    .update(JSON.stringify([...parts]))
    .digest("hex");

/** The digest of the model when every interleaving of it was explored last. */
export const digestOfExplored = (): string =>
  (JSON.parse(readFileSync(record, "utf8")) as { digest: string }).digest;

/** Whether `npm run explore` asks to explore the model, changed or not. */
export const isAsked = (): boolean => process.env.WAVEFOLD_EXPLORE === "1";

export const recordExplored = (): void =>
  writeFileSync(record, `${JSON.stringify({ digest: digestOfParts(partsOfModel()) }, null, 2)}\n`);
