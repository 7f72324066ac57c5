// Makes a folder that runs the bench on a Linux x64 machine with a GPU's driver, and no network, Node.js or npm:
// the package, Node.js, Dawn's bindings, the Vulkan loader, and the peers. Run `npm run build` first.
// usage: node scripts/bench-pack.mjs DEST [--software] [--loader FILE|none] [--cuda-arch ARCH] [--archive]
//   --software       SwiftShader too, for machines without a GPU
//   --loader         a libvulkan.so.1, or none; left out: from Debian's package libvulkan1, by apt-get
//   --cuda-arch      build the peers on CUDA ahead, by the nvcc on the PATH: sm_90 and so on
//   --archive        DEST.tar.xz as well
// There: DEST/bench --json run.json --plot plots
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const USAGE =
  "usage: node scripts/bench-pack.mjs DEST [--software] [--loader FILE|none] [--cuda-arch ARCH] [--archive]";
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const require = createRequire(join(root, "package.json"));

/** Says what is wrong, and ends. */
function fail(message) {
  console.error(`bench-pack: ${message}`);
  process.exit(1);
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        software: { type: "boolean", default: false },
        loader: { type: "string" },
        "cuda-arch": { type: "string" },
        archive: { type: "boolean", default: false },
      },
    });
  } catch (cause) {
    return fail(`${cause.message}\n${USAGE}`);
  }
}

const { values, positionals } = parse();
if (positionals.length !== 1) {
  fail(`it takes one folder to make\n${USAGE}`);
}
const dest = resolve(positionals[0]);
if (process.platform !== "linux" || process.arch !== "x64") {
  fail(`it packs for Linux x64, and this is ${process.platform} ${process.arch}`);
}
if (existsSync(dest) && readdirSync(dest).length > 0 && !existsSync(join(dest, "bench"))) {
  fail(`${dest} is there, and is no pack; name a folder that is not there yet`);
}
for (const path of ["dist/cli.js", "build/bench/peers"]) {
  if (!existsSync(join(root, path))) {
    fail(`there is no ${path}: run "npm run build" first`);
  }
}

/** The folder of an installed package. */
function packageFolder(name) {
  let folder;
  try {
    folder = dirname(require.resolve(name));
  } catch {
    return fail(`the package ${name} is not installed: run "npm ci" first`);
  }
  while (!folder.endsWith(join("node_modules", name))) {
    folder = dirname(folder);
  }
  return folder;
}

/** Where a program is needed that is not there. */
function run(program, args, options = {}) {
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], ...options });
  } catch (cause) {
    return fail(`${program} failed: ${(cause.stderr || cause.message).trim().split("\n").at(-1)}`);
  }
}

/** What NVIDIA's driver for Vulkan is linked with, which a machine without a screen may lack. */
const X_PACKAGES = ["libx11-6", "libxext6", "libxcb1", "libxau6", "libxdmcp6", "libbsd0", "libmd0"];

