import type { Teller } from "./teller.ts";

/** A question, with the calls that answer it. */
interface Question {
  question: string;
  /** With the specification's methods. */
  before(teller: Teller): Promise<unknown>;
  after(teller: Teller): Promise<unknown>;
}

/** Thirty days of the sample, with its last. */
const DAYS = "from=2024-11-06&to=2024-12-05";
const WORD = "нейросеть";

/** All posts of some channels, which is how texts were looked through. */
async function postsOf(
  teller: Teller,
  channels: readonly { id: number }[],
  more = "",
): Promise<void> {
  for (const { id } of channels) await teller.all(`channels/${id}/posts/?limit=100${more}`);
}

export const QUESTIONS: readonly Question[] = [
  {
    question: "Who mentions @goproglib?",
    before: async (teller) => postsOf(teller, await teller.all("channels/?limit=100")),
    after: (teller) => teller.all("channels/goproglib/mentions/"),
  },
  {
    question: `What did internet channels write about "${WORD}"?`,
    before: async (teller) =>
      postsOf(teller, await teller.all("channels/?category=internet&limit=100")),
    after: (teller) =>
      teller.all(
        `posts/search/?q=${WORD}&category=internet&fields=id,channel,published_at,snippet`,
      ),
  },
  {
    question: "Which channels of a category grew most in 30 days?",
    async before(teller) {
      const channels = await teller.all("channels/?category=internet&limit=100");
      const ids = channels.map(({ id }) => id).join();
      await teller.ask(`stats/daily/?channels=${ids}&${DAYS}`);
    },
    after: (teller) =>
      teller.ask(
        "channels/?category=internet&ordering=-growth_30d&limit=10&fields=id,title,metrics",
      ),
  },
  {
    question: "Which channels are like @tproger?",
    async before(teller) {
      const { category } = await teller.ask("channels/tproger/");
      await teller.all(`channels/?category=${category}&limit=100`);
    },
    after: (teller) => teller.ask("channels/tproger/similar/"),
  },
  {
    question: "How many channels have over 100,000 subscribers?",
    before: (teller) => teller.all("channels/?subscribers_min=100000&limit=100"),
    after: (teller) =>
      teller.ask("channels/stats/?subscribers_min=100000&fields=channels,subscribers"),
  },
  {
    question: "Compare five channels over 30 days.",
    async before(teller) {
      const { results } = await teller.ask("channels/?limit=5");
      const ids = results.map(({ id }: { id: number }) => id).join();
      await teller.ask(`stats/daily/?channels=${ids}&${DAYS}`);
      await postsOf(teller, results, `&${DAYS}`);
    },
    async after(teller) {
      const { results } = await teller.ask("channels/?limit=5&fields=id,title");
      const ids = results.map(({ id }: { id: number }) => id).join();
      await teller.ask(`channels/compare/?channels=${ids}&${DAYS}`);
    },
  },
  {
    question: "Whose posts are read by most of their subscribers?",
    before: async (teller) =>
      postsOf(teller, await teller.all("channels/?limit=100"), `&${DAYS}&fields=id,views`),
    after: (teller) =>
      teller.ask("channels/?ordering=-err_30d&limit=10&fields=id,title,subscribers,metrics"),
  },
  {
    question: "How much advertising did @nsmag have in 30 days?",
    async before(teller) {
      await teller.all(`channels/nsmag/posts/?${DAYS}&limit=100`);
      await teller.all(`channels/nsmag/posts/?${DAYS}&is_ad=true&limit=100`);
    },
    after: (teller) => teller.ask("channels/nsmag/?fields=id,metrics"),
  },
  {
    question: `Which new posts, of all channels, are about "${WORD}"? (one look)`,
    before: async (teller) =>
      postsOf(teller, await teller.all("channels/?limit=100"), "&from=2024-12-05"),
    async after(teller) {
      const webhook = { url: "https://receiver.example/hook", channels: [1] };
      const { results } = await teller.ask("webhooks/");
      const { id } = results[0] ?? (await teller.ask("webhooks/", webhook));
      const alert = await teller.ask("alerts/", { name: WORD, q: WORD, webhook: id });
      await teller.ask(`alerts/${alert.id}/preview/`, {});
    },
  },
  {
    question: "All posts of 30 days as a table.",
    before: async (teller) => postsOf(teller, await teller.all("channels/?limit=100"), `&${DAYS}`),
    after: (teller) => teller.ask(`export/posts/?${DAYS}`),
  },
];
