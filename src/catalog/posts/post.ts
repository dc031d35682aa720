import type { Schema } from "../../values/schema.ts";
import * as shape from "../../values/schema.ts";
import {
  addressColumn,
  channelColumn,
  choicesColumn,
  countColumn,
  ID_MAX,
  integerColumn,
  lineColumn,
  nullable,
  postIdColumn,
  textColumn,
  textIdColumn,
} from "../fields/columns.ts";
import type { RecordOf, StoredField, ViewOf } from "../fields/stored-field.ts";
import {
  field,
  flag,
  instant,
  optional,
  optionalInstant,
  schemasOf,
  viewer,
  viewJson,
} from "../fields/stored-field.ts";
import { type HiddenLink, LINK_TARGET_MAX, LINKS_MAX, linksColumn } from "./hidden-links.ts";

const TEXT_LENGTH_MAX = 100_000;
const NAME_LENGTH_MAX = 500;
const ALBUM_LENGTH_MAX = 64;

export const MEDIA = [
  "photo",
  "video",
  "audio",
  "voice",
  "document",
  "poll",
  "sticker",
  "other",
] as const;
export type Media = (typeof MEDIA)[number];

export const POST_FIELDS = {
  /** 0: the import assigns the next free number. */
  id: field(integerColumn(1, ID_MAX), shape.integer("Post number"), 0),
  channel: channelField("Service number of the channel"),
  msgr_post_id: optional(
    postIdColumn(),
    shape.text("The messenger's own number of the post, 64 bits wide"),
  ),
  text: field(
    textColumn(TEXT_LENGTH_MAX),
    shape.text("Text; formatting is in the messenger's marks, such as `**bold**`"),
    "",
  ),
  views: field(countColumn(), shape.count("Views"), 0),
  is_ad: flag("Advertising"),
  published_at: instant("Time of publication"),
  link: optional(addressColumn(), shape.text("Address of the post in the messenger")),
  edited_at: optionalInstant("Time of the last edit"),
  views_at: optionalInstant("Time at which `views` was read; null if never, when `views` is 0"),
  media: mediaField("Kinds of the post's media; null if unknown"),
  forwards: optional(countColumn(), shape.count("Times it was forwarded")),
  reactions: optional(countColumn(), shape.count("Total of all kinds of reactions")),
  comments: optional(countColumn(), shape.count("Comments")),
  forwarded_from: forwardedField("Service number of the channel that it was forwarded from"),
  forwarded_from_name: optional(
    lineColumn(NAME_LENGTH_MAX),
    shape.text("Name of the source it was forwarded from"),
  ),
  album: optional(
    textIdColumn(ALBUM_LENGTH_MAX),
    shape.text("The same text in each post of an album"),
  ),
  links: linksField(),
  views_1h: viewsAtAge("an hour"),
  views_12h: viewsAtAge("12 hours"),
  views_24h: viewsAtAge("24 hours"),
  views_48h: viewsAtAge("48 hours"),
};

/** A post as stored; `channel` is the column `channel_id`. */
export type PostRecord = RecordOf<typeof POST_FIELDS>;

export type PostView = ViewOf<typeof POST_FIELDS>;

export const postSchema = shape.object(schemasOf(POST_FIELDS), "Post");

/**
 * Converts a stored post without looking anything up: `forwarded_from` may be a channel that is hidden or
 * gone.
 */
export const toPostView: (record: PostRecord) => PostView = viewer(POST_FIELDS);

/** SQL for columns that cannot be read directly. The driver would round a 64-bit number. */
const COLUMN_SQL: Readonly<Record<string, string>> = {
  channel: "p.channel_id",
  msgr_post_id: "CAST(p.msgr_post_id AS TEXT)",
};

/** SQL: all columns of a post, from `posts p`. */
export const POST_COLUMNS = Object.keys(POST_FIELDS)
  .map((name) => (COLUMN_SQL[name] === undefined ? `p.${name}` : `${COLUMN_SQL[name]} AS ${name}`))
  .join(", ");

/**
 * SQL: JSON of `posts p` as the API returns it, joined with the channel `origin` that it was forwarded
 * from. Fifty posts take 145 us this way, in one text, and 215 as rows that are serialized afterwards.
 */
export const POST_JSON = viewJson(POST_FIELDS, {
  ...Object.fromEntries(
    Object.keys(POST_FIELDS).map((name) => [name, COLUMN_SQL[name] ?? `p.${name}`]),
  ),
  forwarded_from: "origin.id",
});

/** SQL: joins the channel that a post was forwarded from, as `origin`, unless it is hidden. */
export const JOIN_ORIGIN =
  "LEFT JOIN channels origin ON origin.id = p.forwarded_from AND origin.is_public = 1";

function viewsAtAge(age: string) {
  const description = `Views at the age of ${age}: the first reading within a quarter after it`;
  return optional(countColumn(), shape.count(description));
}

/** A channel. If a file names it otherwise, the import replaces the name by the number before storing. */
function channelField(description: string): StoredField<number | string, number, Schema<number>> {
  return {
    column: channelColumn(),
    schema: shape.integer(description),
    initial: undefined,
    store: Number,
    show: (stored) => stored,
    shownAs: null,
  };
}

/** A channel as in `channelField`, or null: the import drops channels that are not in the catalog. */
function forwardedField(
  description: string,
): StoredField<number | string, number | null, Schema<number | null>> {
  return {
    column: nullable(channelColumn()),
    schema: shape.nullable(shape.integer(description)),
    initial: null,
    store: Number,
    show: (stored) => stored,
    shownAs: null,
  };
}

/** Links that the text shows under other words, stored as JSON. */
function linksField(): StoredField<HiddenLink[], string | null, Schema<HiddenLink[] | null>> {
  const place = "in UTF-16 units of the text";
  const link = shape.object({
    offset: shape.count(`Where its words begin, ${place}`),
    length: shape.count(`Their length, ${place}`),
    target: shape.text({ maxLength: LINK_TARGET_MAX, description: "Where the link leads" }),
  });
  const description = `Links under other words, at most ${LINKS_MAX}; null if unknown`;
  return {
    column: nullable(linksColumn()),
    schema: shape.nullable(shape.list(link, description)),
    initial: null,
    store: (links) => JSON.stringify(links),
    show: (stored) => (stored === null ? null : JSON.parse(stored)),
    json: (column) => `ifnull(${column}, 'null')`,
    shownAs: null,
  };
}

/** A list that is stored as text, separated by spaces. */
function mediaField(
  description: string,
): StoredField<Media[], string | null, Schema<Media[] | null>> {
  return {
    column: nullable(choicesColumn(MEDIA)),
    schema: shape.nullable(shape.list(shape.choice(MEDIA, {}), description)),
    initial: null,
    store: (given) => given.join(" "),
    show: (stored) => stored?.split(" ").filter((kind) => kind !== "") ?? null,
    json: (column) =>
      `CASE ${column} WHEN '' THEN '[]' ELSE ifnull('["' || replace(${column}, ' ', '","') || '"]', 'null') END`,
    shownAs: null,
  };
}

const HOUR_MS = 60 * 60 * 1000;
export const VIEW_AGES = [
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
  for (const [name, age] of VIEW_AGES) {
    if (hours >= age && hours < age * LATEST) post[name] ??= views;
  }
}
