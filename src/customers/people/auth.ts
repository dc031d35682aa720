import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "./password-rules.ts";

/** Settings of better-auth. Plain data, because they are sent to a thread. */
export interface AuthSettings {
  /** Signs cookies. */
  secret: string;
}

const DAY_S = 24 * 60 * 60;
const SESSION_S = 7 * DAY_S;

const TIMES = { createdAt: "created_at", updatedAt: "updated_at" };

const built = new WeakMap<Database, ReturnType<typeof build>>();

/** Sign-in, sessions and password links by better-auth; one instance per connection. */
export function authOf(db: Database, clock: Clock, settings: AuthSettings) {
  const existing = built.get(db);
  if (existing !== undefined) return existing;
  const auth = build(db, clock, settings);
  built.set(db, auth);
  return auth;
}

/** The library's own functions, which its endpoints consist of. */
export type AuthContext = Awaited<ReturnType<typeof authContextOf>>;

export async function authContextOf(db: Database, clock: Clock, settings: AuthSettings) {
  return (await authOf(db, clock, settings)).$context;
}

/** The tables and columns of better-auth's models. */
const MODELS = {
  user: {
    modelName: "people",
    fields: { emailVerified: "email_verified", ...TIMES },
    additionalFields: {
      isStaff: { type: "boolean", fieldName: "is_staff", input: false, defaultValue: false },
    },
  },
  session: {
    modelName: "sessions",
    fields: {
      userId: "person_id",
      expiresAt: "expires_at",
      ipAddress: "ip_address",
      userAgent: "user_agent",
      ...TIMES,
    },
  },
  account: {
    modelName: "credentials",
    fields: {
      userId: "person_id",
      accountId: "account_id",
      providerId: "provider_id",
      accessToken: "access_token",
      refreshToken: "refresh_token",
      idToken: "id_token",
      accessTokenExpiresAt: "access_token_expires_at",
      refreshTokenExpiresAt: "refresh_token_expires_at",
      ...TIMES,
    },
  },
  verification: {
    modelName: "verifications",
    storeIdentifier: "hashed",
    fields: { expiresAt: "expires_at", ...TIMES },
  },
} as const;

async function build(db: Database, clock: Clock, { secret }: AuthSettings) {
  // Loaded lazily: the library is as large as all the rest, and most threads do not need it.
  const [{ betterAuth }, { kyselyDialect }] = await Promise.all([
    import("better-auth"),
    import("./auth-database.ts"),
  ]);
  return betterAuth({
    database: { dialect: kyselyDialect(db, clock), type: "sqlite", transaction: true },
    secret,
    // Any address will do: the library serves no requests itself.
    baseURL: "http://localhost",
    telemetry: { enabled: false },
    logger: { disabled: true },
    // The site throttles sign-ins itself, by network and by account.
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: "kanalog",
      useSecureCookies: false,
      defaultCookieAttributes: { path: "/", httpOnly: true, sameSite: "lax" },
    },
    emailAndPassword: {
      enabled: true,
      autoSignIn: false,
      minPasswordLength: PASSWORD_LENGTH_MIN,
      maxPasswordLength: PASSWORD_LENGTH_MAX,
      password: {
        // Argon2id, on a thread of Bun's pool; the library's own functions would use scrypt.
        hash: (password) => Bun.password.hash(password),
        verify: ({ hash, password }) => Bun.password.verify(password, hash),
      },
    },
    ...MODELS,
    session: { ...MODELS.session, expiresIn: SESSION_S, updateAge: DAY_S },
  });
}
