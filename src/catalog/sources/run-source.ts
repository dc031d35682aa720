import { BOT_MESSENGERS } from "./bots.ts";
import { type FileTools, orFailed } from "./file-tools.ts";
import type { Outcome } from "./outcome.ts";
import { pullFile } from "./pull-file.ts";
import { readFolder } from "./read-folder.ts";
import { type BotRunTools, runBot } from "./run-bot.ts";
import { isBot, type Source } from "./sources.table.ts";

export interface RunTools extends BotRunTools, FileTools {}

/**
 * Runs a source once. Faults of the other side or its file become outcomes; faults of this machine are
 * thrown.
 * @param secret decrypted: the headers of a pull, or the token of a bot
 */
export async function runSource(
  { settings, position }: Source,
  secret: Record<string, string>,
  tools: RunTools,
): Promise<Outcome> {
  if (isBot(settings)) {
    const { token = "" } = secret;
    const messenger = BOT_MESSENGERS[settings.kind];
    return orFailed(() => runBot(messenger, { ...settings, token }, position, tools));
  }
  return orFailed(() =>
    settings.kind === "pull"
      ? pullFile(settings, position, secret, tools)
      : readFolder(settings, tools),
  );
}
