/** The checklist of the first hour, and the mark of sample data. */
export const firstStepsEn = {
  title: "First steps",
  intro: "Each step ticks itself once it is done. This page stays under Staff.",
  done: "done",
  open: "to do",
  allDone: "All steps are done.",
  sample: {
    title: "Remove the sample, or keep it",
    text: (channels: number) =>
      `${channels} sample channels ship with the program, to try it with. Remove them before customers come.`,
    gone: "No sample channels are here.",
    kept: "The sample is kept.",
    remove: "Remove the sample",
    removeQuestion:
      "Its channels, posts and days are removed for good, and webhooks stop watching them. Channels that you changed stay.",
    keep: "Keep it",
  },
  import: {
    title: "Import your data",
    text: "Channels first, then posts, then statistics: CSV, NDJSON or a messenger's own export.",
    link: "Import a file",
    guide: "What files may look like",
  },
  customer: {
    title: "Add a customer",
    text: "An organization with its owner, plan and first key, in one form.",
    link: "Add a customer",
  },
  call: {
    title: "Make a first call",
    text: "The two largest channels, as a customer gets them. The button costs nothing.",
    button: "Make the call",
    answer: "The answer",
    noPlace: "You are in no organization, so there is nobody to call as.",
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
    channel: "This channel is a sample that ships with the program: its numbers are made up.",
    list: (channels: number) =>
      `${channels} sample channels that ship with the program are among the channels here: their numbers are made up.`,
    manage: "Remove the sample or keep it",
  },
  removed: (channels: number) => `The sample is removed: ${channels} channels.`,
  customerForm: {
    title: "New customer",
    organization: "Organization",
    email: "E-mail of its owner",
    owner: "Name of its owner",
    emailHint: "Left empty, the organization has no owner and no key yet.",
    write: "The key may manage webhooks",
    made: "The customer is made",
    key: "API key",
    keyText: "Shown this once: it is stored only as a hash.",
    callText: "Their first call: what the key may do, and what is left of the quota.",
    link: "Link for the owner",
    linkText: "By it the owner chooses a password: once, within three days.",
    signIn: "The owner has a password here and signs in with it.",
    mailed: "A mail with a link is on its way to the owner.",
    open: "To the organization",
  },
};

export type FirstStepsWords = typeof firstStepsEn;
