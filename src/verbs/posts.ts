import { type PostView, postSchema } from "../catalog/posts/post.ts";
import { channelPageParameters, readChannelPage } from "./channels.ts";
import { apiMethod, STRANGERS_WORDS } from "./method.ts";
import { pageOf, pageParameters } from "./paging.ts";
import { fieldsOf, flag, numberInPath } from "./parameters.ts";
import { postsIncluded } from "./plan-rules.ts";

export const advertising = {
  is_ad: flag({
    description: "true: only advertising posts; false: no advertising posts.",
    example: false,
  }),
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
  errors: ["not_found"],
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
  errors: ["not_found"],
  run: ({ id }, { services }) => services.posts.post(id),
});
