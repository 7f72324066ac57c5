import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** Milliseconds after which nobody waits any longer for what another file of tests makes: it may have been stopped. */
const PATIENCE = 100_000;

/** Whether a folder is there, and was made a short while ago. */
const isFresh = (folder: string): Promise<boolean> =>
  stat(folder).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < PATIENCE,
    () => false,
  );

/** The files of a file or a folder of the repository, in order. */
async function filesOf(name: string): Promise<string[]> {
  const path = join(repository, name);
  if ((await stat(path)).isFile()) {
    return [path];
  }
  const below = await readdir(path, { withFileTypes: true });
  const files = await Promise.all(
    below
      .filter((one) => one.name !== "node_modules")
      .map((one) => (one.isDirectory() ? filesOf(join(name, one.name)) : [join(path, one.name)])),
  );
  return files.flat().sort();
}

/**
 * A folder of what is made from sources. Files of tests that want the same of the same sources share it, so it is only read. It
 * stays in `build/shared/` until the sources are others.
 *
 * @param kind - what is made; part of the folder's name.
 * @param sources - files and folders of the repository.
 * @param make - fills an empty folder.
 */
export async function sharedFolder(
  kind: string,
  sources: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256");
  for (const name of [...sources, "package.json", "package-lock.json"]) {
    for (const path of await filesOf(name)) {
      hash
        .update(path)
        .update("\0")
        .update(await readFile(path));
    }
  }
  const place = join(repository, "build", "shared");
  const digest = hash.digest("hex").slice(0, 16);
  const name = `${kind}-${digest}`;
  const folder = join(place, name);
  const turn = `${folder}.turn`;
  await mkdir(place, { recursive: true });
  if (existsSync(folder)) {
    return folder;
  }
  // Whoever makes this folder makes the other one. The others wait.
  const isFirst = await mkdir(turn).then(
    () => true,
    () => false,
  );
  while (!isFirst && !existsSync(folder) && (await isFresh(turn))) {
    await setTimeout(100);
  }
  if (existsSync(folder)) {
    return folder;
  }
  try {
    for (const old of await readdir(place)) {
      // Names of other kinds may start with this one's.
      const [of = "", other = ""] = /^(.*)-([0-9a-f]{16})/.exec(old)?.slice(1) ?? [];
      if (of === kind && other !== digest) {
        await rm(join(place, old), { recursive: true, force: true });
      }
    }
    const made = await mkdtemp(`${folder}.`);
    await make(made);
    // If somebody else was faster after all, theirs is as good.
    await rename(made, folder).catch(() => rm(made, { recursive: true, force: true }));
  } finally {
    await rm(turn, { recursive: true, force: true });
  }
  return folder;
}
