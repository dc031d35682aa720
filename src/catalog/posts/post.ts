import {
  countSchema,
  integerSchema,
  objectSchema,
  type Schema,
  textSchema,
} from "../../values/schema.ts";
import {
  addressColumn,
  channelColumn,
  ID_MAX,
  integerColumn,
  textColumn,
} from "../fields/columns.ts";
import {
  field,
  flag,
  hidden,
  instant,
  optional,
  type RecordOf,
  type StoredField,
  schemasOf,
  type ViewOf,
  viewer,
} from "../fields/stored-field.ts";

const TEXT_LENGTH_MAX = 100_000;

/** A post as it is imported, stored and shown (decisions, sections 2 and 8). */
export const POST_FIELDS = {
  /** 0 for one that the database is to choose. */
  id: field(integerColumn(1, ID_MAX), integerSchema({ description: "Post number" }), 0),
  channel: channelField("Service number of the channel"),
  msgr_post_id: hidden(optional(integerColumn(0), integerSchema())),
  text: field(textColumn(TEXT_LENGTH_MAX), textSchema(), ""),
  views: field(integerColumn(0), countSchema("Views"), 0),
  is_ad: flag("Advertising"),
  published_at: instant("Time of publication"),
  link: optional(
    addressColumn(),
    textSchema({ description: "Address of the post in the messenger" }),
  ),
};

/** A post as it is stored; `channel` is the column `channel_id`. */
export type PostRecord = RecordOf<typeof POST_FIELDS>;

/** A post as the API shows it. */
export type PostView = ViewOf<typeof POST_FIELDS>;

export const postSchema = objectSchema(schemasOf(POST_FIELDS), "Post");

export const toPostView: (record: PostRecord) => PostView = viewer(POST_FIELDS);

/** SQL: all columns of a post, of `posts p`. */
export const POST_COLUMNS = Object.keys(POST_FIELDS)
  .map((name) => (name === "channel" ? "p.channel_id AS channel" : `p.${name}`))
  .join(", ");

/** The import puts the channel's number in the place of its name before it is stored. */
function channelField(description: string): StoredField<number | string, number, Schema<number>> {
  return {
    column: channelColumn(),
    schema: integerSchema({ description }),
    initial: undefined,
    store: Number,
    show: (stored) => stored,
    shownAs: null,
  };
}
