import { CommandExit, EXIT_USAGE, type Output } from "../command-context.ts";
import { readHiddenLine, readSecretLine } from "../secret-line.ts";

/**
 * Asks twice on a terminal, without echoing the input; otherwise reads one line of standard input.
 * @throws CommandExit
 */
export async function readNewPassword(
  { note }: Pick<Output, "note">,
  fromStdin: boolean,
): Promise<string> {
  if (fromStdin) return (await readHiddenLine("")) ?? "";
  if (!process.stdin.isTTY) {
    throw new CommandExit(
      EXIT_USAGE,
      "Standard input is not a terminal, so there is no prompt: use --stdin, and send the password there.",
    );
  }
  const password = await readSecretLine("New password: ");
  if (password === (await readSecretLine("Once more: "))) return password;
  note("The passwords differ.");
  return readNewPassword({ note }, false);
}
