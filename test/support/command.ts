import { clusterCommands } from "../../src/app/cluster-commands.ts";
import { type Domains, openDomains } from "../../src/app/domains.ts";
import type { Config } from "../../src/config.ts";
import type { Database } from "../../src/db/database.ts";
import { runCommandLine } from "../../src/doors/cli/command-line.ts";
import { type Ports, systemPorts } from "../../src/ports/ports.ts";
import type { Appliance } from "./appliance.ts";
import type { Finished } from "./machine.ts";
import { openPrepared } from "./prepared-database.ts";

function openPreparedDomains(config: Config, ports: Ports): Promise<Domains> {
  return openDomains(config, ports, undefined, openPrepared);
}

/** Runs a command about customers within this process, on an appliance's own database. */
export function runBeside({ app }: Pick<Appliance, "app">, words: readonly string[]) {
  // The command closes its connection, but this one is the appliance's.
  const db: Database = Object.assign(Object.create(app.domains.db), { close() {} });
  // Commands want the name of a file, which nothing opens.
  const environment = { KANALOG_DB: import.meta.path };
  return runHere(HOME, environment, words, async () => ({ ...app.domains, db }));
}

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
  open: (config: Config, ports: Ports) => Promise<Domains> = openPreparedDomains,
  ports: (config: Config) => Ports = systemPorts,
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
      ports,
      openDomains: open,
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
      registryManifest: async (...args) =>
        (await import("../../src/doors/mcp/bundle/manifest.ts")).registryManifest(...args),
      localMcp: () => Promise.reject(new Error("an MCP server has a process of its own")),
    });
    return { exitCode, out, notes };
  } finally {
    running -= 1;
    if (running === 0) process.chdir(HOME);
  }
}
