import type { OverviewWords } from "./overview.en.ts";

export const overviewRu: OverviewWords = {
  lasts: "При таком расходе квоты хватит до конца периода.",
  ends: "При таком расходе квота закончится",
  over: "Квота закончилась: платные запросы отклоняются до конца периода,",
  usageByKey: "Использование по ключам",
  otherKey: (id) => `ключ ${id}`,
  otherKeys: (count) => `другие ключи: ${count}`,
  unfinished: "ещё не закончился",
  todayUnfinished: "Последний день — сегодня, он ещё не закончился.",
  lastRequests: "Последние запросы",
  lastRequestsText: "Последние 100 запросов ключа за неделю, сначала новые.",
  logOff: "Журнал запросов здесь выключен.",
  show: "Показать",
  noRequests: "За неделю запросов с этим ключом не было.",
  time: "Время",
  path: "Путь",
  status: "Статус",
  duration: "Длительность",
  ms: "мс",
};
