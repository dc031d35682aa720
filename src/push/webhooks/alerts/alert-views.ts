import { SNIPPET_LENGTH_MAX } from "../../../catalog/post-search/finding/snippet.ts";
import { postSchema } from "../../../catalog/posts/post.ts";
import { dayOf } from "../../../values/moscow-time.ts";
import type { ValueOf } from "../../../values/schema.ts";
import * as shape from "../../../values/schema.ts";
import { type Alert, DIGESTS } from "./alerts.table.ts";
import { ALERT_POSTS_A_DAY } from "./loaded-alerts.ts";
import { PREVIEW_DAYS } from "./preview.ts";

/** An alert, with what its plan and the day make of it. */
interface AlertNow extends Alert {
  isActive: boolean;
  nowMs: number;
}

/** Alerts as the API returns them. */
export const alertRows = shape.rows("Alert", {
  id: shape.integer("Alert number"),
  name: shape.text("The alert's name"),
  q: shape.text("The query that posts must match"),
  webhook: shape.property(
    "webhookId",
    shape.integer("Number of the webhook that receives the matches"),
  ),
  channel: shape.property(
    "channelId",
    shape.nullable(shape.integer("Service number of the only channel; null: all")),
  ),
  category: shape.nullable(shape.text("Code of a category; null: any")),
  territory: shape.nullable(shape.text("Code of a territory; null: any")),
  is_ad: shape.nullable(
    shape.flag("true: only advertising posts; false: no advertising posts; null: both"),
  ),
  digest: shape.choice(
    DIGESTS,
    "When matches are sent: as they are read, after each full hour, or after each Moscow day",
  ),
  is_active: shape.flag("Whether the plan includes the alert; it includes the oldest ones"),
  disabled_reason: shape.field(
    shape.choice(
      ["", "plan"],
      "Empty while active; `plan` while there are more alerts than the plan includes",
    ),
    ({ isActive }: AlertNow) => (isActive ? "" : "plan"),
  ),
  sent_today: shape.field(
    shape.count(
      `Posts sent, or put into a digest, since midnight in Moscow; after ${ALERT_POSTS_A_DAY} no more are on that day`,
    ),
    ({ sentDay, sentPosts, nowMs }: AlertNow) => (sentDay === dayOf(nowMs) ? sentPosts : 0),
  ),
  created_at: shape.instant("When it was created"),
  updated_at: shape.instant("When it was changed last"),
});
export const alertSchema = alertRows.schema;
export type AlertView = ValueOf<typeof alertSchema>;

/** A post with the matching part of its text. */
const previewPostSchema = shape.object(
  {
    ...postSchema.properties,
    snippet: shape.text(
      `The part of the text with the first match, at most ${SNIPPET_LENGTH_MAX} characters`,
    ),
    highlights: shape.list(
      shape.list(shape.integer()),
      "Pairs of start and end offsets into the snippet, in code points, the end excluded",
    ),
  },
  "AlertMatch",
);

export const previewSchema = shape.object(
  {
    matches: shape.count(`Posts of the last ${PREVIEW_DAYS} days that match`),
    matches_capped: shape.flag("Whether there may be more matches; `note` says why"),
    note: shape.nullable(shape.text("What was not examined or may be missing; null if nothing")),
    results: shape.list(previewPostSchema, "The newest of them"),
  },
  "AlertPreview",
);
export type PreviewView = ValueOf<typeof previewSchema>;
