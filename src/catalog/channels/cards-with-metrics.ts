import type { Database } from "../../db/database.ts";
import { type JsonText, jsonValueOf } from "../../values/json-text.ts";
import { objectSchema, type Schema } from "../../values/schema.ts";
import { selectMetrics } from "../metrics/metrics.store.ts";
import { type MetricsView, metricsSchema, toMetricsView } from "../metrics/metrics.ts";
import { type CardView, cardSchema } from "./card.ts";

/** A card, with its metrics where they were asked for. */
export type CardAnswer = CardView & { metrics?: MetricsView };
export type CardWithMetrics = CardView & { metrics: MetricsView };

export const cardWithMetricsSchema = objectSchema(
  { ...cardSchema.properties, metrics: metricsSchema },
  "Channel",
);

/** The card's schema, whose `metrics` need not be there. */
export const cardAnswerSchema = {
  ...cardWithMetricsSchema,
  required: Object.keys(cardSchema.properties),
} as unknown as Schema<CardAnswer>;

/**
 * Adds metrics to cards. They change every night and after imports, so no stored card has them: without them a card stays
 * byte for byte as it is.
 */
export function withMetrics(db: Database, cards: JsonText<CardView[]>): CardWithMetrics[] {
  const views = jsonValueOf(cards);
  const metrics = selectMetrics(
    db,
    views.map(({ id }) => id),
  );
  return views.map((card) => ({ ...card, metrics: metrics.get(card.id) ?? toMetricsView() }));
}
