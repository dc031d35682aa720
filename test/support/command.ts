import { openDomains } from "../../src/app/domains.ts";
import { runCommandLine } from "../../src/doors/cli/command-line.ts";
import { systemPorts } from "../../src/ports/ports.ts";
import type { Finished, Machine } from "./machine.ts";

/**
 * Runs a command over the machine's file within this process: for many that are refused, of which
 * each would load the whole program. The output has the lines that the program prints.
 */
export async function runHere({ database }: Machine, words: readonly string[]): Promise<Finished> {
  const [out, notes]: [string[], string[]] = [[], []];
  const exitCode = await runCommandLine(words, {
    environment: { KANALOG_DB: database, KANALOG_LOG_LEVEL: "silent" },
    output: { out: (text) => out.push(text), note: (text) => notes.push(text) },
    ports: systemPorts,
    openDomains,
    createApp: () => Promise.reject(new Error("a command that serves has a process of its own")),
    runMcpBridge: () => Promise.reject(new Error("a bridge has a process of its own")),
  });
  return { exitCode, out: out.join("\n"), notes: notes.join("\n") };
}
