import { planName } from "../../../values/plan-names.ts";
import type { alertsEn } from "./alerts.en.ts";

const planNamed = (code: string): string => planName("ru", code);

export const alertsRu: typeof alertsEn = {
  about:
    "Новые посты всех открытых каналов, в которых есть ваши слова, отправляются на ваш вебхук — каждый один раз.",
  howTo: "Что приходит",
  name: "Название",
  query: "Слова",
  queryHint:
    'Все должны быть в посте, в любой форме. Ещё можно: "фраза", -без, одно | другое, начало*, =точно, #тег, @имя.',
  webhook: "Вебхук",
  webhookNamed: (id, host) => `${id}: ${host}`,
  webhookOff: "отключён: ничего не отправляется",
  channel: "Только канал",
  channelHint: "Номер, @имя или ссылка; пусто — все каналы.",
  category: "Категория",
  territory: "Территория",
  isAd: "Реклама",
  anyAd: "с рекламой и без неё",
  onlyAd: "только реклама",
  noAd: "без рекламы",
  any: "любая",
  sentToday: "Отправлено сегодня",
  sentTodayText: (sent, most) => `${sent}, не больше ${most} постов`,
  created: "Создано",
  changed: "Изменено",
  alert: (name) => `Оповещение: ${name}`,
  allAlerts: "Все оповещения",
  noAlerts: "Оповещений пока нет.",
  noWebhooks: "Оповещения отправляются на вебхук, а его ещё нет.",
  makeWebhook: "Сначала создайте вебхук",
  planWithout: (plan) =>
    `Тариф «${planNamed(plan)}» не включает оповещений. Они есть на тарифе «Рост» и выше.`,
  planKept: "Прежние оповещения можно смотреть и удалять; по ним ничего не отправляется.",
  planFull: (plan, alerts) =>
    `Тариф «${planNamed(plan)}» включает оповещений: ${alerts}. Чтобы создать ещё одно, удалите лишнее.`,
  managersOnly: "Оповещения меняют только владельцы и администраторы.",
  create: "Создать оповещение",
  createButton: "Создать",
  change: "Изменить оповещение",
  remove: "Удалить",
  removeConfirm: "Оповещение будет удалено. Вернуть его нельзя.",
  preview: "Предпросмотр",
  previewText: (days) =>
    `Посты за последние ${days} дней, которые были бы отправлены. Просмотр ничего не отправляет.`,
  showPreview: "Показать совпадения",
  matches: (count) => `Совпадений за последние 7 дней: ${count}.`,
  matchesCapped: (count, looked) =>
    `Среди ${looked} прочитанных последними постов совпадений за последние 7 дней: ${count}.`,
  nothingMatches: "Ни один пост не совпадает.",
  newest: "Самые новые:",
  openPost: "Открыть пост",
  done: {
    created: "Оповещение создано. Проверяются посты, прочитанные с этого момента.",
    changed: "Оповещение изменено.",
    deleted: "Оповещение удалено.",
  },
};