/** From Debian's packages: the Vulkan loader, which finds the driver's own file, and the X libraries. */
function debianLibraries(folder, xFolder) {
  const scratch = mkdtempSync(join(tmpdir(), "wavefold-pack-"));
  // apt-get hands the download to a user of its own.
  chmodSync(scratch, 0o777);
  try {
    run("apt-get", ["download", "-qq", "libvulkan1", ...X_PACKAGES], { cwd: scratch });
    for (const name of readdirSync(scratch).filter((one) => one.endsWith(".deb"))) {
      run("dpkg-deb", ["-x", name, "out"], { cwd: scratch });
    }
    for (const from of ["out/usr/lib/x86_64-linux-gnu", "out/lib/x86_64-linux-gnu"]) {
      const own = join(scratch, from);
      for (const name of existsSync(own) ? readdirSync(own) : []) {
        if (/\.so\.\d+$/.test(name)) {
          // Through the links, under the name that is asked for.
          copyFileSync(join(own, name), join(name.startsWith("libvulkan") ? folder : xFolder, name));
        }
      }
    }
    if (!existsSync(join(folder, "libvulkan.so.1"))) {
      fail('apt-get brought no libvulkan1: run "apt-get update", or name a libvulkan.so.1 by --loader');
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function commit() {
  try {
    const git = (...args) =>
      execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    const changed = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "-changed";
    return `${git("rev-parse", "--short=12", "HEAD")}${changed}`;
  } catch {
    return "";
  }
}

rmSync(dest, { recursive: true, force: true });
mkdirSync(join(dest, "bin"), { recursive: true });
mkdirSync(join(dest, "lib"));

// Node.js: this one, without its symbols.
const node = join(dest, "bin", "node");
copyFileSync(process.execPath, node);
try {
  execFileSync("strip", [node], { stdio: "ignore" });
} catch {
  // It is larger then.
}
chmodSync(node, 0o755);
// A Node.js from a distribution may bring libraries of its own; glibc, libgcc and libstdc++ are everywhere.
for (const [, name, path] of run("ldd", [process.execPath]).matchAll(/^\s*(\S+) => (\/\S+)/gm)) {
  if (!/^(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so/.test(name)) {
    copyFileSync(path, join(dest, "lib", name));
  }
}

// The package, its peers, Dawn's bindings.
cpSync(join(root, "dist"), join(dest, "dist"), {
  recursive: true,
  filter: (path) => basename(path) !== "types",
});
copyFileSync(join(root, "package.json"), join(dest, "package.json"));
copyFileSync(join(root, "LICENSE"), join(dest, "LICENSE"));
cpSync(join(root, "build/bench/peers"), join(dest, "build/bench/peers"), { recursive: true });
const dawn = packageFolder("webgpu");
cpSync(dawn, join(dest, "node_modules/webgpu"), {
  recursive: true,
  filter: (path) => !/\/dist\/(darwin|win32|linux-arm64)/.test(path.slice(dawn.length)),
});
if (values.software) {
  const chromium = packageFolder("@sparticuz/chromium");
  const own = join(dest, "node_modules/@sparticuz/chromium");
  // Of the browser, only the driver that computes on the CPU; the rest is what finds it.
  cpSync(chromium, own, {
    recursive: true,
    filter: (path) => !/\/(bin\/(?!swiftshader)|node_modules\/)/.test(path.slice(chromium.length)),
  });
}

if (values.loader === undefined) {
  mkdirSync(join(dest, "lib-x"));
  debianLibraries(join(dest, "lib"), join(dest, "lib-x"));
} else if (values.loader !== "none") {
  if (!existsSync(values.loader)) {
    fail(`there is no ${values.loader}; --loader takes a libvulkan.so.1, or none`);
  }
  copyFileSync(values.loader, join(dest, "lib", "libvulkan.so.1"));
}

if (values["cuda-arch"] !== undefined) {
  const peers = join(dest, "build/bench/peers");
  for (const name of readdirSync(peers).filter((one) => one.endsWith(".cu"))) {
    const arch = `-arch=${values["cuda-arch"]}`;
    run("nvcc", ["-O3", "-std=c++17", arch, "-o", join(peers, name.slice(0, -3)), join(peers, name)]);
  }
}

writeFileSync(
  join(dest, "bench"),
  `#!/bin/sh
# Runs the bench: ./bench --json run.json --plot plots. ./bench doctor and others run those commands.
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH="$here/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
if ! ldconfig -p 2>/dev/null | grep -q libX11.so.6; then export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$here/lib-x"; fi
export WAVEFOLD_COMMIT="\${WAVEFOLD_COMMIT:-${commit()}}"
# NVIDIA's driver, where the usual folders do not name it.
icd=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
if [ -z "\${VK_DRIVER_FILES:-}" ] && [ -f "$icd" ]; then export VK_DRIVER_FILES="$icd"; fi
case "\${1:-}" in
  bench|tune|doctor|scan|reduce|compact|emit|link) ;;
  *) set -- bench "$@" ;;
esac
exec "$here/bin/node" "$here/dist/cli.js" "$@"
`,
  { mode: 0o755 },
);

const megabytes = (path) => Math.round(Number(run("du", ["-sk", path]).split("\t")[0]) / 1024);
console.log(`${dest}: ${megabytes(dest)} MB; there, run ${basename(dest)}/bench`);
if (values.archive) {
  run("tar", ["-C", dirname(dest), "-I", "xz -T0 -6", "-cf", `${dest}.tar.xz`, basename(dest)]);
  console.log(`${dest}.tar.xz: ${megabytes(`${dest}.tar.xz`)} MB`);
}
