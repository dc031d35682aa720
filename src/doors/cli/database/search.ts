import { Command, Option } from "commander";
import { parseLinkOrHandle } from "../../../catalog/channels/channel-reference.ts";
import { findPublicId } from "../../../catalog/channels/channels.ts";
import { createDirectory } from "../../../catalog/directory/directory.ts";
import { rebuildWhole } from "../../../catalog/post-search/catch-up.ts";
import type { CatalogSelection } from "../../../catalog/search/catalog.ts";
import type { Step } from "../../../catalog/search/find-channels.store.ts";
import { type Explanation, explainCatalog } from "../../../catalog/search/select-catalog.ts";
import { type Config, readConfig } from "../../../config.ts";
import type { Database } from "../../../db/database.ts";
import { databaseChecks } from "../../../db/file/database-facts.ts";
import { inEnglish, message } from "../../../values/messages/messages.ts";
import { channelsList, readCatalogRequest } from "../../../verbs/methods/channels.ts";
import type { Parameter } from "../../../verbs/parameters.ts";
import type { RawArguments } from "../../../verbs/read-arguments.ts";
import type { AsJson, CommandContext } from "../command-context.ts";
import { CommandExit, EXIT_FAILED, jsonOption } from "../command-context.ts";
import { openReader, requireFile, withDomains } from "../with-domains.ts";

/** Parameters that are not options of the command: `q` is its argument, the others filter nothing. */
const NO_OPTIONS = ["q", "ids", "cursor"];

export function searchCommand(context: CommandContext): Command {
  const { output } = context;
  const filters = Object.entries(channelsList.parameters)
    .filter(([name]) => !NO_OPTIONS.includes(name))
    .map(([name, parameter]) => ({ name, option: filterOption(name, parameter) }));
  const explain = new Command("explain")
    .description("find the first page as the API does, and say how it was found")
    .argument("[q]", "part of a title or handle, a link or an @handle, as in the API")
    .action((q: string | undefined, options: Record<string, unknown>) => {
      const config = readConfig(context.environment);
      requireFile(config);
      const values = filters.map(({ name, option }) => [name, options[option.attributeName()]]);
      const { clock } = context.ports(config);
      using db = openReader(config.databasePath, clock);
      const selection = readSelection(db, config, { q, ...Object.fromEntries(values) });
      const explanation = selection && explainCatalog(db, clock, selection);
      if (options["json"]) output.out(JSON.stringify(explanation));
      else if (explanation === null)
        output.out("No search was needed: there is no channel with this link or handle.");
      else for (const line of linesOf(explanation)) output.out(line);
    });
  for (const { option } of filters) explain.addOption(option);
  explain.addOption(jsonOption());
  return new Command("search")
    .description("explain searches, and rebuild the index of posts")
    .addCommand(explain)
    .addCommand(rebuildCommand(context));
}

function rebuildCommand(context: CommandContext): Command {
  return new Command("rebuild")
    .description("rebuild the index of posts; the appliance may be running")
    .addOption(jsonOption())
    .action(({ json }: AsJson) =>
      withDomains(context, async ({ db, clock }) => {
        const config = readConfig(context.environment);
        if (!config.postSearch)
          throw new CommandExit(EXIT_FAILED, inEnglish(message("postSearchOff")));
        const { disk } = databaseChecks(db, context.ports(config).system);
        const requireRoom = async (): Promise<void> => {
          const fault = await disk();
          if (fault === null) return;
          const why = `${fault} Make room: the appliance then goes on with it.`;
          throw new CommandExit(EXIT_FAILED, why);
        };
        await requireRoom();
        const posts = await rebuildWhole(db, clock, async (percent) => {
          if (percent === 100) return;
          if (!json) context.output.note(`${percent} %`);
          await requireRoom();
        });
        context.output.out(json ? JSON.stringify({ posts }) : `${posts} posts are in the index.`);
      }),
    );
}

function filterOption(name: string, { schema, default: fallback }: Parameter<unknown>): Option {
  const option = new Option(`--${name.replaceAll("_", "-")} <value>`, schema.description);
  const choices: string[] | undefined = schema["enum"];
  if (choices !== undefined) option.choices(choices);
  return option.default(fallback);
}

function readSelection(
  db: Database,
  { messengerHosts }: Config,
  raw: RawArguments,
): CatalogSelection | null {
  return readCatalogRequest(raw, {
    channels: {
      parseLinkOrHandle: (text) => parseLinkOrHandle(text, messengerHosts),
      findId: (reference) => findPublicId(db, reference),
    },
    directory: createDirectory(db),
  });
}

/** Ways of finding a page, in words. */
const WAYS: Record<Step["way"], string> = {
  columns: "from what is in memory",
  ordering: "by testing the channels' texts in their order",
  index: "by the search index",
};

function linesOf({ found, hasMore, tookMs, terms, steps }: Explanation): string[] {
  const number = (value: number): string => Math.round(value).toLocaleString("en-US");
  const noun = found === 1 ? "channel" : "channels";
  const more = hasMore ? ", and there are more" : "";
  return [
    `Found ${number(found)} ${noun}${more}, in ${tookMs.toFixed(1)} ms.`,
    ...steps.map(({ way, texts }, at) => {
      const read = texts === 0 ? "" : `; ${number(texts)} texts were read`;
      const isLast = at === steps.length - 1;
      return `Looked for ${WAYS[way]}${read}${isLast ? "" : ", and the page was not full"}.`;
    }),
    ...terms.map(({ term, channels }) => `Some ${number(channels)} channels have "${term}".`),
  ];
}
