import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { expectedShape, MIGRATIONS, migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { differences, shapeOf } from "../../src/db/schema-shape.ts";
import { checkDatabase } from "../../src/upkeep/checks/check.ts";
import { fakeClock } from "../support/fake-ports.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { makeOldDatabase } from "../support/old-databases.ts";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

/** What programs between two releases made of some versions, with the version in which they made it. */
const FORMER: Record<string, { version: number; sql: string }> = {
  "without the lists of webhooks and some indexes": {
    version: 10,
    sql: "DROP TABLE webhook_lists; DROP INDEX members_by_email; DROP INDEX audit_log_by_person;",
  },
  "without hours": { version: 14, sql: "DROP TABLE hours;" },
  "with an index of posts of fewer columns, and changes of alerts as one number": {
    version: 21,
    sql: `
      DROP TABLE post_search_stems;
      ALTER TABLE post_search_state DROP COLUMN spill;
      ALTER TABLE post_search_state DROP COLUMN edition;
      DROP TRIGGER alerts_added; DROP TRIGGER alerts_changed; DROP TRIGGER alert_webhooks_switched;
      DROP TABLE alert_changes;
      CREATE TABLE alert_changes (version INTEGER NOT NULL) STRICT;
      INSERT INTO alert_changes VALUES (7);
      CREATE TRIGGER alerts_added AFTER INSERT ON alerts BEGIN
        UPDATE alert_changes SET version = version + 1;
      END;
      CREATE TRIGGER alerts_moved AFTER UPDATE ON alerts BEGIN
        UPDATE alert_changes SET version = version + 1;
      END;`,
  },
  "with a copy's row of fewer columns": {
    version: 24,
    sql: "DELETE FROM cluster_copy; ALTER TABLE cluster_copy DROP COLUMN copy_id;",
  },
};

describe("a file", () => {
  for (const [name, { version, sql }] of Object.entries(FORMER)) {
    // As its own next version finds it, and as a later program left it that did not compare shapes.
    for (const broughtTo of [version, MIGRATIONS.length - 1]) {
      test(`${name}, at version ${broughtTo}, is brought to this program's schema and works`, async () => {
        makeOldDatabase(machine.database, version);
        const db = machine.open();
        db.exec(sql);
        db.function("fold_text", (text: unknown) => String(text));
        for (const later of MIGRATIONS.slice(version, broughtTo)) db.exec(later);
        db.pragma(`user_version = ${broughtTo}`);
        db.close();

        machine.write(
          "posts.csv",
          `channel,msgr_post_id,published_at,text\n1,77,2026-11-19T08:00:00Z,Привет\n`,
        );
        const { exitCode, notes } = await machine.run([
          ...["import", "posts", machine.path("posts.csv")],
        ]);
        expect(exitCode, notes).toBe(0);
        const mended = openDatabase(machine.database, fakeClock("2026-11-20T12:00:00Z"), "reader");
        const faults: string[] = [];
        checkDatabase(mended, (result) => faults.push(...result.faults));
        expect(differences(shapeOf(mended), expectedShape())).toEqual([]);
        mended.close();
        expect(faults).toEqual([]);
        expect(machine.query("SELECT webhook_id FROM webhook_lists")).toHaveLength(1);
        const cards = "SELECT id, title FROM channel_cards ORDER BY id";
        expect(machine.query(cards)).toHaveLength(3);
        expect(machine.query("SELECT id FROM posts")).toHaveLength(3);
      });
    }
  }

  test("that is a copy of a cluster stays one, and gets the id that it lacks", async () => {
    makeOldDatabase(machine.database, 24);
    const former = machine.open();
    former.exec("ALTER TABLE cluster_copy DROP COLUMN copy_id");
    former.close();
    const clock = fakeClock("2026-11-20T12:00:00Z");
    const db = openDatabase(machine.database, clock);
    await migrate(db, clock);
    db.close();
    expect(machine.query("SELECT id, version, copy_id FROM cluster_copy")).toEqual([
      {
        id: "5f0c2a7e-0000-4000-8000-000000000000",
        version: 7,
        copy_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    ]);
  });

  test("that lacks an index is reported by the check", async () => {
    await machine.run(["org", "list"]);
    const db = machine.open();
    db.exec("DROP INDEX posts_by_time");
    db.close();
    const { exitCode, out, notes } = await machine.run(["check"]);
    expect(exitCode).toBe(1);
    expect(out + notes).toContain(
      "The index posts_by_time is missing or differs from what this program creates.",
    );
  });
});
