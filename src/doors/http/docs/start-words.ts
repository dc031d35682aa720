import type { Language } from "../../../values/language.ts";

/** Texts of `/`, the page that customers are sent to. */
export interface StartWords {
  /** Locale in which numbers are written. */
  locale: string;
  intro: string;
  signUp: string;
  data: string;
  /** Labels for counts, by table, in a form that fits any number. */
  counted: Readonly<Record<"channels" | "posts" | "daily_statistics", string>>;
  channels: string;
  moreThan: string;
  categories: string;
  plans: string;
  planColumns: readonly string[];
  yes: string;
  no: string;
  allDays: string;
  lastDays: (days: number) => string;
  none: string;
  whereTo: string;
  links: readonly (readonly [path: string, name: string, text: string])[];
}

const en: StartWords = {
  locale: "en-GB",
  intro:
    "This is a Channel Data API: the catalog of a messenger's channels, their cards, daily statistics and " +
    "posts, as JSON over HTTP, with an API key, and new posts as webhooks.",
  signUp: "Create a free account, with a key on the plan Test",
  data: "The data",
  counted: { channels: "Channels", posts: "Posts", daily_statistics: "Days of statistics" },
  channels: "channels",
  moreThan: "more than",
  categories: "Largest categories",
  plans: "Plans",
  planColumns: [
    "Plan",
    "Requests per second",
    "Request units per 30 days",
    "Posts",
    "History",
    "Webhooks",
    "Alerts",
    "Bulk export",
  ],
  yes: "yes",
  no: "no",
  allDays: "all",
  lastDays: (days) => `${days} days`,
  none: "none",
  whereTo: "Where to go",
  links: [
    ["account/", "Account", "sign in: keys, usage, webhooks, members"],
    ["docs/", "API methods", "read about each of them, and try it"],
    ["docs/mcp/", "Connecting an assistant", "MCP, with settings for common programs"],
    ["docs/webhooks/", "Receiving webhooks", "how to verify deliveries, with receivers to copy"],
    ["docs/json", "OpenAPI document", "for generating a client"],
    ["staff/", "Console", "for the operator's staff"],
    ["readyz", "Readiness", "for monitoring"],
  ],
};

const ru: StartWords = {
  locale: "ru-RU",
  intro:
    "Здесь работает API данных о каналах: каталог каналов мессенджера, их карточки, статистика по дням и " +
    "посты — JSON по HTTP с ключом API; новые посты — вебхуками.",
  signUp: "Создать аккаунт: бесплатно, с ключом на тарифе «Тест»",
  data: "Какие есть данные",
  counted: { channels: "Каналы", posts: "Посты", daily_statistics: "Дни статистики" },
  channels: "каналов",
  moreThan: "больше",
  categories: "Самые большие категории",
  plans: "Тарифы",
  planColumns: [
    "Тариф",
    "Запросов в секунду",
    "Единиц запросов за 30 дней",
    "Посты",
    "История",
    "Вебхуки",
    "Оповещения",
    "Выгрузка",
  ],
  yes: "да",
  no: "нет",
  allDays: "вся",
  lastDays: (days) => `${days} дней`,
  none: "нет",
  whereTo: "Куда дальше",
  links: [
    ["account/", "Вход", "ключи, расход, вебхуки, участники"],
    ["docs/", "Методы API", "прочитать и попробовать (на английском)"],
    ["docs/mcp/?lang=ru", "Подключение ассистента", "MCP, с готовыми настройками"],
    ["docs/webhooks/?lang=ru", "Приём вебхуков", "как проверять доставки, с готовыми приёмниками"],
    ["docs/json", "Документ OpenAPI", "чтобы сгенерировать клиента"],
    ["staff/", "Консоль", "для службы"],
    ["readyz", "Готовность", "для мониторинга"],
  ],
};

const WORDS: Record<Language, StartWords> = { en, ru };

export function startWords(language: Language): StartWords {
  return WORDS[language];
}
