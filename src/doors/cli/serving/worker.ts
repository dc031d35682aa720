import { Command } from "commander";
import { readConfig } from "../../../config.ts";
import { systemClock } from "../../../ports/clock.ts";
import { type CommandContext, CommandExit, EXIT_USAGE } from "../command-context.ts";
import { stopSignalled } from "./until-stopped.ts";

/** `kanalog worker`: one of the processes that `serve --workers` starts; nobody else calls it. */
export function workerCommand(context: CommandContext): Command {
  return new Command("worker")
    .description("serve together with other workers; started by `kanalog serve --workers`")
    .action(async () => {
      try {
        await work(context);
      } finally {
        // The channel to the parent process would keep this process alive, even after a failed start.
        process.disconnect?.();
      }
    });
}

async function work(context: CommandContext): Promise<void> {
  const crew = await context.joinCrew(systemClock);
  if (crew === null) {
    throw new CommandExit(EXIT_USAGE, "Workers are started by `kanalog serve --workers`.");
  }
  const config = readConfig(context.environment);
  const app = await context.createApp(config, context.ports(config, crew.number), { crew });
  const stopSignal = stopSignalled(app.domains.clock);
  try {
    const setUpPath = await app.setUpPath();
    // A worker that was told to stop while it started begins nothing.
    if (crew.isStopped()) return;
    app.listen();
    crew.ready(setUpPath);
    await Promise.race([stopSignal, crew.stopped]);
  } finally {
    await app.close();
  }
}
