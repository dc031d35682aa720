import type { CardWithMetrics } from "../../../catalog/channels/stored-card.ts";
import { EMPTY_PICTURE } from "../../../values/picture.ts";
import { isLongEnough } from "../../../verbs/methods/catalog-filter.ts";
import { WORDS } from "../../../words/words.ts";
import { accentsOf } from "../assets/assets.ts";
import { hasPicture } from "../look/channel-link.tsx";
import { formatNumber } from "../look/shown.tsx";
import { readRank } from "../visit/look-up.ts";
import { catalogPage, facetPage, searchPage } from "./catalog-pages.tsx";
import { type ChannelFacts, channelPage } from "./channel-page.tsx";
import { cardSvg } from "./pictures/card-svg.ts";
import { badgeSvg, chartSvg, THEMES } from "./pictures/chart-svg.ts";
import type { Asked, Found, PublicContext, PublicPage } from "./public-routes.tsx";
import { readChannel, readDays, readLastPost, readList, readSearch } from "./read-public.ts";
import { addressOf, channelPath, subscribersText } from "./reader.tsx";

/** The addresses of the public catalog, and what each of them shows. */

const LEADERS = 50;
const TRENDING = 10;
const BESIDE = 6;
const QUERY_LENGTH_MAX = 100;

const SVG = "image/svg+xml; charset=utf-8";
const missing = { kind: "missing" } as const;

const catalog: PublicPage = {
  path: "/c/",
  query: {
    q: (given) =>
      given
        .replace(/\p{Cc}/gu, " ")
        .trim()
        .slice(0, QUERY_LENGTH_MAX),
  },
  async find({ reader, query }, context) {
    const q = query.get("q");
    if (q !== null) return search(q, reader, context);
    const { directory } = context.services;
    const view = catalogPage(reader, {
      ...(await listsOf(reader, context, {})),
      categories: directory.categories(),
      territories: directory.territories({}),
    });
    return { kind: "page", view, isKept: true };
  },
};

async function search(
  q: string,
  reader: Asked["reader"],
  { services }: PublicContext,
): Promise<Found> {
  const reference = services.channels.parseLinkOrHandle(q);
  if (reference?.kind === "handle") {
    const card = readChannel(services, reference.handle);
    if (card !== null && card.handle !== null) {
      return { kind: "moved", path: channelPath(card.handle) };
    }
  }
  const found = isLongEnough(q) ? await readSearch(services, q, LEADERS) : null;
  return { kind: "page", view: searchPage(reader, q, found), isKept: false };
}

const facet = (kind: "category" | "territory"): PublicPage => ({
  path: `/c/${kind}/:slug/`,
  async find({ reader, param }, context) {
    const { directory } = context.services;
    const slug = param("slug") ?? "";
    const entry = kind === "category" ? directory.category(slug) : directory.territory(slug);
    if (entry === null) return missing;
    const facets = kind === "category" ? { categoryId: entry.id } : { territoryId: entry.id };
    const lists = await listsOf(reader, context, facets);
    return { kind: "page", view: facetPage(reader, { ...entry, kind }, lists), isKept: true };
  },
});

async function listsOf(
  { hasCharts }: Asked["reader"],
  { services }: PublicContext,
  facets: { categoryId?: number; territoryId?: number },
) {
  const [leaders, grown] = await Promise.all([
    readList(services, facets, "-subscribers", LEADERS),
    hasCharts ? readList(services, facets, "-growth_30d_percent", TRENDING) : [],
  ]);
  const trending = grown.filter(({ metrics }) => (metrics?.growth_30d ?? 0) > 0);
  return { leaders, trending };
}

/** A page about one channel, by its handle. */
const ofChannel = (
  part: string,
  show: (
    card: CardWithMetrics & { handle: string },
    asked: Asked,
    context: PublicContext,
  ) => Promise<Found>,
  query: PublicPage["query"] = {},
): PublicPage => ({
  path: `/c/:handle/${part}`,
  query,
  async find(asked, context) {
    const { services } = context;
    const given = asked.param("handle");
    const card = readChannel(services, given);
    if (card === null || card.handle === null) {
      const wasKnown = given !== null && services.channels.isKnownHandle(given);
      return wasKnown ? { kind: "gone" } : missing;
    }
    const { handle } = card;
    if (handle !== given) {
      const rest = asked.query.size > 0 ? `${part}?${asked.query}` : part;
      return { kind: "moved", path: channelPath(handle) + rest };
    }
    return show({ ...card, handle }, asked, context);
  },
});

