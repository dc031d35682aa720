import { readFileSync } from "node:fs";
import type { Day } from "../../values/moscow-time.ts";
import { DAY_MS, formatDay, formatInstant, startOfDay } from "../../values/moscow-time.ts";
import type { Fields } from "../imports/reading/recognized.ts";

/**
 * A made-up world to look at: channels with a year of days and of posts, whose texts are the licensed sample's
 * and whose names and numbers come from a fixed seed. The same for everybody, but for its last day.
 */
export interface DemoWorld {
  channels: Fields[];
  days(): Generator<Fields>;
  posts(): Generator<Fields>;
}

/** Host of the channels' pictures, which are drawn instead of fetched; it exists nowhere. */
const PICTURE_HOST = "pictures.invalid";

const DAYS = 365;
const POSTS = 20_000;
const HOUR_MS = DAY_MS / 24;

/** A category, the word that titles have for it, and the one that handles have. */
const TOPICS = [
  ["science", "Наука", "nauka"],
  ["news", "Новости", "novosti"],
  ["regional", "Город", "gorod"],
  ["internet", "Код", "kod"],
  ["economics", "Деньги", "dengi"],
  ["travel", "Поездки", "poezdki"],
  ["food", "Кухня", "kuhnya"],
  ["cinema", "Кино", "kino"],
  ["books", "Книги", "knigi"],
  ["sport", "Спорт", "sport"],
  ["music", "Музыка", "muzyka"],
  ["education", "Учёба", "ucheba"],
  ["games", "Игры", "igry"],
  ["psychology", "Мысли", "mysli"],
  ["health", "Здоровье", "zdorovie"],
] as const;
const NAMES = [
  ...(["Маяк mayak", "Орбита orbita", "Пульс puls", "Вестник vestnik", "Точка tochka"] as const),
  ...(["Полдень polden", "Хроника hronika", "Заметки zametki", "Клуб klub", "Линия"] as const),
  ...(["Эхо eho", "Мост most", "Фокус fokus", "Ракурс rakurs", "Дневник dnevnik"] as const),
  ...(["Компас kompas", "Окно okno", "Штрих shtrih", "Сигнал signal", "Архив arhiv"] as const),
].map((pair) => pair.split(" ") as [title: string, handle?: string]);
const TERRITORIES = ["moskva", "sankt-peterburg", "tatarstan", "sverdlovskaya", "russia"] as const;
const MEDIA = ["photo", "video", "photo", "poll"] as const;

interface Planned {
  id: number;
  handle: string;
  title: string;
  /** Subscribers by day, the last one yesterday's. */
  subscribers: number[];
  /** Part of them that views a post. */
  reach: number;
}

