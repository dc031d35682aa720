/** @jsxImportSource hono/jsx */
import { outcomeOf } from "../../../../push/webhooks/delivery/attempt.ts";
import { FRESH_MS } from "../../../../push/webhooks/events/cut-events.ts";
import type { DeliveryView, WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { parseInstant } from "../../../../values/moscow-time.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { Moment } from "../../look/answer-times.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { shownNumber, told } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import { asset } from "../../visit/view.ts";
import { isManager } from "../../visit/viewer.ts";

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
  const words = useVisit().words.webhookPages;
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
        [words.time, ({ created_at }) => <Moment at={created_at} />],
        [words.posts, ({ posts }) => <Posts posts={posts} />],
        [
          words.state,
          ({ state, next_attempt_at: next }) => (
            <>
              <DeliveryState state={state} />
              {next !== null && (
                <>
                  <br />
                  <small>
                    {words.nextAttempt}: <Moment at={next} />
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
          words.actions,
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
  const visit = useVisit();
  return (
    <span class={`badge ${STATE_CLASSES[state]}`}>{visit.words.webhookPages.states[state]}</span>
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
  const words = useVisit().words.webhookPages;
  const text = error === "" && status !== null ? words.answered(status) : told(outcomeOf(error));
  return (
    <>
      <bdi>{text.replace(/\.$/, "")}</bdi>, {words.seconds(shownNumber(durationMs / 1000))}
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
