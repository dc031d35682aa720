import type { CardView } from "../../../../catalog/channels/card.ts";
import { channelsRetrieve } from "../../../../verbs/channels.ts";
import type { SitePage } from "../../site-pages.ts";
import { lookUp } from "../../visit/look-up.ts";
import { useSite } from "../../visit/use-visit.ts";
import { namedChannel } from "./named-channel.ts";

/** `/account/channels/:id/picture/`: a channel's picture, which pages put on top of its initials. */
export const channelPicturePage: SitePage = {
  path: "/account/channels/:id/picture/",
  access: "member",
  async show() {
    const channel = namedChannel();
    const query = { channel, fields: "image" };
    const card = await lookUp<Pick<CardView, "image">>(channelsRetrieve, query);
    const picture = card.image === null ? null : await useSite().pictures(card.image);
    return { kind: "picture", picture };
  },
};
