/** Served revisions of the protocol, newest first: one without a handshake, and those with `initialize`. */
export const MODERN_VERSION = "2026-07-28";
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
export const SUPPORTED: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];

/** Prefix of the protocol's own names in `_meta`. */
export const META = "io.modelcontextprotocol/";

/** The version agreed on by `initialize`: the requested one, or the newest one with `initialize`. */
export function agreedVersion(requested: unknown): string {
  return LEGACY_VERSIONS.find((version) => version === requested) ?? LEGACY_VERSIONS[0];
}
