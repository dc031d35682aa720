import { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { type ServeOptions, withServeOptions } from "./serve-options.ts";
import { serve, servesText } from "./until-stopped.ts";

/** `kanalog serve`: serves until it is stopped. */
export function serveCommand(context: CommandContext): Command {
  return withServeOptions(new Command("serve"))
    .description("run the appliance: REST API, documentation and scheduler")
    .action((options: ServeOptions) =>
      serve(context, options, (listening) => {
        const { note } = context.output;
        const { setUpAddress } = listening;
        note(servesText(listening));
        if (setUpAddress === null) return;
        note(`Set up the account site within 30 minutes: ${setUpAddress}`);
      }),
    );
}
