// One PostgreSQL for all specs, without the durability that they do not need. What a crashed run left behind is
// removed by the next one.
const { mkdirSync, mkdtempSync, readdirSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const PREFIX = 'drawbridge-test-';

module.exports = async function setUp() {
  const { openEmbeddedDatabase } = require('../../libs/embedded-database/src/index.ts');
  await removeLeftovers(openEmbeddedDatabase);
  const dataDirectory = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const database = await openEmbeddedDatabase({
    dataDirectory,
    role: 'gateway',
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_wal_size: '4GB' },
  });
  process.env.TEST_DATABASE_URL = database.url;
  globalThis.drawbridgeTestDatabase = { database, dataDirectory };
};

async function removeLeftovers(openEmbeddedDatabase) {
  for (const name of readdirSync(tmpdir())) {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const dataDirectory = join(tmpdir(), name);
    mkdirSync(dataDirectory, { recursive: true });
    await openEmbeddedDatabase({ dataDirectory, role: 'gateway' }).then(
      (orphan) => orphan.stop({ hurry: true }),
      () => undefined,
    );
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
