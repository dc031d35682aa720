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
  queryTimeout: "The database query took too long. Retry later, or narrow the selection.",
  stopping: "The server is stopping.",
  methodNotAllowed: ({ verb }: { verb: string }) => `Method "${verb}" not allowed.`,
  originNotAllowed: "Pages of this origin may not use the MCP server.",
  bodyNotSentAsJson: "Send the body as JSON, with the header `Content-Type: application/json`.",
  bodyNotJson: "The body is not valid JSON in UTF-8.",
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
  pageTakesNoForm: "This page takes no form.",
  formGone: "This form does not exist any more.",
  formOfElsewhere: "Forms are taken from the appliance's own pages only.",
  formTooLarge: "The form is too large.",
  formUnreadable: "The form could not be read.",
  fileNotStored: "The file cannot be stored at present.",
  noHost: "The header Host names no host.",
  passwordsWaiting: "Too many passwords are waiting to be checked. Try again in a few seconds.",
  networkWaiting: "Too many requests from your network are waiting. Try again in a few seconds.",

  // People.
  notEmail: "Enter a valid email address.",
  memberAlready: ({ email }: { email: string }) =>
    `${email} is a member of this organization already.`,
  wrongPassword: "This is not your present password.",
  nameInPassword: "Leave your e-mail's name and Kanalog's out of the password.",
  commonPassword: "This password is one of the first that are guessed.",
  lastStaff: ({ email }: { email: string }) => `${email} is the last one who is staff.`,

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
  notNumber: "A valid number is required.",
  giveAsString: "Give it as a string.",
  notPostId: ({ maximum }: { maximum: string }) =>
    `Enter a whole number from 0 to ${maximum}, or a message id of MAX, such as mid.… with 16 hexadecimal digits at its end.`,
  inFuture: "This lies more than 5 minutes ahead of now.",
  notSlug: "Enter a code of lower-case letters, digits, hyphens and underscores.",
  noCategory: "There is no category with this code or name.",
  notSlugItem: ({ given }: { given: string }) => `"${given}" is not a code.`,
  notInstant: "Datetime has wrong format. Use ISO 8601 with an offset or Z, 1970 to 9999.",
  notAddress: "Enter a valid URL.",
  notChannel: "Enter a service number, an @handle or a link.",
  noChannelOfMessenger: ({ messengerId }: { messengerId: string }) =>
    `There is no channel with messenger id ${messengerId}.`,
  twoChannels: ({ channel, other }: { channel: number; other: number }) =>
    `The columns name two channels: channel is ${channel}, channel_msgr_id is ${other}.`,
  numberOfRemovedChannel: ({ channel }: { channel: number }) =>
    `Channel ${channel} was merged or deleted, and its number is not given again.`,
  removedByCommand: "A channel is removed by `kanalog channel delete` and `merge` only.",
  handleMoved: ({ handle, from, to }: { handle: string; from: number; to: number }) =>
    `@${handle} moved from channel ${from} to channel ${to}.`,
  moreHandlesMoved: ({ handles }: { handles: number }) =>
    `… and ${handles} more handles moved to other channels.`,
  mergedIntoItself: "A channel cannot be merged into itself.",
  notMessengerId: "Enter a whole number from -9223372036854775808 to 9223372036854775807.",
  noChannel: ({ channel }: { channel: number | string }) => `There is no channel ${channel}.`,
  channelNotNamed: "Give id, msgr_id or handle.",
  postNotNamed: "Give id, or channel and msgr_post_id.",
  numberOfChannel: ({ channel }: { channel: number }) => `Channel ${channel} has this number.`,
  numberOfPost: ({ post }: { post: number }) => `Post ${post} of the channel has this number.`,
  reservedHandle: ({ handle }: { handle: string }) => `"${handle}" is an address of the API.`,
  notHandle:
    "Enter a handle: up to 64 letters, digits, underscores, dots and hyphens, not digits alone.",
  idChanged: ({ slug, id }: { slug: string; id: number }) =>
    `The id of ${slug} is ${id} and does not change.`,
  idTaken: ({ id, holder }: { id: number; holder: string }) => `The id ${id} belongs to ${holder}.`,
  parentNeeded: ({ kind }: { kind: string }) => `A ${kind} needs a parent.`,
  wrongParent: ({ kind, above }: { kind: string; above: string }) =>
    `A ${kind} cannot lie in a ${above}.`,
  wrongChild: ({ kind, below, slug }: { kind: string; below: string; slug: string }) =>
    `A ${kind} cannot contain the ${below} ${slug}.`,
  imageNotAddress: ({ example }: { example: string }) =>
    `A row of an uploaded file gives an image by its address, such as ${example}.`,
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
  }) => `${file ?? "The image"} has ${width} x ${height} pixels; at most ${side} a side.`,
  otherNumberOfCells: "The row has another number of cells than the header.",
  quoteInCell:
    "A quote stands within a cell that is not quoted: quote the cell and double the quote.",
  columnTwiceInRow: ({ column }: { column: string }) => `The row gives the column ${column} twice.`,
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
    `${file} is not UTF-16, as its mark says (line ${line}).`,
  readAsWindows1251:
    "The file is not UTF-8 and was read as Windows-1251. Where letters are wrong, save it as UTF-8.",
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
    `${encoding}, ${compression === null ? "" : `${compression}, `}times without an offset are of ${timezone}.`,
  recognizedNames: ({ names }: { names: readonly string[] }) => `Columns: ${names.join(", ")}.`,
  ignoredColumns: ({ columns }: { columns: readonly string[] }) =>
    `Left out, since nothing takes them: ${columns.join(", ")}.`,
  excelFile: ({ file }: { file: string }) =>
    `${file} is an Excel file or a ZIP archive. In Excel: File, Save As, "CSV UTF-8"; unpack an archive.`,
  databaseFile: ({ file }: { file: string }) =>
    `${file} is an SQLite database, not a table of rows.`,
  pdfFile: ({ file }: { file: string }) => `${file} is a PDF, not a table of rows.`,
  packedFileDamaged: ({ file, compression }: { file: string; compression: string }) =>
    `${file} is damaged or cut off: it cannot be unpacked (${compression}). ${MEND_AND_REPEAT}`,
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
    `The file has columns of ${other} (${columns.join(", ")}), and not of ${kind}. Import it as ${other}.`,
  mapToUnknown: ({ column, known }: { column: string; known: readonly string[] }) =>
    `There is no column ${JSON.stringify(column)} to give another name to. Known: ${known.join(", ")}.`,
  isChatExport: ({ from }: { from: string }) =>
    `The file is an export of messages. Import it with --from ${from}.`,
  notForeign: ({ from }: { from: string }) => `The file has no messages as ${from} writes them.`,
  foreignKind: ({ from, kinds }: { from: string; kinds: readonly string[] }) =>
    `Files of ${from} hold ${kinds.join(" and ")}.`,
  jsonBroken: ({ line }: { line: number }) => `Line ${line}: this is not JSON. ${MEND_AND_REPEAT}`,
  jsonCutOff: ({ line }: { line: number }) =>
    `Line ${line}: the JSON ends in the middle. ${MEND_AND_REPEAT}`,
  valueTooLong: ({ line, characters }: { line: number; characters: number }) =>
    `Line ${line}: a value is longer than ${characters} characters. ${MEND_AND_REPEAT}`,
  valueTooDeep: ({ line, levels }: { line: number; levels: number }) =>
    `Line ${line}: a value is nested deeper than ${levels} levels. ${MEND_AND_REPEAT}`,
  noHeader: "The file has no whole header: its first line names the columns.",
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
    `Line ${line}: a quote is opened and not closed. ${MEND_AND_REPEAT}`,
  quoteNotDoubled: ({ line }: { line: number }) =>
    `Line ${line}: a quote within a quoted cell must be doubled. ${MEND_AND_REPEAT}`,
  nothingToReplaceBy: "The file has no rows: replacing by it would remove all.",
  nothingRemoved: "Nothing is removed, since rows were rejected.",
  staysForChannels: ({ slug }: { slug: string }) => `${slug} stays, since channels are in it.`,
  staysForTerritories: ({ slug }: { slug: string }) => `${slug} stays, since others lie in it.`,
  importFailed: "The import failed; the appliance's log says why. What was read is imported.",
  importInterrupted: "It was interrupted. Run it again: what was imported stays as it is.",

  // Sources.
  scheduleWrong:
    "Enter an interval from 1m to 31d, such as 15m, 6h or 1d, or a cron pattern of five fields in Moscow time.",
  sourceNameWrong: ({ characters }: { characters: number }) =>
    `Enter a name of at most ${characters} characters that is not a number.`,
  sourceNameTaken: ({ name }: { name: string }) => `There is a source ${name} already.`,
  sourceRuns: ({ name }: { name: string }) => `The source ${name} is running.`,
  sourceAddressWrong:
    "Enter an https:// address; http:// only within networks of KANALOG_SOURCE_ALLOW.",
  sourceRefused: ({ host }: { host: string }) =>
    `${host} lies in a private network, or is asked over http. Where it is yours, name its network in KANALOG_SOURCE_ALLOW.`,
  sourceNoSuchName: ({ host }: { host: string }) => `There is no host ${host}.`,
  sourceUnresolved: ({ host }: { host: string }) => `No name server answered about ${host}.`,
  sourceTimeout: ({ host }: { host: string }) => `${host} was silent for a minute.`,
  sourceUnreachable: ({ host }: { host: string }) => `${host} took no connection.`,
  sourceCertificate: ({ host }: { host: string }) =>
    `The certificate of ${host} is not good for this name, or signed by nobody who is trusted here (KANALOG_WEBHOOK_CA).`,
  sourceBroken: ({ host }: { host: string }) => `${host} broke off before the end of its answer.`,
  sourceTooLarge: ({ gigabytes }: { gigabytes: number }) =>
    `The file is larger than ${gigabytes} GiB.`,
  sourceStatus: ({ status }: { status: number }) =>
    `It was answered ${status}, and not 200 with a file.`,
  sourceHtml: "It was answered an HTML page, and not a file: does the address ask for a sign-in?",
  sourceRedirected: ({ host }: { host: string }) =>
    `It leads to another host, ${host}. Give the address there, where that one is to be trusted.`,
  sourceRedirects: ({ redirects }: { redirects: number }) =>
    `It leads on more than ${redirects} times.`,
  sourceFolder: ({ folder }: { folder: string }) => `The folder ${folder} cannot be read.`,
  sourceAllRejected: ({ rows }: { rows: number }) =>
    `All its rows (${rows}) were rejected, for the reasons told with the source. Mend the file, or add the source again with other options; it is tried again until rows of it are taken.`,
  sourceSecret:
    "Its headers were sealed with another KANALOG_SECRET: remove the source and add it again.",
  sourceAnswerTooLarge: ({ host }: { host: string }) => `${host} answered with more than 10 MB.`,
  sourceClock:
    "A post is dated more than 5 minutes ahead of this machine's clock. Set the clock right; the post is read again.",
  botTokenWrong:
    "The messenger does not know this token. Copy it whole, or have a new one made and add the source again.",
  botTokenShape: ({ example }: { example: string }) =>
    `It is no token, which looks like ${example}. Copy it whole, with nothing before or behind it.`,
  botSecret:
    "Its token was sealed with another KANALOG_SECRET: remove the source and add it again.",
  botTokenMissing: "Enter the bot's token.",
  botTaken: ({ name }: { name: string }) =>
    `The source ${name} reads this bot already. A bot's posts are told to one reader only.`,
  botPolledElsewhere:
    "Another program reads this bot's updates. End it, or have a new token made and add the source again: with the old one it gets nothing any more.",
  botHasWebhook:
    "Another program has the bot's updates sent to an address of its own (a webhook). Remove that there, by deleteWebhook; then this one reads.",
  botAnswerWrong:
    "It was answered something else than the messenger's API answers. Is the address of the API right?",
  botRefused: ({ status, description }: { status: number; description: string }) =>
    `The messenger refused: ${status} ${description}`.trimEnd(),
  botNotInChannel:
    "The bot may not read it: it was removed, or is no administrator with the right to read messages.",
  botPartlyUnderstood:
    "Some of its messages are of a form that is not known here. The others are read, and nothing is taken down until all are known: look for a newer version of the appliance.",
  botPushedElsewhere:
    "Another program has MAX send it this bot's updates (a subscription), so channels that are new cannot be found. End it there; channels that are known are read.",
  pushesOfMaxOnly: "Only MAX can push updates.",
  pushesNeedHttps:
    "MAX pushes to port 443 over https only: set KANALOG_BASE_URL to such an address.",

  // Exports.
  exportWithoutDays: "A period is for stats and posts only.",
  exportWithoutChannel: "A channel is for channels, stats and posts only.",
  notChannelOfExport: "Enter a service number, an @handle or a link of the messenger.",
  rawWithoutCsv: "Only CSV holds texts back from spreadsheets: leave it out for NDJSON.",
  mentionsBeingBuilt: ({ percent }: { percent: number }) =>
    `Mentions are being taken out of posts that were stored before this version: ${percent} % are done.`,
  exportsUnderWay: ({ exports }: { exports: number }) =>
    `An organization may have ${exports} exports under way: wait for the end of one.`,
  exportUnderWay: "Another export is under way: wait for its end.",

  // Files of the appliance, for its operator.
  cannotListen: ({ place, reason }: { place: string; reason: string }) =>
    `Cannot listen on ${place}: ${reason}.`,
  hostNotHere: ({ place, host }: { place: string; host: string }) =>
    `Cannot listen on ${place}: ${host} is no address of this machine. Give --host or KANALOG_HOST one, such as 127.0.0.1, or 0.0.0.0 for all of them.`,
  portNeedsRight: ({ place }: { place: string }) =>
    `Cannot listen on ${place}: ports below 1024 need a right of their own. Give --port or KANALOG_PORT one above, with a proxy in front, or the process the capability CAP_NET_BIND_SERVICE.`,
  portTaken: ({ place, free }: { place: string; free: number }) =>
    `Cannot listen on ${place}: another program does. Port ${free} is free: add --port ${free}.`,
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
    `${file} is a copy of a cluster's rows: set KANALOG_CLUSTER, or take it out with \`kanalog cluster leave\`.`,
  noCopy: ({ file }: { file: string }) =>
    `${file} is no copy of the cluster of KANALOG_CLUSTER: make one with \`kanalog cluster join\`, in a new file.`,
  otherCluster: ({ file }: { file: string }) =>
    `${file} is a copy of another cluster than that of KANALOG_CLUSTER: set the address of its own, or make a copy of this one with \`kanalog cluster join\`, in a new file.`,
  copyAhead: ({ file }: { file: string }) =>
    `${file} has changes that the cluster has not, or lacks some that it has forgotten: make it anew with \`kanalog cluster rebuild\`.`,
  noCluster:
    "There is no cluster at KANALOG_CLUSTER yet: make it with `kanalog cluster init --from FILE`.",
  clusterExists: "There is a cluster at KANALOG_CLUSTER already.",
  clusterNotSet: "Set KANALOG_CLUSTER to the address of the cluster's PostgreSQL.",
  clusterSecretNeeded: "Set KANALOG_SECRET: all nodes of a cluster need the same one.",
  clusterSecretDiffers: "KANALOG_SECRET differs from the one that the cluster was made with.",
  nodeNameTaken: ({ node }: { node: string }) =>
    `Another node named ${node} ran within the last 10 seconds: where it has ended, try again then, else give this one a name of its own with KANALOG_NODE.`,
  nodeRuns: ({ node }: { node: string }) =>
    `${node} ran within the last 10 seconds: stop it, and try again then.`,
  noNode: ({ node }: { node: string }) => `The cluster has no node named ${node}.`,
  fileIsCopy: "The file is a copy of a cluster already.",
  restoreOnNode:
    "A node's file is a copy of its cluster: make it anew with `kanalog cluster rebuild`, or restore PostgreSQL from its own backup.",
  clocksDiffer: ({ seconds }: { seconds: number }) =>
    `This machine's clock is ${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} PostgreSQL's: set both by a time server.`,
  foreignSchema:
    "The database at KANALOG_CLUSTER has a schema named kanalog that is no cluster's: name another database.",
  copyExists: ({ file }: { file: string }) => `${file} exists already.`,
  usageDiffers: ({ file, cluster }: { file: number; cluster: number }) =>
    `The cluster would have ${cluster} units of usage and the file has ${file}: nothing was changed.`,
  databaseOfOtherProgram: "The file is a database of another program.",
  databaseOfOtherShape: ({ version, reason }: { version: number; reason: string }) =>
    `The database says that its schema is version ${version}, but has other tables (${reason}): a program between two releases made it, and this one cannot migrate it. Nothing was changed. Go on with the program that made it, or export with that one and import into a new database.`,
  newerDatabase: ({ version, known }: { version: number; known: number }) =>
    `The database has schema version ${version}, ${takeNewerProgram(known)}`,
  newerFile: ({ file, version, known }: { file: string; version: number; known: number }) =>
    `${file} has schema version ${version}, ${takeNewerProgram(known)}`,
  olderFile: ({ file, version, known }: { file: string; version: number; known: number }) =>
    `${file} has schema version ${version}, this program ${known}: the next start migrates it.`,
  copyFailed: ({ path, reason }: { path: string; reason: string }) =>
    `Cannot write the copy ${path}: ${reason}.`,
  fileExists: ({ path }: { path: string }) => `The file ${path} exists already.`,
  fileIsDatabase: ({ file }: { file: string }) => `${file} is the database itself.`,
  databaseInUse: ({ path }: { path: string }) => `Another process uses ${path}: stop it first.`,
  cannotLock: ({ path, reason }: { path: string; reason: string }) =>
    `Cannot lock ${path}: ${reason}.`,
  cannotTellUse: ({ path, companions }: { path: string; companions: readonly string[] }) =>
    `${path} is so damaged that nobody can tell whether a process still uses it. Stop the server, ` +
    `move the file away with ${companions.join(", ")}, and restore again.`,
  cannotTellStaff: ({ reason, mail }: { reason: string; mail: string }) =>
    `${reason} Staff could not be told by mail: ${mail}`,
  secretFileUnusable: ({ path, reason }: { path: string; reason: string }) =>
    `Cannot read or make the secret ${path}: ${reason}.`,
  secretFileMissing: ({ path }: { path: string }) =>
    `The secret file ${path} is missing, by which the webhooks' signing secrets are read. Put it ` +
    "back, or give its text as KANALOG_SECRET. Where it is lost for good, give a new text as " +
    "KANALOG_SECRET: what to do about each webhook is said then.",
  secretsUnreadable: ({ secret, webhooks }: { secret: string; webhooks: readonly number[] }) =>
    `${secret} is not what the signing secrets of these webhooks were encrypted with: ` +
    `${webhooks.join(", ")}. Give the former one. Where it is lost, disable ` +
    "each (kanalog webhook disable W), start, have its owner rotate the secret, and enable it " +
    "again (kanalog webhook enable W).",

  // Mails, which contain every language.
  passwordMailSubject: "A new password for Kanalog",
  passwordMail:
    "You, or somebody for you, asked for a new password. Choose it by this link; it works for three days, and once. If it was not you, do nothing.",
  signUpSubject: "Your account at Kanalog",
  signUpMail:
    "You, or somebody for you, asked for an account. Make it by this link; it works for a day, and once. If it was not you, do nothing.",
  signUpKnown:
    "You, or somebody for you, asked for an account with this address, which has one already. Sign in by this link; a forgotten password is asked for there too. If it was not you, do nothing.",
  invitationSubject: ({ organization }: { organization: string }) => `Invitation: ${organization}`,
  invitation: ({ organization, inviter }: { organization: string; inviter: string }) =>
    `${inviter} invites you into the organization ${organization}. Come in by this link.`,
  webhookDisabledSubject: ({ id, organization }: { id: number; organization: string }) =>
    `Webhook ${id} was disabled: ${organization}`,
  webhookDisabledMail: ({ id, organization }: { id: number; organization: string }) =>
    `Not a single delivery of webhook ${id} of ${organization} succeeded for a day, so it was ` +
    "disabled: posts read from now on are not sent to it. When the receiver works again, try it " +
    `with POST /v1/msgr/webhooks/${id}/test/ and enable the webhook on the page of API keys, or ` +
    `with PATCH /v1/msgr/webhooks/${id}/ {"is_active": true}. Posts are then sent from that moment.`,
  sourceSilentSubject: ({ name }: { name: string }) => `The source ${name} is silent`,
  sourceSilentMail:
    "Nothing has come from it for three of its intervals; it is tried on. What it failed for last is " +
    "below, and in staff's console under Sources, or by kanalog source list. Another mail comes only " +
    "after it worked again.",
  quotaMailSubject: ({ organization, percent }: { organization: string; percent: number }) =>
    `${percent} % of the quota is used: ${organization}`,
  quotaMail: ({ organization, percent }: { organization: string; percent: number }) =>
    `${organization} has used ${percent} % of the request units of its period. When all are used, ` +
    "requests that cost are refused until the next period begins. The overview on the site tells when " +
    "that is at the present pace; a higher plan begins at once.",
  quotaOverMail: ({ organization }: { organization: string; percent: number }) =>
    `${organization} has used all request units of its period: requests that cost are refused until ` +
    "the next period begins. A higher plan begins at once.",
  requestUnits: "Request units of the period",
  periodEnd: "End of the period",
  backupFailedSubject: "The backup failed",
  backupFailedMail:
    "The daily backup of the database could not be written. Former backups are untouched. Look at the " +
    "disk's free space and the folder's rights; the next attempt is tomorrow at 04:00 Moscow time, " +
    "or at once: the page of jobs in staff's console, or kanalog backup FILE.",
  address: "Address",
  folder: "Folder",
  lastError: "Last error",
  lastSuccess: "Last success",
  reason: "Reason",
  time: "Time",

  /** Text already in its final form: a page's, in the visitor's language, or a former version's. */
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

const MEND_AND_REPEAT = "Mend it and import the file again: nothing of it is imported.";

function takeNewerProgram(known: number): string {
  return `this program knows versions up to ${known}. Take the newer program that wrote it.`;
}
