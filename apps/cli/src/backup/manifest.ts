import { z } from 'zod';
import { CommandFailed } from '../command-failed';

/** Increased when an older program could not read the new format. */
export const BACKUP_FORMAT = 1;

const SHA256 = z.string().regex(/^[0-9a-f]{64}$/);
const COUNT = z.int().min(0);
const NAME = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);

const MANIFEST = z.object({
  format: z.literal(BACKUP_FORMAT),
  /** Version of the program that made it. */
  version: z.string(),
  /** ISO 8601. */
  madeAt: z.string(),
  /** Names of the migrations that made the schema, oldest first. */
  schema: z.array(z.string().max(200)).min(1).max(10_000),
  encryptionKey: z.enum(['included', 'left out']),
  /** The first bytes of values that are sealed with the key, in hexadecimal digits; null if the key was not known. */
  keyMark: z
    .string()
    .regex(/^[0-9a-f]{10}$/)
    .nullable(),
  /** In the order of restoring; the digest covers all rows as they are in the parts. */
  tables: z
    .array(
      z.object({
        name: NAME,
        columns: z.array(NAME).min(1),
        rows: COUNT,
        bytes: COUNT,
        parts: COUNT,
        sha256: SHA256,
      }),
    )
    .max(10_000),
  sequences: z.array(z.object({ name: NAME, last: z.int() })).max(10_000),
  /**
   * Contents of files; null if they were left out. The digest covers one line for each, in order: its own digest,
   * size and key. `missing` counts contents that the store had lost.
   */
  blobs: z.object({ count: COUNT, bytes: COUNT, missing: COUNT, sha256: SHA256 }).nullable(),
});

/** The list of a backup's parts and their hashes. It is the last part: a backup without it is incomplete. */
export type Manifest = z.infer<typeof MANIFEST>;
export type TableRecord = Manifest['tables'][number];
export type BlobsRecord = NonNullable<Manifest['blobs']>;

/** @throws CommandFailed if it is invalid, or in an unknown format */
export function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CommandFailed('The manifest of this backup is damaged.');
  }
  const format = (value as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > BACKUP_FORMAT)
    throw new CommandFailed('This backup was made by a newer version: restore it with that one.');
  const parsed = MANIFEST.safeParse(value);
  if (!parsed.success) throw new CommandFailed('The manifest of this backup is damaged.');
  return parsed.data;
}

/** Names of a backup's parts, in order. */
export const PART = {
  /** Rows of the table with this index, which starts at 0. */
  table: (index: number, table: string, part: number): string =>
    `tables/${number(index)}-${table}/${number(part)}`,
  blob: (key: string): string => `blobs/${key}`,
  encryptionKey: 'encryption-key',
  manifest: 'manifest.json',
} as const;

/** Padded, so that sorting by name is sorting by number. */
const number = (value: number): string => String(value).padStart(6, '0');

const BLOBS = PART.blob('');

/** The key of a content, from its part's name; undefined for other parts. */
export function blobKeyOf(name: string): string | undefined {
  return name.startsWith(BLOBS) ? name.slice(BLOBS.length) : undefined;
}
