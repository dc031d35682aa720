/** Adds a row to a table: what was measured, both figures, and a remark, such as what is wanted. */
export type Report = (what: string, one: string, other: string, remark: string) => void;

/** Collects rows in tables, and prints each to standard error at once. */
export function createReports() {
  const startedMs = performance.now();
  const tables = new Map<string, string[]>();
  return {
    /** @param heading of the two columns of figures */
    table(one: string, other: string): Report {
      const rows = [`| | ${one} | ${other} | |`, "|---|---|---|---|"];
      tables.set(`${one} ${other}`, rows);
      return (...cells) => {
        rows.push(`| ${cells.join(" | ")} |`);
        const seconds = Math.round((performance.now() - startedMs) / 1000);
        const said = cells.filter((cell) => cell !== "").join("  ");
        console.error(`${String(seconds).padStart(5)} s  ${said}`);
      };
    },

    print(): void {
      for (const rows of tables.values()) console.log(`${rows.join("\n")}\n`);
    },
  };
}
