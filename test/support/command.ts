import { clusterCommands } from "../../src/app/cluster-commands.ts";
import { openDomains } from "../../src/app/domains.ts";
import { runCommandLine } from "../../src/doors/cli/command-line.ts";
import { systemPorts } from "../../src/ports/ports.ts";
import type { Finished } from "./machine.ts";
import { openPrepared } from "./prepared-database.ts";

const HOME = process.cwd();
let running = 0;

/**
 * Runs a command within this process, as the program would in a folder, because loading the program takes
 * longer than most commands. Commands that serve or read standard input need a process of their own.
 */
export async function runHere(
  folder: string,
  environment: Record<string, string>,
  words: readonly string[],
): Promise<Finished> {
  let [out, notes] = ["", ""];
  running += 1;
  process.chdir(folder);
  try {
    const exitCode = await runCommandLine(words, {
      environment,
      output: {
        out: (text) => {
          out += `${text}\n`;
        },
        async write(bytes) {
          out += Buffer.from(bytes).toString();
        },
        async outSafely(text) {
          out += `${text}\n`;
        },
        note: (text) => {
          notes += `${text}\n`;
        },
      },
      ports: systemPorts,
      openDomains: (config, ports) => openDomains(config, ports, undefined, openPrepared),
      cluster: clusterCommands,
      createApp: () => Promise.reject(new Error("a command that serves has a process of its own")),
      openApi: async (...args) => (await import("../../src/app/open-api.ts")).openApi(...args),
      claimPort: () => {
        throw new Error("a command that serves has a process of its own");
      },
      createWorkers: () => {
        throw new Error("workers have processes of their own");
      },
      joinCrew: async () => null,
      runMcpBridge: () => Promise.reject(new Error("a bridge has a process of its own")),
    });
    return { exitCode, out, notes };
  } finally {
    running -= 1;
    if (running === 0) process.chdir(HOME);
  }
}
