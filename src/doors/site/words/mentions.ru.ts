import { planName } from "../../../values/plan-names.ts";
import type { mentionsEn } from "./mentions.en.ts";

export const mentionsRu: typeof mentionsEn = {
  title: (channel) => `Упоминания: ${channel}`,
  whoMentions: "Кто упоминает",
  latest: "Последние упоминания",
  allMentions: "Все упоминания и схема",
  none: "Другие каналы его пока не упоминали.",
  similar: "Похожие каналы",
  similarText: "По общим упоминаниям, категории, территории и размеру.",
  noSimilar: "Похожих пока нет.",
  score: "Сходство",
  reasons: {
    mentioned_together: "упоминают вместе",
    same_category: "та же категория",
    shared_category: "общая категория",
    same_territory: "та же территория",
    near_size: "близкий размер",
  },
  shared: (channels) => `упоминают оба, каналов: ${channels}`,
  closed: (plan) =>
    `Тариф «${planName("ru", plan)}» не включает упоминания. Они доступны начиная с тарифа «Старт».`,
  kinds: { link: "ссылка", forward: "пересылка" },
  kindOf: { "": "Все", link: "Ссылки", forward: "Пересылки" },
  mentionedBy: "Его упоминают",
  mentions: "Он упоминает",
  posts: "Посты",
  channel: "Канал",
  neighbourhood: "Кто кого упоминает",
  neighbourhoodText:
    "По последним 2000 упоминаний в каждую сторону; чем шире линия, тем больше постов.",
  noNeighbours: "В каталоге таких нет.",
  later: "К последним",
  earlier: "Более ранние упоминания",
  back: "К каналу",
  downloadAll: "Скачать всё в CSV",
  oneUnit: "1 единица",
  unitsPerThousand: "1 единица за 1000 каналов",
  profiOnly: "Скачать файлом можно на тарифе «Профи»",
  noKeyYet: "Сначала создайте ключ API: скачивания учитываются под вашим ключом.",
};
