/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { outcomeOf } from "../../../../push/webhooks/delivery/attempt.ts";
import { FRESH_MS } from "../../../../push/webhooks/events/cut-events.ts";
import type {
  DeliveryView,
  OwnItem,
  WebhookView,
} from "../../../../push/webhooks/manage/webhook-views.ts";
import { MOSCOW_ZONE, parseInstant } from "../../../../values/moscow-time.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { dateFormat, Moment, shownNumber, told } from "../../look/shown.tsx";
import { isManager } from "../../visit/viewer.ts";
import { asset, useSite, useVisit } from "../../visit/visit.ts";

/** Deliveries with their attempts, each with the actions on it. */
export function DeliveryTable({
  webhook,
  deliveries,
  to,
}: {
  webhook: WebhookView;
  deliveries: readonly DeliveryView[];
  /** Address of the webhook's own page, which processes the forms. */
  to: string;
}) {
  const { webhookPages: words, nextAttempt, time, actions, state: stateHead } = useVisit().words;
  return (
    <DataTable
      className="listed"
      label={words.log}
      rows={deliveries}
      columns={[
        [
          words.delivery,
          ({ delivery, event }) => (
            <>
              <a href={asset(`${to}deliveries/${delivery}/`)}>{delivery}</a>{" "}
              <small>{words.events[event]}</small>
            </>
          ),
          "row",
        ],
        [time, ({ created_at }) => <Moment at={created_at} />],
        [words.posts, ({ posts }) => <Posts posts={posts} />],
        [
          stateHead,
          ({ state, next_attempt_at: next }) => (
            <>
              <DeliveryState state={state} />
              {next !== null && (
                <>
                  <br />
                  <small>
                    {nextAttempt}: <Moment at={next} />
                  </small>
                </>
              )}
            </>
          ),
        ],
        [
          words.attempts,
          ({ attempts }) => (
            <ol class="attempts">
              {attempts.map((attempt) => (
                <li>
                  <Moment at={attempt.attempted_at} />: <Outcome attempt={attempt} />
                </li>
              ))}
            </ol>
          ),
        ],
        [
          actions,
          (one) =>
            isManager() &&
            canBeSentAgain(webhook, one) && (
              <ActionButton
                action="resend"
                to={asset(to)}
                label={words.resend}
                description={String(one.delivery)}
                fields={{ delivery: one.delivery }}
              />
            ),
          "bare",
        ],
      ]}
    />
  );
}

/** A delivery's state. */
export function DeliveryState({ state }: { state: DeliveryView["state"] }) {
  return (
    <span class={`badge ${STATE_CLASSES[state]}`}>
      {useVisit().words.webhookPages.states[state]}
    </span>
  );
}

const STATE_CLASSES = { pending: "", delivered: "good", failed: "bad", dropped: "bad" } as const;

function Posts({ posts }: { posts: readonly number[] }) {
  if (posts.length === 0) return <>—</>;
  return (
    <details>
      <summary>{posts.length}</summary>
      {posts.join(", ")}
    </details>
  );
}

/** The receiver's answer, and how long it took. */
export function Outcome({
  attempt: { status, error, duration_ms: durationMs },
}: {
  attempt: DeliveryView["attempts"][number];
}) {
  const { webhookPages: words, seconds } = useVisit().words;
  const text = error === "" && status !== null ? words.answered(status) : told(outcomeOf(error));
  return (
    <>
      <bdi>{text.replace(/\.$/, "")}</bdi>, {seconds(shownNumber(durationMs / 1000))}
    </>
  );
}

/** Whether to offer sending a delivery again; false if that would certainly be refused. */
function canBeSentAgain(
  { is_active: isActive }: WebhookView,
  { event, created_at: createdAt }: DeliveryView,
): boolean {
  const { nowMs } = useVisit();
  const createdAtMs = parseInstant(createdAt) ?? 0;
  return isActive && event !== "ping" && createdAtMs >= nowMs - FRESH_MS;
}

const SHOWN = 50;
const BAR = 8;
const GAP = 3;
const HEIGHT = 36;
/** Height of the lowest bar, for an attempt of 0 ms. */
const HEIGHT_MIN = 10;
/** No attempt takes longer. */
const DURATION_MAX_MS = 10_000;

/** A webhook's latest attempts at a glance, one bar each; its height shows the duration. */
export async function attemptsStrip(own: OwnItem): Promise<JSX.Element | null> {
  const { services } = useSite();
  const words = useVisit().words.webhookPages;
  const attempts = await services.webhooks.recentAttempts(own, SHOWN);
  const last = attempts.at(-1);
  if (last === undefined) return null;
  const failed = attempts.filter(({ error }) => error !== "").length;
  const [all, good] = [attempts.length, attempts.length - failed].map((count) =>
    shownNumber(count),
  );
  return (
    <figure class="glance">
      <svg
        class="strip"
        viewBox={`0 0 ${SHOWN * (BAR + GAP)} ${HEIGHT}`}
        preserveAspectRatio="xMinYMax meet"
        aria-hidden="true"
      >
        {attempts.map(({ error, attempted_at: at, duration_ms: durationMs }, place) => {
          const height = heightOf(durationMs);
          return (
            <rect
              class={error === "" ? "ok" : "failed"}
              x={place * (BAR + GAP)}
              y={HEIGHT - height}
              width={BAR}
              height={height}
              rx="2"
            >
              <title>{`${timeText(at)}: ${error === "" ? words.states.delivered : told(outcomeOf(error))}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        {words.lastAttempts(all ?? "", good ?? "")} {words.lastAttempt}{" "}
        <Moment at={last.attempted_at} />:{" "}
        <span class={last.error === "" ? "good" : "bad"}>
          {last.error === "" ? words.states.delivered : words.states.failed}
        </span>
      </figcaption>
    </figure>
  );
}

/** Logarithmic, from a few milliseconds to the ten seconds that an attempt may take. */
function heightOf(durationMs: number): number {
  const part = Math.log10(1 + durationMs) / Math.log10(1 + DURATION_MAX_MS);
  return Math.round(HEIGHT_MIN + Math.min(1, part) * (HEIGHT - HEIGHT_MIN));
}

function timeText(at: string): string {
  const format = { dateStyle: "short", timeStyle: "short", timeZone: MOSCOW_ZONE } as const;
  return dateFormat(useVisit().words.locale, format).format(parseInstant(at) ?? 0);
}
