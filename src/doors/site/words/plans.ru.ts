import type { plansEn } from "./plans.en.ts";

export const plansRu: typeof plansEn = {
  title: "Тарифы",
  intro: "Что входит в тариф — для всех его организаций, со следующего запроса.",
  limits: {
    requestsPerSecond: "Запросов в секунду",
    requestsPerPeriod: "Единиц запросов за 30 дней",
    webhooks: "Вебхуков",
    webhookChannels: "Каналов на вебхук",
    alerts: "Оповещений",
  },
};
