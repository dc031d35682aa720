import type { Database } from "../../db/database.ts";
import { type JsonText, jsonValueOf } from "../../values/json-text.ts";
import { objectSchema, type Schema } from "../../values/schema.ts";
import { selectMetrics } from "../metrics/metrics.store.ts";
import { type MetricsView, metricsSchema, toMetricsView } from "../metrics/metrics.ts";
import { type CardView, cardSchema } from "./card.ts";

/** A card, including its metrics if requested. */
export type CardAnswer = CardView & { metrics?: MetricsView };
export type CardWithMetrics = CardView & { metrics: MetricsView };

export const cardWithMetricsSchema = objectSchema(
  { ...cardSchema.properties, metrics: metricsSchema },
  "Channel",
);

/** The card's schema with optional `metrics`. */
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
