import { AppError } from "../../../errors.ts";
import { shortened } from "../../../values/fields.ts";
import { message } from "../../../values/messages/messages.ts";
import { IMPORT_KIND_NAMES, type ImportKindName, importKinds } from "../kinds/import-kinds.ts";
import { saysNo } from "../kinds/read-cells.ts";
import type { Fields, InputRow, Recognized } from "./recognized.ts";

export interface Naming {
  /** Our column names by the file's, where they differ. */
  map: Readonly<Record<string, string>>;
  /** Whether unknown columns are ignored; otherwise they are refused by name. */
  ignoreUnknown: boolean;
  /** Cells for columns that the file lacks, by our names. */
  set?: Readonly<Record<string, string>>;
}

const IGNORED_SHOWN = 100;

export type ColumnNames = ReturnType<typeof createColumnNames>;

/**
 * Matches a file's column names with those of its kind, ignoring case and surrounding spaces, and with the
 * names that people's tables have for them (living data, section 6).
 * @throws AppError `invalid` for a mapping to a column that the kind does not have
 */
export function createColumnNames(
  kind: ImportKindName,
  { map, ignoreUnknown, set = {} }: Naming,
  recognized: Recognized,
) {
  const known = columnsOf(kind);
  const mapped = new Map<string, string>();
  const columnOf = (given: string): string => {
    const column = comparable(given);
    if (known.includes(column)) return column;
    throw new AppError("invalid", message("mapToUnknown", { column: given, known }));
  };
  for (const [theirs, ours] of Object.entries(map)) mapped.set(comparable(theirs), columnOf(ours));
  const given = Object.entries(set).map(([ours, cell]) => [columnOf(ours), cell] as const);
  let onlyDeletes = false;
  const own = new Set(known.filter((name) => !mapped.has(name)));

  function resolve(name: string): string | undefined {
    const same = comparable(name);
    return mapped.get(same) ?? (own.has(same) ? same : undefined);
  }

  function ignore(name: string): void {
    const { ignored } = recognized;
    const shown = shortened(name);
    if (ignored.length < IGNORED_SHOWN && !ignored.includes(shown)) ignored.push(shown);
  }

  return {
    known,
    /** Rows with cells for the columns that they lack, and without what does not count. */
    completed(rows: InputRow[]): InputRow[] {
      if (given.length === 0 && !onlyDeletes) return rows;
      return rows.map((row) => {
        if (!("fields" in row)) return row;
        const fields: Fields = { ...Object.fromEntries(given), ...row.fields };
        const { deleted } = fields;
        if (onlyDeletes && (deleted === "" || saysNo(deleted))) delete fields["deleted"];
        return { ...row, fields };
      });
    },

    /** Whether a name is our own for a column, which the options leave as it is. */
    isOurs: (name: string): boolean => own.has(name),

    /**
     * Our names of a row's columns: null for an ignored one, undefined for an unknown one. Of several that
     * people's tables call the same, the likeliest is taken, and the others are ignored.
     */
    resolveAll(names: readonly string[]): (string | null | undefined)[] {
      const columns: (string | null | undefined)[] = names.map(resolve);
      const taken = new Set(columns);
      const meant = names
        .map((name, at) => ({ name, at, may: columnsOfHeader(kind, name) }))
        .filter(({ at, may }) => columns[at] === undefined && may.length > 0)
        .toSorted((one, other) => rankOf(one.may) - rankOf(other.may));
      for (const { name, at, may } of meant) {
        const ours = may.find((column) => !taken.has(column));
        columns[at] = ours ?? null;
        taken.add(ours);
        if (ours === undefined) ignore(name);
      }
      const theirs = theirOwn(kind, names.map(plainHeader), columns);
      return columns.map((column, at) => {
        const name = names[at] ?? "";
        const isMapped = mapped.has(comparable(name));
        const isTheirs = theirs.includes(column ?? "") && !isMapped;
        if (isTheirs || (column === undefined && (ignoreUnknown || isNotNeeded(kind, name)))) {
          ignore(name);
          return null;
        }
        if (column === "deleted" && plainHeader(name) === DELETED && !isMapped) onlyDeletes = true;
        if (column != null && column !== name) recognized.renamed[column] = shortened(name.trim());
        return column;
      });
    },

    /** @throws AppError `invalid` if the columns obviously belong to another kind */
    requireKind(names: readonly string[]): void {
      const ours = names.map((name) => mapped.get(comparable(name)) ?? comparable(name));
      const count = (columns: readonly string[]): number =>
        ours.filter((name) => columns.includes(name)).length;
      const others = IMPORT_KIND_NAMES.filter((name) => name !== kind && canBe(name, ours));
      const best = others.toSorted((a, b) => count(columnsOf(b)) - count(columnsOf(a)))[0];
      if (best === undefined || count(columnsOf(best)) <= count(known)) return;
      const columns = ours.filter((name) => columnsOf(best).includes(name));
      throw new AppError("invalid", message("otherKind", { kind, other: best, columns }));
    },
  };
}

