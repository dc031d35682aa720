import { createInterface } from "node:readline";
import { CommandExit, EXIT_FAILED, EXIT_USAGE, type Output } from "./command-context.ts";

/**
 * Says what a command is about to do and asks for confirmation, unless it was given beforehand.
 * @param will a sentence such as "This deletes channel 3."
 * @throws CommandExit if the answer is not yes, or nobody can be asked
 */
export async function confirm({ note }: Output, will: string, isSaid: boolean): Promise<void> {
  note(will);
  if (isSaid) return;
  if (!process.stdin.isTTY) {
    throw new CommandExit(
      EXIT_USAGE,
      "Standard input is no terminal to ask on: say --yes to have it done. Nothing was changed.",
    );
  }
  const answer = await ask("Go on? [y/N] ");
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandExit(EXIT_FAILED, "Nothing was changed.");
}

/** Empty if the input has ended or was interrupted. */
function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise<string>((resolve) => {
    lines.once("SIGINT", () => resolve(""));
    lines.once("close", () => resolve(""));
    lines.question(question, resolve);
  }).finally(() => lines.close());
}
