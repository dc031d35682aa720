const ALL_INTERFACES = new Set(["0.0.0.0", "::", "[::]"]);

/** The one address that a server listens on; null if it listens on all of the machine's. */
export function listenerAddress(host: string, port: number): string | null {
  if (ALL_INTERFACES.has(host)) return null;
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}

/** An address under which this machine reaches a server that listens there. */
export function localAddress(host: string, port: number): string {
  return listenerAddress(host, port) ?? `http://localhost:${port}`;
}