/** Names that mean one column come before those that may mean several, of which a link names best. */
const rankOf = (may: readonly string[]): number =>
  may.length === 1 ? 0 : may.includes("link") ? 1 : 2;

/** Whether a file with these columns can be of the kind: an entry of a directory needs its code. */
const canBe = (kind: ImportKindName, columns: readonly string[]): boolean =>
  !importKinds[kind].isDirectory || columns.includes("slug");

const columnsOf = (kind: ImportKindName): string[] => Object.keys(importKinds[kind].columns);

const comparable = (name: string): string => name.normalize().trim().toLowerCase();

/**
 * Column names that people's tables have, in Russian and English, by the columns that they may be, the likeliest
 * first. Among them are the labels of TGStat's and Telemetr's pages, and the fields of their APIs
 * (https://api.tgstat.ru/docs/ru/channels/get.html and stat.html; api.telemetr.me has the same).
 */

type Headers = Readonly<Record<string, string>>;

const SUBSCRIBERS =
  "подписчики, подписчиков, кол-во подписчиков, количество подписчиков, число подписчиков, участники, " +
  "участников, количество участников, аудитория, subs, members, followers, participants, participants count, " +
  "members count, subscribers count, subscriber count";

/** The messenger's word, which takes a post down, and does not restore one that the operator took down. */
const DELETED = "is deleted";

const HEADERS: Partial<Record<ImportKindName, Headers>> = {
  channels: {
    title:
      "название, название канала, имя канала, заголовок, наименование, name, channel name, channel title",
    handle:
      "username, юзернейм, имя пользователя, ник, никнейм, хэндл, логин, screen name, domain, адрес канала",
    "handle link":
      "ссылка, ссылка на канал, link to channel, channel link, channel url, url, адрес",
    "handle title": "канал, channel",
    subscribers: SUBSCRIBERS,
    description: "описание, описание канала, о канале, about, bio",
    category: "категория, тематика, тема, рубрика, topic, theme",
    territory:
      "город, регион, территория, география, гео, city, region, geo, location, страна, country",
    kind: "тип, тип канала, вид, type, peer type",
    msgr_id:
      "id канала, tg id, telegram id, tgid, peer id, channel id, chat id, id в telegram, id чата, идентификатор",
    image: "аватар, аватарка, картинка, фото, логотип, avatar, photo, logo, picture, image640",
    citation: "иц, индекс цитирования, индекс цитируемости, citation index, ci, ci index",
    verified: "верификация, верифицирован, подтвержден, галочка, is verified",
    last_post_at:
      "последний пост, дата последнего поста, последняя публикация, last post, last post date",
  },
  stats: {
    channel: "канал, ссылка, ссылка на канал, username, юзернейм, link, url",
    channel_msgr_id: "id канала, channel id, chat id, telegram id, tg id",
    day: "дата, день, date",
    subscribers: SUBSCRIBERS,
    views: "просмотры, просмотров, охват",
    posts: "посты, постов, публикации, публикаций, количество постов, количество публикаций",
  },
  posts: {
    channel: "канал, ссылка на канал, username, юзернейм, channel link",
    channel_msgr_id: "id канала, channel id, chat id, telegram id, tg id",
    msgr_post_id:
      "id поста, номер поста, id сообщения, номер сообщения, post id, message id, msg id",
    text: "текст, текст поста, текст публикации, сообщение, содержание, message, content",
    views: "просмотры, просмотров, охват, views count",
    published_at:
      "дата, дата публикации, дата и время, время, время публикации, опубликовано, опубликован, date, " +
      "datetime, time, published, publication date, post date, created at",
    link: "ссылка, ссылка на пост, ссылка на публикацию, url, post link, post url",
    forwards: "репосты, репостов, пересылки, пересылок, shares, forwards count, reposts",
    reactions: "реакции, реакций, reactions count, likes",
    comments: "комментарии, комментариев, replies, comments count",
    is_ad: "реклама, рекламный, рекламный пост, ad, is advertising, advertising",
    media: "медиа, вложения, тип медиа, attachments",
    deleted: DELETED,
  },
};

