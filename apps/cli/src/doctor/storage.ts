import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { OPERATOR_PERMIT } from '#sharing';
import { blobDirectory, openBlobStore, type BlobStore } from '#storage';
import { assertContentsAreOurs } from '../blob-ownership';
import { CommandFailed } from '../command-failed';
import type { Instance } from '../instance';
import { failed, ok, warning, type Check, type Finding } from './finding';

const PROBE_BYTES = 4096;
const GIBIBYTE = 1024 ** 3;
const LITTLE_BYTES = 5 * GIBIBYTE;
const HARDLY_ANY_BYTES = GIBIBYTE / 2;
const OTHERS = 0o077;

/** Checks whether contents can be written, read and removed, and how much room is left. */
export const STORAGE_CHECK: Check = {
  name: 'storage',
  look: async (instance) => {
    const directory = blobDirectory(instance.config);
    // Not made here: the gateway makes it at its first start.
    if (directory !== undefined && !existsSync(directory)) return [missingFinding(directory)];
    const probe = await probeFinding(instance);
    if (directory === undefined || probe.state === 'failed') return [probe];
    return [probe, await roomFinding(directory), await accessFinding(directory)];
  },
};

const missingFinding = (directory: string): Finding =>
  failed(
    'probe',
    `${directory} does not exist`,
    'Start the gateway once, or correct DATA_DIR or BLOB_STORE.',
  );

async function readAndDelete(store: BlobStore, blobKey: string): Promise<Buffer> {
  try {
    return await buffer(await store.read(blobKey, undefined, OPERATOR_PERMIT));
  } finally {
    await store.delete(blobKey);
  }
}

async function probeFinding({ config }: Instance): Promise<Finding> {
  try {
    await assertContentsAreOurs(config);
    const store = await openBlobStore(config);
    const content = randomBytes(PROBE_BYTES);
    const { blobKey } = await store.write(Readable.from([content]));
    const read = await readAndDelete(store, blobKey);
    return read.equals(content) && !(await store.has(blobKey))
      ? ok('probe', 'written, read and removed')
      : failed(
          'probe',
          'another content came back, or it stayed',
          'Do not use this store: contents would be lost.',
        );
  } catch (error) {
    if (error instanceof CommandFailed) return warning('probe', error.message, 'Ask again as that account.');
    const { code, name } = error as NodeJS.ErrnoException;
    return failed(
      'probe',
      `it fails (${code ?? name})`,
      'Correct BLOB_STORE, the S3_ variables, or rights there.',
    );
  }
}

async function roomFinding(directory: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const seen = `${(free / GIBIBYTE).toFixed(1)} GiB free`;
  if (free < HARDLY_ANY_BYTES)
    return failed('room', seen, 'Free some space: uploads fail, and so may the database.');
  return free < LITTLE_BYTES
    ? warning('room', seen, 'Free some space, or move to a larger disk.')
    : ok('room', seen);
}

async function accessFinding(directory: string): Promise<Finding> {
  const modes = await Promise.all(
    [directory, dirname(directory)].map(async (path) => (await stat(path)).mode),
  );
  return modes.some((mode) => (mode & OTHERS) === 0)
    ? ok('access', 'for its account only')
    : warning('access', 'other accounts may read it', `Let nobody else in: chmod 700 ${directory}`);
}
