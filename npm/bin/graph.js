#!/usr/bin/env node
// Runs the binary of the optional dependency that fits this system. Standard input and output are inherited, so an MCP
// client talks to the binary itself.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

// Node's report names the C library it runs on: only glibc has a version there.
function libc() {
  if (process.platform !== "linux") return "";
  return process.report.getReport().header.glibcVersionRuntime ? "-gnu" : "-musl";
}

const name = `@graph-mcp/${process.platform}-${process.arch}${libc()}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/graph${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(
    `graph: the package ${name} is not installed. If npm was told to leave out optional dependencies, install it without ` +
      "--omit=optional. If there is no such package for this system, build graph with `cargo install graph-mcp`.",
  );
  process.exit(1);
}

const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`graph: ${binary} cannot be started: ${error.message}`);
  process.exit(1);
});
// A terminal sends Ctrl-C to both processes; a client that stops the server signals only this one.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
