import { notFound } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Random } from "../../../ports/random.ts";
import type { ImportKindName } from "../kinds/import-kinds.ts";
import { openInput } from "../reading/input.ts";
import type { InputRow } from "../reading/input-row.ts";
import { nothingRecognized, type Recognized } from "../reading/recognized.ts";
import { readRows } from "../reading/rows.ts";
import type { UploadOptions } from "../writing/import-options.ts";
import type { UploadFiles } from "./upload-files.ts";

export interface NewUpload {
  kind: ImportKindName;
  file: { name: string; path: string; bytes: number };
  options: UploadOptions;
}

export interface UploadPreview {
  recognized: Recognized;
  rows: InputRow[];
}

const ROWS_SHOWN = 10;
/** How long to keep an upload that nobody starts; if there are too many, the oldest is removed. */
const HELD_MS = 60 * 60 * 1000;
const HELD_MAX = 10;

/** Uploads held by other workers of the appliance; their files are on the same disk. */
export interface UploadsOfOthers {
  /** Null if none of them holds it. */
  find(token: string): Promise<NewUpload | null>;
  /** As `find`, and its holder forgets it. */
  release(token: string): Promise<NewUpload | null>;
}

const NO_OTHERS: UploadsOfOthers = { find: async () => null, release: async () => null };

/** Uploaded files that somebody reviews before importing them. They are removed when the process ends. */
export function createHeldUploads(
  files: UploadFiles,
  { clock, random }: { clock: Clock; random: Random },
  others: UploadsOfOthers = NO_OTHERS,
) {
  const held = new Map<string, NewUpload & { sinceMs: number }>();

  const findOwn = (token: string): NewUpload | null => held.get(token) ?? null;

  /** An upload, whichever worker holds it. @throws AppError `not_found` */
  async function find(token: string): Promise<NewUpload> {
    const upload = findOwn(token) ?? (await others.find(token));
    if (upload === null) throw notFound("object");
    return upload;
  }

  function remove(token: string): void {
    const upload = held.get(token);
    held.delete(token);
    if (upload !== undefined) files.remove(upload.file.path);
  }

  return {
    /**
     * Takes over a file and keeps it until it is started.
     * @returns a token for finding it
     * @throws AppError `invalid` for a file that cannot be imported, which is then not kept
     */
    async hold({ file, ...upload }: NewUpload): Promise<string> {
      const token = random.uuid(clock.now());
      const path = files.take(file.path);
      const taken = { ...upload, file: { ...file, path } };
      held.set(token, { ...taken, sinceMs: clock.monotonic() });
      try {
        await readPreview(taken);
      } catch (error) {
        remove(token);
        throw error;
      }
      for (const oldest of [...held.keys()].slice(0, -HELD_MAX)) remove(oldest);
      return token;
    },

    findOwn,
    find,

    /** @throws AppError `not_found`, `invalid` */
    preview: async (token: string): Promise<UploadPreview> => readPreview(await find(token)),

    /** Releases an upload of this process for import, which is possible once. Null if it has none. */
    releaseOwn(token: string): NewUpload | null {
      const upload = findOwn(token);
      held.delete(token);
      return upload;
    },

    /** An upload, whichever worker holds it. @throws AppError `not_found` */
    async release(token: string): Promise<NewUpload> {
      const upload = this.releaseOwn(token) ?? (await others.release(token));
      if (upload === null) throw notFound("object");
      return upload;
    },

    removeOld(): void {
      const nowMs = clock.monotonic();
      for (const [token, { sinceMs }] of held) if (nowMs - sinceMs > HELD_MS) remove(token);
    },

    removeAll(): void {
      for (const token of held.keys()) remove(token);
    },
  };
}

/** @throws AppError `invalid` */
async function readPreview({ kind, file, options }: NewUpload): Promise<UploadPreview> {
  const recognized = nothingRecognized(options.timezone);
  const input = { ...(await openInput(file.path)), name: file.name };
  const rows: InputRow[] = [];
  for await (const some of readRows(input, kind, options.reading, recognized)) {
    rows.push(...some.slice(0, ROWS_SHOWN - rows.length));
    if (rows.length === ROWS_SHOWN) break;
  }
  return { recognized, rows };
}
