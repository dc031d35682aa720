import { clusterCommands } from "./app/cluster-commands.ts";
import { openDomains } from "./app/domains.ts";
import { claimPort } from "./app/listen.ts";
import { joinCrew } from "./app/workers/crew.ts";
import { createWorkers } from "./app/workers/supervisor.ts";
import { runCommandLine } from "./doors/cli/command-line.ts";
import { runStdioBridge } from "./doors/mcp/stdio-bridge.ts";
import { systemPorts } from "./ports/ports.ts";

/** Whether a command waits for what it printed, and does what there is to do where that failed. */
let isToldOfErrors = false;

// A reader that closes the output early (`| head`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (isToldOfErrors) return;
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
    told: (text) =>
      new Promise((resolve, reject) => {
        isToldOfErrors = true;
        process.stdout.write(`${text}\n`, (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
    note: (text) => process.stderr.write(`${text}\n`),
  },
  ports: systemPorts,
  openDomains,
  // Loaded where something is served: that takes as long as all that other commands load.
  createApp: async (...given) => (await import("./app/app.ts")).createApp(...given),
  claimPort,
  createWorkers,
  joinCrew,
  cluster: clusterCommands,
  runMcpBridge: runStdioBridge,
});
