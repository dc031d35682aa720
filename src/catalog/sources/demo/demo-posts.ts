import type { HiddenLink } from "../../posts/hidden-links.ts";

/**
 * Posts of the demonstrations' channels: a function of the time alone, so that nothing is stored, and a
 * source goes on where it stopped.
 */

/** One thing happens in each step, in one of the channels. */
export const STEP_MS = 5_000;
/** Keeps posts' numbers short; they grow from here on. */
const FIRST_STEP = 350_000_000;

export const stepAt = (nowMs: number): number => Math.floor(nowMs / STEP_MS);

export const DEMO_CHANNELS = [
  { name: "Новости города", about: "Что происходит рядом" },
  { name: "Наука за минуту", about: "Коротко о том, что узнали учёные" },
  { name: "Код и кофе", about: "Заметки разработчиков" },
].map(({ name, about }, at) => ({
  title: `Демо: ${name}`,
  description: `${about}. Выдуманный канал демонстрации: его можно удалить.`,
  subscribersAt: (nowMs: number) => 12_000 * (3 - at) + (Math.floor(nowMs / 60_000) % 1_000),
}));

/** Handles at the two messengers differ, since a catalog has each once. */
export const demoHandle = (channel: number, host: string): string =>
  `kanalog_demo_${(channel % DEMO_CHANNELS.length) + 1}${host === "t.me" ? "" : "_max"}`;

const TEXTS = [
  "Доброе утро! Дороги сегодня свободны, ветер слабый.",
  "Учёные измерили, как быстро растёт мох: полсантиметра в год.",
  "Собрали список книг, которые читали на этой неделе.",
  "Ипотека снова обсуждается: что изменилось за месяц?",
  "Новый мост открыли раньше срока.",
  "Телескоп увидел галактику, похожую на запятую.",
  "Вышла новая версия: быстрее, меньше, понятнее.",
  "В парке посадили сто деревьев.",
  "Опрос: пишете ли вы тесты до кода?",
];

export interface DemoPost {
  step: number;
  number: number;
  channel: number;
  publishedAt: number;
  text: string;
  links: HiddenLink[];
  hasPhoto: boolean;
}

/** The post of a step, as it is at first or once it was edited. */
export function demoPost(step: number, host: string, isEdited = false): DemoPost {
  const number = step - FIRST_STEP;
  const channel = step % DEMO_CHANNELS.length;
  const target = `https://${host}/${demoHandle(channel + 1, host)}`;
  const words = `${TEXTS[number % TEXTS.length]} № ${number}.${isEdited ? " Исправлено." : ""}`;
  const invitation = "Подробнее у соседей";
  const isAd = number % 9 === 4;
  const text = `${words}\n\n${invitation}${isAd ? "\nРеклама. erid: Demo2Vfnx" : ""}`;
  const link = { offset: words.length + 2, length: invitation.length, target };
  return {
    ...{ step, number, channel, text },
    publishedAt: step * STEP_MS,
    links: [link],
    hasPhoto: number % 4 === 1,
  };
}
