/** @jsxImportSource hono/jsx */
import type { CardAnswer } from "../../../../catalog/channels/cards-with-metrics.ts";
import { channelsRetrieve } from "../../../../verbs/channels.ts";
import { titleOf } from "../../look/channel-link.tsx";
import { Done } from "../../look/done.tsx";
import type { SitePage } from "../../site-pages.ts";
import { lookUp } from "../../visit/look-up.ts";
import { asset } from "../../visit/site-path.ts";
import { page } from "../../visit/view.ts";
import { ChannelCalls } from "./channel-calls.tsx";
import { ChannelCard } from "./channel-card.tsx";
import { channelDownload } from "./channel-download.ts";
import { channelFigures } from "./channel-figures.tsx";
import { BestPosts, PostingHours, readHabits } from "./channel-habits.tsx";
import { ChannelHead } from "./channel-head.tsx";
import { mentionsOfChannel } from "./channel-mentioned.tsx";
import { channelPosts, deletePost } from "./channel-posts.tsx";
import { readReadings } from "./channel-readings.ts";
import { ReadingsChart } from "./channel-statistics.tsx";
import { MetricsComing } from "./metrics-coming.tsx";
import { namedChannel } from "./named-channel.ts";

/** `/account/channels/:id/`: a channel's figures, days, habits and posts. */
export const channelPage: SitePage = {
  path: "/account/channels/:id/",
  access: "member",
  async show(visit, context) {
    const channel = namedChannel();
    const card = await lookUp<CardAnswer>(channelsRetrieve, { channel, include: "metrics" });
    const words = visit.words.explorerPages;
    const readings = await readReadings([card]);
    const download = await channelDownload(card, readings);
    if (download !== null) return download;
    const habits = await readHabits(card, readings);
    const title = titleOf(card);
    return page(
      title,
      <>
        <Done words={{ deleted: words.postDeleted }} />
        {card.metrics?.err_30d == null && (await MetricsComing())}
        {channelFigures(card, readings, habits)}
        {await ReadingsChart({ card, readings })}
        <div class="halves">
          <div class="stack">
            {habits !== null && habits.posts > 0 && <PostingHours habits={habits} />}
            <ChannelCard card={card} directory={context.services.directory} />
          </div>
          {habits !== null && habits.posts > 0 && <BestPosts habits={habits} />}
        </div>
        {await mentionsOfChannel(card)}
        {await channelPosts(card)}
        {await ChannelCalls({ card, readings })}
        <p>
          <a href={asset("/account/channels/")}>← {words.allChannels}</a>
        </p>
      </>,
      { heading: <ChannelHead card={card} title={title} /> },
    );
  },
  actions: { "delete-post": deletePost },
};
