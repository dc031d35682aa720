import { closeSync, openSync } from "node:fs";

/**
 * File descriptors that must be free for a thread to start: it takes four, and connections are accepted meanwhile.
 * Bun ends the whole process where a thread finds none (1.4.4).
 */
const FREE_MIN = 32;

/** Whether the process may open so many more files that a thread can start. */
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
