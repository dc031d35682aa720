import type { Language } from "../../../values/language.ts";
import type { GuideName } from "./guide.ts";

/** Texts of the documentation pages, other than the guides' own. */
interface DocsWords {
  /** The language's name for itself. */
  language: string;
  skipToContent: string;
  documentation: string;
  account: string;
  methods: string;
  guides: Record<GuideName, string>;
  contents: string;
  table: string;
  notFound: string;
  notFoundText: string;
  firstPage: string;
  toolColumns: readonly [name: string, title: string, units: string];
}

const en: DocsWords = {
  language: "English",
  skipToContent: "Skip to content",
  documentation: "Documentation",
  account: "Account",
  methods: "API methods",
  guides: {
    start: "Start",
    importing: "Importing",
    sources: "Sources",
    customers: "Customers",
    clients: "Typed clients",
    mentions: "Mentions",
    export: "Export",
    webhooks: "Webhooks",
    mcp: "Assistants",
    operating: "Operating",
    cluster: "Several machines",
    building: "Building",
  },
  contents: "On this page",
  table: "Table",
  notFound: "Not found",
  notFoundText: "There is no page at this address.",
  firstPage: "Start page",
  toolColumns: ["Tool", "What it does", "Units"],
};

const ru: DocsWords = {
  language: "Русский",
  skipToContent: "К содержанию",
  documentation: "Документация",
  account: "Кабинет",
  methods: "Методы API",
  guides: {
    start: "Начало",
    importing: "Импорт",
    sources: "Источники",
    customers: "Клиенты",
    clients: "Программы",
    mentions: "Упоминания",
    export: "Выгрузка",
    webhooks: "Вебхуки",
    mcp: "Ассистенты",
    operating: "Эксплуатация",
    cluster: "Несколько машин",
    building: "Устройство",
  },
  contents: "На этой странице",
  table: "Таблица",
  notFound: "Не найдено",
  notFoundText: "По этому адресу страницы нет.",
  firstPage: "Первая страница",
  toolColumns: ["Инструмент", "Как его называет ассистент", "Единицы"],
};

const WORDS: Partial<Record<Language, DocsWords>> = { en, ru };

/** @returns English texts for a language without guides */
export function docsWords(language: Language): DocsWords {
  return WORDS[language] ?? en;
}
