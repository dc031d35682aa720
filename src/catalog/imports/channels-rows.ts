import type { Database } from "../../db/database.ts";
import { unknownSlug } from "../../values/fields.ts";
import { CHANNEL_KINDS, type ChannelKind } from "../channels/channel-kind.ts";
import { isHandle } from "../channels/channel-reference.ts";
import { type ChannelRecord, createChannelRecords } from "../channels/channels.store.ts";
import { newestPostAt } from "../posts/posts.store.ts";
import { mergeSearch, optimizeSearch } from "../search/optimize-search.ts";
import {
  addressColumn,
  type Column,
  choiceColumn,
  flagColumn,
  ID_MAX,
  instantColumn,
  integerColumn,
  lineColumn,
  nullable,
  numberColumn,
  slugColumn,
  slugsColumn,
  textColumn,
} from "./columns.ts";
import {
  type Given,
  type ImportContext,
  type ImportKind,
  RowFault,
  type RowOutcome,
} from "./import-kind.ts";

interface ChannelRow {
  id: number;
  msgr_id: number;
  handle: string;
  title: string;
  description: string;
  link: string;
  image: string;
  kind: ChannelKind;
  subscribers: number;
  category: string;
  categories: string[];
  territory: string;
  a_plus: boolean;
  verified: boolean;
  quality: number;
  citation: number;
  last_post_at: number;
  is_public: boolean;
}

type Records = ReturnType<typeof createChannelRecords>;

const NEW_CHANNEL: Omit<ChannelRecord, "title" | "subscribers"> = {
  id: 0,
  msgr_id: null,
  handle: null,
  description: null,
  link: null,
  image: null,
  kind: "channel",
  is_public: 1,
  category: null,
  categories: "",
  territory: null,
  a_plus: 0,
  verified: 0,
  quality: null,
  citation: null,
  last_post_at: null,
};

/** Identity is `id`, else `msgr_id`, else `handle` (decisions, section 8). */
export const channelsImport: ImportKind<ChannelRow> = {
  columns: {
    id: integerColumn(1, ID_MAX),
    msgr_id: nullable(integerColumn(Number.MIN_SAFE_INTEGER)),
    handle: nullable(handleColumn()),
    title: lineColumn(500),
    description: nullable(textColumn(10_000)),
    link: nullable(addressColumn()),
    image: nullable(addressColumn()),
    kind: choiceColumn(CHANNEL_KINDS),
    subscribers: integerColumn(0),
    category: nullable(slugColumn()),
    categories: nullable(slugsColumn()),
    territory: nullable(slugColumn()),
    a_plus: flagColumn(),
    verified: flagColumn(),
    quality: nullable(numberColumn()),
    citation: nullable(numberColumn()),
    last_post_at: nullable(instantColumn()),
    is_public: flagColumn(),
  },
  isDirectory: false,
  open(db: Database, { clock }: ImportContext) {
    const records = createChannelRecords(db);
    return {
      write(row: Given<ChannelRow>): RowOutcome {
        const stored = findStored(records, row);
        const record = merge(row, stored);
        followNewestPost(db, record, row);
        requireSlugs(records, row);
        requireFreeMessengerId(records, record, stored);
        if (stored !== undefined && isSame(record, stored)) return "unchanged";
        takeHandle(records, record);
        if (stored === undefined) records.insert(record);
        else records.update(record);
        return stored === undefined ? "inserted" : "updated";
      },
      beforeCommit: records.writeSearch,
      afterCommit: () => mergeSearch(db, clock),
      afterwards: () => optimizeSearch(db, clock),
    };
  },
};

/** A handle that is refused: its card would be at the address of another method. */
const RESERVED_HANDLE = "resolve";

/** A handle with or without its `@`. */
function handleColumn(): Column<string> {
  return {
    nullable: false,
    read(given) {
      const value = typeof given === "string" ? given.trim().replace(/^@/, "") : "";
      if (value.toLowerCase() === RESERVED_HANDLE)
        return { fault: `"${value}" is an address of the API.` };
      return isHandle(value)
        ? { value }
        : {
            fault:
              "Enter a handle: up to 64 letters, digits, underscores, dots and hyphens, not digits alone.",
          };
    },
  };
}

function findStored(records: Records, row: Given<ChannelRow>): ChannelRecord | undefined {
  if (row.id != null) return records.byId(row.id);
  if (row.msgr_id != null) return records.byMessengerId(row.msgr_id);
  if (row.handle != null) return records.byHandle(row.handle);
  throw new RowFault("id", "Give id, msgr_id or handle.");
}

/** The stored channel, or a new one, with what the row gives. */
function merge(row: Given<ChannelRow>, stored: ChannelRecord | undefined): ChannelRecord {
  const base = stored ?? newChannel(row);
  const { categories, last_post_at: lastPostAt, ...rest } = row;
  const record: ChannelRecord = { ...base };
  for (const name in rest) {
    const given = rest[name as keyof typeof rest];
    if (given !== undefined) {
      Object.assign(record, { [name]: typeof given === "boolean" ? Number(given) : given });
    }
  }
  if (categories !== undefined) record.categories = categories === null ? "" : categories.join(" ");
  if (lastPostAt !== undefined) record.last_post_at = lastPostAt;
  return record;
}

function newChannel({ id, title, subscribers }: Given<ChannelRow>): ChannelRecord {
  if (title == null) throw new RowFault("title", "This field is required for a new channel.");
  if (subscribers == null) {
    throw new RowFault("subscribers", "This field is required for a new channel.");
  }
  return { ...NEW_CHANNEL, id: id ?? 0, title, subscribers };
}

/** `last_post_at` is never before the newest post that is stored. */
function followNewestPost(db: Database, record: ChannelRecord, row: Given<ChannelRow>): void {
  if (row.last_post_at === undefined || record.id === 0) return;
  const newest = newestPostAt(db, record.id);
  if (newest !== null) record.last_post_at = Math.max(record.last_post_at ?? 0, newest);
}

function requireSlugs(records: Records, row: Given<ChannelRow>): void {
  if (row.category != null && !records.hasCategory(row.category)) {
    throw new RowFault("category", unknownSlug(row.category));
  }
  for (const slug of row.categories ?? []) {
    if (!records.hasCategory(slug)) throw new RowFault("categories", unknownSlug(slug));
  }
  if (row.territory != null && !records.hasTerritory(row.territory)) {
    throw new RowFault("territory", unknownSlug(row.territory));
  }
}

function requireFreeMessengerId(
  records: Records,
  record: ChannelRecord,
  stored: ChannelRecord | undefined,
): void {
  if (record.msgr_id === null || record.msgr_id === stored?.msgr_id) return;
  const holder = records.byMessengerId(record.msgr_id);
  if (holder !== undefined) throw new RowFault("msgr_id", `Channel ${holder.id} has this number.`);
}

/** A handle that a row gives to another channel moves there (decisions, section 8). */
function takeHandle(records: Records, { id, handle }: ChannelRecord): void {
  if (handle === null) return;
  const holder = records.byHandle(handle);
  if (holder !== undefined && holder.id !== id) records.update({ ...holder, handle: null });
}

function isSame(record: ChannelRecord, stored: ChannelRecord): boolean {
  return (Object.keys(stored) as (keyof ChannelRecord)[]).every(
    (name) => record[name] === stored[name],
  );
}
