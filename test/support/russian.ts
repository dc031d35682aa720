/** English sentences in what a page shows, except for names of files, fields and programs. */
export function englishIn(html: string): string[] {
  const shown = html
    .replace(/<(script|code|pre|bdi|title)\b[^>]*>[\s\S]*?<\/\1>/g, " ")
    .replace(/<[^>]*>/g, "\n")
    .replace(/&#39;/g, "'")
    .replace(/`[^`]*`|\bkanalog(?: [a-z]+)+/g, " ");
  return shown.match(/[A-Za-z']+(?:[,:]? [A-Za-z']+){2,}/g) ?? [];
}
