// Writes generated files: the revisions of functions below libs/persistence; .env.example and
// docs/operations/configuration.md from the configuration table; docs/operations/settings.md from the table of
// settings; the API document from the controllers; the proxy's configuration and the routes of k8s/ from the path
// table; the alerts of docker-compose.yml from those of k8s/. With --check it only says whether they are stale. It
// reads the built program: run `npm run build` first.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { openApiDocument } from './generate/openapi.mjs';
import { chartRoutes, httpRouteManifest, ingressManifest } from './generate/kubernetes-routes.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const load = createRequire(import.meta.url);
const { VARIABLES } = load('../dist/libs/platform/src/config/table.js');
const { PATH_TABLE, alternativesOf } = load('../dist/libs/platform/src/path-table.js');
const { SETTINGS } = load('../dist/libs/sharing/src/index.js');
const { KIND_MEANINGS, SETTING_MEANINGS } = load('../dist/libs/sharing/src/domain/setting-meanings.js');
const { CURRENT_FORMS } = load('../dist/libs/persistence/src/functions/index.js');
const { REVISIONS } = load('../dist/libs/persistence/src/functions/revisions.js');
const SOURCE = 'libs/platform/src/config/table.ts';

function environmentExample() {
  const rows = Object.entries(VARIABLES).map(
    ([name, row]) => `${wrap(row.meaning, 110)}\n#${name}=${row.fallback ?? row.example ?? ''}\n`,
  );
  const head = `# Every variable that the product reads, with its default or an example (written by \`npm run generate\` from\n# ${SOURCE}).\n`;
  return `${head}\n${rows.join('\n')}`;
}

function wrap(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > width - 2) lines.push('');
    lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  return lines.map((line) => `# ${line}`).join('\n');
}

function configurationPage() {
  const rows = Object.entries(VARIABLES).map(([name, row]) => {
    const meaning = row.example ? `${row.meaning} Example: \`${row.example}\`.` : row.meaning;
    return `| \`${name}\` | ${row.fallback ? `\`${row.fallback}\`` : ''} | ${meaning.replaceAll('|', '\\|')} |`;
  });
  return `# Configuration

The configuration of a process is read from its environment when it starts; [settings](settings.md) can be changed while
it runs. An empty value counts as absent; a value that is not understood stops the start with one sentence that says what
to change. A start and \`drawbridge doctor\` warn of variables that are probably misspelt. Durations are written with their
unit (\`500ms\`, \`4s\`, \`2h\`), sizes too (\`64MB\`, \`5GB\`).

This page is written by \`npm run generate\` from \`${SOURCE}\`.

| Name | Default | Meaning |
| --- | --- | --- |
${rows.join('\n')}
`;
}

function settingsPage() {
  const rows = SETTINGS.map(({ app, key, kind, fallback }) => {
    const name = `${app}/${key}`;
    return `| \`${name}\` | ${KIND_MEANINGS[kind]} | ${fallback ? `\`${fallback}\`` : ''} | ${SETTING_MEANINGS[name]} |`;
  });
  return `# Settings

Administrators change these settings while the gateway runs: \`drawbridge setting set <app> <key> <value>\`. Every replica follows
within a second. \`drawbridge setting list\` shows the values in force, \`drawbridge setting unset <app> <key>\` returns to the
default. Names and values are those of deployed servers where they have the setting.

This page is written by \`npm run generate\` from \`libs/sharing/src/domain/settings.ts\`.

| Name | Values | Default | Meaning |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function proxyConfiguration() {
  const blocks = PATH_TABLE.map((row, index) => {
    const paths = alternativesOf(row.path).flatMap((path) => (row.below ? [path, `${path}/*`] : [path]));
    return `\t@row${index} path ${paths.join(' ')}
\thandle @row${index} {
\t\tinvoke ${row.app}
\t}
`;
  });
  const apps = [...new Set(PATH_TABLE.map(({ app }) => app))].sort();
  return `# Which app serves which path (written by \`npm run generate\` from libs/platform/src/path-table.ts).
#
# An app that is replaced says first that it is not ready. Requests then wait until it is there again, and none is lost.
# X-Claimed-Forwarded-For is for \`drawbridge doctor\`, which sees by it that a proxy in front of this one is not believed.
${apps.map(routeToApp).join('')}
(routes) {
${blocks.join('\n')}
\thandle {
\t\trespond 404
\t}
}
`;
}

/** One for each app, with all its paths: each checks the readiness of its app. */
const routeToApp = (app) => `&(${app}) {
\treverse_proxy ${app}:8080 {
\t\thealth_uri /health/ready
\t\thealth_interval 1s
\t\thealth_timeout 3s
\t\tlb_try_duration 120s
\t\tlb_try_interval 250ms
\t\ttransport http {
\t\t\tkeepalive 2s
\t\t}
\t\theader_up X-Claimed-Forwarded-For {http.request.header.X-Forwarded-For}
\t}
}
`;

/** The internet without private networks, in the form of the chart's policies. */
function internetRanges() {
  const { spec } = parse(read('k8s/base/network/partners.yaml'));
  return `# Written by \`npm run generate\` from k8s/base/network/partners.yaml.\n${stringify(spec.egress[0].to)}`;
}

/** The alerts of the cluster, in the form of Prometheus. */
function alertRules() {
  const { spec } = parse(read('k8s/components/prometheus/rules.yaml'));
  return `# Written by \`npm run generate\` from k8s/components/prometheus/rules.yaml.\n${stringify(spec, { lineWidth: 0 })}`;
}

/** A form that differs from the last counted form gets the next number. */
function functionRevisions() {
  const rows = CURRENT_FORMS.map(({ subject, digest, revision }) => {
    const count = REVISIONS[subject]?.digest === digest ? revision : revision + 1;
    const name = /^\w+$/.test(subject) ? subject : `'${subject}'`;
    return `  ${name}: { revision: ${count}, digest: '${digest}' },`;
  });
  return `/**
 * Digest of the SQL of each subject, and its number of forms: a process with a lower number leaves the database unchanged.
 * Written by \`npm run generate\`.
 */
export const REVISIONS: Readonly<Record<string, { readonly revision: number; readonly digest: string }>> = {
${rows.join('\n')}
};
`;
}

const OUTPUTS = {
  'libs/persistence/src/functions/revisions.ts': functionRevisions(),
  'deploy/monitoring/rules.yml': alertRules(),
  'docs/api/openapi.json': openApiDocument(),
  'deploy/proxy/routes.caddy': proxyConfiguration(),
  'charts/drawbridge/files/routes.yaml': chartRoutes(PATH_TABLE, alternativesOf),
  'charts/drawbridge/files/rules.yaml': alertRules(),
  'charts/drawbridge/files/internet.yaml': internetRanges(),
  'k8s/base/ingress.yaml': ingressManifest(PATH_TABLE, alternativesOf),
  'k8s/components/gateway-api/http-routes.yaml': httpRouteManifest(PATH_TABLE, alternativesOf),
  '.env.example': environmentExample(),
  'docs/operations/configuration.md': configurationPage(),
  'docs/operations/settings.md': settingsPage(),
};

function read(file) {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return undefined;
  }
}

for (const [file, content] of Object.entries(OUTPUTS)) {
  if (read(file) === content) continue;
  if (process.argv.includes('--check')) {
    console.error(`${file} is stale: run \`npm run generate\` and commit it.`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
    console.log(`wrote ${file}`);
  }
}
