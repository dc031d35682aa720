import type { Entries } from "../compare.ts";

/** Statements of accounts, keys, usage and people. */
export const customers: Entries = {
  "customers/accounts/accounts.store.ts allOrganizations": [
    {
      sql: 'select … from "organizations" order by "organizations"."id" asc',
      plan: ["SCAN organizations"],
      rows: 2001,
      why: "Staff's list of all organizations.",
    },
  ],
  "customers/accounts/accounts.store.ts allPlans": [
    {
      sql: 'select … from "plans" order by "plans"."position" asc',
      plan: ["SCAN plans", "USE TEMP B-TREE FOR ORDER BY"],
      rows: 4,
    },
  ],
  "customers/accounts/accounts.store.ts insertMember": [
    {
      sql: 'insert into "members" (…) values (…) returning …',
      plan: [
        "SEARCH oauth_codes USING INDEX oauth_codes_by_member (member_id=?)",
        "SEARCH keys USING COVERING INDEX keys_by_member (member_id=?)",
      ],
      rows: 0,
    },
  ],
  "customers/accounts/accounts.store.ts insertOrganization": [
    {
      sql: 'insert into "organizations" (…) values (…) returning …',
      plan: [
        "SEARCH alerts USING COVERING INDEX alerts_by_organization (organization_id=?)",
        "SEARCH quota_mails USING PRIMARY KEY (organization_id=?)",
        "SEARCH manual_attempts USING COVERING INDEX manual_attempts_by_host (organization_id=?)",
        "SEARCH webhooks USING COVERING INDEX webhooks_by_organization (organization_id=?)",
        "SEARCH usage_days USING PRIMARY KEY (organization_id=?)",
        "SEARCH usage_periods USING PRIMARY KEY (organization_id=?)",
        "SEARCH members USING COVERING INDEX sqlite_autoindex_members_1 (organization_id=?)",
      ],
      rows: 0,
    },
  ],
  "customers/accounts/accounts.store.ts memberById": [
    {
      sql: 'select … from "members" where "members"."id" = ?',
      plan: ["SEARCH members USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "customers/accounts/accounts.store.ts membersByOrganization": [
    {
      sql: 'select … from "members" where "members"."organization_id" = ? order by "members"."id" asc',
      plan: [
        "SEARCH members USING INDEX sqlite_autoindex_members_1 (organization_id=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 3,
    },
  ],
  "customers/accounts/accounts.store.ts organizationById": [
    {
      sql: 'select … from "organizations" where "organizations"."id" = ?',
      plan: ["SEARCH organizations USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "customers/accounts/accounts.store.ts membershipsByEmail": [
    {
      sql: 'select … from "members" inner join "organizations" on "organizations"."id" = "members"."organization_id" where "members"."email" = ? order by "members"."id" asc',
      plan: [
        "SEARCH members USING INDEX members_by_email (email=?)",
        "SEARCH organizations USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 4,
      why: "No index has members by their address: each page of the site looks at all members, and staff's list of people does so for each person.",
    },
  ],
  "customers/accounts/accounts.store.ts planByCode": [
    {
      sql: 'select … from "plans" where "plans"."code" = ?',
      plan: ["SEARCH plans USING PRIMARY KEY (code=?)"],
      rows: 1,
    },
  ],
  "customers/accounts/accounts.store.ts updateMember": [
    {
      sql: 'update "members" set "suspended_at" = ? where "members"."id" = ?',
      plan: ["SEARCH members USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: 'update "members" set "email" = ?, "name" = ? where "members"."id" = ?',
      plan: ["SEARCH members USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "customers/accounts/accounts.store.ts updateOrganization": [
    {
      sql: 'update "organizations" set "name" = ? where "organizations"."id" = ?',
      plan: ["SEARCH organizations USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
    {
      sql: 'update "organizations" set "archived_at" = ? where "organizations"."id" = ?',
      plan: ["SEARCH organizations USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "customers/accounts/accounts.store.ts updatePlan": [
    {
      sql: 'update "plans" set "requests_per_second" = ? where "plans"."code" = ?',
      plan: ["SEARCH plans USING PRIMARY KEY (code=?)"],
      rows: 1,
    },
  ],
  "customers/accounts/accounts.store.ts firstMember": [
    {
      sql: 'select "id" from "members" order by "members"."id" asc limit ?',
      plan: ["SCAN members"],
      rows: 1,
      why: "The first row of the table, in the order of its key.",
    },
  ],
  "customers/audit/audit.store.ts selectEntries": [
    {
      sql: 'select … from "audit_log" where "audit_log"."id" < ? order by "audit_log"."id" desc limit ?',
      plan: ["SEARCH audit_log USING INTEGER PRIMARY KEY (rowid<?)"],
      rows: 51,
    },
    {
      sql: 'select … from "audit_log" where ("audit_log"."id" < ? and "audit_log"."organization_id" = ?) order by "audit_log"."id" desc limit ?',
      plan: ["SEARCH audit_log USING INDEX audit_log_by_organization (organization_id=? AND id<?)"],
      rows: 34,
    },
    {
      sql: 'select … from "audit_log" where ("audit_log"."id" < ? and "audit_log"."person" = ? COLLATE NOCASE) order by "audit_log"."id" desc limit ?',
      plan: ["SEARCH audit_log USING INDEX audit_log_by_person (person=? AND id<?)"],
      rows: 25,
      why: "No index has entries by person: staff's search for one reads the log until its page is full.",
    },
  ],
  "db/kysely-dialect.ts executeQuery": [
    {
      sql: 'insert into "people" (…) values (…) returning *',
      plan: [
        "SEARCH known_networks USING PRIMARY KEY (person_id=?)",
        "SEARCH credentials USING COVERING INDEX credentials_by_person (person_id=?)",
        "SEARCH sessions USING COVERING INDEX sessions_by_person (person_id=?)",
      ],
      rows: 0,
    },
    {
      sql: 'select "name", "sql", "type" from "sqlite_master" where "type" in (?, ?) and "name" not like ? and "name" != ? and "name" != ? order by "name"',
      plan: ["SCAN sqlite_master", "USE TEMP B-TREE FOR ORDER BY"],
      rows: 0,
      why: "Read by better-auth once for each connection, before its first statement.",
    },
    {
      sql: 'with "table_list" as (select "name", "sql", "type" from "sqlite_master" where "type" in (?, ?) and "name" not like ? and "name" != ? and "name" != ? order by "name") select … from "table_list" as "tl", pragma_table_info(tl.name) as "p" order by "tl"."name", "p"."cid"',
      plan: ["SCAN sqlite_master", "SCAN p VIRTUAL TABLE INDEX 0:", "USE TEMP B-TREE FOR ORDER BY"],
      rows: 445,
      why: "Read by better-auth once for each connection, before its first statement.",
    },
    {
      sql: 'select "primary".* from (select * from "people" where "people"."email" = ?) as "primary"',
      plan: ["SEARCH people USING INDEX sqlite_autoindex_people_2 (email=?)"],
      rows: 1,
    },
    {
      sql: 'select "primary".* from (select * from "credentials" where "credentials"."person_id" = ? limit ?) as "primary"',
      plan: ["SEARCH credentials USING INDEX credentials_by_person (person_id=?)"],
      rows: 1,
    },
    {
      sql: 'select "primary".* from (select * from "sessions" where "sessions"."token" = ?) as "primary"',
      plan: ["SEARCH sessions USING INDEX sqlite_autoindex_sessions_2 (token=?)"],
      rows: 1,
    },
    {
      sql: 'select "primary".* from (select * from "people" where "people"."id" = ?) as "primary"',
      plan: ["SEARCH people USING INDEX sqlite_autoindex_people_1 (id=?)"],
      rows: 1,
    },
    {
      sql: 'select "primary".* from (select * from "verifications" where "verifications"."identifier" = ? order by "created_at" desc limit ?) as "primary" order by "created_at" desc',
      plan: [
        "CO-ROUTINE primary",
        "  SEARCH verifications USING INDEX verifications_by_identifier (identifier=?)",
        "  USE TEMP B-TREE FOR ORDER BY",
        "SCAN primary",
      ],
      rows: 1,
      why: "The library's: the one row of the query within, or a hundred links that are over.",
    },
    {
      sql: 'select "primary".* from (select * from "verifications" where "verifications"."expires_at" < ? limit ?) as "primary"',
      plan: ["SCAN verifications"],
      rows: 100,
      why: "The library's: the one row of the query within, or a hundred links that are over.",
    },
    {
      sql: 'delete from "verifications" where "verifications"."expires_at" < ?',
      plan: ["SCAN verifications"],
      rows: 510,
      why: "The library's: with each link that is looked at it removes what is over, so only three days of links are left.",
    },
    {
      sql: 'select "primary".* from (select * from "sessions" where "sessions"."person_id" = ? limit ?) as "primary"',
      plan: ["SEARCH sessions USING INDEX sessions_by_person (person_id=?)"],
      rows: 1,
    },
    {
      sql: 'delete from "sessions" where "sessions"."person_id" = ?',
      plan: ["SEARCH sessions USING COVERING INDEX sessions_by_person (person_id=?)"],
      rows: 1,
    },
    {
      sql: 'select "primary".* from (select * from "credentials" where ("credentials"."person_id" = ? and "credentials"."provider_id" = ? and "credentials"."account_id" = ?)) as "primary"',
      plan: ["SEARCH credentials USING INDEX credentials_by_person (person_id=?)"],
      rows: 1,
    },
    {
      sql: 'update "credentials" set "password" = ?, "updated_at" = ? where "credentials"."id" = ? returning *',
      plan: ["SEARCH credentials USING INDEX sqlite_autoindex_credentials_1 (id=?)"],
      rows: 1,
    },
    {
      sql: 'update "credentials" set "password" = ?, "updated_at" = ? where ("credentials"."person_id" = ? and "credentials"."provider_id" = ? and "credentials"."account_id" = ?)',
      plan: ["SEARCH credentials USING INDEX credentials_by_person (person_id=?)"],
      rows: 1,
    },
  ],
  "customers/keys/keys.store.ts recordKeyUse": [
    {
      sql: "UPDATE keys SET last_used_at = ? WHERE id = ?",
      plan: ["SEARCH keys USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "customers/keys/keys.store.ts accountsVersionNow": [
    {
      sql: "SELECT version FROM accounts_version",
      plan: ["SCAN accounts_version"],
      rows: 1,
    },
  ],
  "customers/keys/keys.store.ts holderByHash": [
    {
      sql: 'select … from "keys" inner join "members" on "members"."id" = "keys"."member_id" inner join "organizations" on "organizations"."id" = "members"."organization_id" where "keys"."hash" = ?',
      plan: [
        "SEARCH keys USING INDEX sqlite_autoindex_keys_1 (hash=?)",
        "SEARCH members USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH organizations USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 3,
    },
  ],
  "customers/keys/keys.store.ts insertKey": [
    {
      sql: 'insert into "keys" (…) values (…) returning …',
      plan: ["SEARCH oauth_grants USING INTEGER PRIMARY KEY (rowid=?)", "SCAN usage_days"],
      rows: 0,
      why: "Compiled for the foreign key, and skipped: nothing refers to a key that is not there yet.",
    },
  ],
  "customers/keys/keys.store.ts keyById": [
    {
      sql: 'select … from "keys" where "keys"."id" = ?',
      plan: ["SEARCH keys USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "customers/keys/keys.store.ts keysByOrganization": [
    {
      sql: 'select … from "keys" inner join "members" on "members"."id" = "keys"."member_id" where "members"."organization_id" = ? order by "keys"."id" asc',
      plan: [
        "SEARCH members USING COVERING INDEX sqlite_autoindex_members_1 (organization_id=?)",
        "SEARCH keys USING INDEX keys_by_member (member_id=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 5,
    },
  ],
  "customers/keys/keys.store.ts newestKeys": [
    {
      sql: 'select … from "keys" inner join "members" on "members"."id" = "keys"."member_id" where (("members"."organization_id" = ? and (? IS NULL or "keys"."member_id" = ?)) and (? IS NULL or ("keys"."revoked_at" IS NOT NULL OR coalesce("keys"."expires_at" <= ?, 0)) = ?) and (? IS NULL or "keys"."id" < ?)) order by "keys"."id" desc limit ?',
      plan: [
        "SEARCH members USING COVERING INDEX sqlite_autoindex_members_1 (organization_id=?)",
        "SEARCH keys USING INDEX keys_by_member (member_id=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 3,
    },
  ],
  "customers/keys/keys.store.ts lastUsedKeys": [
    {
      sql: 'select … from "keys" inner join "members" on "members"."id" = "keys"."member_id" where ("members"."organization_id" = ? and (? IS NULL or "keys"."member_id" = ?)) order by "keys"."last_used_at" IS NULL, "keys"."last_used_at" desc, "keys"."id" asc limit ?',
      plan: [
        "SEARCH members USING COVERING INDEX sqlite_autoindex_members_1 (organization_id=?)",
        "SEARCH keys USING INDEX keys_by_member (member_id=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 3,
    },
  ],
  "customers/keys/keys.store.ts keyInScope": [
    {
      sql: 'select … from "keys" inner join "members" on "members"."id" = "keys"."member_id" where ("keys"."id" = ? and ("members"."organization_id" = ? and (? IS NULL or "keys"."member_id" = ?)))',
      plan: [
        "SEARCH keys USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH members USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 2,
    },
  ],
  "customers/keys/keys.store.ts updateRevoked": [
    {
      sql: 'update "keys" set "revoked_at" = ? where "keys"."id" = ?',
      plan: ["SEARCH keys USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "customers/keys/keys.store.ts updateExpiry": [
    {
      sql: 'update "keys" set "expires_at" = ? where "keys"."id" = ?',
      plan: ["SEARCH keys USING INTEGER PRIMARY KEY (rowid=?)"],
      rows: 1,
    },
  ],
  "customers/keys/keys.store.ts keysByName": [
    {
      sql: 'select … from "keys" where ("keys"."prefix" = ? or "keys"."name" = ?) order by "keys"."id" asc',
      plan: ["SCAN keys"],
      rows: 4006,
      why: "A command looks for keys by prefix or name, now and then; a request knows its key by the hash.",
    },
  ],
  "customers/limits/usage-history.store.ts selectUsage": [
    {
      sql: "SELECT … FROM usage_days WHERE within_deadline() AND organization_id = @organizationId AND (day, method, key_id) > (@day, @method, @key) AND day <= @to GROUP BY day, method, key_id ORDER BY day, method, key_id LIMIT @limit",
      plan: [
        "SEARCH usage_days USING PRIMARY KEY (organization_id=? AND (day,method,key_id)>(?,?,?) AND day<?)",
      ],
      rows: 828,
      why: "A page of days, methods and keys, 10,000 at most.",
    },
  ],
  "customers/limits/usage-history.store.ts summarizeUsage": [
    {
      sql: "SELECT … FROM usage_days WHERE within_deadline() AND organization_id = ? AND day BETWEEN ? AND ? GROUP BY day, method ORDER BY day, method",
      plan: ["SEARCH usage_days USING PRIMARY KEY (organization_id=? AND day>? AND day<?)"],
      rows: 317,
      why: "The usage of an organization's page, under the deadline of a reader thread.",
    },
    {
      sql: "SELECT … FROM usage_days WHERE within_deadline() AND organization_id = ? AND day BETWEEN ? AND ? GROUP BY key_id ORDER BY requests DESC, key_id LIMIT 50",
      plan: [
        "CO-ROUTINE (subquery-2)",
        "  SEARCH usage_days USING PRIMARY KEY (organization_id=? AND day>? AND day<?)",
        "  USE TEMP B-TREE FOR GROUP BY",
        "SCAN (subquery-2)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 317,
      why: "The usage of an organization's page, under the deadline of a reader thread.",
    },
  ],
  "customers/limits/usage.store.ts createUsageStore": [
    {
      sql: "SELECT used FROM usage_periods WHERE organization_id = ? AND started_at = ?",
      plan: ["SEARCH usage_periods USING PRIMARY KEY (organization_id=? AND started_at=?)"],
      rows: 1,
    },
  ],
  "customers/limits/usage.store.ts nextOrganization": [
    {
      sql: 'select min("organization_id") from "usage_days" where "usage_days"."organization_id" > ?',
      plan: ["SEARCH usage_days USING PRIMARY KEY (organization_id>?)"],
      rows: 1,
    },
  ],
  "customers/limits/usage.store.ts removeOldestDay": [
    {
      sql: 'delete from "usage_days" where ("usage_days"."organization_id" = ? and "usage_days"."day" = (select min("day") from "usage_days" where ("usage_days"."organization_id" = ? and "usage_days"."day" <= ?)))',
      plan: [
        "SEARCH usage_days USING PRIMARY KEY (organization_id=? AND day=?)",
        "SCALAR SUBQUERY 1",
        "  SEARCH usage_days USING PRIMARY KEY (organization_id=? AND day<?)",
      ],
      rows: 11,
    },
  ],
  "customers/limits/usage.store.ts usedByAll": [
    {
      sql: "SELECT u.organization_id AS id, u.used FROM json_each(?) given CROSS JOIN usage_periods u ON u.organization_id = given.value ->> 0 AND u.started_at = given.value ->> 1",
      plan: [
        "SCAN given VIRTUAL TABLE INDEX 1:",
        "SEARCH u USING PRIMARY KEY (organization_id=? AND started_at=?)",
      ],
      rows: 4002,
      why: "One row by its key for each organization, in one statement for the staff summary.",
    },
  ],
  "customers/people/people.store.ts accounts": [
    {
      sql: 'select "id", "name", "email", "is_staff", "email_verified", exists (select "id" from "credentials" where ("credentials"."person_id" = "people"."id" and "credentials"."password" is not null)), (select count(*) from "sessions" where ("sessions"."person_id" = "people"."id" and "sessions"."expires_at" > ?)) from "people" order by "people"."email" asc',
      plan: [
        "SCAN people USING INDEX sqlite_autoindex_people_2",
        "CORRELATED SCALAR SUBQUERY 1",
        "  SEARCH credentials USING INDEX credentials_by_person (person_id=?)",
        "CORRELATED SCALAR SUBQUERY 2",
        "  SEARCH sessions USING INDEX sessions_by_person (person_id=?)",
      ],
      rows: 10100,
      why: "Staff's list of all people.",
    },
  ],
  "customers/people/people.store.ts emailById": [
    {
      sql: 'select "email" from "people" where "people"."id" = ?',
      plan: ["SEARCH people USING INDEX sqlite_autoindex_people_1 (id=?)"],
      rows: 1,
    },
  ],
  "customers/people/people.store.ts firstPassword": [
    {
      sql: 'select "id" from "credentials" where "credentials"."password" is not null limit ?',
      plan: ["SCAN credentials"],
      rows: 1,
      why: "The first row is enough.",
    },
  ],
  "customers/people/people.store.ts passwordOf": [
    {
      sql: 'select "id" from "credentials" where ("credentials"."person_id" = ? and "credentials"."password" is not null)',
      plan: ["SEARCH credentials USING INDEX credentials_by_person (person_id=?)"],
      rows: 1,
    },
  ],
  "customers/people/people.store.ts personByEmail": [
    {
      sql: 'select … from "people" where "people"."email" = ?',
      plan: ["SEARCH people USING INDEX sqlite_autoindex_people_2 (email=?)"],
      rows: 1,
    },
  ],
  "customers/people/people.store.ts removeLinks": [
    {
      sql: 'delete from "verifications" where "verifications"."value" = ?',
      plan: ["SCAN verifications"],
      rows: 500,
      why: "Only links of the last three days are there: the library removes what is over.",
    },
  ],
  "customers/people/people.store.ts removePassword": [
    {
      sql: 'delete from "credentials" where "credentials"."person_id" = ?',
      plan: ["SEARCH credentials USING COVERING INDEX credentials_by_person (person_id=?)"],
      rows: 1,
    },
  ],
  "customers/people/people.store.ts removeSessions": [
    {
      sql: 'delete from "sessions" where "sessions"."person_id" = ?',
      plan: ["SEARCH sessions USING COVERING INDEX sessions_by_person (person_id=?)"],
      rows: 3,
    },
  ],
  "customers/people/people.store.ts staffEmails": [
    {
      sql: 'select "email" from "people" where "people"."is_staff" = ? order by "people"."email" asc',
      plan: ["SCAN people USING INDEX sqlite_autoindex_people_2"],
      rows: 2100,
      why: "Only where a backup failed, or somebody stops being staff.",
    },
  ],
  "customers/people/people.store.ts verifyByLink": [
    {
      sql: 'update "people" set … where "people"."id" = ?',
      plan: ["SEARCH people USING INDEX sqlite_autoindex_people_1 (id=?)"],
      rows: 1,
    },
  ],
  "customers/people/people.store.ts updatePerson": [
    {
      sql: 'update "people" set "email_verified" = ? where "people"."id" = ?',
      plan: ["SEARCH people USING INDEX sqlite_autoindex_people_1 (id=?)"],
      rows: 1,
    },
    {
      sql: 'update "people" set "is_staff" = ? where "people"."id" = ?',
      plan: ["SEARCH people USING INDEX sqlite_autoindex_people_1 (id=?)"],
      rows: 1,
    },
    {
      sql: 'update "people" set "link_is_trusted" = ? where "people"."id" = ?',
      plan: ["SEARCH people USING INDEX sqlite_autoindex_people_1 (id=?)"],
      rows: 1,
    },
  ],
  "customers/people/known-networks.store.ts prune": [
    {
      sql: 'delete from "known_networks" where ("known_networks"."person_id" = ? and ("known_networks"."signed_in_at" <= ? or "known_networks"."network" not in (select "network" from "known_networks" where "known_networks"."person_id" = ? order by "known_networks"."signed_in_at" desc limit ?)))',
      plan: [
        "SEARCH known_networks USING PRIMARY KEY (person_id=?)",
        "LIST SUBQUERY 1",
        "  SEARCH known_networks USING PRIMARY KEY (person_id=?)",
        "  USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 2,
    },
  ],
  "customers/people/known-networks.store.ts signedInAt": [
    {
      sql: 'select "signed_in_at" from "known_networks" where ("known_networks"."person_id" = ? and "known_networks"."network" = ?)',
      plan: ["SEARCH known_networks USING PRIMARY KEY (person_id=? AND network=?)"],
      rows: 0,
    },
  ],
  "customers/oauth/oauth.store.ts accessHolder": [
    {
      sql: 'select … from "oauth_tokens" inner join "keys" on "keys"."id" = "oauth_tokens"."key_id" inner join "members" on "members"."id" = "keys"."member_id" inner join "organizations" on "organizations"."id" = "members"."organization_id" where ("oauth_tokens"."hash" = ? and "oauth_tokens"."kind" = ?)',
      plan: [
        "SEARCH oauth_tokens USING PRIMARY KEY (hash=?)",
        "SEARCH keys USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH members USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH organizations USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 4,
    },
  ],
  "customers/oauth/oauth.store.ts clientByClientId": [
    {
      sql: 'select … from "oauth_clients" where "oauth_clients"."client_id" = ?',
      plan: ["SEARCH oauth_clients USING INDEX sqlite_autoindex_oauth_clients_1 (client_id=?)"],
      rows: 1,
    },
  ],
  "customers/oauth/oauth.store.ts codeByHash": [
    {
      sql: 'select … from "oauth_codes" inner join "members" on "members"."id" = "oauth_codes"."member_id" inner join "organizations" on "organizations"."id" = "members"."organization_id" where "oauth_codes"."hash" = ?',
      plan: [
        "SEARCH oauth_codes USING PRIMARY KEY (hash=?)",
        "SEARCH members USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH organizations USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 3,
    },
  ],
  "customers/oauth/oauth.store.ts grantsByOrganization": [
    {
      sql: 'select … from "oauth_grants" inner join "keys" on "keys"."id" = "oauth_grants"."key_id" inner join "members" on "members"."id" = "keys"."member_id" where ("members"."organization_id" = ? and "keys"."revoked_at" is null and "keys"."expires_at" > ?) order by "keys"."id" asc',
      plan: [
        "SEARCH members USING COVERING INDEX sqlite_autoindex_members_1 (organization_id=?)",
        "SEARCH keys USING INDEX keys_by_member (member_id=?)",
        "SEARCH oauth_grants USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
      rows: 5,
    },
  ],
  "customers/oauth/oauth.store.ts putClient": [
    {
      sql: 'insert into "oauth_clients" (…) values (…) on conflict ("oauth_clients"."client_id") do update set … returning …',
      plan: [
        "SEARCH oauth_codes USING INDEX oauth_codes_by_client (client_id=?)",
        "SEARCH oauth_grants USING COVERING INDEX oauth_grants_by_client (client_id=?)",
      ],
      rows: 0,
    },
  ],
  "customers/oauth/oauth.store.ts tokenByHash": [
    {
      sql: 'select … from "oauth_tokens" inner join "oauth_grants" on "oauth_grants"."key_id" = "oauth_tokens"."key_id" inner join "keys" on "keys"."id" = "oauth_tokens"."key_id" inner join "members" on "members"."id" = "keys"."member_id" inner join "organizations" on "organizations"."id" = "members"."organization_id" where "oauth_tokens"."hash" = ?',
      plan: [
        "SEARCH oauth_tokens USING PRIMARY KEY (hash=?)",
        "SEARCH oauth_grants USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH keys USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH members USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH organizations USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 5,
    },
  ],
  "customers/oauth/oauth.store.ts updateCode": [
    {
      sql: 'update "oauth_codes" set "used_at" = ? where "oauth_codes"."hash" = ?',
      plan: ["SEARCH oauth_codes USING PRIMARY KEY (hash=?)"],
      rows: 1,
    },
    {
      sql: 'update "oauth_codes" set "key_id" = ? where "oauth_codes"."hash" = ?',
      plan: ["SEARCH oauth_codes USING PRIMARY KEY (hash=?)"],
      rows: 1,
    },
  ],
  "customers/oauth/oauth.store.ts updateTokenUsed": [
    {
      sql: 'update "oauth_tokens" set "used_at" = ? where "oauth_tokens"."hash" = ?',
      plan: ["SEARCH oauth_tokens USING PRIMARY KEY (hash=?)"],
      rows: 1,
    },
  ],
  "customers/oauth/prune-oauth.store.ts deleteEndedGrants": [
    {
      sql: 'delete from "oauth_grants" where "oauth_grants"."key_id" = ?',
      plan: [
        "SEARCH oauth_grants USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH oauth_tokens USING INDEX oauth_tokens_by_key (key_id=?)",
        "SEARCH oauth_codes USING INDEX oauth_codes_by_key (key_id=?)",
      ],
      rows: 1,
    },
  ],
  "customers/oauth/prune-oauth.store.ts removeClients": [
    {
      sql: 'delete from "oauth_clients" where "oauth_clients"."id" in (select "id" from "oauth_clients" where ("oauth_clients"."read_at" <= ? and not exists (select "key_id" from "oauth_grants" where "oauth_grants"."client_id" = "oauth_clients"."id") and not exists (select "hash" from "oauth_codes" where "oauth_codes"."client_id" = "oauth_clients"."id")) limit ?)',
      plan: [
        "SEARCH oauth_clients USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 3",
        "  SEARCH oauth_clients USING COVERING INDEX oauth_clients_by_reading (read_at<?)",
        "  CORRELATED SCALAR SUBQUERY 1",
        "    SEARCH oauth_grants USING COVERING INDEX oauth_grants_by_client (client_id=?)",
        "  CORRELATED SCALAR SUBQUERY 2",
        "    SEARCH oauth_codes USING COVERING INDEX oauth_codes_by_client (client_id=?)",
        "SEARCH oauth_codes USING INDEX oauth_codes_by_client (client_id=?)",
        "SEARCH oauth_grants USING COVERING INDEX oauth_grants_by_client (client_id=?)",
      ],
      rows: 3806,
      why: "Once a night: clients that were read a week ago and more, each looked up in two indexes.",
    },
  ],
  "customers/oauth/prune-oauth.store.ts removeCodes": [
    {
      sql: 'delete from "oauth_codes" where "oauth_codes"."hash" in (select "hash" from "oauth_codes" where "oauth_codes"."expires_at" <= ? limit ?)',
      plan: [
        "SEARCH oauth_codes USING PRIMARY KEY (hash=?)",
        "LIST SUBQUERY 1",
        "  SEARCH oauth_codes USING COVERING INDEX oauth_codes_by_end (expires_at<?)",
      ],
      rows: 100,
    },
  ],
  "customers/oauth/prune-oauth.store.ts removeTokens": [
    {
      sql: 'delete from "oauth_tokens" where "oauth_tokens"."hash" in (select "hash" from "oauth_tokens" where "oauth_tokens"."expires_at" <= ? limit ?)',
      plan: [
        "SEARCH oauth_tokens USING PRIMARY KEY (hash=?)",
        "LIST SUBQUERY 1",
        "  SEARCH oauth_tokens USING COVERING INDEX oauth_tokens_by_end (expires_at<?)",
      ],
      rows: 100,
    },
  ],
  "customers/oauth/prune-oauth.store.ts someEnded": [
    {
      sql: 'select "oauth_grants"."key_id" from "oauth_grants" inner join "keys" on "keys"."id" = "oauth_grants"."key_id" where ("keys"."revoked_at" IS NOT NULL or "keys"."expires_at" <= ?) limit ?',
      plan: [
        "SCAN oauth_grants USING COVERING INDEX oauth_grants_by_client",
        "SEARCH keys USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      rows: 3802,
      why: "Once a night: the grants there are, some for each assistant in use.",
    },
  ],
  "customers/limits/request-log.store.ts latest": [
    {
      sql: 'select … from "request_log" where ("request_log"."key_id" = ? and "request_log"."at" >= ?) order by "request_log"."id" desc limit ?',
      plan: ["SEARCH request_log USING INDEX request_log_by_key (key_id=?)"],
      rows: 0,
    },
  ],
  "customers/limits/request-log.store.ts removeEarlier": [
    {
      sql: 'delete from "request_log" where ("request_log"."key_id" = ? and "request_log"."id" <= (select "id" from "request_log" where "request_log"."key_id" = ? order by "request_log"."id" desc limit ? offset ?))',
      plan: [
        "SEARCH request_log USING COVERING INDEX request_log_by_key (key_id=? AND id<?)",
        "SCALAR SUBQUERY 1",
        "  SEARCH request_log USING COVERING INDEX request_log_by_key (key_id=?)",
      ],
      rows: 100,
    },
  ],
  "customers/limits/request-log.store.ts removeOld": [
    {
      sql: 'delete from "request_log" where "request_log"."id" in (select "id" from "request_log" where "request_log"."at" < ? limit ?)',
      plan: [
        "SEARCH request_log USING INTEGER PRIMARY KEY (rowid=?)",
        "LIST SUBQUERY 1",
        "  SEARCH request_log USING COVERING INDEX request_log_by_age (at<?)",
      ],
      rows: 0,
    },
  ],
  "customers/people/prune-people.store.ts removeLinks": [
    {
      sql: 'delete from "verifications" where "verifications"."id" in (select "id" from "verifications" where "verifications"."expires_at" <= ? limit ?)',
      plan: [
        "SEARCH verifications USING COVERING INDEX sqlite_autoindex_verifications_1 (id=?)",
        "LIST SUBQUERY 1",
        "  SCAN verifications",
      ],
      rows: 0,
      why: "Once a night: password links of a few days.",
    },
  ],
  "customers/people/prune-people.store.ts removeSessions": [
    {
      sql: 'delete from "sessions" where "sessions"."id" in (select "id" from "sessions" where "sessions"."expires_at" <= ? limit ?)',
      plan: [
        "SEARCH sessions USING COVERING INDEX sqlite_autoindex_sessions_1 (id=?)",
        "LIST SUBQUERY 1",
        "  SCAN sessions",
      ],
      rows: 6000,
      why: "Once a night: sessions of the last week, each row of which is short.",
    },
  ],
  "customers/sign-up/sign-ups.store.ts byToken": [
    {
      sql: 'select "email" from "sign_ups" where ("sign_ups"."token_hash" = ? and "sign_ups"."expires_at" > ?)',
      plan: ["SEARCH sign_ups USING PRIMARY KEY (token_hash=?)"],
      rows: 1,
    },
  ],
  "customers/sign-up/sign-ups.store.ts putPerson": [
    {
      sql: 'update "people" set … where "people"."id" = ?',
      plan: ["SEARCH people USING INDEX sqlite_autoindex_people_1 (id=?)"],
      rows: 1,
    },
  ],
  "customers/sign-up/sign-ups.store.ts removeOfEmail": [
    {
      sql: 'delete from "sign_ups" where "sign_ups"."email" = ?',
      plan: ["SEARCH sign_ups USING INDEX sign_ups_by_email (email=?)"],
      rows: 1,
    },
  ],
  "customers/sign-up/sign-ups.store.ts removeOld": [
    {
      sql: 'delete from "sign_ups" where "sign_ups"."expires_at" <= ?',
      plan: ["SEARCH sign_ups USING INDEX sign_ups_by_age (expires_at<?)"],
      rows: 0,
    },
  ],
};
