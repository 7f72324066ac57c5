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
  /** The libraries that are not there, by the name or path of a library that needs them. */
  readonly lacks?: Readonly<Record<string, readonly string[]>>;
  /** What the dynamic linker says of libraries. All others load if they are there. */
  readonly says?: Readonly<Record<string, string>>;
}

/** Where its libraries are. */
export const LIBRARIES = "/usr/lib/x86_64-linux-gnu";

/** What glibc says of a library that it does not find. */
const notFound = (name: string): string =>
  `${name}: cannot open shared object file: No such file or directory`;

export function fakeSystem(fake: FakeSystem): System {
  const {
    platform = "linux",
    arch = "x64",
    release = "6.8.0",
    env = {},
    files = {},
    links = {},
    devices = {},
    lacks = {},
    says = {},
  } = fake;
  const followed = (path: string): string => {
    const target = links[path];
    return target === undefined ? path : followed(join(dirname(path), target));
  };
  const all = [...Object.keys(files), ...Object.keys(links), ...Object.keys(devices)];
  const exists = (path: string): boolean => {
    const target = followed(path);
    return target in files || target in devices || all.some((one) => one.startsWith(`${target}/`));
  };
  const libraryAt = (name: string): string | undefined => {
    const path = name.includes("/") ? name : `${LIBRARIES}/${name}`;
    return exists(path) ? path : undefined;
  };
  return {
    platform,
    arch,
    release,
    env,
    read(path, most) {
      const file = files[followed(path)];
      const data = typeof file === "string" ? new TextEncoder().encode(file) : file;
      return data?.subarray(0, most);
    },
    list: (path) =>
      [
        ...new Set(
          all
            .filter((one) => one.startsWith(`${path}/`))
            .map((one) => one.slice(path.length + 1).split("/")[0] ?? ""),
        ),
      ].sort(),
    exists,
    linkOf: (path) => links[path],
    groupOf: (path) => fake.groups?.[path],
    openProblem: (path) => (path in devices ? devices[path] : "ENOENT"),
    loadProblem(name) {
      const [missing] = lacks[name] ?? [];
      return says[name] ?? (missing ? notFound(missing) : libraryAt(name) ? undefined : notFound(name));
    },
    linkedWith: (name) => ({ path: libraryAt(name), missing: lacks[name] ?? [] }),
  };
}
