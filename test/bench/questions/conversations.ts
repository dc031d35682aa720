import type { CountingClient } from "./counting-client.ts";

/** A question to an assistant, and the tool calls that answer it. */
interface Conversation {
  question: string;
  talk(client: CountingClient): Promise<unknown>;
}

interface Item {
  id: number;
}

const idsOf = (items: readonly Item[]): string => items.map(({ id }) => id).join();

export const CONVERSATIONS: readonly Conversation[] = [
  {
    question:
      "In which channels like @goproglib is advertising worth its money, and what do they write?",
    async talk({ tool }) {
      const { id } = await tool("msgr_channels_resolve_retrieve", { q: "@goproglib" });
      const { results: similar } = await tool("msgr_channels_similar_list", {
        channel: String(id),
      });
      const found = similar.map(({ channel, id: own }: { channel?: Item; id: number }) => ({
        id: channel?.id ?? own,
      }));
      await tool("msgr_channels_list", { ids: idsOf(found), include: "metrics" });
      const fields = "channel,growth,growth_percent,views_mean,err";
      const { results } = await tool("msgr_channels_compare_list", {
        channels: idsOf(found),
        fields,
      });
      const best = results.toSorted(
        (one: { err: number }, other: { err: number }) => (other.err ?? 0) - (one.err ?? 0),
      )[0];
      await tool("msgr_channels_posts_retrieve", { channel: String(best.channel), limit: 5 });
    },
  },
  {
    question: "Who writes about neural networks, how large are they, and who mentions the largest?",
    async talk({ tool }) {
      const fields = ["id", "channel", "published_at", "snippet"];
      const { results: posts } = await tool("msgr_posts_search_list", {
        ...{ q: "нейросеть", fields, limit: 20 },
      });
      const channels = [...new Set(posts.map(({ channel }: { channel: number }) => channel))];
      const { results: cards } = await tool("msgr_channels_list", {
        ...{ ids: channels.join(), fields: ["id", "title", "subscribers"] },
      });
      const largest = cards.toSorted(
        (one: { subscribers: number }, other: { subscribers: number }) =>
          other.subscribers - one.subscribers,
      )[0];
      await tool("msgr_posts_retrieve", { id: posts[0].id });
      const narrow = ["mentioned_by", "published_at"];
      await tool("msgr_channels_mentions_list", {
        ...{ channel: String(largest.id), fields: narrow, limit: 20 },
      });
    },
  },
  {
    question: "Compare the three largest science channels, and show the best post of each.",
    async talk({ tool }) {
      await tool("msgr_categories_list", {});
      const { results } = await tool("msgr_channels_list", { category: "science", limit: 3 });
      await tool("msgr_channels_compare_list", { channels: idsOf(results) });
    },
  },
  {
    question:
      "Which regions and topics lead above 10,000 subscribers, and who grows fastest there?",
    async talk({ tool }) {
      await tool("msgr_territories_list", { kind: "region", fields: ["slug", "name"] });
      const { categories } = await tool("msgr_channels_stats_retrieve", {
        subscribers_min: 10_000,
      });
      await tool("msgr_channels_list", {
        ...{ category: categories[0]?.slug ?? "science", subscribers_min: 10_000 },
        ...{ ordering: "-growth_30d_percent", include: "metrics", limit: 5 },
      });
    },
  },
  {
    question: "How did the biggest science channel grow this month, and what was read most?",
    async talk({ tool }) {
      await tool("msgr_categories_list", {});
      const { results } = await tool("msgr_channels_list", { category: "science", limit: 1 });
      const channels = idsOf(results);
      await tool("msgr_stats_daily_list", { channels, fields: ["day", "subscribers"] });
      await tool("msgr_posts_search_list", {
        ...{ q: "учёные", channel: channels, ordering: "-views", limit: 3 },
      });
    },
  },
];
