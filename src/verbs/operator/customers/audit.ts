import type { AuditRecord } from "../../../customers/audit/audit-log.ts";
import * as shape from "../../../values/schema.ts";
import { text } from "../../parameters.ts";
import { list, numberBefore, reference, resource } from "../resource.ts";
import { organizations } from "./organizations.ts";

/** Stands for changes without a person, those of commands. */
export const COMMANDS = "command-line";

const entryRows = shape.rows("AuditEntry", {
  id: shape.integer("Number of the entry"),
  at: shape.instant("When it was done"),
  person: shape.field(
    shape.text(`E-mail address, or name of a key; \`${COMMANDS}\` for commands`),
    ({ person }: AuditRecord) => person || COMMANDS,
  ),
  organization: shape.property(
    "organizationId",
    shape.nullable(shape.integer("Number of the organization that it concerns")),
  ),
  action: shape.text({ description: "What was done", examples: ["key.create"] }),
  target: shape.text({ description: "To what", examples: ["key 3"] }),
  details: shape.anyObject("What else is recorded of it"),
});

/** Changes by people, keys and commands. */
export const audit = resource({
  name: "audit entry",
  command: "audit",
  path: "audit",
  area: "customers",
  title: "changes, and who made them",
  schema: entryRows.schema,
  verbs: [
    list({
      title: "list changes, latest first",
      args: {
        organization: { ...reference(organizations, "Only this organization's."), required: false },
        person: text(
          `Only this person's, by their address; \`${COMMANDS}\` for those of commands.`,
          { example: "ada@example.com" },
        ),
      },
      async run({ organization = null, person = null }, { services, part }) {
        if (organization !== null) await services.accounts.organization(organization);
        const found = await services.audit.entries({
          before: numberBefore(part),
          limit: part.limit,
          organizationId: organization,
          person: person === COMMANDS ? "" : person,
        });
        return found.map(entryRows.row);
      },
    }),
  ],
});
