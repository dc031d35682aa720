import type { CountingClient } from "./counting-client.ts";

/** A question, with the calls that answer it. */
interface Question {
  question: string;
  /** With the specification's methods only. */
  before(client: CountingClient): Promise<unknown>;
  after(client: CountingClient): Promise<unknown>;
}

/** The last thirty days of the sample. */
const DAYS = "from=2024-11-06&to=2024-12-05";
const WORD = "нейросеть";

/** Reads all posts of some channels, the only way to search texts with the specification's methods. */
async function postsOf(
  client: CountingClient,
  channels: readonly { id: number }[],
  more = "",
): Promise<void> {
  for (const { id } of channels) await client.all(`channels/${id}/posts/?limit=100${more}`);
}

export const QUESTIONS: readonly Question[] = [
  {
    question: "Who mentions @goproglib?",
    before: async (client) => postsOf(client, await client.all("channels/?limit=100")),
    after: (client) => client.all("channels/goproglib/mentions/"),
  },
  {
    question: `What did internet channels write about "${WORD}"?`,
    before: async (client) =>
      postsOf(client, await client.all("channels/?category=internet&limit=100")),
    after: (client) =>
      client.all(
        `posts/search/?q=${WORD}&category=internet&fields=id,channel,published_at,snippet`,
      ),
  },
  {
    question: "Which channels of a category grew most in 30 days?",
    async before(client) {
      const channels = await client.all("channels/?category=internet&limit=100");
      const ids = channels.map(({ id }) => id).join();
      await client.ask(`stats/daily/?channels=${ids}&${DAYS}`);
    },
    after: (client) =>
      client.ask(
        "channels/?category=internet&ordering=-growth_30d&limit=10&fields=id,title,metrics",
      ),
  },
  {
    question: "Which channels are like @tproger?",
    async before(client) {
      const { category } = await client.ask("channels/tproger/");
      await client.all(`channels/?category=${category}&limit=100`);
    },
    after: (client) => client.ask("channels/tproger/similar/"),
  },
  {
    question: "How many channels have over 100,000 subscribers?",
    before: (client) => client.all("channels/?subscribers_min=100000&limit=100"),
    after: (client) =>
      client.ask("channels/stats/?subscribers_min=100000&fields=channels,subscribers"),
  },
  {
    question: "Compare five channels over 30 days.",
    async before(client) {
      const { results } = await client.ask("channels/?limit=5");
      const ids = results.map(({ id }: { id: number }) => id).join();
      await client.ask(`stats/daily/?channels=${ids}&${DAYS}`);
      await postsOf(client, results, `&${DAYS}`);
    },
    async after(client) {
      const { results } = await client.ask("channels/?limit=5&fields=id,title");
      const ids = results.map(({ id }: { id: number }) => id).join();
      await client.ask(`channels/compare/?channels=${ids}&${DAYS}`);
    },
  },
  {
    question: "Whose posts are read by most of their subscribers?",
    before: async (client) =>
      postsOf(client, await client.all("channels/?limit=100"), `&${DAYS}&fields=id,views`),
    after: (client) =>
      client.ask("channels/?ordering=-err_30d&limit=10&fields=id,title,subscribers,metrics"),
  },
  {
    question: "How much advertising did @nsmag have in 30 days?",
    async before(client) {
      await client.all(`channels/nsmag/posts/?${DAYS}&limit=100`);
      await client.all(`channels/nsmag/posts/?${DAYS}&is_ad=true&limit=100`);
    },
    after: (client) => client.ask("channels/nsmag/?fields=id,metrics"),
  },
  {
    question: `Which new posts, of all channels, are about "${WORD}"? (one look)`,
    before: async (client) =>
      postsOf(client, await client.all("channels/?limit=100"), "&from=2024-12-05"),
    async after(client) {
      const webhook = { url: "https://receiver.example/hook", channels: [1] };
      const { results } = await client.ask("webhooks/");
      const { id } = results[0] ?? (await client.ask("webhooks/", webhook));
      const alert = await client.ask("alerts/", { name: WORD, q: WORD, webhook: id });
      await client.ask(`alerts/${alert.id}/preview/`, {});
    },
  },
  {
    question: "All posts of 30 days as a table.",
    before: async (client) => postsOf(client, await client.all("channels/?limit=100"), `&${DAYS}`),
    after: (client) => client.ask(`export/posts/?${DAYS}`),
  },
];
