import type { PlanNames } from "../plan-names.ts";

export const planNames: PlanNames = {
  test: "Test",
  start: "Start",
  growth: "Growth",
  profi: "Profi",
};

const FORMAT_NAMES: Record<string, string> = { csv: "CSV", ndjson: "NDJSON", json: "JSON" };
const SEPARATOR_NAMES: Record<string, string> = {
  ...{ ",": "commas", ";": "semicolons", "\t": "tabs" },
};

/**
 * English messages of the API, the commands and the log. A message with values is a function of them; every
 * other language has the same codes.
 */
export const en = {
  // Fields: the sentences are those of Django REST Framework.
  required: "This field is required.",
  notNull: "This field may not be null.",
  unknownField: "There is no such field.",
  blank: "This field may not be blank.",
  notText: "Not a valid string.",
  notUtf8: "This value is not valid UTF-8.",
  nullCharacters: "Null characters are not allowed.",
  controlCharacters: "Control characters are not allowed.",
  tooShort: ({ characters }: { characters: number }) =>
    `Ensure this field has at least ${characters} characters.`,
  tooLong: ({ characters }: { characters: number }) =>
    `Ensure this field has no more than ${characters} characters.`,
  notInteger: "A valid integer is required.",
  tooSmall: ({ minimum }: { minimum: number }) =>
    `Ensure this value is greater than or equal to ${minimum}.`,
  tooLarge: ({ maximum }: { maximum: number }) =>
    `Ensure this value is less than or equal to ${maximum}.`,
  outOfRange: ({ minimum, maximum }: { minimum: number; maximum: number }) =>
    `Enter a whole number from ${minimum} to ${maximum}.`,
  notFlag: "Must be a valid boolean.",
  notChoice: ({ given }: { given: string }) => `"${given}" is not a valid choice.`,
  notChoiceOf: ({ given, options }: { given: string; options: readonly string[] }) =>
    `"${given}" is not a valid choice. Allowed: ${options.join(", ")}.`,
  chooseOption: "Choose one of the options.",
  unknownSlug: ({ slug }: { slug: string }) => `Object with slug=${slug} does not exist.`,
  notDay: "Date has wrong format. Use one of these formats instead: YYYY-MM-DD.",
  notDaySuchAs: ({ example }: { example: string }) => `Enter a day such as ${example}.`,
  dayIsOver: "The day is over already.",
  notList: ({ type }: { type: string }) => `Expected a list of items but got type "${type}".`,
  notObject: ({ type }: { type: string }) =>
    `Invalid data. Expected a dictionary, but got ${type}.`,
  emptyList: "This list may not be empty.",
  tooManyItems: ({ items }: { items: number }) =>
    `Ensure this field has no more than ${items} elements.`,
  moreFaults: ({ count }: { count: number }) =>
    count === 1 ? "There is 1 more fault." : `There are ${count} more faults.`,

  // Methods.
  notFound: ({ thing, name }: { thing: Thing; name?: string | number | undefined }) => {
    const [unnamed, named] = THINGS[thing];
    return `${name === undefined ? unnamed : `${named} ${name}`} was not found.`;
  },
  givenNotFound: ({ field, thing }: { field: string; thing: Thing }) =>
    `${field}: ${THINGS[thing][0]} was not found.`,
  invalidCursor: "Invalid cursor.",
  cursorOfOtherList: ({ names }: { names: readonly string[] }) =>
    `The cursor was made with another ${names.join(" and ")}: leave ${names.length === 1 ? "that" : "those"} out, or begin again without a cursor.`,
  unknownFields: ({ given, known }: { given: string; known: readonly string[] }) =>
    `"${given}" is not a field. Fields: ${known.join(", ")}.`,
  periodTooLong: ({ days }: { days: number }) => `Ensure the period is at most ${days} days.`,
  periodBackwards: "The period ends before it starts.",
  tooManyCells: ({ cells }: { cells: number }) => `Ensure channels times days is at most ${cells}.`,
  notChannelQuery: "Enter a messenger link, an @handle or a messenger channel ID.",
  nothingToSearch: "Give at least one word to search for; exclusions and signs alone find nothing.",
  tooManyBeginnings: ({ most }: { most: number }) =>
    `Give at most ${most} beginnings (\`word*\`); write the others as whole words.`,
  tooManyAlike:
    "Too many of the posts have about as many views: narrow the search by more words, `from` and `to`, or other filters.",
  postSearchOff: "Post search is switched off on this appliance.",
  postSearchBuilding: ({ percent }: { percent: number }) =>
    `The index of post search is being built (${percent} %). All else works meanwhile; retry later.`,
  nothingToChange: "Give at least one of url, channels, is_active.",
  readWriteKeyNeeded: "This needs a key marked read and write.",
  managerKeyNeeded: "This needs a key of an owner or administrator.",
  methodNotIncluded: ({ plan }: { plan: string }) =>
    `The plan ${plan} does not include this method.`,
  historyNotIncluded: ({ plan, days, from }: { plan: string; days: number; from: string }) =>
    `The plan ${plan} covers the last ${days} days, from ${from} on.`,
  rateLimited: ({ requests }: { requests: number }) =>
    `The plan allows ${requests} ${requests === 1 ? "request" : "requests"} per second.`,
  messagesLimited: ({ messages }: { messages: number }) =>
    `An organization may send ${messages} protocol messages per second.`,
  quotaExceeded: ({ requests }: { requests: number }) =>
    `The ${requests} requests of the period have run out.`,
  keyNeeded: "Send an API key in the header `Authorization: Bearer <API_KEY>`.",
  keyUnknown: "There is no such API key.",
  keyNotWhole: "This is not a whole API key: check that it was copied without a mistake.",
  keyRevoked: "This API key was revoked.",
  keyExpired: "This API key has expired.",
  tokenUnknown: "There is no such access token: ask for another.",
  tokenExpired: "This access token has expired: refresh it.",
  keyOfSuspended: "The member of this API key is suspended.",
  keyOfArchived: "The organization of this API key is archived.",

  // Requests.
  internal: "The server failed to answer this request. Its X-Request-Id finds it in the log.",
  storageUnavailable: "The storage cannot do this at present.",
  clockWrong: "The server's clock was changed: nothing can be counted until it is right.",
  databaseTimeSpent: ({ ms }: { ms: number }) =>
    `Your organization's queries have used up their time: the plan includes ${ms} ms of database time per second. Send fewer of them, or narrower ones.`,
  lockTimeSpent: ({ ms }: { ms: number }) =>
    `Your organization's changes have used up their time: the plan includes ${ms} ms of writing per second. Send fewer of them, or smaller ones.`,
  ownQueueLong:
    "Your organization's earlier queries are still running. Send fewer of them at once, or narrower ones.",
  givenUp: ({ minutes }: { minutes: number }) =>
    `It had not ended after ${minutes} minutes, and was given up.`,
  readTooSlowly:
    "Less than 64 KB a second was read over a minute. Continue after the last row that arrived.",
  queryTimeout: "The database query took too long. Retry later, or narrow the selection.",
  stopping: "The server is stopping.",
  methodNotAllowed: ({ verb }: { verb: string }) => `Method "${verb}" not allowed.`,
  originNotAllowed: "Pages of this origin may not use the MCP server.",
  bodyNotSentAsJson: "Send the body as JSON, with the header `Content-Type: application/json`.",
  bodyNotJson: "The body is not valid JSON in UTF-8.",
  bodyNotTaken: "This request takes no body.",
  bodyTooLarge: ({ kib }: { kib: number }) =>
    `The body is larger than ${kib >= 1024 ? `${kib / 1024} MiB` : `${kib} KiB`}.`,
  bodyTooDeep: ({ levels }: { levels: number }) =>
    `The body is nested deeper than ${levels} levels.`,
  bodyTooManyTexts: ({ count }: { count: number }) => `The body has more than ${count} texts.`,
  bodyTooManyContainers: ({ count }: { count: number }) =>
    `The body has more than ${count} objects and lists.`,
  bodyTooManyMembers: ({ count }: { count: number }) => `The body has more than ${count} members.`,
  bodyTooManyItems: ({ count }: { count: number }) => `The body has more than ${count} items.`,
  bodyCutByStop: "The server stopped before the body's end.",
  bodyCut: "The connection was closed before the body's end.",

  // Pages and forms.
  pageTakesNoForm: "This page does not accept forms.",
  formGone: "This form no longer exists.",
  formOfElsewhere: "Forms are accepted only from the appliance's own pages.",
  formTooLarge: "The form is too large.",
  formUnreadable: "The form could not be read.",
  fileNotStored: "The file cannot be stored at the moment.",
  noHost: "The Host header does not name a host.",
  passwordsWaiting: "Too many passwords are waiting to be checked. Try again in a few seconds.",
  networkWaiting: "Too many requests from your network are waiting. Try again in a few seconds.",

  // People.
  notEmail: "Enter a valid email address.",
  memberAlready: ({ email }: { email: string }) =>
    `${email} is already a member of this organization.`,
  wrongPassword: "This is not your current password.",
  nameInPassword:
    "The password must not contain the name in your email address, or the word Kanalog.",
  commonPassword: "This password is among the first that attackers try. Choose another.",
  lastStaff: ({ email }: { email: string }) => `${email} is the last member of staff.`,

  // Webhooks.
  notHttpsAddress: "Enter a valid https:// address.",
  wrongPort: "Use port 443, or one above 1023.",
  userInAddress: "A user name or password in the address is not allowed.",
  addressRefused:
    "Enter an address on the internet: this one does not exist, or is of a private network.",
  unknownChannels: ({ channels, more }: Numbers) =>
    `There are no public channels with the numbers ${numbers({ channels, more })}.`,
  tooManyChannels: ({ max, channels, more }: { max: number } & Numbers) =>
    `Ensure this field has no more than ${max} elements. Leave out: ${numbers({ channels, more })}.`,
  webhookChannelsNotIncluded: ({
    plan,
    included,
    channels,
  }: {
    plan: string;
    included: number;
    channels: number;
  }) => `The plan ${plan} includes ${included} channels a webhook; this one has ${channels}.`,
  webhooksNotIncluded: ({
    plan,
    included,
    existing,
  }: {
    plan: string;
    included: number;
    existing: number;
  }) =>
    `The plan ${plan} includes ${included} ${included === 1 ? "webhook" : "webhooks"}; there are ${existing}.`,
  alertsNotIncluded: ({
    plan,
    included,
    existing,
  }: {
    plan: string;
    included: number;
    existing: number;
  }) =>
    `The plan ${plan} includes ${included} ${included === 1 ? "alert" : "alerts"}; there are ${existing}.`,
  nothingToMatch: "Give at least one word that posts are to have.",
  unknownChannel: "There is no such public channel.",
  alertUnchanged: "Give at least one field to change.",
  disabledByStaff: "The webhook was disabled by staff: contact support.",
  secretUnreadable: "The signing secret cannot be read any more: rotate it first.",
  secretUnreadableOfOwner:
    "The signing secret cannot be read any more: have its owner rotate it first.",
  testedJustNow: "A webhook is tested at most once a minute.",
  hostHadEnough: ({ attempts }: { attempts: number }) =>
    `At most ${attempts} pings and resends a minute go to one host.`,
  webhookDisabled: "The webhook is disabled: enable it first.",
  pingNotResent: "A ping is not sent again: test the webhook.",
  attemptUnderWay: "An attempt of this delivery is under way.",
  eventTooOld: "The event is older than two days.",
  eventBodyGone: "The event's content is no longer stored.",
  webhookBusy: "Too many attempts of this webhook are under way.",
  deliveriesBusy: "Too many deliveries are being tried at this moment.",
  organizationBusy: ({ deliveries }: { deliveries: number }) =>
    `At most ${deliveries} deliveries are tried at once.`,

  // Outcomes of a delivery attempt.
  receiverTimeout: "The receiver did not answer within 10 seconds.",
  receiverUnreachable: "The receiver could not be reached.",
  receiverCertificate: "The receiver's certificate is not valid for this address.",
  receiverBroken: "The receiver did not answer with a proper HTTP answer over HTTPS.",
  receiverUnresolved: "The name of the receiver could not be resolved.",
  attemptUnsigned: "The signing secret cannot be read; rotate it.",
  receiverAnswered: ({ status }: { status: number }) => `The receiver answered ${status}.`,

  // Rows of imports.
  requiredForNewChannel: "This field is required for a new channel.",
  maybeThousands: ({ given, count }: { given: string; count: string }) =>
    `A valid integer is required. The separator in ${given} may be a decimal one: if it separates thousands, write ${count}.`,
  notNumber: "A valid number is required.",
  giveAsString: "Give it as a string.",
  notPostId: ({ maximum }: { maximum: string }) =>
    `Enter a whole number from 0 to ${maximum}, or a message id of MAX, such as mid.… with 16 hexadecimal digits at its end.`,
  inFuture: "This is more than 5 minutes in the future.",
  notSlug: "Enter a code of lower-case letters, digits, hyphens and underscores.",
  noCategory: "There is no category with this code or name.",
  noTerritory: "There is no territory with this code or name.",
  nameOfSeveral: ({ codes }: { codes: readonly string[] }) =>
    `Several entries have this name. Give one of the codes: ${codes.join(", ")}.`,
  notSlugItem: ({ given }: { given: string }) => `"${given}" is not a code.`,
  notInstant: "Datetime has wrong format. Use ISO 8601 with an offset or Z, 1970 to 9999.",
  notAddress: "Enter a valid URL.",
  notChannel: "Enter a service number, an @handle or a link.",
  noChannelOfMessenger: ({ messengerId }: { messengerId: string }) =>
    `There is no channel with messenger id ${messengerId}.`,
  twoChannels: ({ channel, other }: { channel: number; other: number }) =>
    `The columns name two channels: channel is ${channel}, channel_msgr_id is ${other}.`,
  numberOfRemovedChannel: ({ channel }: { channel: number }) =>
    `Channel ${channel} was merged or deleted, and its number is not reused.`,
  removedByCommand: "Channels can be removed only with `kanalog channel delete` and `merge`.",
  handleMoved: ({ handle, from, to }: { handle: string; from: number; to: number }) =>
    `@${handle} moved from channel ${from} to channel ${to}.`,
  moreHandlesMoved: ({ handles }: { handles: number }) =>
    `… and ${handles} more handles moved to other channels.`,
  mergedIntoItself: "A channel cannot be merged into itself.",
  notMessengerId: "Enter a whole number from -9223372036854775808 to 9223372036854775807.",
  noChannel: ({ channel }: { channel: number | string }) => `There is no channel ${channel}.`,
  channelNotNamed: "Give id, msgr_id or handle.",
  postNotNamed: "Give id, or channel and msgr_post_id.",
  numberOfChannel: ({ channel }: { channel: number }) =>
    `Channel ${channel} already has this number.`,
  numberOfPost: ({ post }: { post: number }) =>
    `Post ${post} of the channel already has this number.`,
  reservedHandle: ({ handle }: { handle: string }) => `"${handle}" is an address of the API.`,
  notHandle:
    "Enter a handle: up to 64 letters, digits, underscores, dots and hyphens, not digits alone.",
  idChanged: ({ slug, id }: { slug: string; id: number }) =>
    `The id of ${slug} is ${id} and does not change.`,
  idTaken: ({ id, holder }: { id: number; holder: string }) => `The id ${id} belongs to ${holder}.`,
  parentNeeded: ({ kind }: { kind: string }) => `A ${kind} needs a parent.`,
  wrongParent: ({ kind, above }: { kind: string; above: string }) =>
    `A ${kind} cannot be part of a ${above}.`,
  wrongChild: ({ kind, below, slug }: { kind: string; below: string; slug: string }) =>
    `A ${kind} cannot contain the ${below} ${slug}.`,
  imageNotAddress: ({ example }: { example: string }) =>
    `In an uploaded file, give an image as a web address, such as ${example}.`,
  noImageFile: ({ file }: { file: string }) => `There is no image file ${file}.`,
  imageTooLarge: ({ file, bytes }: { file: string | null; bytes: number }) =>
    `${file ?? "The image"} is larger than ${bytes} bytes.`,
  imageNotWebp: ({ file }: { file: string | null }) =>
    `${file ?? "The image"} is not a WebP image.`,
  imageTooWide: ({
    file,
    width,
    height,
    side,
  }: {
    file: string | null;
    width: number;
    height: number;
    side: number;
  }) =>
    `${file ?? "The image"} has ${width} x ${height} pixels; each side may have at most ${side}.`,
  otherNumberOfCells: "The row and the header have different numbers of cells.",
  quoteInCell: "An unquoted cell contains a quote: quote the cell and double the quote inside it.",
  columnTwiceInRow: ({ column }: { column: string }) => `The row has the column ${column} twice.`,
  importChannelsFirst: "Import channels first.",
  lineNotJson: "The line is not JSON.",
  lineNotObject: "The line is not a JSON object.",
  unknownColumns: ({ columns }: { columns: readonly string[] }) =>
    `Unknown columns: ${columns.join(", ")}.`,

  // Files of imports.
  noFile: ({ path }: { path: string }) => `There is no file ${path}.`,
  isFolder: ({ path }: { path: string }) => `${path} is a directory, not a file.`,
  fileNotUtf8: ({ file, line }: { file: string; line: number }) =>
    `${file} is not UTF-8 (line ${line}).`,
  fileNotUtf16: ({ file, line }: { file: string; line: number }) =>
    `${file} is not valid UTF-16, although its byte order mark says so (line ${line}).`,
  readAsWindows1251:
    "The file is not UTF-8 and was read as Windows-1251. If letters are wrong, save it as UTF-8.",
  recognizedFile: ({
    format,
    separator,
    encoding,
    compression,
    from,
    timezone,
  }: {
    format: string;
    separator: string | null;
    encoding: string;
    compression: string | null;
    from: string | null;
    timezone: string;
  }) =>
    `Read as ${from === null ? FORMAT_NAMES[format] : `${from} (${FORMAT_NAMES[format]})`}, ` +
    `${separator === null ? "" : `separated by ${SEPARATOR_NAMES[separator]}, `}` +
    `${encoding}, ${compression === null ? "" : `${compression}, `}times without an offset are in ${timezone}.`,
  recognizedNames: ({ names }: { names: readonly string[] }) => `Columns: ${names.join(", ")}.`,
  ignoredColumns: ({ columns }: { columns: readonly string[] }) =>
    `Columns ignored, because there is no field for them: ${columns.join(", ")}.`,
  excelFile: ({ file }: { file: string }) =>
    `${file} is an Excel file or a ZIP archive. In Excel: File, Save As, "CSV UTF-8"; unpack an archive.`,
  databaseFile: ({ file }: { file: string }) =>
    `${file} is an SQLite database, not a table of rows.`,
  pdfFile: ({ file }: { file: string }) => `${file} is a PDF, not a table of rows.`,
  packedFileDamaged: ({ file, compression }: { file: string; compression: string }) =>
    `${file} is damaged or truncated: it cannot be unpacked (${compression}). ${MEND_AND_REPEAT}`,
  packedFileTooLarge: ({ file, gigabytes }: { file: string; gigabytes: number }) =>
    `${file} unpacks to more than ${gigabytes} GiB.`,
  otherKind: ({
    kind,
    other,
    columns,
  }: {
    kind: string;
    other: string;
    columns: readonly string[];
  }) =>
    `The file has the columns of ${other} (${columns.join(", ")}), not of ${kind}. Import it as ${other}.`,
  mapToUnknown: ({ column, known }: { column: string; known: readonly string[] }) =>
    `There is no column ${JSON.stringify(column)} to map to. Known: ${known.join(", ")}.`,
  isChatExport: ({ from }: { from: string }) =>
    `The file is an export of messages. Import it with --from ${from}.`,
  notForeign: ({ from }: { from: string }) => `The file has no messages in the format of ${from}.`,
  foreignKind: ({ from, kinds }: { from: string; kinds: readonly string[] }) =>
    `Files of ${from} contain only ${kinds.join(" and ")}.`,
  jsonBroken: ({ line }: { line: number }) => `Line ${line}: this is not JSON. ${MEND_AND_REPEAT}`,
  jsonCutOff: ({ line }: { line: number }) =>
    `Line ${line}: the JSON ends in the middle. ${MEND_AND_REPEAT}`,
  valueTooLong: ({ line, characters }: { line: number; characters: number }) =>
    `Line ${line}: a value is longer than ${characters} characters. ${MEND_AND_REPEAT}`,
  valueTooDeep: ({ line, levels }: { line: number; levels: number }) =>
    `Line ${line}: a value is nested deeper than ${levels} levels. ${MEND_AND_REPEAT}`,
  noHeader: "The file has no complete header: its first line must name the columns.",
  unknownColumnsInHeader: ({
    unknown,
    known,
  }: {
    unknown: readonly string[];
    known: readonly string[];
  }) =>
    `The header has unknown columns: ${unknown.map((name) => JSON.stringify(name)).join(", ")}. ` +
    `Known: ${known.join(", ")}.`,
  columnTwice: ({ column }: { column: string }) => `The header has the column ${column} twice.`,
  lineTooLong: ({ line, characters }: { line: number; characters: number }) =>
    `Line ${line}: the line is longer than ${characters} characters. ${MEND_AND_REPEAT}`,
  rowTooLong: ({ line, characters }: { line: number; characters: number }) =>
    `Line ${line}: the row is longer than ${characters} characters; is a quote not closed? ${MEND_AND_REPEAT}`,
  quoteNotClosed: ({ line }: { line: number }) =>
    `Line ${line}: a quote is never closed. ${MEND_AND_REPEAT}`,
  quoteNotDoubled: ({ line }: { line: number }) =>
    `Line ${line}: a quote within a quoted cell must be doubled. ${MEND_AND_REPEAT}`,
  nothingToReplaceBy: "The file has no rows: replacing with it would remove everything.",
  nothingRemoved: "Nothing was removed, because rows were rejected.",
  staysForChannels: ({ slug }: { slug: string }) => `${slug} stays, because it contains channels.`,
  staysForTerritories: ({ slug }: { slug: string }) =>
    `${slug} stays, because it contains other territories.`,
  firstRowsRejected: ({ rows }: { rows: number }) =>
    `All of the first ${rows} rows were rejected, so the rest was not read. Correct the file, or import it with other options.`,
  directoryTooLarge: ({ rows }: { rows: number }) =>
    `The file has more than ${rows} rows, more than any directory.`,
  importFailed:
    "The import failed; the appliance's log says why. The rows read until then were imported.",
  importInterrupted:
    "The import was interrupted. Run it again: rows already imported stay as they are.",

  // Sources.
  scheduleWrong:
    "Enter an interval from 1m to 31d, such as 15m, 6h or 1d, or a cron pattern of five fields in Moscow time.",
  timeLimitWrong: "Enter a time from 1m to 31d, such as 90m, 6h or 1d.",
  sourceOfBot: ({ name }: { name: string }) =>
    `${name} is a bot: only files have a time limit of their own.`,
  sourceNameWrong: ({ characters }: { characters: number }) =>
    `Enter a name of at most ${characters} characters that is not a number.`,
  sourceNameTaken: ({ name }: { name: string }) => `There is already a source ${name}.`,
  sourceRuns: ({ name }: { name: string }) => `The source ${name} is running.`,
  sourceRunKilled:
    "The process that read this source ended in the middle of it; the run is repeated.",
  sourceAddressWrong:
    "Enter an https:// address; http:// is accepted only in the networks of KANALOG_SOURCE_ALLOW.",
  sourceRefused: ({ host }: { host: string }) =>
    `${host} is in a private network, or its address begins with http://. If the network is yours, add it to KANALOG_SOURCE_ALLOW.`,
  sourceNoSuchName: ({ host }: { host: string }) => `There is no host ${host}.`,
  sourceUnresolved: ({ host }: { host: string }) =>
    `The name ${host} could not be resolved: no name server answered.`,
  sourceSlow: ({ host }: { host: string }) =>
    `${host} sent less than 64 KB a second over a minute, and was given up.`,
  sourceTimeout: ({ host }: { host: string }) => `${host} sent nothing for a minute.`,
  sourceUnreachable: ({ host }: { host: string }) => `${host} did not accept the connection.`,
  sourceCertificate: ({ host }: { host: string }) =>
    `The certificate of ${host} is not valid for this name, or its issuer is not trusted here (KANALOG_WEBHOOK_CA).`,
  sourceBroken: ({ host }: { host: string }) =>
    `${host} closed the connection before the end of its response.`,
  sourceTooLarge: ({ gigabytes }: { gigabytes: number }) =>
    `The file is larger than ${gigabytes} GiB.`,
  sourceStatus: ({ status }: { status: number }) =>
    `The server answered with ${status} instead of 200 and a file.`,
  sourceHtml:
    "The server answered with an HTML page instead of a file: does the address require signing in?",
  sourceRedirected: ({ host }: { host: string }) =>
    `The address redirects to another host, ${host}. If you trust that host, give the address there.`,
  sourceRedirects: ({ redirects }: { redirects: number }) =>
    `The address redirects more than ${redirects} times.`,
  sourceFolder: ({ folder }: { folder: string }) => `The folder ${folder} cannot be read.`,
  sourceAllRejected: ({ rows }: { rows: number }) =>
    `All rows (${rows}) were rejected; the reasons are listed with the source. Correct the file, or add the source again with other options. It is tried again until some rows are accepted.`,
  sourceSecret:
    "Its headers were encrypted with another KANALOG_SECRET: remove the source and add it again.",
  sourceAnswerTooLarge: ({ host }: { host: string }) => `${host} answered with more than 10 MB.`,
  sourceClock:
    "A post is dated more than 5 minutes ahead of this machine's clock. Correct the clock; the post will be read again.",
  botTokenWrong:
    "The messenger does not know this token. Copy all of it, or create a new one and add the source again.",
  botTokenShape: ({ example }: { example: string }) =>
    `This is not a token. A token looks like ${example}; copy all of it, and nothing else.`,
  botSecret:
    "Its token was encrypted with another KANALOG_SECRET: remove the source and add it again.",
  botTokenMissing: "Enter the bot's token.",
  botTaken: ({ name }: { name: string }) =>
    `The source ${name} already reads this bot. The messenger gives a bot's posts to one reader only.`,
  botPolledElsewhere:
    "Another program reads this bot's updates. Stop it, or create a new token and add the source again: the other program then gets nothing with the old one.",
  botHasWebhook:
    "Another program receives the bot's updates at its own address (a webhook). Remove the webhook there, with deleteWebhook; then this source can read.",
  botAnswerWrong:
    "This is not an answer of the messenger's API. Is the address of the API correct?",
  botRefused: ({ status, description }: { status: number; description: string }) =>
    `The messenger refused: ${status} ${description}`.trimEnd(),
  botNotInChannel:
    "The bot may not read this channel: it was removed, or it is not an administrator who may read messages.",
  botPartlyUnderstood:
    "Some of its messages have an unknown form. The others are read, but no post is marked as deleted until all can be read: look for a newer version of Kanalog.",
  botPushedElsewhere:
    "MAX sends this bot's updates to another program (a subscription), so new channels cannot be found. End the subscription there. Known channels are still read.",
  pushesOfMaxOnly: "Only MAX can push updates.",
  pushesNeedHttps:
    "MAX pushes updates only over https, to port 443: set KANALOG_BASE_URL to such an address.",

  // Exports.
  exportWithoutDays: "Only stats and posts can be limited to a period.",
  exportWithoutChannel: "Only channels, stats and posts can be limited to a channel.",
  notChannelOfExport: "Enter a service number, an @handle or a link of the messenger.",
  rawWithoutCsv: "Only CSV protects texts from spreadsheets: leave this option out for NDJSON.",
  mentionsBeingBuilt: ({ percent }: { percent: number }) =>
    `Mentions are being taken out of posts that were stored before this version: ${percent} % are done.`,
  exportsUnderWay: ({ exports }: { exports: number }) =>
    `An organization may have ${exports} exports under way: wait for the end of one.`,
  exportUnderWay: "Another export is running: wait until it ends.",

  // Files of the appliance, for its operator.
  cannotListen: ({ place, reason }: { place: string; reason: string }) =>
    `Cannot listen on ${place}: ${reason}.`,
  hostNotHere: ({ place, host }: { place: string; host: string }) =>
    `Cannot listen on ${place}: ${host} is not an address of this machine. Set --host or KANALOG_HOST to one of its addresses, such as 127.0.0.1, or to 0.0.0.0 for all of them.`,
  portNeedsRight: ({ place }: { place: string }) =>
    `Cannot listen on ${place}: ports below 1024 need a special right. Set --port or KANALOG_PORT to a higher one and put a proxy in front, or give the process the capability CAP_NET_BIND_SERVICE.`,
  portTaken: ({ place, free }: { place: string; free: number }) =>
    `Cannot listen on ${place}: another program uses it. Port ${free} is free: add --port ${free}.`,
  noDatabase: ({ path }: { path: string }) => `There is no database ${path}.`,
  cannotOpenDatabase: ({ path, reason }: { path: string; reason: string }) =>
    `Cannot open the database ${path}: ${reason}.`,
  databaseDamaged: ({ path, damages }: { path: string; damages: readonly string[] }) =>
    `${path} is damaged: ${damages.join("; ")}.`,
  notOurDatabase: ({ path }: { path: string }) => `${path} is not a database of Kanalog.`,
  notDatabase: ({ path }: { path: string }) =>
    `${path} is not a database, or its beginning is damaged.`,
  databaseUnreadable: ({ path, reason }: { path: string; reason: string }) =>
    `${path} cannot be read: ${reason}.`,
  copyWithoutCluster: ({ file }: { file: string }) =>
    `${file} is a copy of a cluster's data: set KANALOG_CLUSTER, or make it independent with \`kanalog cluster leave\`.`,
  noCopy: ({ file }: { file: string }) =>
    `${file} is not a copy of the cluster at KANALOG_CLUSTER: create one in a new file with \`kanalog cluster join\`.`,
  otherCluster: ({ file }: { file: string }) =>
    `${file} is a copy of another cluster than the one at KANALOG_CLUSTER: set the address of its own cluster, or create a copy of this one in a new file with \`kanalog cluster join\`.`,
  copyAhead: ({ file }: { file: string }) =>
    `${file} has changes that the cluster does not have, or lacks changes that the cluster no longer keeps: create it again with \`kanalog cluster rebuild\`.`,
  noCluster:
    "There is no cluster at KANALOG_CLUSTER yet: create it with `kanalog cluster init --from FILE`.",
  clusterExists: "There is already a cluster at KANALOG_CLUSTER.",
  clusterNotSet: "Set KANALOG_CLUSTER to the address of the cluster's PostgreSQL.",
  clusterSecretNeeded: "Set KANALOG_SECRET: all nodes of a cluster need the same one.",
  clusterSecretDiffers: "KANALOG_SECRET differs from the one that the cluster was created with.",
  nodeNameTaken: ({ node }: { node: string }) =>
    `Another node named ${node} ran within the last 10 seconds. If it has stopped, try again in 10 seconds; otherwise give this node another name with KANALOG_NODE.`,
  nodeRuns: ({ node }: { node: string }) =>
    `${node} ran within the last 10 seconds: stop it, and try again 10 seconds later.`,
  noNode: ({ node }: { node: string }) => `The cluster has no node named ${node}.`,
  fileIsCopy: "The file is already a copy of a cluster.",
  restoreOnNode:
    "A node's file is a copy of its cluster: create it again with `kanalog cluster rebuild`, or restore PostgreSQL from its own backup.",
  clocksDiffer: ({ seconds }: { seconds: number }) =>
    `This machine's clock is ${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} PostgreSQL's: synchronize both with a time server.`,
  foreignSchema:
    "The database at KANALOG_CLUSTER has a schema named kanalog that does not belong to a cluster: use another database.",
  copyExists: ({ file }: { file: string }) => `${file} already exists.`,
  usageDiffers: ({ file, cluster }: { file: number; cluster: number }) =>
    `The cluster would have ${cluster} units of usage and the file has ${file}: nothing was changed.`,
  databaseOfOtherProgram: "The file is another program's database.",
  databaseOfOtherShape: ({ version, reason }: { version: number; reason: string }) =>
    `The database says that its schema has version ${version}, but its tables differ (${reason}): it was created by an unreleased version, and this program cannot migrate it. Nothing was changed. Continue with the program that created it, or export the data with that program and import it into a new database.`,
  newerDatabase: ({ version, known }: { version: number; known: number }) =>
    `The database has schema version ${version}; ${takeNewerProgram(known)}`,
  newerFile: ({ file, version, known }: { file: string; version: number; known: number }) =>
    `${file} has schema version ${version}; ${takeNewerProgram(known)}`,
  olderFile: ({ file, version, known }: { file: string; version: number; known: number }) =>
    `${file} has schema version ${version}, and this program has ${known}: the next start migrates it.`,
  copyFailed: ({ path, reason }: { path: string; reason: string }) =>
    `Cannot write the copy ${path}: ${reason}.`,
  fileExists: ({ path }: { path: string }) => `The file ${path} already exists.`,
  fileIsDatabase: ({ file }: { file: string }) => `${file} is the database itself.`,
  databaseInUse: ({ path }: { path: string }) => `Another process uses ${path}: stop it first.`,
  cannotLock: ({ path, reason }: { path: string; reason: string }) =>
    `Cannot lock ${path}: ${reason}.`,
  cannotTellUse: ({ path, companions }: { path: string; companions: readonly string[] }) =>
    `${path} is so damaged that it is impossible to tell whether a process still uses it. Stop the server, ` +
    `move the file away with ${companions.join(", ")}, and restore again.`,
  cannotTellStaff: ({ reason, mail }: { reason: string; mail: string }) =>
    `${reason} Staff could not be told by mail: ${mail}`,
  secretFileUnusable: ({ path, reason }: { path: string; reason: string }) =>
    `Cannot read or create the secret ${path}: ${reason}.`,
  secretFileMissing: ({ path }: { path: string }) =>
    `The secret file ${path}, which decrypts the webhooks' signing secrets, is missing. Put it ` +
    "back, or set KANALOG_SECRET to its text. If it is lost for good, set KANALOG_SECRET to a new " +
    "text: the next start then says what to do about each webhook.",
  secretsUnreadable: ({ secret, webhooks }: { secret: string; webhooks: readonly number[] }) =>
    `The signing secrets of these webhooks were not encrypted with ${secret}: ` +
    `${webhooks.join(", ")}. Use the former secret. If it is lost, disable ` +
    "each webhook (kanalog webhook disable W), start, have its owner rotate the secret, and enable " +
    "it again (kanalog webhook enable W).",

  // Mails, which contain every language.
  passwordMailSubject: "A new password for Kanalog",
  passwordMail:
    "Somebody, probably you, asked for a new password. Choose it with this link, which works once, within three days. If it was not you, ignore this mail.",
  signUpSubject: "Your Kanalog account",
  signUpMail:
    "Somebody, probably you, asked for an account. Create it with this link, which works once, within a day. If it was not you, ignore this mail.",
  signUpKnown:
    "Somebody, probably you, asked for an account with this address, which already has one. Sign in with this link; you can also replace a forgotten password there. If it was not you, ignore this mail.",
  invitationSubject: ({ organization }: { organization: string }) => `Invitation: ${organization}`,
  invitation: ({ organization, inviter }: { organization: string; inviter: string }) =>
    `${inviter} invites you to join the organization ${organization}. Accept with this link.`,
  webhookDisabledSubject: ({ id, organization }: { id: number; organization: string }) =>
    `Webhook ${id} was disabled: ${organization}`,
  webhookDisabledMail: ({ id, organization }: { id: number; organization: string }) =>
    `No delivery of webhook ${id} of ${organization} succeeded for a day, so it was ` +
    "disabled: new posts are not sent to it. When the receiver works again, test it " +
    `with POST /v1/msgr/webhooks/${id}/test/ and enable the webhook on the page of API keys, or ` +
    `with PATCH /v1/msgr/webhooks/${id}/ {"is_active": true}. Posts are then sent from that moment.`,
  sourceSilentSubject: ({ name }: { name: string }) => `The source ${name} is silent`,
  sourceSilentMail:
    "Nothing has arrived from this source for three of its intervals; attempts continue. The last error is " +
    "below, in the staff console under Sources, and in kanalog source list. The next mail is sent only " +
    "after the source has worked again.",
  quotaMailSubject: ({ organization, percent }: { organization: string; percent: number }) =>
    `${percent} % of the quota is used: ${organization}`,
  quotaMail: ({ organization, percent }: { organization: string; percent: number }) =>
    `${organization} has used ${percent} % of the request units of its period. When all are used, ` +
    "requests that cost units are refused until the next period begins. The overview on the site shows when " +
    "that will be at the current pace. A higher plan takes effect at once.",
  quotaOverMail: ({ organization }: { organization: string; percent: number }) =>
    `${organization} has used all request units of its period: requests that cost units are refused until ` +
    "the next period begins. A higher plan takes effect at once.",
  requestUnits: "Request units of the period",
  periodEnd: "End of the period",
  backupFailedSubject: "The backup failed",
  backupFailedMail:
    "The daily backup of the database could not be written. Earlier backups are untouched. Check the " +
    "free disk space and the folder's permissions. The next attempt is tomorrow at 04:00 Moscow time; " +
    "to make a backup now, use the jobs page in the staff console, or kanalog backup FILE.",
  address: "Address",
  folder: "Folder",
  lastError: "Last error",
  lastSuccess: "Last success",
  reason: "Reason",
  time: "Time",

  /** Text already in its final form: a page's, in the visitor's language, or a former version's. */

  // The operator's API and verbs.
  operatorKeyNeeded: "Give a key of the operator's API: Authorization: Bearer knl_op_….",
  operatorKeyUnknown: "The key is not one of this appliance's operator.",
  operatorKeyMayNot: ({ ability }: { ability: string }) =>
    `The key may not do this; it would have to be made with --can ${ability}.`,
  addressThrottled: "Too much was requested from this address; try again in a moment.",
  operatorKeyThrottled: "Too many wrong keys came from this address; try again later.",
  idempotencyKeyTooLong: ({ characters }: { characters: number }) =>
    `Idempotency-Key: ensure it has 1 to ${characters} characters.`,
  idempotencyKeyOfOther: "This Idempotency-Key was sent with another request within a day.",
  idempotencyInProgress: "The request with this Idempotency-Key is still in progress.",
  idempotencyAnswerLost:
    "The request with this Idempotency-Key was carried out, but its answer was lost: look for what it made.",
  planEndGone: ({ ended }: { ended: string }) =>
    `The plan no longer has an end date. It used to end ${ended}.`,
  organizationNamesakes: ({ numbers }: { numbers: readonly number[] }) =>
    `Several organizations have this name, and commands need their numbers: ${numbers.join(", ")}.`,
  organizationOwnerless:
    "The organization has no owner now: appoint one with `kanalog member role`.",
  noneNamed: ({ kind, name }: { kind: string; name: string }) => `There is no ${kind} ${name}.`,
  severalNamed: ({ name, all }: { name: string; all: string }) =>
    `Several are called ${name}; give the number: ${all}.`,
  giveOneOf: ({ names }: { names: readonly string[] }) =>
    `Give at least one of ${names.join(", ")}.`,

  verbatim: ({ text }: { text: string }) => text,
};

