import { Command } from "commander";
import type { PostRecord } from "../../../catalog/posts/post.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import { shortened } from "../../../values/shortened.ts";
import { type AsJson, jsonOption, parseId } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { confirm } from "../confirm.ts";
import { withDomains } from "../with-domains.ts";

/** Posts to list before asking for confirmation; further ones are only counted. */
const POSTS_SHOWN = 20;
const TEXT_SHOWN = 60;

/** `kanalog post`: individual posts. */
export function postCommand(context: CommandContext): Command {
  const command = new Command("post").description("individual posts");
  const { output } = context;
  command
    .command("delete")
    .description(
      "take posts down: remove text, link and media; only an import with `deleted` false restores them",
    )
    .argument("<posts...>", "the posts' numbers", parseIds)
    .option("--yes", "do not ask for confirmation")
    .addOption(jsonOption())
    .action((ids: number[], { yes, json }: { yes?: boolean } & AsJson) =>
      withDomains(context, async ({ posts }) => {
        const found = posts.posts([...new Set(ids)]);
        for (const post of found.slice(0, POSTS_SHOWN)) output.note(describe(post));
        if (found.length > POSTS_SHOWN) output.note(`… and ${found.length - POSTS_SHOWN} more.`);
        const named = found.length === 1 ? "this post" : `these ${found.length} posts`;
        await confirm(output, `This takes ${named} down.`, yes === true);
        const deleted = await posts.delete(
          found.map(({ id }) => id),
          COMMAND_LINE,
        );
        output.out(
          json
            ? JSON.stringify({ deleted })
            : `${deleted} ${deleted === 1 ? "post was" : "posts were"} taken down.`,
        );
      }),
    );
  return command;
}

function parseIds(text: string, before: number[] | undefined): number[] {
  return [...(before ?? []), parseId(text)];
}

function describe({ id, channel, published_at, text }: PostRecord): string {
  // Control characters would reach the terminal as commands.
  const start = shortened(text.replace(/\p{Cc}+/gu, " "), TEXT_SHOWN);
  return `post ${id} of channel ${channel}, ${formatInstant(published_at)}: ${start}`;
}
