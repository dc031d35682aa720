import type { PostRecord } from "./post.ts";

const HOUR_MS = 60 * 60 * 1000;
const AGES = [
  ["views_1h", 1],
  ["views_12h", 12],
  ["views_24h", 24],
  ["views_48h", 48],
] as const;
/** A reading counts for an age until the post is this much older. */
const LATEST = 1.25;

/** Fills in the views at the ages that a reading is the first one for. */
export function noteReading(
  post: PostRecord,
  { views, readAt }: { views: number; readAt: number },
): void {
  const hours = (readAt - post.published_at) / HOUR_MS;
  for (const [name, age] of AGES) {
    if (hours >= age && hours < age * LATEST) post[name] ??= views;
  }
}
