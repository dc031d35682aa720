import { type Domains, openDomains } from "../../../src/app/domains.ts";
import { readConfig } from "../../../src/config.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";

import { systemPorts } from "../../../src/ports/ports.ts";
import { formatDay } from "../../../src/values/moscow-time.ts";
import { createMachine, type Machine } from "../../support/machine.ts";
import { PASSWORD } from "../../support/visitor.ts";
import type { Customer } from "../../support/webhook-journey.ts";
import { END_DAY } from "../peers/data/channels.ts";
import { directorySlugs } from "../peers/data/generate.ts";
import { writeImportFiles } from "../peers/data/import-files.ts";
import { searchStrings } from "../peers/search-strings.ts";

/** A database of which each row gets a copy, and what is in it. */
export interface Data {
  machine: Machine;
  /** Numbers of channels that a webhook may watch. */
  channels: number[];
  /** Strings to search for, from titles and handles. */
  strings: string[];
  /** The last day that has statistics. */
  lastDay: string;
  victims: Customer[];
  neighbour: Customer;
  /** Addresses of people who sign in with `PASSWORD`. */
  people: string[];
  staff: string;
}

const DAYS_PER_CHANNEL = 3;
const STRINGS = 200;
/** Each stays within the plan's 30 a second, and together they send 50. */
const VICTIMS = 2;

/** Creates a database with Kanalog's own imports. */
export async function makeData(channels: number, people: number): Promise<Data> {
  const machine = createMachine();
  try {
    await machine.json(["recount"]);
    const files = writeImportFiles(machine.folder, machine.database, channels, DAYS_PER_CHANNEL);
    await machine.json(["import", "channels", files.channels]);
    await machine.json(["import", "stats", files.stats]);
    const ports = { KANALOG_DB: machine.database, KANALOG_LOG_LEVEL: "silent" };
    const config = readConfig(ports);
    const domains = await openDomains(config, systemPorts(config));
    try {
      const [neighbour, ...victims] = await addCustomers(domains, 1 + VICTIMS);
      if (neighbour === undefined) throw new Error("there is no neighbour");
      const staff = "boss@example.com";
      await addPerson(domains, neighbour.organization, staff);
      await domains.people.markStaff({ email: staff, isStaff: true, by: COMMAND_LINE });
      const names = Array.from({ length: people }, (_, at) => `person-${at}@example.com`);
      for (const email of names) await addPerson(domains, neighbour.organization, email);
      const sql = "SELECT id FROM channels WHERE is_public = 1 ORDER BY id";
      return {
        ...{ machine, victims, neighbour, staff, people: names },
        channels: machine.query<{ id: number }>(sql).map(({ id }) => id),
        strings: searchStrings(STRINGS, channels, directorySlugs(domains.db)),
        lastDay: formatDay(END_DAY - 1),
      };
    } finally {
      domains.db.close();
    }
  } catch (error) {
    await machine.leave();
    throw error;
  }
}

/** Creates organizations on Profi with its default limits, each with an owner's read-and-write key. */
async function addCustomers({ accounts, keys }: Domains, count: number): Promise<Customer[]> {
  const made: Customer[] = [];
  for (let at = 0; at < count; at++) {
    const { id } = await accounts.createOrganization(
      { name: `Acme ${at}`, plan: "profi" },
      COMMAND_LINE,
    );
    const owner = { organizationId: id, email: `owner-${at}@example.com`, name: "" };
    const member = await accounts.addMember({ ...owner, role: "owner" }, COMMAND_LINE);
    const access = "read_write" as const;
    const { token } = await keys.createKey(
      {
        memberId: member.id,
        name: "",
        access,
        expiresAt: null,
      },
      COMMAND_LINE,
    );
    made.push({ organization: id, key: token });
  }
  return made;
}

async function addPerson(
  { accounts, people }: Domains,
  organizationId: number,
  email: string,
): Promise<void> {
  await accounts.addMember({ organizationId, email, name: "", role: "member" }, COMMAND_LINE);
  await people.ensurePerson({ email, name: "" });
  await people.setPassword({ email, password: PASSWORD, by: COMMAND_LINE });
}
