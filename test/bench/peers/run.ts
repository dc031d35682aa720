import { openDatabase } from "../../../src/db/open-database.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import type { Figure } from "./figures.ts";
import type { Options } from "./options.ts";
import type { Work } from "./requests.ts";
import { allWorks } from "./works.ts";

/** What each part of a run has. */
export interface Run {
  options: Options;
  /** The database of the size that is measured. */
  database: string;
  works: readonly Work[];
  tell(message: string): void;
}

export type Part = (run: Run) => Promise<Figure[]>;

/** What is drawn from a database is the same in every run. */
export function drawWorks(database: string): Work[] {
  const db = openDatabase(database, systemClock, "reader");
  try {
    return allWorks(db);
  } finally {
    db.close();
  }
}

export function workNamed(works: readonly Work[], name: string): Work {
  const found = works.find((work) => work.name === name);
  if (found === undefined) throw new Error(`there is no work ${name}`);
  return found;
}
