import { AppError } from "../../../../errors.ts";
import { parseNumber } from "../../../../values/parse-number.ts";
import { orRefusal } from "../../visit/look-up.ts";
import type { View } from "../../visit/view.ts";
import { type Filter, findChannels } from "./catalog-filter.ts";

const CHOICES_MAX = 8;

/**
 * Channels suggested while a form's field is being typed: a number finds its channel, anything else
 * searches the catalog.
 */
export async function channelChoices(filter: Filter): Promise<View> {
  const isNumber = parseNumber(filter.q.trim()) !== null;
  const search = isNumber ? { ...filter, ids: filter.q.trim() } : filter;
  const page = { limit: CHOICES_MAX, cursor: "" };
  const found = await orRefusal(findChannels(search, page));
  const cards = found instanceof AppError ? [] : found.results;
  return {
    kind: "json",
    value: cards.map(({ id, title, handle, subscribers }) => ({ id, title, handle, subscribers })),
  };
}
