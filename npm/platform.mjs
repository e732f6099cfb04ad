// Writes the npm package of one platform: `node npm/platform.mjs linux-x64-gnu path/to/graph out/directory`.
// Name, version and license are those of package.json, so a release changes them in one place.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const [platform, binary, directory] = process.argv.slice(2);
const main = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const name = `@graph-mcp/${platform}`;
if (!directory || !main.optionalDependencies[name]) {
  const known = Object.keys(main.optionalDependencies).map((name) => name.split("/")[1]);
  console.error(`usage: node npm/platform.mjs PLATFORM BINARY DIRECTORY, with PLATFORM one of ${known.join(", ")}`);
  process.exit(1);
}

const [os, cpu, libc] = platform.split("-");
const entry = {
  name,
  version: main.version,
  description: `The graph binary for ${platform}, which the package graph-mcp installs`,
  license: main.license,
  repository: main.repository,
  os: [os],
  cpu: [cpu],
  ...(libc && { libc: [libc === "gnu" ? "glibc" : "musl"] }),
  files: ["bin"],
};
mkdirSync(join(directory, "bin"), { recursive: true });
writeFileSync(join(directory, "package.json"), `${JSON.stringify(entry, null, 2)}\n`);
copyFileSync(binary, join(directory, "bin", basename(binary)));
chmodSync(join(directory, "bin", basename(binary)), 0o755);