/** Columns of such tables that Kanalog computes itself, or has no place for. */
const NOT_NEEDED =
  "№, no, #, номер, место, rank, er, err, er24, err24, er %, err %, вовлеченность, охват, охваты, " +
  "средний охват, средний охват публикации, средний охват 1 публикации, средний охват поста, охват поста, " +
  "просмотры, просмотров, просмотры поста, просмотров на пост, avg reach, avg post reach, reach, avg views, " +
  "прирост, прирост за день, прирост за неделю, прирост за месяц, прирост подписчиков, динамика, growth, " +
  "упоминания, упоминаний, mentions, репосты, реакции, комментарии, цена, стоимость, cpm, price, " +
  "дата создания, создан, возраст, возраст канала, язык, language, пол, мужчины, женщины, tgstat, " +
  "ссылка на tgstat, telemetr, ссылка на telemetr, рейтинг, rating, сумма, средний рекламный охват 1 публикации, " +
  "рекламный охват, adv post reach 12h, adv post reach 24h, adv post reach 48h, er percent, err percent, " +
  "err24 percent, daily reach, mentions count, forwards count, mentioning channels count, posts count, " +
  "active usernames, image100, tgstat restrictions, deleted at, snippet, group id, forwarded from channel";

const THEIR_FIELDS = ["peer type", "tg id", "participants count"];

/**
 * Columns in which these APIs have numbers of their own: for a channel beside their fields; for a post beside
 * `channel_id`, whose channel and number are then those of its link
 * (https://api.tgstat.ru/docs/ru/objects/Post.html).
 */
function theirOwn(
  kind: ImportKindName,
  headers: readonly string[],
  columns: readonly (string | null | undefined)[],
): readonly string[] {
  if (kind === "channels") return THEIR_FIELDS.some((name) => headers.includes(name)) ? ["id"] : [];
  if (kind !== "posts" || !headers.includes("channel id")) return [];
  const isNumbered = columns.includes("msgr_post_id");
  return isNumbered ? ["id"] : ["id", "channel", "channel_msgr_id", "forwarded_from", "media"];
}

/** Spelled as these lists are: in lower case, without ё, underscores and signs at the end. */
function plainHeader(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("ё", "е")
    .replace(/[\s_]+/g, " ")
    .replace(/^[\s@]+|[\s:*.,]+$/g, "");
}

const split = (list: string): string[] => list.split(", ");

const COLUMNS = new Map(
  Object.entries(HEADERS).map(([kind, headers]) => [
    kind,
    new Map(
      Object.entries(headers).flatMap(([columns, names]) =>
        split(names).map((name) => [name, columns.split(" ")] as const),
      ),
    ),
  ]),
);
const NOT_NEEDED_NAMES: ReadonlySet<string> = new Set(split(NOT_NEEDED));

/** Columns that a header may be, the likeliest first; none if it is unknown. */
function columnsOfHeader(kind: ImportKindName, name: string): readonly string[] {
  return COLUMNS.get(kind)?.get(plainHeader(name)) ?? [];
}

/** Whether a table's column is known to be of no use here. */
function isNotNeeded(kind: ImportKindName, name: string): boolean {
  return HEADERS[kind] !== undefined && NOT_NEEDED_NAMES.has(plainHeader(name));
}
