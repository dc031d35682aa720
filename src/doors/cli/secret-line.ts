import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { CommandExit, EXIT_INTERRUPTED } from "./command-context.ts";

/** Prompts for a secret on a terminal; otherwise reads a line. @throws CommandExit */
export async function readSecretLine(question: string): Promise<string> {
  const isAsked = process.stdin.isTTY === true;
  const line = await readHiddenLine(isAsked ? question : "");
  if (!isAsked) return line ?? "";
  process.stderr.write("\n");
  if (line === null) throw new CommandExit(EXIT_INTERRUPTED);
  return line;
}

/** Reads one line of standard input without echoing it. Null if the input has ended or was interrupted. */
export function readHiddenLine(question: string): Promise<string | null> {
  // Lets readline edit the line as usual without showing it.
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
