#!/usr/bin/env node
// Writes docs/schema.sql and docs/schema.md from a migrated database; with --check it only says whether they are stale.
//   npm run schema                                           from a database that it creates and migrates itself
//   node scripts/write-schema.mjs [--check] <database URL>   from this database
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import pg from 'pg';
import { describeSchema } from './schema/describe-schema.mjs';
import { drawSchema } from './schema/draw-schema.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

async function pagesOf(url) {
  const sql = execFileSync(process.execPath, [join(root, 'scripts/dump-schema.mjs'), '--no-rows', url], {
    encoding: 'utf8',
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = await describeSchema(client).finally(() => client.end());
  const { code: drawing } = await format('docs/schema.md', drawSchema(tables, root));
  return { 'docs/schema.sql': sql, 'docs/schema.md': drawing };
}

async function withMigratedDatabase(work) {
  const load = createRequire(import.meta.url);
  const { openEmbeddedDatabase } = load('../dist/libs/embedded-database/src/index.js');
  const { Database, migrate } = load('../dist/libs/persistence/src/index.js');
  const dataDirectory = mkdtempSync(join(tmpdir(), 'drawbridge-schema-'));
  const server = await openEmbeddedDatabase({ dataDirectory, role: 'gateway' });
  try {
    const options = { url: server.url, poolSize: 2, applicationName: 'drawbridge schema' };
    const database = await Database.connect(options);
    await migrate(database).finally(() => database.close());
    return await work(server.url);
  } finally {
    await server.stop({ hurry: true });
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

function read(file) {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return undefined;
  }
}

const [url] = process.argv.slice(2).filter((given) => given !== '--check');
const pages = url === undefined ? await withMigratedDatabase(pagesOf) : await pagesOf(url);
for (const [file, content] of Object.entries(pages)) {
  if (read(file) === content) continue;
  if (process.argv.includes('--check')) {
    console.error(`${file} is stale: run \`npm run schema\` and commit it.`);
    process.exitCode = 1;
  } else {
    writeFileSync(join(root, file), content);
    console.log(`wrote ${file}`);
  }
}
