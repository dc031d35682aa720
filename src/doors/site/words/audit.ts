import type { AuditAction } from "../../../customers/audit/audit-log.ts";
import { importWords } from "./imports.ts";
import { ru } from "./ru.ts";
import { staffWords } from "./staff.ts";

interface AuditWords {
  commandLine: string;
  actions: Record<AuditAction, string>;
  /** What was changed, by the word before its number. */
  targets: Record<string, string>;
  /** Names of details. */
  details: Record<string, string>;
  /** Values that are one of a few, by the detail's name. */
  values: Record<string, Record<string, string>>;
}

/** The texts of the audit log's entries. */
const english: AuditWords = {
  commandLine: "command line",
  actions: {
    "import.start": "file imported",
    "job.run": "job run",
    "key.create": "API key created",
    "key.revoke": "API key revoked",
    "member.add": "member added",
    "member.link": "password link made for a member",
    "member.restore": "member restored",
    "member.role": "role changed",
    "member.suspend": "member suspended",
    "organization.archive": "organization archived",
    "organization.create": "organization created",
    "organization.plan": "plan given",
    "organization.restore": "organization restored",
    "person.end-sessions": "sessions ended",
    "person.password": "password set",
    "person.password-link": "password link made",
    "person.password-mail": "password link mailed",
    "plan.set": "plan's limits changed",
    "staff.add": "made staff",
    "staff.remove": "no longer staff",
    "webhook.change": "webhook changed",
    "webhook.create": "webhook created",
    "webhook.delete": "webhook deleted",
    "webhook.disable": "webhook disabled",
    "webhook.enable": "webhook enabled",
    "webhook.resend": "delivery sent again",
    "webhook.rotate-secret": "signing secret rotated",
  },
  targets: {},
  details: {
    dryRun: "dry run",
    key: "by API key",
    overlapMs: "former secret signs on, hours",
    requestsPerSecond: "requests per second",
    requestsPerPeriod: "requests per 30 days",
    webhookChannels: "channels a webhook",
  },
  values: {
    access: staffWords.en.accesses,
    dryRun: { true: "yes", false: "no" },
    replace: { true: "yes", false: "no" },
  },
};

const russian: AuditWords = {
  commandLine: "командная строка",
  actions: {
    "import.start": "импортирован файл",
    "job.run": "запущено задание",
    "key.create": "создан ключ API",
    "key.revoke": "отозван ключ API",
    "member.add": "добавлен участник",
    "member.link": "сделана ссылка для пароля участника",
    "member.restore": "участник возвращён",
    "member.role": "изменена роль",
    "member.suspend": "участник приостановлен",
    "organization.archive": "организация в архиве",
    "organization.create": "создана организация",
    "organization.plan": "назначен тариф",
    "organization.restore": "организация возвращена из архива",
    "person.end-sessions": "завершены сеансы",
    "person.password": "задан пароль",
    "person.password-link": "сделана ссылка для пароля",
    "person.password-mail": "отправлена ссылка для пароля",
    "plan.set": "изменены лимиты тарифа",
    "staff.add": "включён в службу",
    "staff.remove": "исключён из службы",
    "webhook.change": "изменён вебхук",
    "webhook.create": "создан вебхук",
    "webhook.delete": "удалён вебхук",
    "webhook.disable": "отключён вебхук",
    "webhook.enable": "включён вебхук",
    "webhook.resend": "доставка отправлена снова",
    "webhook.rotate-secret": "сменён секрет подписи",
  },
  targets: {
    import: "импорт",
    job: "задание",
    key: "ключ",
    member: "участник",
    organization: "организация",
    person: "человек",
    plan: "тариф",
    webhook: "вебхук",
  },
  details: {
    access: "доступ",
    before: "было",
    bytes: "байт",
    channels: "каналов",
    delivery: "доставка",
    dryRun: "пробный запуск",
    email: "e-mail",
    ends: "до",
    file: "файл",
    host: "адрес",
    key: "ключом API",
    kind: "вид",
    member: "участник",
    name: "название",
    overlapMs: "прежний секрет подписывает ещё, часов",
    plan: "тариф",
    prefix: "начало",
    reason: "причина",
    replace: "с заменой",
    requestsPerSecond: "запросов в секунду",
    requestsPerPeriod: "запросов за 30 дней",
    role: "роль",
    webhooks: "вебхуков",
    webhookChannels: "каналов на вебхук",
  },
  values: {
    access: staffWords.ru.accesses,
    before: ru.roles,
    dryRun: { true: "да", false: "нет" },
    kind: importWords.ru.kinds,
    replace: { true: "да", false: "нет" },
    role: ru.roles,
  },
};

export const auditWords = { en: english, ru: russian };