/** @param postsFile the sample's posts, whose texts are used */
export function demoWorld(postsFile: string, yesterday: Day): DemoWorld {
  const texts = readFileSync(postsFile, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => shortened((JSON.parse(line) as { text: string }).text));
  const random = seeded(20_261_128);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const planned = NAMES.flatMap(([name, latin = "liniya"], row) =>
    TOPICS.map(([, topic, slug], column): Planned => {
      const id = row * TOPICS.length + column + 1;
      return {
        id,
        handle: `demo_${latin}_${slug}`,
        title: `${name}. ${topic}`,
        subscribers: growth(random, 150_000 / (1 + ((id * 7) % 300)) ** 0.75),
        reach: 0.08 + 0.3 * random(),
      };
    }),
  );

  const channels = planned.map(({ id, handle, title, subscribers }): Fields => {
    const [category, topic] = TOPICS[(id - 1) % TOPICS.length] ?? TOPICS[0];
    return {
      ...{ id, handle, title, category },
      msgr_id: -1_009_000_000_000 - id,
      description: `${topic}: каждый день и понемногу. Канал придуман для показа Kanalog.`,
      link: `https://t.me/${handle}`,
      image: `https://${PICTURE_HOST}/${id}.png`,
      subscribers: subscribers.at(-1),
      former_handles: random() < 0.1 ? [`${handle}_old`] : [],
      territory: random() < 0.4 ? pick(TERRITORIES) : null,
      verified: random() < 0.2,
      a_plus: random() < 0.05,
      quality: Math.round(200 + 600 * random()) / 10,
      citation: Math.round(1000 * random() ** 2) / 10,
    };
  });

  /** A post of a day; the last days have more of them than those of a year ago. */
  function post(id: number): Fields {
    const channel = pick(planned);
    const back = Math.floor(DAYS * random() ** 2.2);
    const hour = 7 + Math.floor(16 * Math.min(random(), random() + 0.2));
    const at = startOfDay(yesterday - back) + hour * HOUR_MS + Math.floor(random() * (HOUR_MS / 2));
    const other = pick(planned);
    const isAd = random() < 0.07;
    const views = Math.round(
      (channel.subscribers[DAYS - 1 - back] ?? 0) * channel.reach * (0.6 + 0.8 * random()),
    );
    const seen = (part: number) => Math.round(views * part);
    const until = startOfDay(yesterday + 1);
    const seenAfter = (hours: number, part: number) =>
      at + hours * HOUR_MS > until ? null : seen(part);
    const mention = isAd || random() < 0.12 ? `\n\nПодробнее: https://t.me/${other.handle}` : "";
    return {
      ...{ id, channel: channel.id, msgr_post_id: id, is_ad: isAd },
      text: `${pick(texts)}${mention}${isAd ? "\n\nРеклама. Придумано для показа." : ""}`,
      published_at: formatInstant(at),
      link: `https://t.me/${channel.handle}/${id}`,
      edited_at: random() < 0.05 ? formatInstant(at + HOUR_MS / 4) : null,
      media: random() < 0.6 ? [pick(MEDIA)] : [],
      album: id % 40 < 2 ? `demo-${Math.floor(id / 40)}` : null,
      ...(random() < 0.04 && { forwarded_from: other.id, forwarded_from_name: other.title }),
      // The views of a few posts were never read.
      ...(random() > 0.04 && {
        ...{ views, views_at: formatInstant(Math.min(at + 3 * DAY_MS, until)) },
        ...{ views_1h: seenAfter(1, 0.15), views_12h: seenAfter(12, 0.55) },
        ...{ views_24h: seenAfter(24, 0.75), views_48h: seenAfter(48, 0.9) },
        ...{ forwards: seen(0.004), reactions: seen(0.02) },
      }),
    };
  }

  return {
    channels,
    *days() {
      for (const { id: channel, subscribers } of planned) {
        for (const [at, count] of subscribers.entries()) {
          // Some days are missing, since readings are.
          if (at > 0 && at < DAYS - 1 && random() < 0.02) continue;
          yield { channel, day: formatDay(yesterday - DAYS + 1 + at), subscribers: count };
        }
      }
    },
    *posts() {
      for (let id = 1; id <= POSTS; id += 1) yield post(id);
    },
  };
}

/** A year of subscribers: each channel grows or shrinks in its own way, with noise and a jump now and then. */
function growth(random: () => number, first: number): number[] {
  const drift = 0.0028 * random() - 0.0006;
  let now = first;
  return Array.from({ length: DAYS }, () => {
    now *= 1 + drift + 0.002 * (random() - 0.5) + (random() < 0.004 ? 0.05 * random() : 0);
    return Math.round(now);
  });
}

const TEXT_MAX = 500;

function shortened(text: string): string {
  const end = text.slice(0, TEXT_MAX).lastIndexOf("\n\n");
  return text.length <= TEXT_MAX ? text : text.slice(0, end > 100 ? end : TEXT_MAX).trimEnd();
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The drawing at the address of a made-up channel's picture; null for any other address. */
export function demoPicture(address: string): string | null {
  const [, number] = new RegExp(`^https://${PICTURE_HOST}/(\\d{1,3})\\.png$`).exec(address) ?? [];
  if (number === undefined) return null;
  const random = seeded(Number(number));
  const hue = Math.floor(360 * random());
  const circles = Array.from({ length: 4 }, () => {
    const [x, y, size] = [random(), random(), random()].map((part) => Math.round(128 * part));
    return `<circle cx="${x}" cy="${y}" r="${16 + (size ?? 0) / 3}" fill="hsl(${hue + Math.round(40 * random())}, 70%, ${45 + Math.round(35 * random())}%)" fill-opacity=".8"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128"><rect width="128" height="128" fill="hsl(${hue}, 55%, 38%)"/>${circles.join("")}</svg>`;
}
