import { findBuild, percentDone } from "../../db/background-builds.ts";
import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import type { JsonText } from "../../values/json-text.ts";
import { message } from "../../values/messages/messages.ts";
import { MENTIONS_BUILD } from "./build-mentions.ts";
import type { Neighbours, SimilarChannel } from "./mention.ts";
import type { MentionPage, MentionSelection } from "./mentions.store.ts";

export type Mentions = ReturnType<typeof createMentionQueries>;

/** `Retry-After` while mentions are still being extracted from older posts, in seconds. */
const RETRY_AFTER_S = 60;

/**
 * Answers who mentions whom.
 * @param readers run potentially slow queries on reader threads
 */
export function createMentionQueries(
  db: Database,
  readers: {
    selectMentions(selection: MentionSelection): Promise<MentionPage>;
    selectSimilar(channelId: number): Promise<JsonText<SimilarChannel[]>>;
    selectNeighbours(channelId: number): Promise<Neighbours>;
  },
) {
  /** Refuses until mentions are complete, because a part of them would look like all. */
  function requireBuilt(): void {
    const build = findBuild(db, MENTIONS_BUILD);
    if (build === undefined) return;
    const reason = message("mentionsBeingBuilt", { percent: percentDone(build) });
    throw new AppError("unavailable", reason, { retryAfterS: RETRY_AFTER_S });
  }

  return {
    /** A page of the posts that mention a channel, newest first. @throws AppError `unavailable` */
    page(selection: MentionSelection): Promise<MentionPage> {
      requireBuilt();
      return readers.selectMentions(selection);
    },

    /** The most similar channels. @throws AppError `unavailable` */
    similar(channelId: number): Promise<JsonText<SimilarChannel[]>> {
      requireBuilt();
      return readers.selectSimilar(channelId);
    },

    /** Who mentions a channel most, and whom it mentions. @throws AppError `unavailable` */
    neighbours(channelId: number): Promise<Neighbours> {
      requireBuilt();
      return readers.selectNeighbours(channelId);
    },
  };
}
