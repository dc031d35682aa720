import { clusterCommands } from "./app/cluster-commands.ts";
import { openDomains } from "./app/domains.ts";
import { claimPort } from "./app/listen.ts";
import { joinCrew } from "./app/workers/crew.ts";
import { createWorkers } from "./app/workers/supervisor.ts";
import { runCommandLine } from "./doors/cli/command-line.ts";
import { runStdioBridge } from "./doors/mcp/stdio-bridge.ts";
import { systemPorts } from "./ports/ports.ts";

/** Whether the command checks its output's errors and handles them itself. */
let isErrorHandled = false;

// A reader that closes the pipe early (`| head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (isErrorHandled) return;
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`Standard output cannot be written: ${error.message}.\n`);
  process.exit(1);
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  output: {
    out: (text) => process.stdout.write(`${text}\n`),
    write: (bytes) =>
      new Promise((resolve) => {
        if (process.stdout.write(bytes)) resolve();
        else process.stdout.once("drain", resolve);
      }),
    outSafely: (text) =>
      new Promise((resolve, reject) => {
        isErrorHandled = true;
        process.stdout.write(`${text}\n`, (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
    note: (text) => process.stderr.write(`${text}\n`),
  },
  ports: systemPorts,
  openDomains,
  // Loaded lazily, for serving only: it takes as long as everything other commands load.
  createApp: async (...args) => (await import("./app/app.ts")).createApp(...args),
  openApi: async (...args) => (await import("./app/open-api.ts")).openApi(...args),
  claimPort,
  createWorkers,
  joinCrew,
  cluster: clusterCommands,
  runMcpBridge: runStdioBridge,
  registryManifest: async (...args) =>
    (await import("./doors/mcp/bundle/manifest.ts")).registryManifest(...args),
  localMcp: async (...args) => (await import("./app/local-mcp.ts")).createLocalMcp(...args),
});
