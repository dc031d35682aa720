import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import type { Keys } from "../../../customers/keys/keys.ts";
import { CommandExit, EXIT_FAILED, type Output } from "../command-context.ts";
import { objectText, type Printable } from "../print.ts";

/**
 * Prints what was created with a key, which cannot be shown again: if it could not be printed, the key is
 * revoked.
 */
export async function printNewKey(
  output: Output,
  keys: Keys,
  keyId: number,
  printed: Printable,
  asJson?: boolean,
): Promise<void> {
  try {
    await output.outSafely(objectText(printed, asJson));
  } catch (error) {
    await keys.revokeKey(keyId, COMMAND_LINE);
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandExit(
      EXIT_FAILED,
      `Standard output cannot be written: ${reason}. Nobody saw key ${keyId}, so it was revoked: create another one.`,
    );
  }
  output.note("Keep the key: it is stored only as a hash and cannot be shown again.");
}
