import type { ImportKindName } from "../kinds/import-kinds.ts";

/**
 * Column names that people's tables have, in Russian and English, among them those of TGStat's and Telemetr's
 * exports, by the columns that they may be, the likeliest first.
 */

type Headers = Readonly<Record<string, string>>;

const SUBSCRIBERS =
  "подписчики, подписчиков, кол-во подписчиков, количество подписчиков, число подписчиков, участники, " +
  "участников, количество участников, аудитория, subs, members, followers, participants, participants count, " +
  "members count, subscribers count, subscriber count";

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
    kind: "тип, тип канала, вид, type",
    msgr_id:
      "id канала, tg id, telegram id, tgid, peer id, channel id, chat id, id в telegram, id чата, идентификатор",
    image: "аватар, аватарка, картинка, фото, логотип, avatar, photo, logo, picture",
    citation: "иц, индекс цитирования, индекс цитируемости, citation index, ci",
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
  "ссылка на tgstat, telemetr, ссылка на telemetr, рейтинг, rating, сумма";

/** Spelled as these lists are: in lower case, without ё, underscores and signs at the end. */
export function plainHeader(name: string): string {
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
export function columnsOfHeader(kind: ImportKindName, name: string): readonly string[] {
  return COLUMNS.get(kind)?.get(plainHeader(name)) ?? [];
}

/** Whether a table's column is known to be of no use here. */
export function isNotNeeded(kind: ImportKindName, name: string): boolean {
  return HEADERS[kind] !== undefined && NOT_NEEDED_NAMES.has(plainHeader(name));
}
