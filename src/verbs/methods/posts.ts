import type { Mention } from "../../catalog/mentions/mention.ts";
import { MENTION_KINDS, mentionSchema, similarSchema } from "../../catalog/mentions/mention.ts";
import { type PostView, postSchema } from "../../catalog/posts/post.ts";
import { notFound } from "../../errors.ts";
import { listJson } from "../../values/json-text.ts";
import { postsIncluded } from "../admission.ts";
import { apiMethod, STRANGERS_WORDS } from "../method.ts";
import { listOf, pageOf, pageParameters } from "../paging.ts";
import { choice, fieldsOf, flag, numberInPath } from "../parameters.ts";
import { channelPath } from "./catalog-filter.ts";
import { channelPageParameters, readChannelPage } from "./channels.ts";

export const advertising = {
  is_ad: flag("true: only advertising posts; false: no advertising posts.", { example: false }),
};

export const channelPostsRetrieve = apiMethod({
  operationId: "msgr_channels_posts_retrieve",
  path: "/v1/msgr/channels/:channel/posts/",
  tag: "Posts",
  title: "Channel posts",
  description: "A channel's posts, newest first. From the Start plan.",
  tool:
    "A {messenger} channel's posts with text, views and time, newest first. A post is about 900 to 1,450 " +
    "characters, with `fields` id,views about 25. " +
    STRANGERS_WORDS,
  units: 1,
  planRule: postsIncluded,
  parameters: {
    ...channelPageParameters,
    ...advertising,
    ...pageParameters,
    ...fieldsOf(postSchema),
  },
  toolDefaults: { args: { limit: 10 } },
  result: pageOf(postSchema),
  run: ({ is_ad: isAd = null, ...args }, call) =>
    readChannelPage<PostView>(args, call, (selection) =>
      call.services.posts.page({ ...selection, isAd }),
    ),
});

export const postsRetrieve = apiMethod({
  operationId: "msgr_posts_retrieve",
  path: "/v1/msgr/posts/:id/",
  tag: "Posts",
  title: "One post",
  description: "A post by its number. From the Start plan.",
  tool: `One {messenger} post with its whole text: about 900 to 1,450 characters. ${STRANGERS_WORDS}`,
  units: 1,
  planRule: postsIncluded,
  parameters: {
    id: numberInPath("Post number."),
    ...fieldsOf(postSchema),
  },
  result: postSchema,
  run: ({ id }, { services }) => services.posts.post(id),
});

export const channelMentionsList = apiMethod({
  operationId: "msgr_channels_mentions_list",
  path: "/v1/msgr/channels/:channel/mentions/",
  tag: "Channels",
  title: "Who mentions a channel",
  description:
    "Posts of other channels that link to the channel, contain its `@handle` or forward its posts, newest " +
    "first, each with the channel it belongs to. A link counts for the channel that has its handle now. " +
    "From the Start plan.",
  tool:
    "Posts that mention or forward a {messenger} channel, newest first, with their channel " +
    "(`mentioned_by`). A post is about 1,000 to 6,500 characters, with `fields` mentioned_by,published_at " +
    "about 135 to 170. " +
    STRANGERS_WORDS,
  units: 1,
  planRule: postsIncluded,
  parameters: {
    ...channelPageParameters,
    kind: choice(MENTION_KINDS, "Both where not given."),
    ...pageParameters,
    ...fieldsOf(mentionSchema),
  },
  toolDefaults: { args: { limit: 10 } },
  result: pageOf(mentionSchema),
  run: ({ kind = null, ...args }, call) =>
    readChannelPage<Mention>(args, call, (selection) =>
      call.services.mentions.page({ ...selection, kind }),
    ),
});

export const channelSimilarList = apiMethod({
  operationId: "msgr_channels_similar_list",
  path: "/v1/msgr/channels/:channel/similar/",
  tag: "Channels",
  title: "Similar channels",
  description:
    "Up to 20 similar channels, most similar first. `score` is the sum, at most 100, of up to 50 points " +
    "for channels that mention both (those that mention many channels weigh less), 25 for the same category or 15 " +
    "for another category in common, 10 for the same territory, and up to 15 for a similar number of subscribers; " +
    "`reasons` lists what counted. Details: /docs/mentions/. From the Start plan.",
  tool:
    "Up to 20 channels like a {messenger} channel, by who mentions both, category, territory and size: about 200 " +
    "characters each. " +
    STRANGERS_WORDS,
  units: 1,
  planRule: postsIncluded,
  parameters: { channel: channelPath, ...fieldsOf(similarSchema) },
  result: listOf(similarSchema),
  async run({ channel }, { services }) {
    const channelId = services.channels.findId(channel);
    if (channelId === null) throw notFound("channel");
    return listJson(await services.mentions.similar(channelId));
  },
});
