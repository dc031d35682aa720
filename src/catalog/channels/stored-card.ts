import type { Database } from "../../db/database.ts";
import type { Log } from "../../ports/log.ts";
import { type JsonText, jsonValueOf } from "../../values/json-text.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import type { Schema } from "../../values/schema.ts";
import * as shape from "../../values/schema.ts";
import { instantJson } from "../fields/stored-field.ts";
import { selectMetrics } from "../metrics/metrics.store.ts";
import { type MetricsView, metricsSchema, toMetricsView } from "../metrics/metrics.ts";
import { type CardView, type ChannelRecord, cardSchema, toCard } from "./card.ts";

/**
 * A public channel's card is stored as the JSON to be shown, which is built when it changes and then read
 * as it is. Values that change daily are replaced by control characters as placeholders, which JSON never
 * contains, so refreshing a channel's numbers writes no card.
 */
const SUBSCRIBERS = "\u0001";
const LAST_POST = "\u0002";
/** Members by column; the first one's placeholder stands for two of them. */
const PLACEHOLDERS: { readonly [Name in keyof CardView]?: string } = {
  subscribers: `"subscribers":${SUBSCRIBERS}`,
  subscribers_at: "",
  last_post_at: `"last_post_at":${LAST_POST}`,
};

export function storedCard(record: ChannelRecord): string {
  const members = Object.entries(toCard(record)).map(
    ([name, value]) => PLACEHOLDERS[name as keyof CardView] ?? `"${name}":${JSON.stringify(value)}`,
  );
  return `{${members.filter((member) => member !== "").join(",")}}`;
}

/** SQL: card of `public_cards p` with values from `channels c`; instants in Moscow time. */
export const CARD_JSON = `replace(replace(p.json, char(1),
  c.subscribers || ',"subscribers_at":' || ${instantJson("c.subscribers_at")}), char(2),
  ${instantJson("c.last_post_at")})`;

/** A stored card and the values for its placeholders. */
export interface CardParts
  extends Pick<ChannelRecord, "subscribers" | "subscribers_at" | "last_post_at"> {
  json: string;
}

export const CARD_PARTS = "p.json, c.subscribers, c.subscribers_at, c.last_post_at";

/**
 * Fills in a single card, whose two placeholders come in this order: SQLite's `replace` and `strftime` took
 * half of the 6 us of finding a card. Lists use `CARD_JSON`, because SQLite joins them into one text.
 */
export function filledCard(card: CardParts): JsonText<CardView> {
  const { json, subscribers, subscribers_at: readAt, last_post_at: lastPostAt } = card;
  const first = json.indexOf(SUBSCRIBERS);
  const second = json.indexOf(LAST_POST);
  const numbers = `${subscribers},"subscribers_at":${instantText(readAt)}`;
  const between = json.slice(first + 1, second);
  return `${json.slice(0, first)}${numbers}${between}${instantText(lastPostAt)}${json.slice(second + 1)}` as JsonText<CardView>;
}

function instantText(instantMs: number | null): string {
  return instantMs === null ? "null" : `"${formatInstant(instantMs)}"`;
}

export function hasPlaceholder(column: string): boolean {
  return column in PLACEHOLDERS;
}

export type CardAnswer = CardView & { metrics?: MetricsView };
export type CardWithMetrics = CardView & { metrics: MetricsView };

export const cardWithMetricsSchema = shape.object(
  { ...cardSchema.properties, metrics: metricsSchema },
  "Channel",
);

export const cardAnswerSchema = {
  ...cardWithMetricsSchema,
  required: Object.keys(cardSchema.properties),
} as unknown as Schema<CardAnswer>;

/**
 * Adds metrics to cards. Metrics change every night and after imports, so they are not part of stored
 * cards: without them a card stays identical byte for byte.
 */
export function withMetrics(db: Database, cards: JsonText<CardView[]>): CardWithMetrics[] {
  const views = jsonValueOf(cards);
  const metrics = selectMetrics(
    db,
    views.map(({ id }) => id),
  );
  return views.map((card) => ({ ...card, metrics: metrics.get(card.id) ?? toMetricsView() }));
}

/** Channels per turn: 5 MB of the file, some 50 ms of disk time. A million take two minutes. */
export const CHANNELS_PER_TURN = 10_000;

/**
 * Reads all cards once after the start, in file order, so that the system caches them. A rarely requested
 * card lies on two database pages anywhere in the file, and reading them from the disk blocks the answering
 * thread: a random one of a million channels took 340 µs, 61 of them processor time, and 48 and 17 once all
 * had been read, which took 5 s.
 * @param read reads the cards after a number, on a thread; returns the last one's number, null after the
 * last
 */
export function createCardsReadAhead(
  read: (afterId: number) => Promise<number | null>,
  log: Log,
): { tick(): Promise<void> } {
  let afterId: number | null = 0;
  return {
    /** Does one turn of the remaining work. Never throws. */
    async tick() {
      if (afterId === null) return;
      try {
        afterId = await read(afterId);
      } catch (error) {
        afterId = null;
        log.warn({ err: error }, "cards could not be read ahead");
      }
    },
  };
}
