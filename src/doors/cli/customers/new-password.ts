import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { CommandExit, EXIT_INTERRUPTED, EXIT_USAGE, type Output } from "../command-context.ts";

/**
 * Asks twice on a terminal, which does not show what is typed; or reads one line of standard input.
 * @throws CommandExit
 */
export async function readNewPassword(
  { note }: Pick<Output, "note">,
  fromStdin: boolean,
): Promise<string> {
  if (fromStdin) return (await readLine("")) ?? "";
  if (!process.stdin.isTTY) {
    throw new CommandExit(
      EXIT_USAGE,
      "Standard input is no terminal to ask on: give the password there, with --stdin.",
    );
  }
  const password = await ask("New password: ");
  if (password === (await ask("Once more: "))) return password;
  note("These are two passwords.");
  return readNewPassword({ note }, false);
}

async function ask(question: string): Promise<string> {
  const answer = await readLine(question);
  process.stderr.write("\n");
  if (answer === null) throw new CommandExit(EXIT_INTERRUPTED);
  return answer;
}

/** Null where the input has ended, or was broken off. */
function readLine(question: string): Promise<string | null> {
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
