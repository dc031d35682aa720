import { tellOperator } from "../../customers/operator-events/operator-events.store.ts";
import type { Database } from "../../db/database.ts";
import { type DatabaseCopy, writeCopy } from "../../db/database-copy.ts";
import { transaction } from "../../db/transaction.ts";
import { AppError, toAppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { noticeMail } from "../../push/mail/notice-mail.ts";
import { mailStaff } from "../../push/mail/notice-recipients.ts";
import { message } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import { type BackupPlace, backupPath, pruneBackups } from "./backup-files.ts";

export interface BackupPlan {
  place: BackupPlace;
  /** Number of backups to keep. */
  kept: number;
}

/**
 * Writes a backup into its folder and removes the oldest ones. If it fails, a mail to staff is queued and
 * nothing is removed.
 * @throws AppError as `writeCopy`
 */
export async function backUp(
  db: Database,
  clock: Clock,
  { place, kept }: BackupPlan,
): Promise<DatabaseCopy> {
  try {
    const copy = writeCopy(db, backupPath(place, clock.now()), clock);
    pruneBackups(place, kept, clock.now());
    return copy;
  } catch (error) {
    const reason = error instanceof AppError ? error.detail : String(error);
    await tellStaff(db, clock, place, reason).catch((cause) => {
      const mail = toAppError(cause).detail;
      throw new AppError("unavailable", message("cannotTellStaff", { reason, mail }), {
        cause: error,
      });
    });
    throw error;
  }
}

const tellStaff = transaction(
  "backup-mail",
  async (tx, clock, place: BackupPlace, reason: string) => {
    const now = clock.now();
    const mail = noticeMail(message("backupFailedSubject"), message("backupFailedMail"), [
      [message("folder"), place.folder],
      [message("time"), formatInstant(now)],
      [message("reason"), reason],
    ]);
    await mailStaff(tx, now, mail);
    await tellOperator(tx, now, "backup.failed", { folder: place.folder, reason });
  },
);
