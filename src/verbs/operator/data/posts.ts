import type { PostRecord } from "../../../catalog/posts/post.ts";
import { shortened } from "../../../values/fields.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import { countSchema, objectSchema } from "../../../values/schema.ts";
import { integerList, required } from "../../parameters.ts";
import { resource, verb } from "../resource.ts";
import { pushVerb } from "./pushes.ts";

const POSTS_MAX = 1_000;
/** Posts to list in the question; further ones are only counted. */
const POSTS_SHOWN = 20;
const TEXT_SHOWN = 60;

const deletedSchema = objectSchema({ deleted: countSchema("Posts that were taken down") });
const numbers = integerList({
  description: "The posts' numbers, separated by commas.",
  example: "17,18",
  itemsMax: POSTS_MAX,
});

export const posts = resource({
  name: "post",
  area: "data",
  title: "individual posts",
  schema: deletedSchema,
  verbs: [
    pushVerb("posts"),
    verb({
      name: "delete",
      on: "none",
      args: { posts: required(numbers) },
      positional: ["posts"],
      title:
        "take posts down: remove text, link and media; only an import with `deleted` false restores them",
      asks({ posts: ids }, { services }) {
        const found = services.posts.posts(ids);
        const lines = found.slice(0, POSTS_SHOWN).map(describe);
        if (found.length > POSTS_SHOWN) lines.push(`… and ${found.length - POSTS_SHOWN} more.`);
        const these = found.length === 1 ? "this post" : `these ${found.length} posts`;
        return [...lines, `This takes ${these} down.`].join("\n");
      },
      async run({ posts: ids }, { services, by }) {
        services.posts.posts(ids);
        return { deleted: await services.posts.delete(ids, by) };
      },
    }),
  ],
});

function describe({ id, channel, published_at, text }: PostRecord): string {
  const start = shortened(text.replace(/\p{Cc}+/gu, " "), TEXT_SHOWN);
  return `post ${id} of channel ${channel}, ${formatInstant(published_at)}: ${start}`;
}
