import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { CommandExit, EXIT_INTERRUPTED } from "./command-context.ts";

/** Asks for a secret where somebody sits before a terminal; else reads a line. @throws CommandExit */
export async function readSecretLine(question: string): Promise<string> {
  const isAsked = process.stdin.isTTY === true;
  const line = await readHiddenLine(isAsked ? question : "");
  if (!isAsked) return line ?? "";
  process.stderr.write("\n");
  if (line === null) throw new CommandExit(EXIT_INTERRUPTED);
  return line;
}

/** One line of standard input, which a terminal does not show. Null where the input has ended, or was broken off. */
export function readHiddenLine(question: string): Promise<string | null> {
  // readline edits the line as usual, but shows it nowhere.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, output, terminal });
  process.stderr.write(question);
  return new Promise<string | null>((resolve) => {
    lines.once("line", (line) => resolve(line));
    lines.once("SIGINT", () => resolve(null));
    lines.once("close", () => resolve(null));
  }).finally(() => lines.close());
}
