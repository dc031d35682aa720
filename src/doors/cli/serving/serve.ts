import { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { type ServeOptions, serve, withServeOptions } from "./serving.ts";

/** `kanalog serve`: the appliance, until it is told to stop. */
export function serveCommand(context: CommandContext): Command {
  return withServeOptions(new Command("serve"))
    .description("run the appliance: REST API, documentation and scheduler")
    .action((options: ServeOptions) =>
      serve(context, options, (address) => {
        context.output.note(`Kanalog serves at ${address}, documentation at ${address}/docs/`);
      }),
    );
}
