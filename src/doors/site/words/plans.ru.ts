import type { plansEn } from "./plans.en.ts";

export const plansRu: typeof plansEn = {
  title: "Тарифы",
  intro:
    "Что входит в каждый тариф. Изменение действует для всех организаций с этим тарифом, начиная со следующего запроса.",
  limits: {
    requestsPerSecond: "Запросов в секунду",
    requestsPerPeriod: "Единиц запросов за 30 дней",
    webhooks: "Вебхуков",
    webhookChannels: "Каналов на вебхук",
    alerts: "Оповещений",
  },
};
