import type { CardView } from "../../../../catalog/channels/card.ts";
import type { PostView } from "../../../../catalog/posts/post.ts";
import type { Page } from "../../../../values/json-text.ts";
import { formatDay } from "../../../../values/moscow-time.ts";
import { channelPostsRetrieve } from "../../../../verbs/posts.ts";
import { requireTurn } from "../../guard/require-turn.ts";
import { csvDownload } from "../../visit/csv-download.ts";
import { lookUp } from "../../visit/look-up.ts";
import { useVisit } from "../../visit/use-visit.ts";
import type { View } from "../../visit/view.ts";
import type { Readings } from "./channel-readings.ts";

/** Columns of the files, named as in the API and the import. */
const DAY_COLUMNS = ["channel", "day", "subscribers", "views", "posts"] as const;
const POST_COLUMNS = ["id", "channel", "published_at", "views", "is_ad", "link", "text"] as const;
const POSTS_MAX = 100;

/**
 * The days that the page shows, or the latest posts, if requested by the address's `download`; null
 * otherwise.
 * @throws AppError for what the plan does not include; `throttled`
 */
export async function channelDownload(
  card: CardView,
  { from, to, rows, refusal }: Readings,
): Promise<View | null> {
  const visit = useVisit();
  const wanted = visit.query.get("download");
  if (wanted !== "readings" && wanted !== "posts") return null;
  const names = [`download ${visit.signedIn?.person.id}`];
  requireTurn(names, visit.words.explorerPages.tooManyDownloads);
  const name = `channel-${card.id}`;
  if (wanted === "posts") {
    const raw = { channel: String(card.id), limit: String(POSTS_MAX) };
    const posts = await lookUp<Page<PostView>>(channelPostsRetrieve, raw);
    return csvDownload(`${name}-posts.csv`, POST_COLUMNS, posts.results);
  }
  if (refusal !== null) throw refusal;
  return csvDownload(`${name}-${formatDay(from)}-${formatDay(to)}.csv`, DAY_COLUMNS, rows);
}
