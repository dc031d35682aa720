import { closeSync, openSync } from "node:fs";

/**
 * File descriptors that must be free before a thread starts: it takes four, and connections are accepted
 * meanwhile. Bun 1.4.4 ends the whole process if a thread finds none.
 */
const FREE_MIN = 32;

/** Whether the process may open enough files for another thread. */
export function hasDescriptors(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < FREE_MIN) opened.push(openSync("/dev/null", "r"));
    return true;
  } catch {
    return false;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
