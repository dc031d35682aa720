import { createInterface } from "node:readline";
import { CommandExit, EXIT_FAILED, EXIT_USAGE, type Output } from "./command-context.ts";

/**
 * Says what a command is about to do and asks for confirmation.
 * @param warning a sentence such as "This deletes channel 3."
 * @param isConfirmed whether `--yes` was given, so that nobody is asked
 * @throws CommandExit if the answer is not yes, or nobody can be asked
 */
export async function confirm(
  { note }: Output,
  warning: string,
  isConfirmed: boolean,
): Promise<void> {
  note(warning);
  if (isConfirmed) return;
  if (!process.stdin.isTTY) {
    throw new CommandExit(
      EXIT_USAGE,
      "Standard input is not a terminal, so confirmation cannot be asked for: use --yes to confirm. Nothing was changed.",
    );
  }
  const answer = await ask("Continue? [y/N] ");
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
