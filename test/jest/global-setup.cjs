// One PostgreSQL for all specs, without durability, which they do not need. Files of a crashed run are removed by the
// next one.
const { spawnSync } = require('node:child_process');
const { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { Client } = require('pg');

const PREFIX = 'drawbridge-test-';

/** A file system in memory (Linux). The databases of a run need about 2 GB there; it is not used where less than four times as much is free. */
const IN_MEMORY = '/dev/shm';
const ENOUGH_MEMORY = 8 * 2 ** 30;

module.exports = async function setUp() {
  const { openEmbeddedDatabase } = require('../../libs/embedded-database/src/index.ts');
  for (const parent of [IN_MEMORY, tmpdir()]) await removeLeftovers(openEmbeddedDatabase, parent);
  const dataDirectory = mkdtempSync(join(roomyPlace(), `${PREFIX}${process.pid}-`));
  const database = await openEmbeddedDatabase({
    dataDirectory,
    role: 'gateway',
    settings: {
      ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_wal_size: '1GB' },
      // Each worker may run several replicas with their pools.
      ...{ scram_iterations: '1', max_connections: '400' },
    },
  });
  await signInQuickly(database.url);
  spreadDirectories(join(dataDirectory, 'postgres', 'base'));
  process.env.TEST_DATABASE_URL = database.url;
  globalThis.drawbridgeTestDatabase = { database, dataDirectory };
};

/** Where databases are made and dropped fast. */
function roomyPlace() {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (Math.min(bavail * bsize, process.availableMemory()) > ENOUGH_MEMORY) return IN_MEMORY;
  } catch {
    // There is no such file system.
  }
  return tmpdir();
}

/**
 * One round for the password hash instead of 4096: a gateway opens about twenty connections, and a run opens thousands.
 */
async function signInQuickly(url) {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`ALTER ROLE CURRENT_USER PASSWORD '${new URL(url).password}'`);
  await client.end();
}

/**
 * ext4 does not use the inode of a removed file again for a minute or more, and checks each of them for every new file
 * nearby. After some dozen databases were dropped, the creation of one takes ten times as long. With this attribute,
 * ext4 puts the directory of each database at another place. Other file systems do not know it, and do not need it.
 */
function spreadDirectories(parent) {
  spawnSync('chattr', ['+T', parent], { stdio: 'ignore' });
}

async function removeLeftovers(openEmbeddedDatabase, parent) {
  for (const name of namesIn(parent)) {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const dataDirectory = join(parent, name);
    mkdirSync(dataDirectory, { recursive: true });
    await openEmbeddedDatabase({ dataDirectory, role: 'gateway' }).then(
      (orphan) => orphan.stop({ hurry: true }),
      () => undefined,
    );
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

function namesIn(directory) {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
