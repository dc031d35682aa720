import type { CardView } from "../../../../catalog/channels/card.ts";
import { channelsRetrieve } from "../../../../verbs/channels.ts";
import type { SitePage } from "../../site-pages.ts";
import { lookUp } from "../../visit/look-up.ts";
import { namedChannel } from "./named-channel.ts";

/** `/account/channels/:id/picture/`: a channel's picture, which pages put on top of its initials. */
export const channelPicturePage: SitePage = {
  path: "/account/channels/:id/picture/",
  access: "member",
  async show(visit, context) {
    const channel = namedChannel(visit);
    const query = { channel, fields: "image" };
    const card = await lookUp<Pick<CardView, "image">>(channelsRetrieve, query, visit, context);
    const picture = card.image === null ? null : await context.pictures(card.image);
    return { kind: "picture", picture };
  },
};
