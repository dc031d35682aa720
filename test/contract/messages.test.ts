import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { outcomeOf } from "../../src/push/webhooks/delivery/outcome.ts";
import { LANGUAGES } from "../../src/values/language.ts";
import {
  inEnglish,
  inLanguage,
  type Message,
  type MessageCode,
  storedMessage,
  verbatim,
} from "../../src/values/messages/messages.ts";

/**
 * Every message by its code, with values and the English text of the API and commands. A text changes here
 * only if the contract changes.
 */
const TEXTS: { [Code in MessageCode]: [Extract<Message, { code: Code }>["values"], string][] } = {
  required: [[{}, "This field is required."]],
  notNull: [[{}, "This field may not be null."]],
  unknownField: [[{}, "There is no such field."]],
  blank: [[{}, "This field may not be blank."]],
  notText: [[{}, "Not a valid string."]],
  notUtf8: [[{}, "This value is not valid UTF-8."]],
  nullCharacters: [[{}, "Null characters are not allowed."]],
  controlCharacters: [[{}, "Control characters are not allowed."]],
  tooShort: [[{ characters: 71 }, "Ensure this field has at least 71 characters."]],
  tooLong: [[{ characters: 71 }, "Ensure this field has no more than 71 characters."]],
  notInteger: [[{}, "A valid integer is required."]],
  tooSmall: [[{ minimum: 72 }, "Ensure this value is greater than or equal to 72."]],
  tooLarge: [[{ maximum: 73 }, "Ensure this value is less than or equal to 73."]],
  outOfRange: [[{ minimum: 72, maximum: 73 }, "Enter a whole number from 72 to 73."]],
  notFlag: [[{}, "Must be a valid boolean."]],
  notChoice: [[{ given: "GIVEN" }, '"GIVEN" is not a valid choice.']],
  notChoiceOf: [
    [
      { given: "GIVEN", options: ["ONE", "TWO"] },
      '"GIVEN" is not a valid choice. Allowed: ONE, TWO.',
    ],
  ],
  chooseOption: [[{}, "Choose one of the options."]],
  unknownSlug: [[{ slug: "SLUG" }, "Object with slug=SLUG does not exist."]],
  notDay: [[{}, "Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]],
  notDaySuchAs: [[{ example: "EXAMPLE" }, "Enter a day such as EXAMPLE."]],
  dayIsOver: [[{}, "The day is over already."]],
  notList: [[{ type: "TYPE" }, 'Expected a list of items but got type "TYPE".']],
  notObject: [[{ type: "TYPE" }, "Invalid data. Expected a dictionary, but got TYPE."]],
  emptyList: [[{}, "This list may not be empty."]],
  tooManyItems: [[{ items: 74 }, "Ensure this field has no more than 74 elements."]],
  moreFaults: [
    [{ count: 1 }, "There is 1 more fault."],
    [{ count: 75 }, "There are 75 more faults."],
  ],
  notFound: [
    [{ thing: "address" }, "This address was not found."],
    [{ thing: "channel" }, "The channel was not found."],
    [{ thing: "delivery" }, "The delivery was not found."],
    [{ thing: "image" }, "The image was not found."],
    [{ thing: "mailServer" }, "A mail server was not found."],
    [{ thing: "object" }, "This object was not found."],
    [{ thing: "organization" }, "The organization was not found."],
    [{ thing: "person" }, "The person was not found."],
    [{ thing: "post" }, "The post was not found."],
    [{ thing: "setUpPage" }, "The set-up page was not found."],
    [{ thing: "webhook" }, "The webhook was not found."],
    [{ thing: "import" }, "The import was not found."],
    [{ thing: "number" }, "This was not found."],
    [{ thing: "import", name: "NAME" }, "Import NAME was not found."],
    [{ thing: "job", name: "NAME" }, "The job NAME was not found."],
    [{ thing: "key", name: "NAME" }, "Key NAME was not found."],
    [{ thing: "member", name: "NAME" }, "Member NAME was not found."],
    [{ thing: "organization", name: "NAME" }, "Organization NAME was not found."],
    [{ thing: "person", name: "NAME" }, "A person with the address NAME was not found."],
    [{ thing: "webhook", name: "NAME" }, "Webhook NAME was not found."],
  ],
  givenNotFound: [[{ field: "webhook", thing: "webhook" }, "webhook: The webhook was not found."]],
  invalidCursor: [[{}, "Invalid cursor."]],
  cursorOfOtherList: [
    [
      { names: ["category"] },
      "The cursor was made with another category: leave that out, or begin again without a cursor.",
    ],
    [
      { names: ["q", "ordering"] },
      "The cursor was made with another q and ordering: leave those out, or begin again without a cursor.",
    ],
  ],
  unknownFields: [
    [{ given: "name", known: ["id", "title"] }, '"name" is not a field. Fields: id, title.'],
  ],
  periodTooLong: [[{ days: 76 }, "Ensure the period is at most 76 days."]],
  periodBackwards: [[{}, "The period ends before it starts."]],
  tooManyCells: [[{ cells: 77 }, "Ensure channels times days is at most 77."]],
  notChannelQuery: [[{}, "Enter a messenger link, an @handle or a messenger channel ID."]],
  nothingToSearch: [
    [{}, "Give at least one word to search for; exclusions and signs alone find nothing."],
  ],
  tooManyBeginnings: [
    [{ most: 3 }, "Give at most 3 beginnings (`word*`); write the others as whole words."],
  ],
  tooManyAlike: [
    [
      {},
      "Too many of the posts have about as many views: narrow the search by more words, `from` and `to`, or other filters.",
    ],
  ],
  postSearchOff: [[{}, "Post search is switched off on this appliance."]],
  postSearchBuilding: [
    [
      { percent: 40 },
      "The index of post search is being built (40 %). All else works meanwhile; retry later.",
    ],
  ],
  nothingToChange: [[{}, "Give at least one of url, channels, is_active."]],
  readWriteKeyNeeded: [[{}, "This needs a key marked read and write."]],
  managerKeyNeeded: [[{}, "This needs a key of an owner or administrator."]],
  methodNotIncluded: [[{ plan: "PLAN" }, "The plan PLAN does not include this method."]],
  historyNotIncluded: [
    [
      { plan: "PLAN", days: 76, from: "2026-01-01" },
      "The plan PLAN covers the last 76 days, from 2026-01-01 on.",
    ],
  ],
  rateLimited: [
    [{ requests: 1 }, "The plan allows 1 request per second."],
    [{ requests: 78 }, "The plan allows 78 requests per second."],
  ],
  messagesLimited: [
    [{ messages: 20 }, "An organization may send 20 protocol messages per second."],
  ],
  quotaExceeded: [[{ requests: 78 }, "The 78 requests of the period have run out."]],
  keyNeeded: [[{}, "Send an API key in the header `Authorization: Bearer <API_KEY>`."]],
  keyUnknown: [[{}, "There is no such API key."]],
  keyNotWhole: [[{}, "This is not a whole API key: check that it was copied without a mistake."]],
  keyRevoked: [[{}, "This API key was revoked."]],
  keyExpired: [[{}, "This API key has expired."]],
  tokenUnknown: [[{}, "There is no such access token: ask for another."]],
  tokenExpired: [[{}, "This access token has expired: refresh it."]],
  keyOfSuspended: [[{}, "The member of this API key is suspended."]],
  keyOfArchived: [[{}, "The organization of this API key is archived."]],
  internal: [
    [{}, "The server failed to answer this request. Its X-Request-Id finds it in the log."],
  ],
  storageUnavailable: [[{}, "The storage cannot do this at present."]],
  queryTimeout: [[{}, "The database query took too long. Retry later, or narrow the selection."]],
  stopping: [[{}, "The server is stopping."]],
  methodNotAllowed: [[{ verb: "VERB" }, 'Method "VERB" not allowed.']],
  originNotAllowed: [[{}, "Pages of this origin may not use the MCP server."]],
  bodyNotSentAsJson: [
    [{}, "Send the body as JSON, with the header `Content-Type: application/json`."],
  ],
  bodyNotJson: [[{}, "The body is not valid JSON in UTF-8."]],
  bodyTooLarge: [
    [{ kib: 64 }, "The body is larger than 64 KiB."],
    [{ kib: 2048 }, "The body is larger than 2 MiB."],
  ],
  bodyTooDeep: [[{ levels: 32 }, "The body is nested deeper than 32 levels."]],
  bodyTooManyTexts: [[{ count: 75 }, "The body has more than 75 texts."]],
  bodyTooManyContainers: [[{ count: 75 }, "The body has more than 75 objects and lists."]],
  bodyTooManyMembers: [[{ count: 75 }, "The body has more than 75 members."]],
  bodyTooManyItems: [[{ count: 75 }, "The body has more than 75 items."]],
  bodyCutByStop: [[{}, "The server stopped before the body's end."]],
  bodyCut: [[{}, "The connection was closed before the body's end."]],
  pageTakesNoForm: [[{}, "This page takes no form."]],
  formGone: [[{}, "This form does not exist any more."]],
  formOfElsewhere: [[{}, "Forms are taken from the appliance's own pages only."]],
  formTooLarge: [[{}, "The form is too large."]],
  formUnreadable: [[{}, "The form could not be read."]],
  fileNotStored: [[{}, "The file cannot be stored at present."]],
  noHost: [[{}, "The header Host names no host."]],
  passwordsWaiting: [
    [{}, "Too many passwords are waiting to be checked. Try again in a few seconds."],
  ],
  networkWaiting: [
    [{}, "Too many requests from your network are waiting. Try again in a few seconds."],
  ],
  notEmail: [[{}, "Enter a valid email address."]],
  memberAlready: [
    [{ email: "ada@example.com" }, "ada@example.com is a member of this organization already."],
  ],
  wrongPassword: [[{}, "This is not your present password."]],
  nameInPassword: [[{}, "Leave your e-mail's name and Kanalog's out of the password."]],
  commonPassword: [[{}, "This password is one of the first that are guessed."]],
  lastStaff: [[{ email: "ada@example.com" }, "ada@example.com is the last one who is staff."]],
  notHttpsAddress: [[{}, "Enter a valid https:// address."]],
  wrongPort: [[{}, "Use port 443, or one above 1023."]],
  userInAddress: [[{}, "A user name or password in the address is not allowed."]],
  addressRefused: [
    [{}, "Enter an address on the internet: this one does not exist, or is of a private network."],
  ],
  unknownChannels: [
    [{ channels: [81, 82], more: 0 }, "There are no public channels with the numbers 81, 82."],
    [
      { channels: [81, 82], more: 98 },
      "There are no public channels with the numbers 81, 82 and 98 more.",
    ],
  ],
  tooManyChannels: [
    [
      { max: 79, channels: [81, 82], more: 0 },
      "Ensure this field has no more than 79 elements. Leave out: 81, 82.",
    ],
    [
      { max: 79, channels: [81, 82], more: 98 },
      "Ensure this field has no more than 79 elements. Leave out: 81, 82 and 98 more.",
    ],
  ],
  webhookChannelsNotIncluded: [
    [
      { plan: "PLAN", included: 83, channels: 84 },
      "The plan PLAN includes 83 channels a webhook; this one has 84.",
    ],
  ],
  alertsNotIncluded: [
    [{ plan: "PLAN", included: 1, existing: 84 }, "The plan PLAN includes 1 alert; there are 84."],
    [
      { plan: "PLAN", included: 83, existing: 84 },
      "The plan PLAN includes 83 alerts; there are 84.",
    ],
  ],
  nothingToMatch: [[{}, "Give at least one word that posts are to have."]],
  unknownChannel: [[{}, "There is no such public channel."]],
  alertUnchanged: [[{}, "Give at least one field to change."]],
  webhooksNotIncluded: [
    [
      { plan: "PLAN", included: 1, existing: 84 },
      "The plan PLAN includes 1 webhook; there are 84.",
    ],
    [
      { plan: "PLAN", included: 83, existing: 84 },
      "The plan PLAN includes 83 webhooks; there are 84.",
    ],
  ],
  disabledByStaff: [[{}, "The webhook was disabled by staff: contact support."]],
  secretUnreadable: [[{}, "The signing secret cannot be read any more: rotate it first."]],
  secretUnreadableOfOwner: [
    [{}, "The signing secret cannot be read any more: have its owner rotate it first."],
  ],
  testedJustNow: [[{}, "A webhook is tested at most once a minute."]],
  hostHadEnough: [[{ attempts: 85 }, "At most 85 pings and resends a minute go to one host."]],
  webhookDisabled: [[{}, "The webhook is disabled: enable it first."]],
  pingNotResent: [[{}, "A ping is not sent again: test the webhook."]],
  attemptUnderWay: [[{}, "An attempt of this delivery is under way."]],
  eventTooOld: [[{}, "The event is older than two days."]],
  webhookBusy: [[{}, "Too many attempts of this webhook are under way."]],
  deliveriesBusy: [[{}, "Too many deliveries are being tried at this moment."]],
  organizationBusy: [[{ deliveries: 86 }, "At most 86 deliveries are tried at once."]],
  receiverTimeout: [[{}, "The receiver did not answer within 10 seconds."]],
  receiverUnreachable: [[{}, "The receiver could not be reached."]],
  receiverCertificate: [[{}, "The receiver's certificate is not valid for this address."]],
  receiverBroken: [[{}, "The receiver did not answer with a proper HTTP answer over HTTPS."]],
  receiverUnresolved: [[{}, "The name of the receiver could not be resolved."]],
  attemptUnsigned: [[{}, "The signing secret cannot be read; rotate it."]],
  receiverAnswered: [[{ status: 503 }, "The receiver answered 503."]],
  requiredForNewChannel: [[{}, "This field is required for a new channel."]],
  notNumber: [[{}, "A valid number is required."]],
  giveAsString: [[{}, "Give it as a string."]],
  notPostId: [
    [
      { maximum: "MAXIMUM" },
      "Enter a whole number from 0 to MAXIMUM, or a message id of MAX, such as mid.… with 16 hexadecimal digits at its end.",
    ],
  ],
  inFuture: [[{}, "This lies more than 5 minutes ahead of now."]],
  notSlug: [[{}, "Enter a code of lower-case letters, digits, hyphens and underscores."]],
  noCategory: [[{}, "There is no category with this code or name."]],
  notSlugItem: [[{ given: "GIVEN" }, '"GIVEN" is not a code.']],
  notInstant: [[{}, "Datetime has wrong format. Use ISO 8601 with an offset or Z, 1970 to 9999."]],
  notAddress: [[{}, "Enter a valid URL."]],
  notChannel: [[{}, "Enter a service number, an @handle or a link."]],
  noChannel: [
    [{ channel: 87 }, "There is no channel 87."],
    [{ channel: "@HANDLE" }, "There is no channel @HANDLE."],
  ],
  noChannelOfMessenger: [[{ messengerId: "-9" }, "There is no channel with messenger id -9."]],
  twoChannels: [
    [
      { channel: 87, other: 86 },
      "The columns name two channels: channel is 87, channel_msgr_id is 86.",
    ],
  ],
  numberOfRemovedChannel: [
    [{ channel: 87 }, "Channel 87 was merged or deleted, and its number is not given again."],
  ],
  removedByCommand: [[{}, "A channel is removed by `kanalog channel delete` and `merge` only."]],
  handleMoved: [
    [{ handle: "HANDLE", from: 86, to: 87 }, "@HANDLE moved from channel 86 to channel 87."],
  ],
  moreHandlesMoved: [[{ handles: 5 }, "… and 5 more handles moved to other channels."]],
  mergedIntoItself: [[{}, "A channel cannot be merged into itself."]],
  notMessengerId: [[{}, "Enter a whole number from -9223372036854775808 to 9223372036854775807."]],
  channelNotNamed: [[{}, "Give id, msgr_id or handle."]],
  postNotNamed: [[{}, "Give id, or channel and msgr_post_id."]],
  numberOfChannel: [[{ channel: 87 }, "Channel 87 has this number."]],
  numberOfPost: [[{ post: 88 }, "Post 88 of the channel has this number."]],
  reservedHandle: [[{ handle: "HANDLE" }, '"HANDLE" is an address of the API.']],
  notHandle: [
    [
      {},
      "Enter a handle: up to 64 letters, digits, underscores, dots and hyphens, not digits alone.",
    ],
  ],
  idChanged: [[{ slug: "SLUG", id: 89 }, "The id of SLUG is 89 and does not change."]],
  idTaken: [[{ id: 89, holder: "HOLDER" }, "The id 89 belongs to HOLDER."]],
  parentNeeded: [[{ kind: "KIND" }, "A KIND needs a parent."]],
  wrongParent: [[{ kind: "KIND", above: "ABOVE" }, "A KIND cannot lie in a ABOVE."]],
  wrongChild: [
    [{ kind: "KIND", below: "BELOW", slug: "SLUG" }, "A KIND cannot contain the BELOW SLUG."],
  ],
  imageNotAddress: [
    [
      { example: "EXAMPLE" },
      "A row of an uploaded file gives an image by its address, such as EXAMPLE.",
    ],
  ],
  noImageFile: [[{ file: "FILE" }, "There is no image file FILE."]],
  imageTooLarge: [
    [{ file: "FILE", bytes: 90 }, "FILE is larger than 90 bytes."],
    [{ file: null, bytes: 90 }, "The image is larger than 90 bytes."],
  ],
  imageNotWebp: [
    [{ file: "FILE" }, "FILE is not a WebP image."],
    [{ file: null }, "The image is not a WebP image."],
  ],
  imageTooWide: [
    [
      { file: "FILE", width: 91, height: 92, side: 93 },
      "FILE has 91 x 92 pixels; at most 93 a side.",
    ],
  ],
  otherNumberOfCells: [[{}, "The row has another number of cells than the header."]],
  quoteInCell: [
    [{}, "A quote stands within a cell that is not quoted: quote the cell and double the quote."],
  ],
  columnTwiceInRow: [[{ column: "COLUMN" }, "The row gives the column COLUMN twice."]],
  importChannelsFirst: [[{}, "Import channels first."]],
  lineNotJson: [[{}, "The line is not JSON."]],
  lineNotObject: [[{}, "The line is not a JSON object."]],
  unknownColumns: [[{ columns: ["ONE", "TWO"] }, "Unknown columns: ONE, TWO."]],
  noFile: [[{ path: "PATH" }, "There is no file PATH."]],
  isFolder: [[{ path: "PATH" }, "PATH is a directory, not a file."]],
  fileNotUtf8: [[{ file: "FILE", line: 94 }, "FILE is not UTF-8 (line 94)."]],
  fileNotUtf16: [[{ file: "FILE", line: 94 }, "FILE is not UTF-16, as its mark says (line 94)."]],
  readAsWindows1251: [
    [
      {},
      "The file is not UTF-8 and was read as Windows-1251. Where letters are wrong, save it as UTF-8.",
    ],
  ],
  recognizedFile: [
    [
      {
        ...{ format: "csv", separator: ";", encoding: "Windows-1251", compression: "gzip" },
        ...{ from: null, timezone: "ZONE" },
      },
      "Read as CSV, separated by semicolons, Windows-1251, gzip, times without an offset are of ZONE.",
    ],
    [
      {
        ...{ format: "json", separator: null, encoding: "UTF-8", compression: null },
        ...{ from: "FROM", timezone: "ZONE" },
      },
      "Read as FROM (JSON), UTF-8, times without an offset are of ZONE.",
    ],
  ],
  recognizedNames: [[{ names: ["THEIRS = ours"] }, "Columns: THEIRS = ours."]],
  ignoredColumns: [[{ columns: ["ONE", "TWO"] }, "Left out, since nothing takes them: ONE, TWO."]],
  excelFile: [
    [
      { file: "FILE" },
      'FILE is an Excel file or a ZIP archive. In Excel: File, Save As, "CSV UTF-8"; unpack an archive.',
    ],
  ],
  databaseFile: [[{ file: "FILE" }, "FILE is an SQLite database, not a table of rows."]],
  pdfFile: [[{ file: "FILE" }, "FILE is a PDF, not a table of rows."]],
  packedFileTooLarge: [[{ file: "FILE", gigabytes: 20 }, "FILE unpacks to more than 20 GiB."]],
  packedFileDamaged: [
    [
      { file: "FILE", compression: "gzip" },
      "FILE is damaged or cut off: it cannot be unpacked (gzip). Mend it and import the file again: nothing of it is imported.",
    ],
  ],
  otherKind: [
    [
      { kind: "ONE", other: "TWO", columns: ["THREE", "FOUR"] },
      "The file has columns of TWO (THREE, FOUR), and not of ONE. Import it as TWO.",
    ],
  ],
  mapToUnknown: [
    [
      { column: "ONE", known: ["TWO", "THREE"] },
      'There is no column "ONE" to give another name to. Known: TWO, THREE.',
    ],
  ],
  isChatExport: [
    [{ from: "FROM" }, "The file is an export of messages. Import it with --from FROM."],
  ],
  notForeign: [[{ from: "FROM" }, "The file has no messages as FROM writes them."]],
  foreignKind: [[{ from: "FROM", kinds: ["ONE", "TWO"] }, "Files of FROM hold ONE and TWO."]],
  jsonBroken: [
    [
      { line: 94 },
      "Line 94: this is not JSON. Mend it and import the file again: nothing of it is imported.",
    ],
  ],
  jsonCutOff: [
    [
      { line: 94 },
      "Line 94: the JSON ends in the middle. Mend it and import the file again: nothing of it is imported.",
    ],
  ],
  valueTooLong: [
    [
      { line: 94, characters: 71 },
      "Line 94: a value is longer than 71 characters. Mend it and import the file again: nothing of it is imported.",
    ],
  ],
  valueTooDeep: [
    [
      { line: 94, levels: 71 },
      "Line 94: a value is nested deeper than 71 levels. Mend it and import the file again: nothing of it is imported.",
    ],
  ],
  noHeader: [[{}, "The file has no whole header: its first line names the columns."]],
  unknownColumnsInHeader: [
    [
      { unknown: ["ONE"], known: ["TWO", "THREE"] },
      'The header has unknown columns: "ONE". Known: TWO, THREE.',
    ],
  ],
  columnTwice: [[{ column: "COLUMN" }, "The header has the column COLUMN twice."]],
  lineTooLong: [
    [
      { line: 94, characters: 71 },
      "Line 94: the line is longer than 71 characters. Mend it and import the file again: nothing of it is imported.",
    ],
  ],
  rowTooLong: [
    [
      { line: 94, characters: 71 },
      "Line 94: the row is longer than 71 characters; is a quote not closed? Mend it and import the file again: nothing of it is imported.",
    ],
  ],
  quoteNotClosed: [
    [
      { line: 94 },
      "Line 94: a quote is opened and not closed. Mend it and import the file again: nothing of it is imported.",
    ],
  ],
  quoteNotDoubled: [
    [
      { line: 94 },
      "Line 94: a quote within a quoted cell must be doubled. Mend it and import the file again: nothing of it is imported.",
    ],
  ],
  nothingToReplaceBy: [[{}, "The file has no rows: replacing by it would remove all."]],
  nothingRemoved: [[{}, "Nothing is removed, since rows were rejected."]],
  staysForChannels: [[{ slug: "SLUG" }, "SLUG stays, since channels are in it."]],
  staysForTerritories: [[{ slug: "SLUG" }, "SLUG stays, since others lie in it."]],
  importFailed: [
    [{}, "The import failed; the appliance's log says why. What was read is imported."],
  ],
  importInterrupted: [[{}, "It was interrupted. Run it again: what was imported stays as it is."]],
  scheduleWrong: [
    [
      {},
      "Enter an interval from 1m to 31d, such as 15m, 6h or 1d, or a cron pattern of five fields in Moscow time.",
    ],
  ],
  sourceNameWrong: [
    [{ characters: 71 }, "Enter a name of at most 71 characters that is not a number."],
  ],
  sourceNameTaken: [[{ name: "NAME" }, "There is a source NAME already."]],
  sourceRuns: [[{ name: "NAME" }, "The source NAME is running."]],
  sourceAddressWrong: [
    [{}, "Enter an https:// address; http:// only within networks of KANALOG_SOURCE_ALLOW."],
  ],
  sourceRefused: [
    [
      { host: "HOST" },
      "HOST lies in a private network, or is asked over http. Where it is yours, name its network in KANALOG_SOURCE_ALLOW.",
    ],
  ],
  sourceNoSuchName: [[{ host: "HOST" }, "There is no host HOST."]],
  sourceUnresolved: [[{ host: "HOST" }, "No name server answered about HOST."]],
  sourceTimeout: [[{ host: "HOST" }, "HOST was silent for a minute."]],
  sourceUnreachable: [[{ host: "HOST" }, "HOST took no connection."]],
  sourceCertificate: [
    [
      { host: "HOST" },
      "The certificate of HOST is not good for this name, or signed by nobody who is trusted here (KANALOG_WEBHOOK_CA).",
    ],
  ],
  sourceBroken: [[{ host: "HOST" }, "HOST broke off before the end of its answer."]],
  sourceTooLarge: [[{ gigabytes: 2 }, "The file is larger than 2 GiB."]],
  sourceStatus: [[{ status: 404 }, "It was answered 404, and not 200 with a file."]],
  sourceHtml: [
    [{}, "It was answered an HTML page, and not a file: does the address ask for a sign-in?"],
  ],
  sourceRedirected: [
    [
      { host: "HOST" },
      "It leads to another host, HOST. Give the address there, where that one is to be trusted.",
    ],
  ],
  sourceRedirects: [[{ redirects: 5 }, "It leads on more than 5 times."]],
  sourceFolder: [[{ folder: "FOLDER" }, "The folder FOLDER cannot be read."]],
  sourceAllRejected: [
    [
      { rows: 7 },
      "All its rows (7) were rejected, for the reasons told with the source. Mend the file, or add the source again with other options; it is tried again until rows of it are taken.",
    ],
  ],
  sourceSecret: [
    [
      {},
      "Its headers were sealed with another KANALOG_SECRET: remove the source and add it again.",
    ],
  ],
  sourceAnswerTooLarge: [[{ host: "HOST" }, "HOST answered with more than 10 MB."]],
  sourceClock: [
    [
      {},
      "A post is dated more than 5 minutes ahead of this machine's clock. Set the clock right; the post is read again.",
    ],
  ],
  botTokenWrong: [
    [
      {},
      "The messenger does not know this token. Copy it whole, or have a new one made and add the source again.",
    ],
  ],
  botSecret: [
    [{}, "Its token was sealed with another KANALOG_SECRET: remove the source and add it again."],
  ],
  botTokenShape: [
    [
      { example: "1:A" },
      "It is no token, which looks like 1:A. Copy it whole, with nothing before or behind it.",
    ],
  ],
  botTokenMissing: [[{}, "Enter the bot's token."]],
  botTaken: [
    [
      { name: "NAME" },
      "The source NAME reads this bot already. A bot's posts are told to one reader only.",
    ],
  ],
  botPolledElsewhere: [
    [
      {},
      "Another program reads this bot's updates. End it, or have a new token made and add the source again: with the old one it gets nothing any more.",
    ],
  ],
  botHasWebhook: [
    [
      {},
      "Another program has the bot's updates sent to an address of its own (a webhook). Remove that there, by deleteWebhook; then this one reads.",
    ],
  ],
  botAnswerWrong: [
    [
      {},
      "It was answered something else than the messenger's API answers. Is the address of the API right?",
    ],
  ],
  botRefused: [
    [{ status: 502, description: "Bad Gateway" }, "The messenger refused: 502 Bad Gateway"],
  ],
  botNotInChannel: [
    [
      {},
      "The bot may not read it: it was removed, or is no administrator with the right to read messages.",
    ],
  ],
  botPartlyUnderstood: [
    [
      {},
      "Some of its messages are of a form that is not known here. The others are read, and nothing is taken down until all are known: look for a newer version of the appliance.",
    ],
  ],
  botPushedElsewhere: [
    [
      {},
      "Another program has MAX send it this bot's updates (a subscription), so channels that are new cannot be found. End it there; channels that are known are read.",
    ],
  ],
  pushesOfMaxOnly: [[{}, "Only MAX can push updates."]],
  pushesNeedHttps: [
    [{}, "MAX pushes to port 443 over https only: set KANALOG_BASE_URL to such an address."],
  ],
  exportWithoutDays: [[{}, "A period is for stats and posts only."]],
  exportWithoutChannel: [[{}, "A channel is for channels, stats and posts only."]],
  notChannelOfExport: [[{}, "Enter a service number, an @handle or a link of the messenger."]],
  rawWithoutCsv: [[{}, "Only CSV holds texts back from spreadsheets: leave it out for NDJSON."]],
  mentionsBeingBuilt: [
    [
      { percent: 41 },
      "Mentions are being taken out of posts that were stored before this version: 41 % are done.",
    ],
  ],
  exportsUnderWay: [
    [{ exports: 2 }, "An organization may have 2 exports under way: wait for the end of one."],
  ],
  exportUnderWay: [[{}, "Another export is under way: wait for its end."]],
  hostNotHere: [
    [
      { place: "PLACE", host: "HOST" },
      "Cannot listen on PLACE: HOST is no address of this machine. Give --host or KANALOG_HOST one, such as 127.0.0.1, or 0.0.0.0 for all of them.",
    ],
  ],
  portNeedsRight: [
    [
      { place: "PLACE" },
      "Cannot listen on PLACE: ports below 1024 need a right of their own. Give --port or KANALOG_PORT one above, with a proxy in front, or the process the capability CAP_NET_BIND_SERVICE.",
    ],
  ],
  portTaken: [
    [
      { place: "PLACE", free: 8081 },
      "Cannot listen on PLACE: another program does. Port 8081 is free: add --port 8081.",
    ],
  ],
  cannotListen: [[{ place: "PLACE", reason: "REASON" }, "Cannot listen on PLACE: REASON."]],
  noDatabase: [[{ path: "PATH" }, "There is no database PATH."]],
  cannotOpenDatabase: [
    [{ path: "PATH", reason: "REASON" }, "Cannot open the database PATH: REASON."],
  ],
  databaseDamaged: [[{ path: "PATH", damages: ["ONE", "TWO"] }, "PATH is damaged: ONE; TWO."]],
  notOurDatabase: [[{ path: "PATH" }, "PATH is not a database of Kanalog."]],
  notDatabase: [[{ path: "PATH" }, "PATH is not a database, or its beginning is damaged."]],
  databaseUnreadable: [[{ path: "PATH", reason: "REASON" }, "PATH cannot be read: REASON."]],
  copyWithoutCluster: [
    [
      { file: "k.db" },
      "k.db is a copy of a cluster's rows: set KANALOG_CLUSTER, or take it out with `kanalog cluster leave`.",
    ],
  ],
  noCopy: [
    [
      { file: "k.db" },
      "k.db is no copy of the cluster of KANALOG_CLUSTER: make one with `kanalog cluster join`, in a new file.",
    ],
  ],
  otherCluster: [
    [
      { file: "k.db" },
      "k.db is a copy of another cluster than that of KANALOG_CLUSTER: set the address of its own, or make a copy of this one with `kanalog cluster join`, in a new file.",
    ],
  ],
  copyAhead: [
    [
      { file: "k.db" },
      "k.db has changes that the cluster has not, or lacks some that it has forgotten: make it anew with `kanalog cluster rebuild`.",
    ],
  ],
  noCluster: [
    [
      {},
      "There is no cluster at KANALOG_CLUSTER yet: make it with `kanalog cluster init --from FILE`.",
    ],
  ],
  clusterExists: [[{}, "There is a cluster at KANALOG_CLUSTER already."]],
  clusterNotSet: [[{}, "Set KANALOG_CLUSTER to the address of the cluster's PostgreSQL."]],
  clusterSecretNeeded: [[{}, "Set KANALOG_SECRET: all nodes of a cluster need the same one."]],
  clusterSecretDiffers: [
    [{}, "KANALOG_SECRET differs from the one that the cluster was made with."],
  ],
  nodeNameTaken: [
    [
      { node: "a" },
      "Another node named a ran within the last 10 seconds: where it has ended, try again then, else give this one a name of its own with KANALOG_NODE.",
    ],
  ],
  nodeRuns: [[{ node: "a" }, "a ran within the last 10 seconds: stop it, and try again then."]],
  noNode: [[{ node: "a" }, "The cluster has no node named a."]],
  fileIsCopy: [[{}, "The file is a copy of a cluster already."]],
  restoreOnNode: [
    [
      {},
      "A node's file is a copy of its cluster: make it anew with `kanalog cluster rebuild`, or restore PostgreSQL from its own backup.",
    ],
  ],
  clocksDiffer: [
    [
      { seconds: -75 },
      "This machine's clock is 75 s behind PostgreSQL's: set both by a time server.",
    ],
    [
      { seconds: 75 },
      "This machine's clock is 75 s ahead of PostgreSQL's: set both by a time server.",
    ],
  ],
  foreignSchema: [
    [
      {},
      "The database at KANALOG_CLUSTER has a schema named kanalog that is no cluster's: name another database.",
    ],
  ],
  copyExists: [[{ file: "k.db" }, "k.db exists already."]],
  usageDiffers: [
    [
      { file: 5, cluster: 4 },
      "The cluster would have 4 units of usage and the file has 5: nothing was changed.",
    ],
  ],
  databaseOfOtherProgram: [[{}, "The file is a database of another program."]],
  databaseOfOtherShape: [
    [
      { version: 12, reason: "table posts already exists" },
      "The database says that its schema is version 12, but has other tables (table posts already exists): a program between two releases made it, and this one cannot migrate it. Nothing was changed. Go on with the program that made it, or export with that one and import into a new database.",
    ],
  ],
  newerDatabase: [
    [
      { version: 95, known: 99 },
      "The database has schema version 95, this program knows versions up to 99. Take the newer program that wrote it.",
    ],
  ],
  olderFile: [
    [
      { file: "FILE", version: 7, known: 8 },
      "FILE has schema version 7, this program 8: the next start migrates it.",
    ],
  ],
  newerFile: [
    [
      { file: "FILE", version: 95, known: 99 },
      "FILE has schema version 95, this program knows versions up to 99. Take the newer program that wrote it.",
    ],
  ],
  copyFailed: [[{ path: "PATH", reason: "REASON" }, "Cannot write the copy PATH: REASON."]],
  fileExists: [[{ path: "PATH" }, "The file PATH exists already."]],
  fileIsDatabase: [[{ file: "FILE" }, "FILE is the database itself."]],
  databaseInUse: [[{ path: "PATH" }, "Another process uses PATH: stop it first."]],
  cannotLock: [[{ path: "PATH", reason: "REASON" }, "Cannot lock PATH: REASON."]],
  cannotTellUse: [
    [
      { path: "PATH", companions: ["ONE", "TWO"] },
      "PATH is so damaged that nobody can tell whether a process still uses it. Stop the server, move the file away with ONE, TWO, and restore again.",
    ],
  ],
  cannotTellStaff: [
    [{ reason: "REASON", mail: "MAIL" }, "REASON Staff could not be told by mail: MAIL"],
  ],
  secretFileUnusable: [
    [{ path: "PATH", reason: "REASON" }, "Cannot read or make the secret PATH: REASON."],
  ],
  secretFileMissing: [
    [
      { path: "PATH" },
      "The secret file PATH is missing, by which the webhooks' signing secrets are read. Put it back, or give its text as KANALOG_SECRET. Where it is lost for good, give a new text as KANALOG_SECRET: what to do about each webhook is said then.",
    ],
  ],
  secretsUnreadable: [
    [
      { secret: "SECRET", webhooks: [96, 97] },
      "SECRET is not what the signing secrets of these webhooks were encrypted with: 96, 97. Give the former one. Where it is lost, disable each (kanalog webhook disable W), start, have its owner rotate the secret, and enable it again (kanalog webhook enable W).",
    ],
  ],
  passwordMailSubject: [[{}, "A new password for Kanalog"]],
  passwordMail: [
    [
      {},
      "You, or somebody for you, asked for a new password. Choose it by this link; it works for three days, and once. If it was not you, do nothing.",
    ],
  ],
  signUpSubject: [[{}, "Your account at Kanalog"]],
  signUpMail: [
    [
      {},
      "You, or somebody for you, asked for an account. Make it by this link; it works for a day, and once. If it was not you, do nothing.",
    ],
  ],
  signUpKnown: [
    [
      {},
      "You, or somebody for you, asked for an account with this address, which has one already. Sign in by this link; a forgotten password is asked for there too. If it was not you, do nothing.",
    ],
  ],
  invitationSubject: [[{ organization: "ORGANIZATION" }, "Invitation: ORGANIZATION"]],
  invitation: [
    [
      { organization: "ORGANIZATION", inviter: "INVITER" },
      "INVITER invites you into the organization ORGANIZATION. Come in by this link.",
    ],
  ],
  webhookDisabledSubject: [
    [{ id: 89, organization: "ORGANIZATION" }, "Webhook 89 was disabled: ORGANIZATION"],
  ],
  webhookDisabledMail: [
    [
      { id: 89, organization: "ORGANIZATION" },
      'Not a single delivery of webhook 89 of ORGANIZATION succeeded for a day, so it was disabled: posts read from now on are not sent to it. When the receiver works again, try it with POST /v1/msgr/webhooks/89/test/ and enable the webhook on the page of API keys, or with PATCH /v1/msgr/webhooks/89/ {"is_active": true}. Posts are then sent from that moment.',
    ],
  ],
  sourceSilentSubject: [[{ name: "NAME" }, "The source NAME is silent"]],
  sourceSilentMail: [
    [
      {},
      "Nothing has come from it for three of its intervals; it is tried on. What it failed for last is below, and in staff's console under Sources, or by kanalog source list. Another mail comes only after it worked again.",
    ],
  ],
  quotaMailSubject: [
    [{ organization: "ORGANIZATION", percent: 80 }, "80 % of the quota is used: ORGANIZATION"],
  ],
  quotaMail: [
    [
      { organization: "ORGANIZATION", percent: 80 },
      "ORGANIZATION has used 80 % of the request units of its period. When all are used, requests that cost are refused until the next period begins. The overview on the site tells when that is at the present pace; a higher plan begins at once.",
    ],
  ],
  quotaOverMail: [
    [
      { organization: "ORGANIZATION", percent: 100 },
      "ORGANIZATION has used all request units of its period: requests that cost are refused until the next period begins. A higher plan begins at once.",
    ],
  ],
  requestUnits: [[{}, "Request units of the period"]],
  periodEnd: [[{}, "End of the period"]],
  backupFailedSubject: [[{}, "The backup failed"]],
  backupFailedMail: [
    [
      {},
      "The daily backup of the database could not be written. Former backups are untouched. Look at the disk's free space and the folder's rights; the next attempt is tomorrow at 04:00 Moscow time, or at once: the page of jobs in staff's console, or kanalog backup FILE.",
    ],
  ],
  address: [[{}, "Address"]],
  folder: [[{}, "Folder"]],
  lastError: [[{}, "Last error"]],
  lastSuccess: [[{}, "Last success"]],
  reason: [[{}, "Reason"]],
  time: [[{}, "Time"]],
  verbatim: [[{ text: "TEXT" }, "TEXT"]],
};

const all = Object.entries(TEXTS).flatMap(([code, rows]) =>
  rows.map(([values, english]) => ({ stated: { code, values } as Message, english })),
);

describe("a message", () => {
  test("has the English text of the contract, byte for byte", () => {
    expect(all.length).toBeGreaterThan(190);
    for (const { stated, english } of all) expect(inEnglish(stated), stated.code).toBe(english);
  });

  test("has a text of its own in every other language", () => {
    const others = LANGUAGES.filter((language) => language !== "en");
    expect(others).toContain("ru");
    for (const { stated, english } of all) {
      if (stated.code === "verbatim") continue;
      expect(inLanguage("ru", stated), stated.code).toMatch(/[а-яё]{2}/);
      for (const language of others) {
        expect(inLanguage(language, stated), `${language} ${stated.code}`).not.toBe(english);
      }
    }
  });

  test("crosses threads and the database unchanged", () => {
    for (const { stated, english } of all) {
      const stored = storedMessage(JSON.parse(JSON.stringify(structuredClone(stated))));
      expect(inEnglish(stored), stated.code).toBe(english);
    }
  });

  test("stored by a version before codes, or by a later one, is shown as it was stored", () => {
    expect(inLanguage("ru", storedMessage("The line is not JSON."))).toBe("The line is not JSON.");
    const later = { code: "ofALaterVersion", values: {} } as unknown as Message;
    expect(inLanguage("ru", storedMessage(later))).toBe("ofALaterVersion");
  });
});

describe("a verbatim text", () => {
  /** Pages choose their own words; a stored text may be from a version before codes, or truncated. */
  const MAY = [
    "catalog/imports/writing/tally.ts",
    "doors/site/forms/faults.ts",
    "doors/site/pages/webhooks/webhook-form.ts",
    "push/webhooks/delivery/outcome.ts",
    "values/messages/messages.ts",
  ];

  test("does not bypass the tables: only pages and readers of stored texts create one", async () => {
    const source = join(import.meta.dir, "../../src");
    const made: string[] = [];
    for await (const file of new Bun.Glob("**/*.{ts,tsx}").scan(source)) {
      const isMade = /\bverbatim\(|"verbatim"/.test(await Bun.file(join(source, file)).text());
      if (isMade) made.push(file);
    }
    expect(made.sort()).toEqual(MAY);
  });
});

describe("the outcome of an attempt", () => {
  test("is found by the text that the API shows", () => {
    const outcomes = all.filter(({ stated }) => /^(receiver|attemptUnsigned)/.test(stated.code));
    expect(outcomes).toHaveLength(7);
    for (const { stated, english } of outcomes) expect(outcomeOf(english)).toEqual(stated);
  });

  test("stays as it is if no message has its text", () => {
    for (const text of ["", "The receiver answered 5031.", "Of an earlier version."]) {
      expect(outcomeOf(text)).toEqual(verbatim(text));
    }
  });
});
