import { message } from "../../values/messages/messages.ts";
import { formatExactInstant } from "../../values/moscow-time.ts";
import type { Schema } from "../../values/schema.ts";
import * as shape from "../../values/schema.ts";
import {
  addressColumn,
  type Column,
  choiceColumn,
  column,
  countColumn,
  ID_MAX,
  instantColumn,
  integerColumn,
  itemsOf,
  lineColumn,
  nullable,
  numberColumn,
  slugOrNameColumn,
  slugsColumn,
  textColumn,
} from "../fields/columns.ts";
import type { RecordOf, ShownAs, StoredField, ViewOf } from "../fields/stored-field.ts";
import {
  field,
  flag,
  hidden,
  optional,
  optionalInstant,
  schemasOf,
  viewer,
  writer,
} from "../fields/stored-field.ts";
import { CHANNEL_KINDS, isHandle, messengerIdColumn } from "./channel-reference.ts";
import type { FormerHandle } from "./handles.store.ts";

/**
 * The fields of a channel as imported, stored and shown. The card's schema and type, the statements that
 * write it, the import's columns and the site's page are all derived from this object.
 */
export const CHANNEL_FIELDS = {
  /** 0: the import assigns the next free number. */
  id: field(integerColumn(1, ID_MAX), shape.integer("Service number of the channel"), 0),
  msgr_id: hidden(optional(messengerIdColumn(), shape.text())),
  handle: optional(handleColumn(), shape.text("Handle, without `@`")),
  title: field(lineColumn(500), shape.text("Title as the messenger shows it")),
  description: optional(
    textColumn(10_000),
    shape.text("The channel's own words about itself"),
    "text",
  ),
  link: optional(addressColumn(), shape.text("Address of the channel in the messenger"), "link"),
  image: optional(addressColumn(), shape.text("Address of the channel's picture"), "link"),
  kind: field(
    choiceColumn(CHANNEL_KINDS),
    shape.choice(CHANNEL_KINDS, "`chat` is a group chat"),
    "channel",
  ),
  subscribers: field(countColumn(), shape.count("Subscribers"), 0),
  subscribers_at: optionalInstant("When `subscribers` was read; null: never, and it is 0"),
  category: optional(slugOrNameColumn(), shape.text("Code of the primary category")),
  categories: listField(
    nullable(slugsColumn()),
    "Codes of the additional categories",
    (slug) => slug,
  ),
  territory: optional(slugOrNameColumn(), shape.text("Code of the territory")),
  a_plus: flag("Has the A+ mark"),
  verified: flag("Verified by its owner"),
  quality: optional(numberColumn(), shape.number("Quality index"), "number"),
  citation: optional(numberColumn(), shape.number("Citation index"), "number"),
  last_post_at: optionalInstant("Time of the last post"),
  is_public: { ...hidden(flag("Whether it is shown at all")), initial: 1 },
  /** The newest ones; all of them are in a table of their own (former-handles.store.ts). */
  former_handles: listField(
    formerHandlesColumn(),
    "Handles that it had before, newest first, at most 20",
    ({ handle }) => handle,
  ),
};

export type ChannelField = keyof typeof CHANNEL_FIELDS;

/**
 * The fields' names on pages in English, in the order in which staff's pages show them; `src/words/` has the
 * names in other languages.
 */
export const CHANNEL_LABELS: Readonly<Record<ChannelField, string>> = {
  id: "Number",
  is_public: "State",
  title: "Title",
  handle: "Handle",
  former_handles: "Former handles",
  msgr_id: "Messenger id",
  kind: "Kind",
  description: "Description",
  link: "Link",
  image: "Picture",
  subscribers: "Subscribers",
  subscribers_at: "Subscribers read",
  category: "Category",
  categories: "Other categories",
  territory: "Territory",
  a_plus: "A+",
  verified: "Verified by its owner",
  quality: "Quality index",
  citation: "Citation index",
  last_post_at: "Last post",
};

/** All fields, in the order of their labels. */
export const CHANNEL_FIELD_NAMES = Object.keys(CHANNEL_LABELS) as ChannelField[];

