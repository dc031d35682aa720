import type { Outcome } from "../../../catalog/sources/outcome.ts";
import { dueAt, stateOf } from "../../../catalog/sources/source-schedule.ts";
import { fileMaxMs, isBot, placeOf, type Source } from "../../../catalog/sources/sources.table.ts";
import type { Sources } from "../../../catalog/sources/sources.ts";
import type { Clock } from "../../../ports/clock.ts";
import { inEnglish } from "../../../values/messages/messages.ts";
import { formatOptionalInstant } from "../../../values/moscow-time.ts";
import type { CommandContext } from "../command-context.ts";
import type { Printable } from "../print.ts";

/** How a command may name a source. */
export const SOURCE = "its number or name";

/** A source as commands print it. */
export function describeSource(source: Source, clock: Clock): Printable {
  const { settings } = source;
  const now = clock.now();
  const next = dueAt(source, now);
  return {
    id: source.id,
    name: source.name,
    kind: source.kind,
    rows: isBot(settings) ? "" : settings.rows,
    from: placeOf(settings),
    schedule: source.schedule,
    time_limit_seconds: isBot(settings) ? null : fileMaxMs(settings) / 1000,
    state: stateOf(source, now),
    last_success_at: formatOptionalInstant(source.succeededAt),
    last_run_at: formatOptionalInstant(source.startedAt),
    next_run_at: source.isPaused || !Number.isFinite(next) ? null : formatOptionalInstant(next),
    lag_seconds: source.position.lagMs === undefined ? null : source.position.lagMs / 1000,
    failures: source.failures,
    last_error: errorText(source),
  };
}

/** Why a run failed, including the file if it was one of several; empty if it did not fail. */
export function errorText({
  failure,
  failedFile,
}: Pick<Outcome, "failure" | "failedFile">): string {
  if (failure === null) return "";
  return `${failedFile === null ? "" : `${failedFile}: `}${inEnglish(failure)}`;
}

/** Notes that a bot is not yet in any channel: reading it then succeeds, but delivers nothing. */
export async function noteWithoutChannel(
  { output }: CommandContext,
  sources: Sources,
  { id, settings }: Source,
): Promise<void> {
  if (!isBot(settings) || (await sources.chats(id)).some(({ isRead }) => isRead)) return;
  output.note(
    `${settings.bot} is not known to be in any channel yet: make it administrator of one.`,
  );
}
