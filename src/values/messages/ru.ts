import { type PlanNames, planNamer } from "../plan-names.ts";
import type { Messages } from "./messages.ts";

export const planNames: PlanNames = {
  test: "Тест",
  start: "Старт",
  growth: "Рост",
  profi: "Профи",
};

const FORMAT_NAMES: Record<string, string> = { csv: "CSV", ndjson: "NDJSON", json: "JSON" };
const SEPARATOR_NAMES: Record<string, string> = {
  ...{ ",": "запятая", ";": "точка с запятой", "\t": "табуляция" },
};

const named = planNamer(planNames);

/** The messages of `en.ts` in Russian. */
export const ru: Messages = {
  required: "Заполните это поле.",
  notNull: "Заполните это поле.",
  unknownField: "Такого поля нет.",
  blank: "Заполните это поле.",
  notText: "Введите текст.",
  notUtf8: "Это значение не в UTF-8.",
  nullCharacters: "Нулевые знаки не допускаются.",
  controlCharacters: "Управляющие символы не допускаются.",
  tooShort: ({ characters }) => `Введите не меньше ${characters} знаков.`,
  tooLong: ({ characters }) => `Не больше ${characters} знаков.`,
  notInteger: "Введите целое число.",
  tooSmall: ({ minimum }) => `Введите число не меньше ${minimum}.`,
  tooLarge: ({ maximum }) => `Введите число не больше ${maximum}.`,
  outOfRange: ({ minimum, maximum }) => `Введите целое число от ${minimum} до ${maximum}.`,
  notFlag: "Введите true или false.",
  notChoice: ({ given }) => `Значения «${given}» нет.`,
  notChoiceOf: ({ given, options }) => `Значения «${given}» нет. Возможны: ${options.join(", ")}.`,
  chooseOption: "Выберите один из вариантов.",
  unknownSlug: ({ slug }) => `Кода ${slug} нет.`,
  notDay: "Введите день в виде YYYY-MM-DD.",
  notDaySuchAs: ({ example }) => `Введите день, например ${example}.`,
  dayIsOver: "Этот день уже прошёл.",
  notList: "Введите список.",
  notObject: "Отправьте объект JSON.",
  emptyList: "Укажите хотя бы один.",
  tooManyItems: ({ items }) => `Не больше ${items} значений.`,
  moreFaults: ({ count }) => `И ещё ошибок: ${count}.`,

  notFound: "Этого нет или больше нет.",
  givenNotFound: ({ field }) => `${field}: такого нет или больше нет.`,
  invalidCursor: "Такой страницы нет: начните с первой.",
  cursorOfOtherList: ({ names }) =>
    `Курсор принадлежит списку с другим значением (${names.join(", ")}): уберите его или начните без курсора.`,
  unknownFields: ({ given, known }) => `Поля «${given}» нет. Поля: ${known.join(", ")}.`,
  periodTooLong: ({ days }) => `Период не может быть длиннее ${days} дней.`,
  periodBackwards: "Период кончается раньше, чем начинается.",
  tooManyCells: ({ cells }) => `Каналов, умноженных на дни, должно быть не больше ${cells}.`,
  notChannelQuery: "Введите ссылку мессенджера, @имя или номер канала в мессенджере.",
  nothingToSearch: "Укажите хотя бы одно слово: по одним исключениям и знакам ничего не найти.",
  tooManyBeginnings: ({ most }: { most: number }) =>
    `Укажите не больше ${most} начал слов (\`слово*\`); остальные напишите целыми словами.`,
  tooManyAlike:
    "У слишком многих постов примерно столько же просмотров: сузьте поиск словами, периодом `from` и `to` или другими фильтрами.",
  postSearchOff: "Поиск по постам на этом сервере выключен.",
  postSearchBuilding: ({ percent }) =>
    `Индекс поиска по постам строится (${percent} %). Всё остальное работает; повторите позже.`,
  nothingToChange: "Укажите хотя бы одно из полей url, channels, is_active.",
  readWriteKeyNeeded: "Для этого нужен ключ на чтение и запись.",
  managerKeyNeeded: "Для этого нужен ключ владельца или администратора.",
  methodNotIncluded: ({ plan }) => `Тариф «${named(plan)}» не включает этот метод.`,
  historyNotIncluded: ({ plan, days, from }) =>
    `Тариф «${named(plan)}» охватывает последние дни (${days}), начиная с ${from}.`,
  rateLimited: ({ requests }) => `Тариф допускает запросов в секунду: ${requests}.`,
  messagesLimited: ({ messages }) =>
    `Организация может отправлять сообщений протокола в секунду: ${messages}.`,
  quotaExceeded: ({ requests }) => `Запросы периода (${requests}) израсходованы.`,
  keyNeeded: "Отправьте ключ API в заголовке `Authorization: Bearer <API_KEY>`.",
  keyUnknown: "Такого ключа API нет.",
  keyNotWhole: "Это не целый ключ API: проверьте, без ошибок ли он скопирован.",
  keyRevoked: "Этот ключ API отозван.",
  keyExpired: "Срок этого ключа API истёк.",
  tokenUnknown: "Такого токена доступа нет: запросите другой.",
  tokenExpired: "Срок действия этого токена доступа истёк: обновите его.",
  keyOfSuspended: "Участник, которому принадлежит этот ключ API, приостановлен.",
  keyOfArchived: "Организация этого ключа API в архиве.",

  internal: "Произошла ошибка. Причина записана в журнале установки.",
  storageUnavailable: "Хранилище сейчас не может этого сделать. Повторите позже.",
  clockWrong: "Часы сервера переставлены: пока они не верны, ничего нельзя посчитать.",
  databaseTimeSpent: ({ ms }) =>
    `Запросы вашей организации израсходовали своё время: тариф включает ${ms} мс времени базы в секунду. Отправляйте их реже или сужайте выбор.`,
  lockTimeSpent: ({ ms }) =>
    `Изменения вашей организации израсходовали своё время: тариф включает ${ms} мс записи в секунду. Отправляйте их реже или меньшими частями.`,
  ownQueueLong:
    "Предыдущие запросы вашей организации ещё выполняются. Отправляйте меньше запросов одновременно или сужайте выбор.",
  givenUp: ({ minutes }) => `Работа не закончилась за ${minutes} мин. и прекращена.`,
  readTooSlowly:
    "Целую минуту читалось меньше 64 КБ в секунду. Продолжите с последней полученной строки.",
  queryTimeout: "Запрос к базе занял слишком много времени. Повторите позже или сузьте выбор.",
  stopping: "Сервер останавливается.",
  methodNotAllowed: ({ verb }) => `Метод «${verb}» не допускается.`,
  originNotAllowed: "Страницам этого источника сервер MCP недоступен.",
  bodyNotSentAsJson: "Отправьте тело как JSON, с заголовком `Content-Type: application/json`.",
  bodyNotJson: "Тело — не JSON в UTF-8.",
  bodyNotTaken: "У этого запроса не бывает тела.",
  bodyTooLarge: ({ kib }) => `Тело больше ${kib >= 1024 ? `${kib / 1024} МиБ` : `${kib} КиБ`}.`,
  bodyTooDeep: ({ levels }) => `Вложенность тела больше ${levels}.`,
  bodyTooManyTexts: ({ count }) => `В теле больше ${count} строк.`,
  bodyTooManyContainers: ({ count }) => `В теле больше ${count} объектов и списков.`,
  bodyTooManyMembers: ({ count }) => `В теле больше ${count} полей.`,
  bodyTooManyItems: ({ count }) => `В теле больше ${count} элементов.`,
  bodyCutByStop: "Сервер остановлен раньше, чем тело дочитано.",
  bodyCut: "Соединение закрыто раньше, чем тело дочитано.",

  pageTakesNoForm: "Эта страница не принимает форм.",
  formGone: "Этой формы больше нет.",
  formOfElsewhere: "Формы принимаются только с собственных страниц установки.",
  formTooLarge: "Форма слишком большая.",
  formUnreadable: "Форму не удалось прочитать.",
  fileNotStored: "Сейчас файл нельзя сохранить.",
  noHost: "В заголовке Host нет имени узла.",
  passwordsWaiting: "Сейчас проверяется слишком много паролей. Повторите через несколько секунд.",
  networkWaiting: "Из вашей сети ждёт слишком много запросов. Повторите через несколько секунд.",

  notEmail: "Введите адрес электронной почты.",
  memberAlready: ({ email }) => `${email} уже состоит в этой организации.`,
  wrongPassword: "Это не ваш текущий пароль.",
  nameInPassword: "В пароле не должно быть имени из вашего адреса и слова Kanalog.",
  commonPassword: "Этот пароль подбирают одним из первых. Выберите другой.",
  lastStaff: ({ email }) => `Кроме ${email}, в службе никого нет.`,

  notHttpsAddress: "Введите правильный адрес https://.",
  wrongPort: "Порт должен быть 443 или больше 1023.",
  userInAddress: "Имя пользователя и пароль в адресе не допускаются.",
  addressRefused: "Введите адрес в интернете: такого нет, или он из частной сети.",
  unknownChannels: (named) => `Открытых каналов с этими номерами нет: ${numbers(named)}.`,
  tooManyChannels: ({ max, ...rest }) => `Не больше ${max} каналов. Лишние: ${numbers(rest)}.`,
  webhookChannelsNotIncluded: ({ plan, included, channels }) =>
    `Тариф «${named(plan)}» включает каналов на вебхук: ${included}, а у этого их ${channels}.`,
  webhooksNotIncluded: ({ plan, included, existing }) =>
    `Тариф «${named(plan)}» включает вебхуков: ${included}, а их уже ${existing}.`,
  alertsNotIncluded: ({ plan, included, existing }) =>
    `Тариф «${named(plan)}» включает оповещений: ${included}, а их уже ${existing}.`,
  nothingToMatch: "Введите хотя бы одно слово, которое должно быть в постах.",
  unknownChannel: "Такого открытого канала нет.",
  alertUnchanged: "Задайте хотя бы одно поле, которое нужно изменить.",
  disabledByStaff: "Вебхук отключён службой поддержки: обратитесь к ней.",
  secretUnreadable: "Секрет подписи больше не читается: сначала смените его.",
  secretUnreadableOfOwner:
    "Секрет подписи больше не читается: сначала его должен сменить владелец.",
  testedJustNow: "Проверять вебхук можно не чаще раза в минуту.",
  hostHadEnough: ({ attempts }) =>
    `На один узел уходит не больше ${attempts} проверок и повторных отправок в минуту.`,
  webhookDisabled: "Вебхук отключён: сначала включите его.",
  pingNotResent: "Проверка не отправляется повторно: проверьте вебхук ещё раз.",
  attemptUnderWay: "Эта доставка как раз отправляется.",
  eventTooOld: "Событие старше двух дней.",
  eventBodyGone: "Содержание события больше не хранится.",
  webhookBusy: "Идёт слишком много отправок этого вебхука.",
  deliveriesBusy: "Сейчас идёт слишком много отправок. Повторите чуть позже.",
  organizationBusy: ({ deliveries }) => `Одновременно идёт не больше ${deliveries} отправок.`,

  receiverTimeout: "Получатель не ответил за 10 секунд.",
  receiverUnreachable: "Получатель недоступен.",
  receiverCertificate: "Сертификат получателя не годится для этого адреса.",
  receiverBroken: "Получатель не дал правильного ответа HTTP по HTTPS.",
  receiverUnresolved: "Имя получателя не найдено.",
  attemptUnsigned: "Секрет подписи не читается: смените его.",
  receiverAnswered: ({ status }) => `Получатель ответил ${status}.`,

  requiredForNewChannel: "Для нового канала это поле нужно заполнить.",
  maybeThousands: ({ given, count }) =>
    `Введите целое число. Знак в ${given} может отделять и дробную часть: если он отделяет тысячи, напишите ${count}.`,
  notNumber: "Введите число.",
  giveAsString: "Передайте значение строкой.",
  notPostId: ({ maximum }) =>
    `Укажите целое число от 0 до ${maximum} или идентификатор сообщения MAX вида mid.… с 16 шестнадцатеричными цифрами в конце.`,
  inFuture: "Это больше чем на 5 минут позже текущего времени.",
  notSlug: "Введите код из строчных латинских букв, цифр, дефисов и подчёркиваний.",
  noCategory: "Категории с таким кодом или названием нет.",
  noTerritory: "Территории с таким кодом или названием нет.",
  nameOfSeveral: ({ codes }) =>
    `Такое название у нескольких записей. Укажите один из кодов: ${codes.join(", ")}.`,
  notSlugItem: ({ given }) => `«${given}» — не код.`,
  notInstant: "Введите время по ISO 8601 со смещением или Z, с 1970 по 9999 год.",
  notAddress: "Введите правильный адрес.",
  notChannel: "Введите номер канала, @имя или ссылку.",
  noChannelOfMessenger: ({ messengerId }) => `Канала с номером мессенджера ${messengerId} нет.`,
  twoChannels: ({ channel, other }) =>
    `Столбцы называют два канала: channel — ${channel}, channel_msgr_id — ${other}.`,
  numberOfRemovedChannel: ({ channel }) =>
    `Канал ${channel} объединён с другим или удалён, его номер больше не выдаётся.`,
  removedByCommand: "Канал удаляют только команды `kanalog channel delete` и `merge`.",
  handleMoved: ({ handle, from, to }) => `@${handle} перешло от канала ${from} к каналу ${to}.`,
  moreHandlesMoved: ({ handles }) => `… и ещё имён перешло к другим каналам: ${handles}.`,
  mergedIntoItself: "Канал нельзя объединить с ним самим.",
  notMessengerId: "Введите целое число от -9223372036854775808 до 9223372036854775807.",
  noChannel: ({ channel }) => `Канала ${channel} нет.`,
  channelNotNamed: "Укажите id, msgr_id или handle.",
  postNotNamed: "Укажите id или channel и msgr_post_id.",
  numberOfChannel: ({ channel }) => `Этот номер у канала ${channel}.`,
  numberOfPost: ({ post }) => `Этот номер у поста ${post} этого канала.`,
  reservedHandle: ({ handle }) => `«${handle}» — адрес из API.`,
  notHandle:
    "Введите имя: до 64 латинских букв, цифр, подчёркиваний, точек и дефисов, не из одних цифр.",
  idChanged: ({ slug, id }) => `Номер кода ${slug} — ${id}, он не меняется.`,
  idTaken: ({ id, holder }) => `Номер ${id} принадлежит коду ${holder}.`,
  parentNeeded: ({ kind }) => `Для ${kind} нужна вышестоящая территория.`,
  wrongParent: ({ kind, above }) => `${kind} не может находиться в ${above}.`,
  wrongChild: ({ kind, below, slug }) => `${kind} не может содержать ${below} ${slug}.`,
  imageNotAddress: ({ example }) =>
    `В загруженном файле изображение задаётся адресом, например ${example}.`,
  noImageFile: ({ file }) => `Файла изображения ${file} нет.`,
  imageTooLarge: ({ file, bytes }) => `${file ?? "Изображение"} больше ${bytes} байт.`,
  imageNotWebp: ({ file }) =>
    file === null ? "Изображение не в формате WebP." : `${file} — не изображение WebP.`,
  imageTooWide: ({ file, width, height, side }) =>
    `${file ?? "Изображение"}: ${width} x ${height} пикселей; по каждой стороне допускается не больше ${side}.`,
  otherNumberOfCells: "В строке и в заголовке разное число ячеек.",
  quoteInCell:
    "Кавычка внутри ячейки без кавычек: возьмите ячейку в кавычки, а эту кавычку удвойте.",
  columnTwiceInRow: ({ column }) => `В строке столбец ${column} указан дважды.`,
  importChannelsFirst: "Сначала загрузите каналы.",
  lineNotJson: "Строка — не JSON.",
  lineNotObject: "Строка — не объект JSON.",
  unknownColumns: ({ columns }) => `Неизвестные столбцы: ${columns.join(", ")}.`,

  noFile: ({ path }) => `Файла ${path} нет.`,
  isFolder: ({ path }) => `${path} — папка, а не файл.`,
  fileNotUtf8: ({ file, line }) => `${file} не в UTF-8 (строка ${line}).`,
  fileNotUtf16: ({ file, line }) => `${file} не в UTF-16, хотя так помечен (строка ${line}).`,
  readAsWindows1251:
    "Файл не в UTF-8 и прочитан как Windows-1251. Если буквы не те, сохраните его в UTF-8.",
  recognizedFile: ({ format, separator, encoding, compression, from, timezone }) =>
    `Прочитано как ${from === null ? FORMAT_NAMES[format] : `${from} (${FORMAT_NAMES[format]})`}, ` +
    `${separator === null ? "" : `разделитель — ${SEPARATOR_NAMES[separator]}, `}` +
    `${encoding}, ${compression === null ? "" : `${compression}, `}время без смещения — ${timezone}.`,
  recognizedNames: ({ names }) => `Столбцы: ${names.join(", ")}.`,
  ignoredColumns: ({ columns }) =>
    `Пропущены столбцы, для которых нет поля: ${columns.join(", ")}.`,
  excelFile: ({ file }) =>
    `${file} — файл Excel или архив ZIP. В Excel: «Файл», «Сохранить как», «CSV UTF-8»; архив распакуйте.`,
  databaseFile: ({ file }) => `${file} — база SQLite, а не таблица строк.`,
  pdfFile: ({ file }) => `${file} — PDF, а не таблица строк.`,
  packedFileDamaged: ({ file, compression }) =>
    `${file} повреждён или обрезан: его нельзя распаковать (${compression}). ${MEND_AND_REPEAT}`,
  packedFileTooLarge: ({ file, gigabytes }) =>
    `${file} распаковывается больше чем в ${gigabytes} ГиБ.`,
  otherKind: ({ kind, other, columns }) =>
    `В файле столбцы вида ${other} (${columns.join(", ")}), а не ${kind}. Загрузите его как ${other}.`,
  mapToUnknown: ({ column, known }) =>
    `Столбца ${JSON.stringify(column)} нет, сопоставить с ним нельзя. Известны: ${known.join(", ")}.`,
  isChatExport: ({ from }) =>
    `Файл — выгрузка сообщений. Загрузите его с указанием формата ${from}.`,
  notForeign: ({ from }) => `В файле нет сообщений в формате ${from}.`,
  foreignKind: ({ from, kinds }) => `В файлах ${from} есть только ${kinds.join(" и ")}.`,
  jsonBroken: ({ line }) => `Строка ${line}: это не JSON. ${MEND_AND_REPEAT}`,
  jsonCutOff: ({ line }) => `Строка ${line}: JSON обрывается на середине. ${MEND_AND_REPEAT}`,
  valueTooLong: ({ line, characters }) =>
    `Строка ${line}: значение длиннее ${characters} знаков. ${MEND_AND_REPEAT}`,
  valueTooDeep: ({ line, levels }) =>
    `Строка ${line}: вложенность значения больше ${levels} уровней. ${MEND_AND_REPEAT}`,
  noHeader: "В файле нет полного заголовка: первая строка должна называть столбцы.",
  unknownColumnsInHeader: ({ unknown, known }) =>
    `В заголовке неизвестные столбцы: ${unknown.map((name) => JSON.stringify(name)).join(", ")}. ` +
    `Известны: ${known.join(", ")}.`,
  columnTwice: ({ column }) => `В заголовке столбец ${column} стоит дважды.`,
  lineTooLong: ({ line, characters }) =>
    `Строка ${line} длиннее ${characters} знаков. ${MEND_AND_REPEAT}`,
  rowTooLong: ({ line, characters }) =>
    `Строка ${line} длиннее ${characters} знаков: не закрыта ли кавычка? ${MEND_AND_REPEAT}`,
  quoteNotClosed: ({ line }) => `Строка ${line}: кавычка открыта и не закрыта. ${MEND_AND_REPEAT}`,
  quoteNotDoubled: ({ line }) =>
    `Строка ${line}: кавычку внутри ячейки в кавычках нужно удвоить. ${MEND_AND_REPEAT}`,
  nothingToReplaceBy: "В файле нет строк: замена удалила бы всё.",
  nothingRemoved: "Ничего не удалено, потому что есть отклонённые строки.",
  staysForChannels: ({ slug }) => `${slug} остаётся: в нём есть каналы.`,
  staysForTerritories: ({ slug }) => `${slug} остаётся: в нём есть другие территории.`,
  firstRowsRejected: ({ rows }) =>
    `Первые ${rows} строк отклонены все, остальные не читались. Исправьте файл или загрузите его с другими настройками.`,
  directoryTooLarge: ({ rows }) =>
    `В файле больше ${rows} строк — больше, чем в любом справочнике.`,
  importFailed: "Загрузка не удалась, причина в журнале установки. Прочитанное загружено.",
  importInterrupted: "Она была прервана. Запустите её снова: загруженное остаётся на месте.",

  // Источники.
  scheduleWrong:
    "Укажите промежуток от 1m до 31d, например 15m, 6h или 1d, или шаблон cron из пяти полей по московскому времени.",
  timeLimitWrong: "Укажите время от 1m до 31d, например 90m, 6h или 1d.",
  sourceOfBot: ({ name }) => `${name} — бот: своё ограничение времени есть только у файлов.`,
  sourceNameWrong: ({ characters }) =>
    `Укажите название не длиннее ${characters} символов, которое не является числом.`,
  sourceNameTaken: ({ name }) => `Источник ${name} уже есть.`,
  sourceRuns: ({ name }) => `Источник ${name} уже читается.`,
  sourceRunKilled: "Процесс, читавший источник, завершился посреди чтения; чтение повторяется.",
  sourceAddressWrong: "Укажите адрес https://; http:// — только в сетях из KANALOG_SOURCE_ALLOW.",
  sourceRefused: ({ host }) =>
    `${host} находится в частной сети или запрошен по http. Если эта сеть ваша, укажите её в KANALOG_SOURCE_ALLOW.`,
  sourceNoSuchName: ({ host }) => `Узла ${host} нет.`,
  sourceUnresolved: ({ host }) => `Ни один сервер имён не ответил о ${host}.`,
  sourceSlow: ({ host }) =>
    `${host} целую минуту передавал меньше 64 КБ в секунду; чтение прекращено.`,
  sourceTimeout: ({ host }) => `${host} не отвечал целую минуту.`,
  sourceUnreachable: ({ host }) => `${host} не принял соединение.`,
  sourceCertificate: ({ host }) =>
    `Сертификат ${host} не годится для этого имени или подписан тем, кому здесь не доверяют (KANALOG_WEBHOOK_CA).`,
  sourceBroken: ({ host }) => `${host} закрыл соединение до конца ответа.`,
  sourceTooLarge: ({ gigabytes }) => `Файл больше ${gigabytes} ГиБ.`,
  sourceStatus: ({ status }) => `Ответ — ${status}, а не 200 с файлом.`,
  sourceHtml: "Ответ — страница HTML, а не файл: не просит ли адрес войти?",
  sourceRedirected: ({ host }) =>
    `Адрес перенаправляет на другой узел, ${host}. Если ему можно доверять, укажите адрес на нём.`,
  sourceRedirects: ({ redirects }) => `Адрес перенаправляет больше ${redirects} раз.`,
  sourceFolder: ({ folder }) => `Папку ${folder} не удаётся прочитать.`,
  sourceAllRejected: ({ rows }) =>
    `Все строки (${rows}) отклонены, причины показаны у источника. Исправьте файл или добавьте источник заново с другими настройками; попытки продолжаются, пока строки не будут приняты.`,
  sourceSecret:
    "Заголовки зашифрованы другим KANALOG_SECRET: удалите источник и добавьте его снова.",
  sourceAnswerTooLarge: ({ host }) => `Ответ ${host} больше 10 МБ.`,
  sourceClock:
    "Дата поста больше чем на 5 минут впереди часов этой машины. Поправьте часы: пост будет прочитан снова.",
  botTokenWrong:
    "Мессенджер не знает этого токена. Скопируйте его целиком или выпустите новый и добавьте источник снова.",
  botTokenShape: ({ example }) =>
    `Это не токен: токен выглядит как ${example}. Скопируйте его целиком, без лишнего до и после.`,
  botSecret: "Токен зашифрован другим KANALOG_SECRET: удалите источник и добавьте его снова.",
  botTokenMissing: "Введите токен бота.",
  botTaken: ({ name }) =>
    `Этого бота уже читает источник ${name}. О постах бота мессенджер сообщает только одному читателю.`,
  botPolledElsewhere:
    "Обновления этого бота читает другая программа. Остановите её или выпустите новый токен и добавьте источник снова: со старым она больше ничего не получит.",
  botHasWebhook:
    "Другая программа получает обновления бота на свой адрес (вебхук). Удалите его там методом deleteWebhook, и чтение начнётся.",
  botAnswerWrong: "Так API мессенджера не отвечает. Верен ли адрес API?",
  botRefused: ({ status, description }) => `Отказ мессенджера: ${status} ${description}`.trimEnd(),
  botNotInChannel:
    "Бот не может его читать: его удалили, или он не администратор с правом читать сообщения.",
  botPartlyUnderstood:
    "Часть сообщений имеет неизвестный вид. Остальные читаются, и ничего не снимается, пока не будут понятны все: посмотрите, нет ли новой версии.",
  botPushedElsewhere:
    "События бота MAX присылает другой программе (подписка), поэтому новые каналы не найти. Отключите её там; известные каналы читаются.",
  pushesOfMaxOnly: "Присылать события умеет только MAX.",
  pushesNeedHttps:
    "MAX присылает события только по https на порт 443: задайте такой адрес в KANALOG_BASE_URL.",

  exportWithoutDays: "Период бывает только у stats и posts.",
  exportWithoutChannel: "Канал указывают только для channels, stats и posts.",
  notChannelOfExport: "Введите служебный номер, @имя или ссылку мессенджера.",
  rawWithoutCsv:
    "Тексты защищаются от табличных программ только в CSV: для NDJSON уберите этот параметр.",
  mentionsBeingBuilt: ({ percent }) =>
    `Упоминания ещё собираются из постов, сохранённых до этой версии: готово ${percent} %.`,
  exportsUnderWay: ({ exports }) =>
    `У организации может идти не больше ${exports} выгрузок: дождитесь конца одной из них.`,
  exportUnderWay: "Уже идёт другая выгрузка: дождитесь её конца.",
  cannotListen: ({ place, reason }) => `Не удалось открыть ${place}: ${reason}.`,
  hostNotHere: ({ place, host }) =>
    `Не удалось открыть ${place}: у этой машины нет адреса ${host}. Укажите в --host или KANALOG_HOST её адрес, например 127.0.0.1, или 0.0.0.0 для всех.`,
  portNeedsRight: ({ place }) =>
    `Не удалось открыть ${place}: для портов ниже 1024 нужно особое право. Укажите в --port или KANALOG_PORT порт выше и поставьте прокси впереди, или дайте процессу право CAP_NET_BIND_SERVICE.`,
  portTaken: ({ place, free }) =>
    `Не удалось открыть ${place}: его занимает другая программа. Порт ${free} свободен: добавьте --port ${free}.`,
  noDatabase: ({ path }) => `Базы ${path} нет.`,
  cannotOpenDatabase: ({ path, reason }) => `Не удалось открыть базу ${path}: ${reason}.`,
  databaseDamaged: ({ path, damages }) => `${path} повреждена: ${damages.join("; ")}.`,
  notOurDatabase: ({ path }) => `${path} — не база Kanalog.`,
  notDatabase: ({ path }) => `${path} — не база, или повреждено её начало.`,
  databaseUnreadable: ({ path, reason }) => `${path} не читается: ${reason}.`,
  copyWithoutCluster: ({ file }) =>
    `${file} — копия данных кластера: задайте KANALOG_CLUSTER или сделайте её самостоятельной командой \`kanalog cluster leave\`.`,
  noCopy: ({ file }) =>
    `${file} — не копия кластера из KANALOG_CLUSTER: сделайте её командой \`kanalog cluster join\`, в новом файле.`,
  otherCluster: ({ file }) =>
    `${file} — копия другого кластера, не того, что в KANALOG_CLUSTER: задайте адрес её кластера или сделайте копию этого командой \`kanalog cluster join\`, в новом файле.`,
  copyAhead: ({ file }) =>
    `В ${file} есть изменения, которых нет в кластере, или нет тех, которых кластер уже не хранит: сделайте копию заново командой \`kanalog cluster rebuild\`.`,
  noCluster:
    "По адресу KANALOG_CLUSTER ещё нет кластера: создайте его командой `kanalog cluster init --from FILE`.",
  clusterExists: "По адресу KANALOG_CLUSTER кластер уже есть.",
  clusterNotSet: "Задайте в KANALOG_CLUSTER адрес PostgreSQL кластера.",
  clusterSecretNeeded: "Задайте KANALOG_SECRET: он один на все узлы кластера.",
  clusterSecretDiffers: "KANALOG_SECRET не тот, с которым создан кластер.",
  nodeNameTaken: ({ node }) =>
    `Другой узел с именем ${node} работал в последние 10 секунд: если он остановлен, повторите через 10 секунд, иначе задайте этому другое имя в KANALOG_NODE.`,
  nodeRuns: ({ node }) =>
    `${node} работал в последние 10 секунд: остановите его и повторите через 10 секунд.`,
  noNode: ({ node }) => `В кластере нет узла с именем ${node}.`,
  fileIsCopy: "Этот файл — уже копия кластера.",
  restoreOnNode:
    "Файл узла — копия кластера: сделайте её заново командой `kanalog cluster rebuild` или восстановите PostgreSQL из его резервной копии.",
  clocksDiffer: ({ seconds }) =>
    `Часы этой машины ${seconds < 0 ? "отстают от часов" : "опережают часы"} PostgreSQL на ${Math.abs(seconds)} с: синхронизируйте и те и другие с сервером времени.`,
  foreignSchema:
    "В базе KANALOG_CLUSTER есть схема kanalog, которая не относится к кластеру: укажите другую базу.",
  copyExists: ({ file }) => `${file} уже есть.`,
  usageDiffers: ({ file, cluster }) =>
    `Единиц расхода в кластере было бы ${cluster}, а в файле их ${file}. Ничего не изменено.`,
  databaseOfOtherProgram: "Этот файл — база другой программы.",
  databaseOfOtherShape: ({ version, reason }) =>
    `Версия схемы базы — ${version}, но таблицы в ней другие (${reason}): её создала невыпущенная версия, и обновить её эта программа не может. Ничего не изменено. Пользуйтесь программой, которая её создала, или выгрузите ею данные и загрузите их в новую базу.`,
  newerDatabase: ({ version, known }) => `Версия схемы базы — ${version}, ${takeNewer(known)}`,
  newerFile: ({ file, version, known }) => `Версия схемы ${file} — ${version}, ${takeNewer(known)}`,
  olderFile: ({ file, version, known }) =>
    `Версия схемы ${file} — ${version}, этой программы — ${known}: следующий запуск её обновит.`,
  copyFailed: ({ path, reason }) => `Не удалось записать копию ${path}: ${reason}.`,
  fileExists: ({ path }) => `Файл ${path} уже есть.`,
  fileIsDatabase: ({ file }) => `${file} — сама база.`,
  databaseInUse: ({ path }) => `${path} открыта другим процессом: сначала остановите его.`,
  cannotLock: ({ path, reason }) => `Не удалось заблокировать ${path}: ${reason}.`,
  cannotTellUse: ({ path, companions }) =>
    `${path} повреждена так, что нельзя узнать, открыта ли она другим процессом. Остановите сервер, ` +
    `уберите файл вместе с ${companions.join(", ")} и восстановите ещё раз.`,
  cannotTellStaff: ({ reason, mail }) => `${reason} Написать службе не удалось: ${mail}`,
  secretFileUnusable: ({ path, reason }) =>
    `Не удалось прочитать или создать секрет ${path}: ${reason}.`,
  secretFileMissing: ({ path }) =>
    `Нет файла секрета ${path}, которым расшифровываются секреты подписи вебхуков. Верните его или ` +
    "задайте его текст в KANALOG_SECRET. Если он потерян, задайте в KANALOG_SECRET новый текст: " +
    "следующий запуск сообщит, что делать с каждым вебхуком.",
  secretsUnreadable: ({ secret, webhooks }) =>
    `Секреты подписи этих вебхуков зашифрованы не тем секретом, что сейчас в ${secret}: ` +
    `${webhooks.join(", ")}. Задайте прежний. Если он потерян, отключите каждый (kanalog webhook ` +
    "disable W), запустите сервер, попросите владельца сменить секрет и включите вебхук снова " +
    "(kanalog webhook enable W).",

  passwordMailSubject: "Новый пароль для Kanalog",
  passwordMail:
    "Кто-то, вероятно вы, запросил новый пароль. Задайте его по ссылке: она действует один раз, в течение трёх дней. Если это были не вы, ничего не делайте.",
  signUpSubject: "Ваш аккаунт в Kanalog",
  signUpMail:
    "Кто-то, вероятно вы, запросил аккаунт. Создайте его по ссылке: она действует один раз, в течение суток. Если это были не вы, ничего не делайте.",
  signUpKnown:
    "Кто-то, вероятно вы, запросил аккаунт на этот адрес, но он уже есть. Войдите по ссылке; там же можно сменить забытый пароль. Если это были не вы, ничего не делайте.",
  invitationSubject: ({ organization }) => `Приглашение: ${organization}`,
  invitation: ({ organization, inviter }) =>
    `${inviter} приглашает вас в организацию «${organization}». Войдите по ссылке.`,
  // The English part of the subject names the organization.
  webhookDisabledSubject: ({ id }) => `Вебхук ${id} отключён`,
  webhookDisabledMail: ({ id, organization }) =>
    `За сутки не удалась ни одна доставка вебхука ${id} организации «${organization}», и он ` +
    "отключён: новые посты на него не отправляются. Когда приёмник снова заработает, " +
    "проверьте его пробной доставкой и включите вебхук на странице ключей или методом PATCH.",
  sourceSilentSubject: ({ name }) => `Источник ${name} молчит`,
  sourceSilentMail:
    "Из него ничего не приходило три промежутка подряд; попытки продолжаются. Последняя ошибка — ниже, " +
    "а также в консоли службы в разделе «Источники» или командой kanalog source list. Следующее письмо " +
    "придёт только после того, как он снова заработает.",
  quotaMailSubject: ({ percent }) => `Использовано ${percent} % квоты`,
  quotaMail: ({ organization, percent }) =>
    `Организация «${organization}» использовала ${percent} % единиц своего периода. Когда они ` +
    "закончатся, платные запросы будут отклоняться до начала следующего периода. Когда это случится " +
    "при таком расходе, видно на обзоре. Более высокий тариф начинает действовать сразу.",
  quotaOverMail: ({ organization }) =>
    `Организация «${organization}» использовала все единицы своего периода: платные запросы ` +
    "отклоняются до начала следующего. Более высокий тариф начинает действовать сразу.",
  requestUnits: "Единиц в периоде",
  periodEnd: "Конец периода",
  backupFailedSubject: "Резервная копия не записана",
  backupFailedMail:
    "Не удалось записать ежедневную резервную копию базы. Прежние копии целы. Проверьте место на " +
    "диске и права на папку; следующая попытка — завтра в 04:00 по Москве, или сразу: страница " +
    "заданий в консоли службы, либо kanalog backup FILE.",
  address: "Адрес",
  folder: "Папка",
  lastError: "Ошибка",
  lastSuccess: "Последний успех",
  reason: "Причина",
  time: "Время",

  operatorKeyNeeded: "Нужен ключ API оператора: Authorization: Bearer knl_op_….",
  operatorKeyUnknown: "Это не ключ оператора этого сервера.",
  operatorKeyMayNot: ({ ability }) =>
    `Ключу это не разрешено: его надо создать с --can ${ability}.`,
  addressThrottled: "С этого адреса запрошено слишком много; попробуйте чуть позже.",
  operatorKeyThrottled: "С этого адреса пришло слишком много неверных ключей; попробуйте позже.",
  idempotencyKeyTooLong: ({ characters }) => `Idempotency-Key: от 1 до ${characters} символов.`,
  idempotencyKeyOfOther: "За последние сутки с этим Idempotency-Key приходил другой запрос.",
  idempotencyInProgress: "Запрос с этим Idempotency-Key ещё выполняется.",
  idempotencyAnswerLost:
    "Запрос с этим Idempotency-Key выполнен, но ответ потерян: посмотрите, что он создал.",
  planEndGone: ({ ended }) => `У тарифа больше нет срока. Раньше он кончался ${ended}.`,
  organizationNamesakes: ({ numbers }) =>
    `Организаций с таким названием несколько, командам нужны номера: ${numbers.join(", ")}.`,
  organizationOwnerless:
    "Теперь у организации нет владельца: назначьте его командой `kanalog member role`.",
  noneNamed: ({ kind, name }) => `Нет объекта «${kind}» с именем ${name}.`,
  severalNamed: ({ name, all }) => `${name} — это несколько; укажите номер: ${all}.`,
  giveOneOf: ({ names }) => `Укажите хотя бы одно из: ${names.join(", ")}.`,

  verbatim: ({ text }) => text,
};

function numbers({ channels, more }: { channels: readonly number[]; more: number }): string {
  return channels.join(", ") + (more > 0 ? ` и ещё ${more}` : "");
}

const MEND_AND_REPEAT = "Исправьте это и загрузите файл снова: ничего из него не загружено.";

function takeNewer(known: number): string {
  return `эта программа поддерживает версии до ${known}. Используйте более новую программу, которая её записала.`;
}