/** Things that a request may name and that may not exist. */
export type Thing = keyof typeof THINGS;

/** Each thing as it is written without a name, and in front of one. */
const THINGS = {
  address: ["This address", "The address"],
  alert: ["The alert", "Alert"],
  channel: ["The channel", "Channel"],
  delivery: ["The delivery", "Delivery"],
  image: ["The image", "The image"],
  import: ["The import", "Import"],
  job: ["The job", "The job"],
  key: ["The key", "Key"],
  mailServer: ["A mail server", "The mail server"],
  member: ["The member", "Member"],
  number: ["This", "This"],
  object: ["This object", "Object"],
  organization: ["The organization", "Organization"],
  person: ["The person", "A person with the address"],
  post: ["The post", "Post"],
  setUpPage: ["The set-up page", "The set-up page"],
  source: ["The source", "Source"],
  webhook: ["The webhook", "Webhook"],
} as const;

/** Numbers of channels: some of them, and how many more there are. */
interface Numbers {
  channels: readonly number[];
  more: number;
}

function numbers({ channels, more }: Numbers): string {
  return channels.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const MEND_AND_REPEAT = "Correct it and import the file again: none of it was imported.";

function takeNewerProgram(known: number): string {
  return `this program supports versions up to ${known}. Use the newer program that wrote it.`;
}
