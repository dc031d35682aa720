import { SNIPPET_LENGTH_MAX } from "../../../catalog/post-search/finding/snippet.ts";
import { postSchema } from "../../../catalog/posts/post.ts";
import { dayOf } from "../../../values/moscow-time.ts";
import {
  choiceSchema,
  countSchema,
  field,
  flagSchema,
  instant,
  integerSchema,
  listSchema,
  nullable,
  objectSchema,
  rows,
  textSchema,
  type ValueOf,
} from "../../../values/schema.ts";
import { type Alert, DIGESTS } from "./alerts.table.ts";
import { ALERT_POSTS_A_DAY } from "./loaded-alerts.ts";
import { PREVIEW_DAYS } from "./preview.ts";

/** An alert, with what its plan and the day make of it. */
interface AlertNow extends Alert {
  isActive: boolean;
  nowMs: number;
}

/** Alerts as the API returns them. */
export const alertRows = rows("Alert", {
  id: integerSchema({ description: "Alert number" }),
  name: textSchema({ description: "The alert's name" }),
  q: textSchema({ description: "The query that posts must match" }),
  webhook: field(
    integerSchema({ description: "Number of the webhook that receives the matches" }),
    ({ webhookId }: Alert) => webhookId,
  ),
  channel: field(
    nullable(integerSchema({ description: "Service number of the only channel; null: all" })),
    ({ channelId }: Alert) => channelId,
  ),
  category: nullable(textSchema({ description: "Code of a category; null: any" })),
  territory: nullable(textSchema({ description: "Code of a territory; null: any" })),
  is_ad: nullable(
    flagSchema({
      description: "true: only advertising posts; false: no advertising posts; null: both",
    }),
  ),
  digest: choiceSchema(DIGESTS, {
    description:
      "When matches are sent: as they are read, after each full hour, or after each Moscow day",
  }),
  is_active: flagSchema({
    description: "Whether the plan includes the alert; it includes the oldest ones",
  }),
  disabled_reason: field(
    choiceSchema(["", "plan"], {
      description: "Empty while active; `plan` while there are more alerts than the plan includes",
    }),
    ({ isActive }: AlertNow) => (isActive ? "" : "plan"),
  ),
  sent_today: field(
    countSchema(
      `Posts sent, or put into a digest, since midnight in Moscow; after ${ALERT_POSTS_A_DAY} no more are on that day`,
    ),
    ({ sentDay, sentPosts, nowMs }: AlertNow) => (sentDay === dayOf(nowMs) ? sentPosts : 0),
  ),
  created_at: instant("When it was created"),
  updated_at: instant("When it was changed last"),
});
export const alertSchema = alertRows.schema;
export type AlertView = ValueOf<typeof alertSchema>;

/** A post with the matching part of its text. */
const previewPostSchema = objectSchema(
  {
    ...postSchema.properties,
    snippet: textSchema({
      description: `The part of the text with the first match, at most ${SNIPPET_LENGTH_MAX} characters`,
    }),
    highlights: listSchema(listSchema(integerSchema()), {
      description:
        "Pairs of start and end offsets into the snippet, in code points, the end excluded",
    }),
  },
  "AlertMatch",
);

export const previewSchema = objectSchema(
  {
    matches: countSchema(`Posts of the last ${PREVIEW_DAYS} days that match`),
    matches_capped: flagSchema({
      description: "Whether there may be more matches; `note` says why",
    }),
    note: nullable(
      textSchema({ description: "What was not examined or may be missing; null if nothing" }),
    ),
    results: listSchema(previewPostSchema, { description: "The newest of them" }),
  },
  "AlertPreview",
);
export type PreviewView = ValueOf<typeof previewSchema>;
