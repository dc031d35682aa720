/** The checklist of the first hour, and the mark of sample data. */
export const firstStepsEn = {
  title: "First steps",
  intro: "Each step is ticked automatically once it is done. You will find this page under Staff.",
  done: "done",
  open: "to do",
  allDone: "All steps are done.",
  sample: {
    title: "Remove the sample or keep it",
    text: (channels: number) =>
      `${channels} sample channels ship with the program, for trying it out. Remove them before you have customers.`,
    gone: "There are no sample channels.",
    kept: "The sample is kept.",
    remove: "Remove the sample",
    removeQuestion:
      "Its channels, posts and days are removed permanently, and webhooks stop watching them. Channels that you changed stay.",
    keep: "Keep it",
  },
  import: {
    title: "Import your data",
    text: "Channels first, then posts, then statistics: CSV, NDJSON or a messenger's own export.",
    link: "Import a file",
    guide: "File formats",
  },
  customer: {
    title: "Add a customer",
    text: "An organization with its owner, plan and first key, in one form.",
    link: "Add a customer",
  },
  call: {
    title: "Make a first call",
    text: "The two largest channels, as a customer gets them. The button uses no request units.",
    button: "Make the call",
    answer: "The answer",
    noPlace: "You do not belong to an organization, so the call cannot be made in its name.",
    docs: "All methods",
  },
  webhook: {
    title: "Set up a webhook",
    text: "New posts of chosen channels are sent to your server, signed.",
    link: "Add a webhook",
  },
  assistant: {
    title: "Connect an assistant",
    text: "Claude, ChatGPT and others read the same data over MCP, with the same keys.",
    link: "How to connect",
  },
  notice: {
    channel: "This channel is a sample that ships with the program. Its numbers are made up.",
    list: (channels: number) =>
      `The channels here include ${channels} sample channels that ship with the program. Their numbers are made up.`,
    manage: "Remove the sample or keep it",
  },
  removed: (channels: number) => `The sample was removed: ${channels} channels.`,
  customerForm: {
    title: "New customer",
    organization: "Organization",
    email: "Email of its owner",
    owner: "Name of its owner",
    emailHint: "If empty, the organization has no owner and no key yet.",
    write: "The key may manage webhooks",
    made: "The customer was created",
    key: "API key",
    keyText: "It is shown only once, because just its hash is stored.",
    callText: "Their first call shows what the key may do, and what is left of the quota.",
    link: "Link for the owner",
    linkText: "With it, the owner chooses a password, once, within three days.",
    signIn: "The owner already has a password here and signs in with it.",
    mailed: "An email with a link is on its way to the owner.",
    open: "Go to the organization",
  },
};

export type FirstStepsWords = typeof firstStepsEn;