/** Columns of the table `channels`, which catalog queries scan, so its rows are kept small. */
const SCANNED = [
  ...["kind", "is_public", "subscribers", "subscribers_at"],
  ...["quality", "citation", "last_post_at"],
];

export const SCANNED_COLUMNS = ["id", ...SCANNED];
/** All other columns; they are in the table `channel_cards`. */
export const CARD_COLUMNS = Object.keys(CHANNEL_FIELDS).filter((name) => !SCANNED.includes(name));

/** SQL: all columns of a channel, from `channels c` and `channel_cards k`. */
export const CHANNEL_COLUMNS = Object.keys(CHANNEL_FIELDS)
  .map((name) => {
    // Read as text, because a JavaScript number cannot hold all 64 bits of a messenger id.
    if (name === "msgr_id") return "CAST(k.msgr_id AS TEXT) AS msgr_id";
    return SCANNED_COLUMNS.includes(name) ? `c.${name}` : `k.${name}`;
  })
  .join(", ");

export type ChannelRecord = RecordOf<typeof CHANNEL_FIELDS>;

export type CardView = ViewOf<typeof CHANNEL_FIELDS>;

export const cardSchema = shape.object(schemasOf(CHANNEL_FIELDS), "Channel");

export const toCard: (record: ChannelRecord) => CardView = viewer(CHANNEL_FIELDS);

export const writtenChannel = writer(CHANNEL_FIELDS);

type NameShownAs<A extends ShownAs> = {
  [Name in keyof CardView]: (typeof CHANNEL_FIELDS)[Name]["shownAs"] extends A ? Name : never;
}[keyof CardView];

export function fieldsShownAs<A extends ShownAs>(shownAs: A): NameShownAs<A>[] {
  const shown = Object.entries(CHANNEL_FIELDS).filter(([, one]) => one.shownAs === shownAs);
  return shown.map(([name]) => name as NameShownAs<A>);
}

/** Splits slugs or handles, which are stored separated by spaces. */
export function splitBySpaces(text: string): string[] {
  return text === "" ? [] : text.split(" ");
}

/** A list, stored as text separated by spaces. @param textOf an item as it is stored and shown */
function listField<Item>(
  column: Column<Item[]>,
  description: string,
  textOf: (item: Item) => string,
): StoredField<Item[], string, Schema<string[]>> {
  return {
    column,
    schema: shape.list(shape.text(), description),
    initial: "",
    store: (items) => items.map(textOf).join(" "),
    show: splitBySpaces,
    shownAs: null,
  };
}

/** Not accepted as handles, because `/channels/{channel}/` would be the address of another method. */
const RESERVED_HANDLES = ["resolve", "compare", "stats"];

function handleColumn(): Column<string> {
  return column((given) => {
    const value = typeof given === "string" ? given.trim().replace(/^@/, "") : "";
    if (RESERVED_HANDLES.includes(value.toLowerCase()))
      return { fault: message("reservedHandle", { handle: value }) };
    return isHandle(value) ? { value } : { fault: message("notHandle") };
  }, "handle");
}

/**
 * Handles separated by spaces or in a JSON array, with or without `@`, each followed by the time it was
 * given up, if known: `old_name@2025-02-01T12:00:00+03:00`.
 */
function formerHandlesColumn(): Column<FormerHandle[]> {
  const name = handleColumn();
  const time = instantColumn();
  return column((given) => {
    const handles: FormerHandle[] = [];
    for (const item of itemsOf(given)) {
      const [, written, at] = /^(@?[^@]+)@(.+)$/.exec(String(item)) ?? [null, item, null];
      const handle = name.read(written);
      if ("fault" in handle) return handle;
      const givenUpAt = at === null ? { value: null } : time.read(at);
      if ("fault" in givenUpAt) return givenUpAt;
      handles.push({ handle: handle.value, givenUpAt: givenUpAt.value });
    }
    return { value: handles };
  });
}

/** Handles in the form that `formerHandlesColumn` reads. */
export function writeFormerHandles(handles: readonly FormerHandle[]): string[] {
  return handles.map(({ handle, givenUpAt }) =>
    givenUpAt === null ? handle : `${handle}@${formatExactInstant(givenUpAt)}`,
  );
}
