/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import { channelsList } from "../../../../verbs/methods/channels.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { Snippet } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { lookUp } from "../../visit/look-up.ts";
import { currentActor } from "../../visit/viewer.ts";
import { asset, page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";

const PATH = "/staff/start/";
/** The first call, which anybody can make. */
const CALL = "/v1/msgr/channels/?limit=2";

/** `/staff/start/`: what to do in the first hour; each step is ticked automatically. */
export const firstStepsPage: SitePage = {
  path: PATH,
  access: "staff",
  show: () => checklist(null),
  actions: {
    "remove-sample": async () => {
      await useSite().sample.remove(currentActor());
      return redirect(PATH);
    },
    "keep-sample": async (_visit, { firstSteps }) => {
      await firstSteps.note("sample_kept");
      return redirect(PATH);
    },
    call: makeCall,
  },
};

/** Makes the call, and shows the answer on the page itself. */
async function makeCall(): Promise<View> {
  const visit = useVisit();
  const context = useSite();
  if (visit.membership === null) return checklist(null);
  const answer = await lookUp(channelsList, { limit: "2" });
  await context.firstSteps.note("first_call");
  return checklist(JSON.stringify(answer, null, 2));
}

/** @param answer of the first call, if it was just made */
async function checklist(answer: string | null): Promise<View> {
  const words = useVisit().words.firstSteps;
  const done = await stepsDone();
  const link = (path: string, text: string) => <a href={asset(path)}>{text}</a>;
  const contents: Record<StepName, JSX.Element> = {
    sample: <SampleStep isDone={done.sample} />,
    import: (
      <Step text={words.import.text}>
        {link("/staff/imports/", words.import.link)}
        {link("/staff/guides/importing/", words.import.guide)}
      </Step>
    ),
    customer: (
      <Step text={words.customer.text}>
        {link("/staff/organizations/#new", words.customer.link)}
      </Step>
    ),
    call: <CallStep answer={answer} />,
    webhook: (
      <Step text={words.webhook.text}>{link("/account/webhooks/", words.webhook.link)}</Step>
    ),
    assistant: (
      <Step text={words.assistant.text}>{link("/account/connect/", words.assistant.link)}</Step>
    ),
  };
  return page(
    words.title,
    <>
      <p>{STEP_NAMES.every((name) => done[name]) ? words.allDone : words.intro}</p>
      <ol class="steps">
        {STEP_NAMES.map((name) => (
          <li class={done[name] ? "done" : undefined}>
            <h2>
              {words[name].title} <small>{done[name] ? `✓ ${words.done}` : words.open}</small>
            </h2>
            {contents[name]}
          </li>
        ))}
      </ol>
    </>,
  );
}

function Step({ text, children }: { text: string; children: Child }) {
  return (
    <>
      <p>{text}</p>
      <p class="row">{children}</p>
    </>
  );
}

function SampleStep({ isDone }: { isDone: boolean }) {
  const { sample } = useSite();
  const words = useVisit().words.firstSteps.sample;
  const { length: channels } = sample.ids();
  if (channels === 0) return <p>{words.gone}</p>;
  return (
    <>
      <p>{isDone ? words.kept : words.text(channels)}</p>
      <div class="row">
        <ActionButton
          action="remove-sample"
          label={words.remove}
          confirm={words.removeQuestion}
          danger
        />
        {!isDone && <ActionButton action="keep-sample" label={words.keep} />}
      </div>
    </>
  );
}

function CallStep({ answer }: { answer: string | null }) {
  const visit = useVisit();
  const words = visit.words.firstSteps.call;
  const curl = `curl -H "Authorization: Bearer YOUR_KEY" "${visit.ownAddress}${CALL}"`;
  if (visit.membership === null) return <p>{words.noPlace}</p>;
  return (
    <>
      <p>{words.text}</p>
      <Snippet text={curl} label="curl" />
      <div class="row">
        <ActionButton action="call" label={words.button} />
        <a href={asset("/docs/")}>{words.docs}</a>
      </div>
      {answer !== null && (
        <section aria-label={words.answer} class="scroll" tabindex={0}>
          <pre class="answer">
            <code>{answer}</code>
          </pre>
        </section>
      )}
    </>
  );
}

/** Steps of the first hour, in order. */
const STEP_NAMES = ["sample", "import", "customer", "call", "webhook", "assistant"] as const;

type StepName = (typeof STEP_NAMES)[number];

/** Each step, and whether it is done according to the database. */
async function stepsDone(): Promise<Record<StepName, boolean>> {
  const { findOrganizations, findWebhooks, firstSteps, keys, sample } = useSite();
  const first = { after: 0, limit: 2 };
  const organizations = await findOrganizations({ ...first, q: "" });
  const webhooks = await findWebhooks({
    ...first,
    organizationId: null,
    areDisabled: false,
  });
  const [own] = organizations;
  const [lastUsed] =
    own === undefined
      ? []
      : await keys.lastUsed({ organizationId: own.id, memberId: null, limit: 1 });
  return {
    sample: sample.ids().length === 0 || firstSteps.isNoted("sample_kept"),
    import: sample.hasOwnChannels(),
    customer: organizations.length > 1,
    call: firstSteps.isNoted("first_call") || (lastUsed?.lastUsedAt ?? null) !== null,
    webhook: webhooks.length > 0,
    assistant: firstSteps.isNoted("assistant_seen"),
  };
}
