// Decides the level of a spec by its imports:
//   pure      opens no database, process or connection: `npm run test:unit`
//   adapters  beside the code, with a database or a process
//   system    below test/, from outside
const { existsSync, readFileSync, readdirSync } = require('node:fs');
const { dirname, join, relative, resolve } = require('node:path');

const ROOT = resolve(__dirname, '../..');
const LEVELS = ['pure', 'adapters', 'system'];
/** Modules that can open a process or a connection. */
const OPENING = new RegExp(
  `^(?:${[
    ...[
      'pg',
      'ioredis',
      'bullmq',
      'typeorm',
      'undici',
      'fastify',
      's3rver',
      '@nestjs/(?:core|testing|platform-fastify)',
    ],
    ...['#embedded-database', 'node:(?:child_process|cluster|dgram|https?|http2|net|tls|worker_threads)'],
  ].join('|')})$`,
);
/** Type imports are removed when a file is compiled. */
const IMPORT = /(?:^|\n)(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/g;
/** Code that only tests use. Product code is not searched, because it opens only what a test gives it. */
const HELPERS = /^(?:libs\/testing|test)\//;

const importsOf = (file) =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)].map((match) => match[1] ?? match[2]);

/** The file of a helper that `from` imports; undefined for all other imports. */
function helperOf(name, from) {
  const path =
    name === '#testing'
      ? join(ROOT, 'libs/testing/src')
      : name.startsWith('.') && resolve(dirname(from), name);
  if (!path || !HELPERS.test(`${relative(ROOT, path)}/`)) return undefined;
  const stem = path.replace(/\.js$/, '');
  return [`${stem}.ts`, join(stem, 'index.ts')].find((file) => existsSync(file));
}

/** Whether a file or one of its helpers imports such a module. */
function opens(file, known) {
  if (known.has(file)) return known.get(file);
  known.set(file, false);
  const found = importsOf(file).some((name) => {
    const helper = helperOf(name, file);
    return OPENING.test(name) || (helper !== undefined && opens(helper, known));
  });
  known.set(file, found);
  return found;
}

/** The level of one spec. */
function levelOf(file, known = new Map()) {
  if (!opens(file, known)) return 'pure';
  return relative(ROOT, file).startsWith('test/') ? 'system' : 'adapters';
}

const specsBelow = (directory) =>
  readdirSync(join(ROOT, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath, entry.name));

/** All specs by their level. */
function specsByLevel() {
  const specs = Object.fromEntries(LEVELS.map((level) => [level, []]));
  const known = new Map();
  for (const spec of ['apps', 'libs', 'test'].flatMap(specsBelow)) specs[levelOf(spec, known)].push(spec);
  return specs;
}

module.exports = { levelOf, specsByLevel };
