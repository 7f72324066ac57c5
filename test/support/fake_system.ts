import { dirname, join } from "node:path/posix";
import type { System } from "../../src/gpu/diagnosis/system.ts";

/** A machine that is not there. */
export interface FakeSystem {
  readonly platform?: string;
  readonly arch?: string;
  readonly release?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Where symbolic links lead to. */
  readonly links?: Readonly<Record<string, string>>;
  /** Devices, with the error's code where they do not open. */
  readonly devices?: Readonly<Record<string, string | undefined>>;
  readonly groups?: Readonly<Record<string, number>>;
  /** What the dynamic linker says of libraries. Left out, nothing is loaded. */
  readonly loads?: Readonly<Record<string, string | undefined>>;
}

export function fakeSystem(fake: FakeSystem): System {
  const {
    platform = "linux",
    arch = "x64",
    release = "6.8.0",
    env = {},
    files = {},
    links = {},
    devices = {},
  } = fake;
  const followed = (path: string): string => {
    const target = links[path];
    return target === undefined ? path : followed(join(dirname(path), target));
  };
  const all = [...Object.keys(files), ...Object.keys(links), ...Object.keys(devices)];
  const { loads } = fake;
  return {
    platform,
    arch,
    release,
    env,
    read(path, from, bytes) {
      const file = files[followed(path)];
      const data = typeof file === "string" ? new TextEncoder().encode(file) : file;
      return data?.subarray(from, from + bytes);
    },
    list: (path) =>
      [
        ...new Set(
          all
            .filter((one) => one.startsWith(`${path}/`))
            .map((one) => one.slice(path.length + 1).split("/")[0] ?? ""),
        ),
      ].sort(),
    exists(path) {
      const target = followed(path);
      return target in files || target in devices || all.some((one) => one.startsWith(`${target}/`));
    },
    linkOf: (path) => links[path],
    groupOf: (path) => fake.groups?.[path],
    openProblem: (path) => (path in devices ? devices[path] : "ENOENT"),
    ...(loads && {
      loadProblem: (path: string) =>
        path in loads ? loads[path] : `${path}: cannot open shared object file: No such file or directory`,
    }),
  };
}

/** A shared library that has nothing but its header and its dynamic section: ELF of 64 bits, little-endian. */
export function sharedLibrary(
  needed: readonly string[] = [],
  { machine = 62, runpath = "", rpath = "" }: { machine?: number; runpath?: string; rpath?: string } = {},
): Uint8Array {
  let names = "\0";
  const nameAt = (name: string): number => {
    names += `${name}\0`;
    return names.length - name.length - 1;
  };
  const tags: [number, number][] = needed.map((name) => [1, nameAt(name)]);
  if (rpath !== "") {
    tags.push([15, nameAt(rpath)]);
  }
  if (runpath !== "") {
    tags.push([29, nameAt(runpath)]);
  }
  // Addresses are offsets and 0x1000, as they differ in real libraries.
  const BASE = 0x1000;
  const [programsAt, dynamicAt] = [64, 64 + 2 * 56];
  const dynamicBytes = (tags.length + 3) * 16;
  const namesAt = dynamicAt + dynamicBytes;
  tags.push([5, BASE + namesAt], [10, names.length], [0, 0]);
  const bytes = new Uint8Array(namesAt + names.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x7f454c46);
  bytes.set([2, 1, 1], 4);
  view.setUint16(16, 3, true);
  view.setUint16(18, machine, true);
  view.setBigUint64(32, BigInt(programsAt), true);
  view.setUint16(54, 56, true);
  view.setUint16(56, 2, true);
  const program = (at: number, type: number, offset: number, size: number): void => {
    view.setUint32(at, type, true);
    view.setBigUint64(at + 8, BigInt(offset), true);
    view.setBigUint64(at + 16, BigInt(BASE + offset), true);
    view.setBigUint64(at + 32, BigInt(size), true);
  };
  program(programsAt, 1, 0, bytes.length);
  program(programsAt + 56, 2, dynamicAt, dynamicBytes);
  for (const [index, [tag, value]] of tags.entries()) {
    view.setBigUint64(dynamicAt + 16 * index, BigInt(tag), true);
    view.setBigUint64(dynamicAt + 16 * index + 8, BigInt(value), true);
  }
  bytes.set(new TextEncoder().encode(names), namesAt);
  return bytes;
}

/** A cache of `ldconfig`: the paths of libraries, by name. */
export function libraryCache(paths: Readonly<Record<string, string>>): Uint8Array {
  const entries = Object.entries(paths);
  const start = 48 + 24 * entries.length;
  let strings = "";
  const at = (text: string): number => {
    strings += `${text}\0`;
    return start + strings.length - text.length - 1;
  };
  const view = new DataView(new ArrayBuffer(start));
  new Uint8Array(view.buffer).set(new TextEncoder().encode("glibc-ld.so.cache1.1"));
  view.setUint32(20, entries.length, true);
  for (const [index, [name, path]] of entries.entries()) {
    view.setUint32(48 + 24 * index + 4, at(name), true);
    view.setUint32(48 + 24 * index + 8, at(path), true);
  }
  return Uint8Array.from([...new Uint8Array(view.buffer), ...new TextEncoder().encode(strings)]);
}
