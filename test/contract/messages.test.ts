import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { outcomeOf } from "../../src/push/webhooks/delivery/attempt.ts";
import {
  inEnglish,
  inLanguage,
  LANGUAGES,
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
  planRequestMailSubject: [[{ organization: "Acme", plan: "growth" }, "Acme asks for Growth"]],
  planRequestMail: [
    [
      { organization: "Acme", plan: "growth", id: 3 },
      "Acme asks for the plan Growth. Its page in the staff console, /staff/organizations/3/, gives it with one click.",
    ],
  ],
  askedBy: [[{}, "Asked by"]],
  askedNote: [[{}, "Note"]],
  notCurrency: [[{ given: "XX" }, "XX is not a currency code such as EUR or RUB."]],
  stripeSilent: [[{}, "Stripe cannot be reached at the moment; try again shortly."]],
  stripeNotSigned: [[{}, "The event is not signed by Stripe."]],
  subscriptionGoesOn: [[{}, "A subscription is under way: change or cancel it at Stripe."]],
  notSold: [[{}, "This plan is not sold here."]],
  priceDiffers: [
    [
      {},
      "The price at Stripe is not the one shown here, so nothing was bought. Tell the operator.",
    ],
  ],
  notStripePrice: [[{}, "Give the id of a price at Stripe, such as price_1P…."]],
  planEnd: [[{}, "End of the plan"]],
  subscriptionPaidSubject: [
    [{ organization: "ORGANIZATION", plan: "growth" }, "Growth is yours: ORGANIZATION"],
  ],
  subscriptionPaidMail: [
    [
      { organization: "ORGANIZATION", plan: "growth" },
      "ORGANIZATION is on the plan Growth now. The subscription renews by itself; the page “Plan and payment” leads to your card, invoices and cancelling. Thank you.",
    ],
  ],
  subscriptionRenewedSubject: [
    [{ organization: "ORGANIZATION", plan: "growth" }, "Growth was renewed: ORGANIZATION"],
  ],
  subscriptionRenewedMail: [
    [
      { organization: "ORGANIZATION", plan: "growth" },
      "The payment for Growth of ORGANIZATION arrived, and the plan goes on.",
    ],
  ],
  subscriptionFailedSubject: [
    [{ organization: "ORGANIZATION", plan: "growth" }, "A payment failed: ORGANIZATION"],
  ],
  subscriptionFailedMail: [
    [
      { organization: "ORGANIZATION", plan: "growth" },
      "The payment for Growth of ORGANIZATION failed. Stripe tries again; you can give another card on the page “Plan and payment”. Unless it is paid, the plan ends.",
    ],
  ],
  subscriptionEndingSubject: [
    [
      { organization: "ORGANIZATION", plan: "growth" },
      "The subscription was cancelled: ORGANIZATION",
    ],
  ],
  subscriptionEndingMail: [
    [
      { organization: "ORGANIZATION", plan: "growth" },
      "The subscription to Growth of ORGANIZATION was cancelled. What was paid stays valid until its end; after that the plan is Test.",
    ],
  ],
  subscriptionOverSubject: [
    [{ organization: "ORGANIZATION", plan: "growth" }, "The subscription is over: ORGANIZATION"],
  ],
  subscriptionOverMail: [
    [
      { organization: "ORGANIZATION", plan: "growth" },
      "The subscription to Growth of ORGANIZATION is over; after the end of the plan it is Test. Keys, webhooks and alerts stay, and work again with another plan.",
    ],
  ],
  planInForce: [[{}, "This plan is in force already."]],
  planRequestOpen: [
    [{}, "A request for another plan is open already; withdraw it to make another one."],
  ],
  savedListsFull: [[{ max: 30 }, "You can save at most 30 lists; delete one to save another."]],
  savedListSame: [[{ name: "NAME" }, "You have this search already, as the list NAME."]],
  savedListNamed: [[{}, "You have a list with this name already."]],
  operatorWebhooksFull: [
    [{ max: 10 }, "The operator has 10 webhooks, which is as many as there may be."],
  ],
  operatorWebhookDisabledSubject: [[{ id: 3 }, "The operator's webhook 3 was disabled"]],
  operatorWebhookDisabledMail: [
    [
      { id: 3 },
      "No delivery of the operator's webhook 3 succeeded for a day, so it was disabled: the " +
        "appliance's events are not sent to it. When the receiver works again, test it with " +
        "`kanalog operator-webhook test 3`, then `kanalog operator-webhook enable 3`.",
    ],
  ],
  operatorKeyNeeded: [[{}, "Give a key of the operator's API: Authorization: Bearer knl_op_…."]],
  operatorKeyUnknown: [[{}, "The key is not one of this appliance's operator."]],
  operatorKeyMayNot: [
    [
      { ability: "ABILITY" },
      "The key may not do this; it would have to be made with --can ABILITY.",
    ],
  ],
  addressThrottled: [[{}, "Too much was requested from this address; try again in a moment."]],
  operatorKeyThrottled: [[{}, "Too many wrong keys came from this address; try again later."]],
  idempotencyKeyTooLong: [
    [{ characters: 72 }, "Idempotency-Key: ensure it has 1 to 72 characters."],
  ],
  idempotencyKeyOfOther: [[{}, "This Idempotency-Key was sent with another request within a day."]],
  idempotencyInProgress: [[{}, "The request with this Idempotency-Key is still in progress."]],
  idempotencyAnswerLost: [
    [
      {},
      "The request with this Idempotency-Key was carried out, but its answer was lost: look for what it made.",
    ],
  ],
  planEndGone: [[{ ended: "ENDED" }, "The plan no longer has an end date. It used to end ENDED."]],
  organizationNameTaken: [
    [
      { number: 3 },
      "Organization 3 has this name already. To create another one all the same, set `same_name` (`--same-name` in commands).",
    ],
  ],
  organizationOwnerless: [
    [{}, "The organization has no owner now: appoint one with `kanalog member role`."],
  ],
  noneNamed: [[{ kind: "KIND", name: "NAME" }, "There is no KIND NAME."]],
  severalNamed: [[{ name: "NAME", all: "ALL" }, "Several are called NAME; give the number: ALL."]],
  giveOneOf: [[{ names: ["ONE", "TWO"] }, "Give at least one of ONE, TWO."]],
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
  postsUntested: [
    [
      { posts: 77 },
      "Texts decide which posts match: matches were counted and ranked among the newest 77 of them only, while pages by time or views leave none out.",
    ],
  ],
  postsSliced: [
    [
      { before: "2026-05-01" },
      "So many posts match that those before 2026-05-01 were counted in part: their numbers are estimates.",
    ],
  ],
  postsEstimated: [
    [
      { every: 8 },
      "Texts decide which posts match, and one in 8 was read: posts and views are estimates, and the number of channels is not known.",
    ],
  ],
  postsByStem: [
    [
      {},
      "Words were matched by their stems alone, because the dictionary cannot be read: some forms of a word are missing.",
    ],
  ],
  previewOfNewest: [
    [{ posts: 5_000 }, "Of the posts that may match, only the newest 5000 were examined."],
  ],
  previewOfLatest: [
    [
      { posts: 5_000 },
      "Only 5000 recent posts were examined, because post search is off or its index is being built.",
    ],
  ],
  postsBehind: [
    [
      {},
      "Many channels have just changed: until the index of posts follows, posts of some may be missing where a category or territory is asked for.",
    ],
  ],
  postsRenewing: [
    [
      {},
      "Part of the index of posts is being renewed: forms of some words in older posts may be missing until it is.",
    ],
  ],
  trendsNotMade: [
    [{}, "Not made yet: it is made every 15 minutes, once the days to compare with are counted."],
  ],
  trendsNothingBefore: [[{ days: 14 }, "There are no posts of the 14 days to compare with."]],
  trendsCut: [
    [
      { channels: 2, posts: 2000 },
      "Of channels with more posts than 2000 in the last 72 hours, only the last 2000 were looked at. Channels: 2.",
    ],
  ],
  trendsFewDays: [
    [{ counted: 3, days: 14 }, "Only 3 of the 14 days to compare with are counted and have posts."],
  ],
  newestRanked: [[{ posts: 77 }, "Only the newest 77 matches were ranked."]],
  backupsUnreadable: [[{ folder: "/backups" }, "The folder of backups, /backups, cannot be read."]],
  jobRuns: [[{}, "The job is already running."]],
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
  clockWrong: [[{}, "The server's clock was changed: nothing can be counted until it is right."]],
  copyOutdated: [
    [
      {},
      "This server has not reached its database for too long to tell which keys are still valid.",
    ],
  ],
  databaseTimeSpent: [
    [
      { ms: 250 },
      "Your organization's queries have used up their time: the plan includes 250 ms of database time per second. Send fewer of them, or narrower ones.",
    ],
  ],
  lockTimeSpent: [
    [
      { ms: 50 },
      "Your organization's changes have used up their time: the plan includes 50 ms of writing per second. Send fewer of them, or smaller ones.",
    ],
  ],
  ownQueueLong: [
    [
      {},
      "Your organization's earlier queries are still running. Send fewer of them at once, or narrower ones.",
    ],
  ],
  givenUp: [[{ minutes: 60 }, "It had not ended after 60 minutes, and was given up."]],
  readTooSlowly: [
    [
      {},
      "Less than 64 KB a second was read over a minute. Continue after the last row that arrived.",
    ],
  ],
  queryTimeout: [[{}, "The database query took too long. Retry later, or narrow the selection."]],
  stopping: [[{}, "The server is stopping."]],
  monthsRemoved: [
    [
      { before: "2026-09-01" },
      "Rows before 2026-09-01 are no longer kept: some of them were removed while this export was under way.",
    ],
  ],
  methodNotAllowed: [[{ verb: "VERB" }, 'Method "VERB" not allowed.']],
  mcpIsElsewhere: [
    [{ address: "https://x.example/v1/mcp/" }, "The MCP server is at https://x.example/v1/mcp/."],
  ],
  bodyNotSentAsJson: [
    [{}, "Send the body as JSON, with the header `Content-Type: application/json`."],
  ],
  bodyNotJson: [[{}, "The body is not valid JSON in UTF-8."]],
  bodyNotTaken: [[{}, "This request takes no body."]],
  bodyTooLarge: [
    [{ size: 64, unit: "KiB" }, "The body is larger than 64 KiB."],
    [{ size: 2, unit: "MiB" }, "The body is larger than 2 MiB."],
  ],
  bodyTooDeep: [[{ levels: 32 }, "The body is nested deeper than 32 levels."]],
  bodyTooManyTexts: [[{ count: 75 }, "The body has more than 75 texts."]],
  bodyTooManyContainers: [[{ count: 75 }, "The body has more than 75 objects and lists."]],
  bodyTooManyMembers: [[{ count: 75 }, "The body has more than 75 members."]],
  bodyTooManyItems: [[{ count: 75 }, "The body has more than 75 items."]],
  bodyCutByStop: [[{}, "The server stopped before the body's end."]],
  bodyCut: [[{}, "The connection was closed before the body's end."]],
  pageTakesNoForm: [[{}, "This page does not accept forms."]],
  formGone: [[{}, "This form no longer exists."]],
  formOfElsewhere: [[{}, "Forms are accepted only from the appliance's own pages."]],
  formTooLarge: [[{}, "The form is too large."]],
  formUnreadable: [[{}, "The form could not be read."]],
  fileNotStored: [[{}, "The file cannot be stored at the moment."]],
  bodyNoFile: [[{}, "Send the file itself as the request's body."]],
  namedTwice: [
    [{ name: "Views", other: "views", value: "posts" }, '"Views" cannot be both views and posts.'],
  ],
  notColumnNames: [
    [
      {},
      'It is neither a JSON object of names, such as {"Подписчики": "subscribers"}, nor one name a line, as theirs=ours.',
    ],
  ],
  noBackupFolder: [[{}, "KANALOG_BACKUP_DIR is not set, so there is no folder for backups."]],
  notHeader: [[{}, "It is not a header, such as Authorization: Bearer abc."]],
  notTimeZone: [[{}, "It is not the IANA name of a time zone, such as Asia/Omsk."]],
  onlyDirectoriesReplaced: [[{}, "Only categories and territories can be replaced."]],
  noHost: [[{}, "The Host header does not name a host."]],
  passwordsWaiting: [
    [{}, "Too many passwords are waiting to be checked. Try again in a few seconds."],
  ],
  networkWaiting: [
    [{}, "Too many requests from your network are waiting. Try again in a few seconds."],
  ],
  notEmail: [[{}, "Enter a valid email address."]],
  memberAlready: [
    [{ email: "ada@example.com" }, "ada@example.com is already a member of this organization."],
  ],
  wrongPassword: [[{}, "This is not your current password."]],
  nameInPassword: [
    [{}, "The password must not contain the name in your email address, or the word Kanalog."],
  ],
  commonPassword: [[{}, "This password is among the first that attackers try. Choose another."]],
  lastStaff: [[{ email: "ada@example.com" }, "ada@example.com is the last member of staff."]],
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
  notPlanCode: [
    [{}, "Use up to 30 small Latin letters, digits and hyphens, beginning with a letter."],
  ],
  planCodeTaken: [[{}, "There is a plan with this code already."]],
  plansFull: [[{ max: 50 }, "There can be at most 50 plans; remove one to add another."]],
  planStays: [
    [
      {},
      "The plans test, start, growth and profi stay. To hide one from customers, do not offer it.",
    ],
  ],
  planUsed: [
    [
      {},
      "An organization has this plan, or asks or pays for it: give it another one first. Until then, do not offer the plan.",
    ],
  ],
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
  eventBodyGone: [[{}, "The event's content is no longer stored."]],
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
  maybeThousands: [
    [
      { given: "1,234", count: "1234" },
      "A valid integer is required. The separator in 1,234 may be a decimal one: if it separates thousands, write 1234.",
    ],
  ],
  notNumber: [[{}, "A valid number is required."]],
  giveAsString: [[{}, "Give it as a string."]],
  notLinks: [[{}, "Give a JSON list of links, each with offset, length and target."]],
  notPostId: [
    [
      { maximum: "MAXIMUM" },
      "Enter a whole number from 0 to MAXIMUM, or a message id of MAX, such as mid.… with 16 hexadecimal digits at its end.",
    ],
  ],
  inFuture: [[{}, "This is more than 5 minutes in the future."]],
  notSlug: [[{}, "Enter a code of lower-case letters, digits, hyphens and underscores."]],
  noCategory: [[{}, "There is no category with this code or name."]],
  noTerritory: [[{}, "There is no territory with this code or name."]],
  nameOfSeveral: [
    [{ codes: ["ONE", "TWO"] }, "Several entries have this name. Give one of the codes: ONE, TWO."],
  ],
  notSlugItem: [[{ given: "GIVEN" }, '"GIVEN" is not a code.']],
  notInstant: [[{}, "Datetime has wrong format. Use ISO 8601 with an offset or Z, 1970 to 9999."]],
  notAddress: [[{}, "Enter a valid URL."]],
  notChannel: [[{}, "Enter a service number, an @handle or a link."]],
  noChannel: [
    [{ channel: 87 }, "There is no channel 87."],
    [{ channel: "@HANDLE" }, "There is no channel @HANDLE."],
  ],
  leftOut: [
    [
      { kind: "channel", count: 12 },
      "Left out: channels whose last reading of subscribers is older than 7 days or missing, 12 in the whole catalog.",
    ],
    [
      { kind: "chat", count: 0 },
      "Left out: chats whose last reading of subscribers is older than 7 days or missing, 0 in the whole catalog.",
    ],
  ],
  noChannelOfMessenger: [[{ messengerId: "-9" }, "There is no channel with messenger id -9."]],
  twoChannels: [
    [
      { channel: 87, other: 86 },
      "The columns name two channels: channel is 87, channel_msgr_id is 86.",
    ],
  ],
  removalUnderWay: [[{}, "The channel's rows are still being removed. Try again in a moment."]],
  removedByCommand: [
    [{}, "Channels can be removed only with `kanalog channel delete` and `merge`."],
  ],
  channelMade: [
    [
      { channel: "CHANNEL", title: "TITLE" },
      "Channel CHANNEL was not in the catalog and is added as “TITLE”; its subscribers are not known.",
    ],
  ],
  handleMoved: [
    [{ handle: "HANDLE", from: 86, to: 87 }, "@HANDLE moved from channel 86 to channel 87."],
  ],
  moreHandlesMoved: [[{ handles: 5 }, "… and 5 more handles moved to other channels."]],
  mergedIntoItself: [[{}, "A channel cannot be merged into itself."]],
  notMessengerId: [[{}, "Enter a whole number from -9223372036854775808 to 9223372036854775807."]],
  channelNotNamed: [[{}, "Give id, msgr_id or handle."]],
  postNotNamed: [[{}, "Give id, or channel and msgr_post_id, or a link to the post."]],
  numberOfChannel: [[{ channel: 87 }, "Channel 87 already has this number."]],
  numberOfPost: [[{ post: 88 }, "Post 88 of the channel already has this number."]],
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
  wrongParent: [[{ kind: "KIND", above: "ABOVE" }, "A KIND cannot be part of a ABOVE."]],
  wrongChild: [
    [{ kind: "KIND", below: "BELOW", slug: "SLUG" }, "A KIND cannot contain the BELOW SLUG."],
  ],
  imageNotAddress: [
    [
      { example: "EXAMPLE" },
      "In an uploaded file, give an image as a web address, such as EXAMPLE.",
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
      "FILE has 91 x 92 pixels; each side may have at most 93.",
    ],
  ],
  otherNumberOfCells: [[{}, "The row and the header have different numbers of cells."]],
  quoteInCell: [
    [{}, "An unquoted cell contains a quote: quote the cell and double the quote inside it."],
  ],
  columnTwiceInRow: [[{ column: "COLUMN" }, "The row has the column COLUMN twice."]],
  importChannelsFirst: [[{}, "Import channels first."]],
  lineNotJson: [[{}, "The line is not JSON."]],
  lineNotObject: [[{}, "The line is not a JSON object."]],
  unknownColumns: [[{ columns: ["ONE", "TWO"] }, "Unknown columns: ONE, TWO."]],
  noFile: [[{ path: "PATH" }, "There is no file PATH."]],
  isFolder: [[{ path: "PATH" }, "PATH is a directory, not a file."]],
  fileNotUtf8: [[{ file: "FILE", line: 94 }, "FILE is not UTF-8 (line 94)."]],
  fileNotUtf16: [
    [
      { file: "FILE", line: 94 },
      "FILE is not valid UTF-16, although its byte order mark says so (line 94).",
    ],
  ],
  readAsWindows1251: [
    [
      {},
      "The file is not UTF-8 and was read as Windows-1251. If letters are wrong, save it as UTF-8.",
    ],
  ],
  recognizedFile: [
    [
      {
        ...{ format: "csv", separator: ";", encoding: "Windows-1251", compression: "gzip" },
        ...{ from: null, timezone: "ZONE" },
      },
      "Read as CSV, separated by semicolons, Windows-1251, gzip, times without an offset are in ZONE.",
    ],
    [
      {
        ...{ format: "json", separator: null, encoding: "UTF-8", compression: null },
        ...{ from: "FROM", timezone: "ZONE" },
      },
      "Read as FROM (JSON), UTF-8, times without an offset are in ZONE.",
    ],
  ],
  recognizedNames: [[{ names: ["THEIRS = ours"] }, "Columns: THEIRS = ours."]],
  ignoredColumns: [
    [{ columns: ["ONE", "TWO"] }, "Columns ignored, because there is no field for them: ONE, TWO."],
  ],
  excelFile: [
    [
      { file: "FILE" },
      'FILE is an old Excel file or a ZIP archive. In Excel: File, Save As, "Excel Workbook (.xlsx)" or "CSV UTF-8"; unpack an archive.',
    ],
  ],
  excelDamaged: [
    [
      { file: "FILE" },
      'FILE is no Excel workbook that can be read. In Excel: File, Save As, "CSV UTF-8".',
    ],
  ],
  excelTooLarge: [
    [
      { file: "FILE" },
      'The workbook FILE is larger than 32 MB, or than 256 MB unpacked. In Excel: File, Save As, "CSV UTF-8".',
    ],
  ],
  noSheet: [[{ file: "FILE", sheet: "SHEET" }, "The workbook FILE has no sheet SHEET."]],
  nameNear: [[{ near: ["ONE", "TWO"] }, "No entry has this code or name. Did you mean ONE, TWO?"]],
  databaseFile: [[{ file: "FILE" }, "FILE is an SQLite database, not a table of rows."]],
  pdfFile: [[{ file: "FILE" }, "FILE is a PDF, not a table of rows."]],
  packedFileTooLarge: [[{ file: "FILE", gigabytes: 20 }, "FILE unpacks to more than 20 GiB."]],
  packedFileDamaged: [
    [
      { file: "FILE", compression: "gzip" },
      "FILE is damaged or truncated: it cannot be unpacked (gzip). Correct it and import the file again: none of it was imported.",
    ],
  ],
  otherKind: [
    [
      { kind: "ONE", other: "TWO", columns: ["THREE", "FOUR"] },
      "The file has the columns of TWO (THREE, FOUR), not of ONE. Import it as TWO.",
    ],
  ],
  mapToUnknown: [
    [
      { column: "ONE", known: ["TWO", "THREE"] },
      'There is no column "ONE" to map to. Known: TWO, THREE.',
    ],
  ],
  isChatExport: [
    [{ from: "FROM" }, "The file is an export of messages. Import it with --from FROM."],
  ],
  notForeign: [[{ from: "FROM" }, "The file has no messages in the format of FROM."]],
  foreignKind: [[{ from: "FROM" }, "Files of FROM contain only posts and channels."]],
  jsonBroken: [
    [
      { line: 94 },
      "Line 94: this is not JSON. Correct it and import the file again: none of it was imported.",
    ],
  ],
  jsonCutOff: [
    [
      { line: 94 },
      "Line 94: the JSON ends in the middle. Correct it and import the file again: none of it was imported.",
    ],
  ],
  valueTooLong: [
    [
      { line: 94, characters: 71 },
      "Line 94: a value is longer than 71 characters. Correct it and import the file again: none of it was imported.",
    ],
  ],
  valueTooDeep: [
    [
      { line: 94, levels: 71 },
      "Line 94: a value is nested deeper than 71 levels. Correct it and import the file again: none of it was imported.",
    ],
  ],
  noHeader: [[{}, "The file has no complete header: its first line must name the columns."]],
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
      "Line 94: the line is longer than 71 characters. Correct it and import the file again: none of it was imported.",
    ],
  ],
  rowTooLong: [
    [
      { line: 94, characters: 71 },
      "Line 94: the row is longer than 71 characters; is a quote not closed? Correct it and import the file again: none of it was imported.",
    ],
  ],
  quoteNotClosed: [
    [
      { line: 94 },
      "Line 94: a quote is never closed. Correct it and import the file again: none of it was imported.",
    ],
  ],
  quoteNotDoubled: [
    [
      { line: 94 },
      "Line 94: a quote within a quoted cell must be doubled. Correct it and import the file again: none of it was imported.",
    ],
  ],
  nothingToReplaceBy: [[{}, "The file has no rows: replacing with it would remove everything."]],
  nothingRemoved: [[{}, "Nothing was removed, because rows were rejected."]],
  staysForChannels: [[{ slug: "SLUG" }, "SLUG stays, because it contains channels."]],
  staysForTerritories: [[{ slug: "SLUG" }, "SLUG stays, because it contains other territories."]],
  firstRowsRejected: [
    [
      { rows: 10000 },
      "All of the first 10000 rows were rejected, so the rest was not read. Correct the file, or import it with other options.",
    ],
  ],
  directoryTooLarge: [
    [{ rows: 200000 }, "The file has more than 200000 rows, more than any directory."],
  ],
  importFailed: [
    [
      {},
      "The import failed; the appliance's log says why. The rows read until then were imported.",
    ],
  ],
  importInterrupted: [
    [{}, "The import was interrupted. Run it again: rows already imported stay as they are."],
  ],
  timeLimitWrong: [[{}, "Enter a time from 1m to 31d, such as 90m, 6h or 1d."]],
  sourceOfBot: [[{ name: "NAME" }, "NAME is a bot: only files have a time limit of their own."]],
  scheduleWrong: [
    [
      {},
      "Enter an interval from 1m to 31d, such as 15m, 6h or 1d, or a cron pattern of five fields in Moscow time.",
    ],
  ],
  sourceNameWrong: [
    [{ characters: 71 }, "Enter a name of at most 71 characters that is not a number."],
  ],
  sourceNameTaken: [[{ name: "NAME" }, "There is already a source NAME."]],
  sourceRuns: [[{ name: "NAME" }, "The source NAME is running."]],
  sourceRunKilled: [
    [{}, "The process that read this source ended in the middle of it; the run is repeated."],
  ],
  sourceAddressWrong: [
    [
      {},
      "Enter an https:// address; http:// is accepted only in the networks of KANALOG_SOURCE_ALLOW.",
    ],
  ],
  sourceRefused: [
    [
      { host: "HOST" },
      "HOST is in a private network, or its address begins with http://. If the network is yours, add it to KANALOG_SOURCE_ALLOW.",
    ],
  ],
  sourceNoSuchName: [[{ host: "HOST" }, "There is no host HOST."]],
  sourceUnresolved: [
    [{ host: "HOST" }, "The name HOST could not be resolved: no name server answered."],
  ],
  sourceSlow: [
    [{ host: "HOST" }, "HOST sent less than 64 KB a second over a minute, and was given up."],
  ],
  sourceTimeout: [[{ host: "HOST" }, "HOST sent nothing for a minute."]],
  sourceUnreachable: [[{ host: "HOST" }, "HOST did not accept the connection."]],
  sourceCertificate: [
    [
      { host: "HOST" },
      "The certificate of HOST is not valid for this name, or its issuer is not trusted here (KANALOG_WEBHOOK_CA).",
    ],
  ],
  sourceBroken: [[{ host: "HOST" }, "HOST closed the connection before the end of its response."]],
  sourceTooLarge: [[{ gigabytes: 2 }, "The file is larger than 2 GiB."]],
  sourceStatus: [[{ status: 404 }, "The server answered with 404 instead of 200 and a file."]],
  sourceHtml: [
    [
      {},
      "The server answered with an HTML page instead of a file: does the address require signing in?",
    ],
  ],
  sourceRedirected: [
    [
      { host: "HOST" },
      "The address redirects to another host, HOST. If you trust that host, give the address there.",
    ],
  ],
  sourceRedirects: [[{ redirects: 5 }, "The address redirects more than 5 times."]],
  sourceFolder: [[{ folder: "FOLDER" }, "The folder FOLDER cannot be read."]],
  sourceAllRejected: [
    [
      { rows: 7 },
      "All rows (7) were rejected; the reasons are listed with the source. Correct the file, or add the source again with other options.",
    ],
  ],
  sourceSecret: [
    [
      {},
      "Its headers were encrypted with another KANALOG_SECRET: remove the source and add it again.",
    ],
  ],
  sourceAnswerTooLarge: [[{ host: "HOST" }, "HOST answered with more than 10 MB."]],
  sourceClock: [
    [
      {},
      "A post is dated more than 5 minutes ahead of this machine's clock. Correct the clock; the post will be read again.",
    ],
  ],
  botTokenWrong: [
    [
      {},
      "The messenger does not know this token. Copy all of it, or create a new one and add the source again.",
    ],
  ],
  botSecret: [
    [
      {},
      "Its token was encrypted with another KANALOG_SECRET: remove the source and add it again.",
    ],
  ],
  botTokenShape: [
    [
      { example: "1:A" },
      "This is not a token. A token looks like 1:A; copy all of it, and nothing else.",
    ],
  ],
  botTokenMissing: [[{}, "Enter the bot's token."]],
  botTaken: [
    [
      { name: "NAME" },
      "The source NAME already reads this bot. The messenger gives a bot's posts to one reader only.",
    ],
  ],
  botPolledElsewhere: [
    [
      {},
      "Another program reads this bot's updates. Stop it, or create a new token and add the source again: the other program then gets nothing with the old one.",
    ],
  ],
  botHasWebhook: [
    [
      {},
      "Another program receives the bot's updates at its own address (a webhook). Remove the webhook there, with deleteWebhook; then this source can read.",
    ],
  ],
  botAnswerWrong: [
    [{}, "This is not an answer of the messenger's API. Is the address of the API correct?"],
  ],
  botRefused: [[{ answer: "502 Bad Gateway" }, "The messenger refused: 502 Bad Gateway"]],
  botNotInChannel: [
    [
      {},
      "The bot may not read this channel: it was removed, or it is not an administrator who may read messages.",
    ],
  ],
  botPartlyUnderstood: [
    [
      {},
      "Some of its messages have an unknown form. The others are read, but no post is marked as deleted until all can be read: look for a newer version of Kanalog.",
    ],
  ],
  botPushedElsewhere: [
    [
      {},
      "MAX sends this bot's updates to another program (a subscription), so new channels cannot be found. End the subscription there. Known channels are still read.",
    ],
  ],
  pushesOfMaxOnly: [[{}, "Only MAX can push updates."]],
  pushesNeedHttps: [
    [
      {},
      "MAX pushes updates only over https, to port 443: set KANALOG_BASE_URL to such an address.",
    ],
  ],
  exportWithoutDays: [[{}, "Only stats and posts can be limited to a period."]],
  exportWithoutChannel: [[{}, "Only channels, stats and posts can be limited to a channel."]],
  notChannelOfExport: [[{}, "Enter a service number, an @handle or a link of the messenger."]],
  rawWithoutCsv: [
    [
      {},
      "Only CSV and Excel files protect texts from spreadsheets: leave this option out for NDJSON.",
    ],
  ],
  sheetFull: [[{ rows: 7 }, "An Excel sheet has at most 7 rows. Export fewer, or as CSV."]],
  cellTooLong: [
    [{ characters: 7 }, "A text is longer than the 7 characters of an Excel cell. Export as CSV."],
  ],
  exportsUnderWay: [
    [{ exports: 2 }, "An organization may have 2 exports under way: wait for the end of one."],
  ],
  exportUnderWay: [[{}, "Another export is running: wait until it ends."]],
  hostNotHere: [
    [
      { place: "PLACE", host: "HOST" },
      "Cannot listen on PLACE: HOST is not an address of this machine. Set --host or KANALOG_HOST to one of its addresses, such as 127.0.0.1, or to 0.0.0.0 for all of them.",
    ],
  ],
  portNeedsRight: [
    [
      { place: "PLACE" },
      "Cannot listen on PLACE: ports below 1024 need a special right. Set --port or KANALOG_PORT to a higher one and put a proxy in front, or give the process the capability CAP_NET_BIND_SERVICE.",
    ],
  ],
  portTaken: [
    [
      { place: "PLACE", free: 8081 },
      "Cannot listen on PLACE: another program uses it. Port 8081 is free: add --port 8081.",
    ],
  ],
  cannotListen: [[{ place: "PLACE", reason: "REASON" }, "Cannot listen on PLACE: REASON."]],
  noDatabase: [[{ path: "PATH" }, "There is no database PATH."]],
  cannotOpenDatabase: [
    [{ path: "PATH", reason: "REASON" }, "Cannot open the database PATH: REASON."],
  ],
  databaseDamaged: [[{ path: "PATH", damages: "ONE; TWO" }, "PATH is damaged: ONE; TWO."]],
  notOurDatabase: [[{ path: "PATH" }, "PATH is not a database of Kanalog."]],
  notDatabase: [[{ path: "PATH" }, "PATH is not a database, or its beginning is damaged."]],
  databaseUnreadable: [[{ path: "PATH", reason: "REASON" }, "PATH cannot be read: REASON."]],
  copyWithoutCluster: [
    [
      { file: "k.db" },
      "k.db is a copy of a cluster's data: set KANALOG_CLUSTER, or make it independent with `kanalog cluster leave`.",
    ],
  ],
  noCopy: [
    [
      { file: "k.db" },
      "k.db is not a copy of the cluster at KANALOG_CLUSTER: create one in a new file with `kanalog cluster join`.",
    ],
  ],
  otherCluster: [
    [
      { file: "k.db" },
      "k.db is a copy of another cluster than the one at KANALOG_CLUSTER: set the address of its own cluster, or create a copy of this one in a new file with `kanalog cluster join`.",
    ],
  ],
  copyAhead: [
    [
      { file: "k.db" },
      "k.db has changes that the cluster does not have, or lacks changes that the cluster no longer keeps: create it again with `kanalog cluster rebuild`.",
    ],
  ],
  noCluster: [
    [
      {},
      "There is no cluster at KANALOG_CLUSTER yet: create it with `kanalog cluster init --from FILE`.",
    ],
  ],
  clusterExists: [[{}, "There is already a cluster at KANALOG_CLUSTER."]],
  clusterNotSet: [[{}, "Set KANALOG_CLUSTER to the address of the cluster's PostgreSQL."]],
  clusterSecretNeeded: [[{}, "Set KANALOG_SECRET: all nodes of a cluster need the same one."]],
  clusterSecretDiffers: [
    [{}, "KANALOG_SECRET differs from the one that the cluster was created with."],
  ],
  nodeNameTaken: [
    [
      { node: "a" },
      "Another node named a ran within the last 10 seconds. If it has stopped, try again in 10 seconds; otherwise give this node another name with KANALOG_NODE.",
    ],
  ],
  nodeRuns: [
    [{ node: "a" }, "a ran within the last 10 seconds: stop it, and try again 10 seconds later."],
  ],
  noNode: [[{ node: "a" }, "The cluster has no node named a."]],
  fileIsCopy: [[{}, "The file is already a copy of a cluster."]],
  restoreOnNode: [
    [
      {},
      "A node's file is a copy of its cluster: create it again with `kanalog cluster rebuild`, or restore PostgreSQL from its own backup.",
    ],
  ],
  clocksDiffer: [
    [
      { seconds: 75, isBehind: true },
      "This machine's clock is 75 s behind PostgreSQL's: synchronize both with a time server.",
    ],
    [
      { seconds: 75, isBehind: false },
      "This machine's clock is 75 s ahead of PostgreSQL's: synchronize both with a time server.",
    ],
  ],
  foreignSchema: [
    [
      {},
      "The database at KANALOG_CLUSTER has a schema named kanalog that does not belong to a cluster: use another database.",
    ],
  ],
  copyExists: [[{ file: "k.db" }, "k.db already exists."]],
  usageDiffers: [
    [
      { file: 5, cluster: 4 },
      "The cluster would have 4 units of usage and the file has 5: nothing was changed.",
    ],
  ],
  databaseOfOtherProgram: [[{}, "The file is another program's database."]],
  fileBeforeRelease: [
    [
      { file: "FILE", version: 31 },
      "FILE has schema version 31: a program before the first release wrote it, and this one cannot read it. Nothing was changed. With that program, export each kind of rows, such as kanalog export channels channels.ndjson, and import the files into a new database with this one: kanalog import channels channels.ndjson. Create organizations, keys and webhooks anew.",
    ],
  ],
  newerFile: [
    [
      { file: "FILE", version: 195, known: 100 },
      "FILE has schema version 195; this program supports versions up to 100. Use the newer program that wrote it.",
    ],
  ],
  olderFile: [
    [
      { file: "FILE", version: 7, known: 8 },
      "FILE has schema version 7, and this program has 8: the next start migrates it.",
    ],
  ],
  backupDamaged: [
    [{ backup: "BACKUP", reason: "REASON" }, "BACKUP is damaged and cannot be restored (REASON)."],
  ],
  backupBeforeDamaged: [
    [
      { path: "PATH", reason: "REASON" },
      "The backup PATH is complete, but shares nothing with the one before it: REASON",
    ],
  ],
  notOneBackup: [
    [
      { folder: "FOLDER", databases: 2 },
      "The folder FOLDER has backups of 2 databases: give one of its files, which end in .backup.",
    ],
  ],
  copyFailed: [[{ path: "PATH", reason: "REASON" }, "Cannot write the copy PATH: REASON."]],
  fileExists: [[{ path: "PATH" }, "The file PATH already exists."]],
  fileIsDatabase: [[{ file: "FILE" }, "FILE is the database itself."]],
  databaseInUse: [[{ path: "PATH" }, "Another process uses PATH: stop it first."]],
  cannotLock: [[{ path: "PATH", reason: "REASON" }, "Cannot lock PATH: REASON."]],
  cannotTellUse: [
    [
      { path: "PATH", companions: ["ONE", "TWO"] },
      "PATH is so damaged that it is impossible to tell whether a process still uses it. Stop the server, move the file away with ONE, TWO, and restore again.",
    ],
  ],
  cannotTellStaff: [
    [{ reason: "REASON", mail: "MAIL" }, "REASON Staff could not be told by mail: MAIL"],
  ],
  secretFileUnusable: [
    [{ path: "PATH", reason: "REASON" }, "Cannot read or create the secret PATH: REASON."],
  ],
  secretFileMissing: [
    [
      { path: "PATH" },
      "The secret file PATH, which decrypts the webhooks' signing secrets, is missing. Put it back, or set KANALOG_SECRET to its text. If it is lost for good, set KANALOG_SECRET to a new text: the next start then says what to do about each webhook.",
    ],
  ],
  secretsUnreadable: [
    [
      { secret: "SECRET", webhooks: [96, 97] },
      "The signing secrets of these webhooks were not encrypted with SECRET: 96, 97. Use the former secret. If it is lost, disable each webhook (kanalog webhook disable W), start, have its owner rotate the secret, and enable it again (kanalog webhook enable W).",
    ],
  ],
  passwordMailSubject: [[{ brand: "Kanalog" }, "A new password for Kanalog"]],
  passwordMail: [
    [
      {},
      "Somebody, probably you, asked for a new password. Choose it with this link, which works once, within three days. If it was not you, ignore this mail.",
    ],
  ],
  signUpSubject: [[{ brand: "Kanalog" }, "Your Kanalog account"]],
  signUpMail: [
    [
      {},
      "Somebody, probably you, asked for an account. Create it with this link, which works once, within a day. If it was not you, ignore this mail.",
    ],
  ],
  signUpKnown: [
    [
      {},
      "Somebody, probably you, asked for an account with this address, which already has one. Sign in with this link; you can also replace a forgotten password there. If it was not you, ignore this mail.",
    ],
  ],
  invitationSubject: [[{ organization: "ORGANIZATION" }, "Invitation: ORGANIZATION"]],
  invitation: [
    [
      { organization: "ORGANIZATION", inviter: "INVITER" },
      "INVITER invites you to join the organization ORGANIZATION. Accept with this link.",
    ],
  ],
  webhookDisabledSubject: [
    [{ id: 89, organization: "ORGANIZATION" }, "Webhook 89 was disabled: ORGANIZATION"],
  ],
  webhookDisabledMail: [
    [
      { id: 89, organization: "ORGANIZATION" },
      'No delivery of webhook 89 of ORGANIZATION succeeded for a day, so it was disabled: new posts are not sent to it. When the receiver works again, test it with POST /v1/msgr/webhooks/89/test/ and enable the webhook on the page of API keys, or with PATCH /v1/msgr/webhooks/89/ {"is_active": true}. Posts are then sent from that moment.',
    ],
  ],
  sourceSilentSubject: [[{ name: "NAME" }, "The source NAME is silent"]],
  sourceSilentMail: [
    [
      {},
      "Nothing has arrived from this source for three of its intervals; attempts continue. The last error is below, in the staff console under Sources, and in kanalog source list. The next mail is sent only after the source has worked again.",
    ],
  ],
  digestMailSubject: [
    [{ alert: "Rates", posts: 1 }, "Rates: 1 new post"],
    [{ alert: "Rates", posts: 2 }, "Rates: 2 new posts"],
  ],
  digestMail: [
    [{ alert: "Rates", posts: 1 }, "1 new post matches your alert Rates."],
    [{ alert: "Rates", posts: 2 }, "2 new posts match your alert Rates."],
  ],
  alertPage: [[{}, "The alert"]],
  unsubscribe: [[{}, "End these mails"]],
  quotaMailSubject: [
    [{ organization: "ORGANIZATION", percent: 80 }, "80 % of the quota is used: ORGANIZATION"],
  ],
  quotaMail: [
    [
      { organization: "ORGANIZATION", percent: 80 },
      "ORGANIZATION has used 80 % of the request units of its period. When all are used, requests that cost units are refused until the next period begins. The overview on the site shows when that will be at the current pace. A higher plan takes effect at once.",
    ],
  ],
  quotaOverMail: [
    [
      { organization: "ORGANIZATION", percent: 100 },
      "ORGANIZATION has used all request units of its period: requests that cost units are refused until the next period begins. A higher plan takes effect at once.",
    ],
  ],
  requestUnits: [[{}, "Request units of the period"]],
  periodEnd: [[{}, "End of the period"]],
  backupFailedSubject: [[{}, "The backup failed"]],
  backupFailedMail: [
    [
      {},
      "The daily backup of the database could not be written. Earlier backups are untouched. Check the free disk space and the folder's permissions. The next attempt is tomorrow at 04:00 Moscow time; to make a backup now, use the jobs page in the staff console, or kanalog backup FILE.",
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
    "catalog/imports/writing/import-summary.ts",
    "doors/site/forms/faults.ts",
    "doors/site/pages/webhooks/webhook-form.ts",
    "push/webhooks/delivery/attempt.ts",
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
