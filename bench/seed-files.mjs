// The data of cases-files.mjs: folders of 100 and 1,000 entries, and files with content.
import { authorization } from './cases.mjs';
import { LARGE, transferLarge } from './large-transfer.mjs';
import { ACTORS, NOW, writeActors } from './seed.mjs';

export const FILES_ACTORS = {
  holder: { uid: ACTORS.lister.uid, files: 0 },
  hundred: { uid: 'hundred', files: 100 },
  thousand: { uid: 'thousand', files: 1_000 },
};

export const SIZES = { '10 kB': 10_240, '1 MB': 1_048_576 };
/** The content of every file of this size. */
export const contentOf = (size) => Buffer.alloc(size, 'bench ');
export const nameOf = (size) => `${size}.txt`;

// The baseline finds its file by this id.
const BASELINE_TABLE = `CREATE TABLE bench_file (name text PRIMARY KEY, size bigint NOT NULL, etag text NOT NULL)`;

/** Times are whole seconds, because a listing shows whole seconds. */
const WHOLE_SECONDS = `UPDATE node SET mtime = ${NOW}`;

/** The data of the small files, and one file of 1 GB. */
export async function seedLargeFiles(client, sink, gateway) {
  await seedFiles(client, sink, gateway);
  const headers = { authorization: authorization(FILES_ACTORS.holder.uid) };
  await transferLarge(gateway, { method: 'PUT', path: `/remote.php/webdav/${LARGE.name}`, headers });
}

/** Writes the data into a migrated database, and uploads the files through the gateway. */
export async function seedFiles(client, _sink, gateway) {
  await client.query('BEGIN');
  await writeActors(client, FILES_ACTORS);
  await client.query(BASELINE_TABLE);
  await client.query(WHOLE_SECONDS);
  await client.query('COMMIT');
  for (const size of Object.values(SIZES)) {
    const reply = await fetch(`${gateway.url}/remote.php/webdav/${nameOf(size)}`, {
      method: 'PUT',
      headers: { authorization: authorization(FILES_ACTORS.holder.uid) },
      body: contentOf(size),
    });
    if (reply.status !== 201) throw new Error(`the file of ${size} bytes: HTTP ${reply.status}`);
  }
  await client.query('VACUUM ANALYZE');
}
