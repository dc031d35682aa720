export const ORGANIZATION_COOKIE = "kanalog.organization";

const YEAR_S = 365 * 24 * 60 * 60;

/** A cookie of the site; `Secure` is added behind https. */
export function siteCookie(name: string, value: string): string {
  return `${name}=${value}; Max-Age=${YEAR_S}; Path=/; HttpOnly; SameSite=Lax`;
}