const channel = ofChannel("", async (card, { reader }, context) => {
  const { config, services, ports } = context;
  const { directory } = services;
  // The whole tree takes longer to read than all the rest of the page.
  const category = card.category === null ? null : directory.category(card.category);
  const territory = card.territory === null ? null : directory.territory(card.territory);
  const [rank, days, lastPost, beside] = await Promise.all([
    readRank(services, card),
    reader.hasCharts ? readDays(services, card.id, ports.clock.now()) : [],
    config.publicPosts ? readLastPost(services, card.id) : null,
    category === null
      ? []
      : readList(services, { categoryId: category.id }, "-subscribers", BESIDE),
  ]);
  const facts: ChannelFacts = { ...{ card, category, territory, rank, days, lastPost, beside } };
  return { kind: "page", view: channelPage(reader, facts), isKept: true };
});

const badge = ofChannel("badge.svg", async (card, { reader }, { config }) => {
  const { channelFields } = WORDS[reader.language];
  const number = subscribersText(reader.language, card, {
    notation: "compact",
    maximumFractionDigits: 1,
  });
  const content = badgeSvg(channelFields.subscribers, number, accentsOf(config.accent).light);
  return { kind: "file", type: SVG, content, isBadge: true };
});

const chart = ofChannel(
  "chart.svg",
  async (card, { reader, query }, { config, services, ports }) => {
    if (!reader.hasCharts) return missing;
    const { locale, channelFields, explorerPages, publicPages } = WORDS[reader.language];
    const texts = {
      ...{ locale, brand: reader.brand, noReadings: publicPages.noReadings },
      title: card.title.trim() || explorerPages.noTitle,
      subscribers: channelFields.subscribers,
      address: addressOf(reader, channelPath(card.handle)),
    };
    const days = await readDays(services, card.id, ports.clock.now());
    const theme = THEMES.find((one) => one === query.get("theme")) ?? null;
    const content = chartSvg(days, texts, accentsOf(config.accent), theme);
    return { kind: "file", type: SVG, content, mayBeFramed: true };
  },
  { theme: (given) => THEMES.find((one) => one === given) ?? "" },
);

/** The picture that networks and messengers show beside a link. */
const draw = ofChannel("card.png", async (card, { reader }, context) => {
  const { config, services, ports } = context;
  const { locale, channelFields, publicPages: texts } = WORDS[reader.language];
  const { growth_30d: growth } = card.metrics;
  const signed = { signDisplay: "exceptZero" } as const;
  const svg = cardSvg({
    ...{ title: card.title, handle: card.handle, brand: reader.brand },
    subscribers: subscribersText(reader.language, card),
    label: channelFields.subscribers,
    growth:
      reader.hasCharts && growth !== null
        ? texts.growthIn30(formatNumber(locale, growth, signed))
        : null,
    isGrowing: (growth ?? 0) >= 0,
    days: reader.hasCharts ? await readDays(services, card.id, ports.clock.now()) : [],
    accent: accentsOf(config.accent).dark,
  });
  return { kind: "file", type: "image/png", content: await context.draw(svg) };
});
const card: PublicPage = { ...draw, waitsElsewhere: true };

/** The channel's own picture. */
const picture: PublicPage = {
  ...ofChannel("picture", async ({ handle, image }, _asked, { pictures, services }) => {
    const found = hasPicture(image) ? await pictures(image ?? "") : null;
    // Its host may be slow, and the channel hidden meanwhile.
    if (readChannel(services, handle)?.handle !== handle) return { kind: "gone" };
    return { kind: "file", ...(found ?? EMPTY_PICTURE) };
  }),
  hasOneLanguage: true,
  waitsElsewhere: true,
};

export const publicPages: readonly PublicPage[] = [
  ...[catalog, facet("category"), facet("territory")],
  ...[channel, card, picture, badge, chart],
];
