import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '#testing';

/** One violation of each rule: the file with the violation, its import, and the name of the rule. */
const VIOLATIONS = [
  ['libs/sharing/src/reads-a-file.ts', 'node:fs', 'pure-libraries-stay-pure'],
  ['libs/ocs/protocol/src/uses-the-framework.ts', '@nestjs/common', 'pure-libraries-stay-pure'],
  ['libs/identity/src/asks-the-database.ts', 'pg', 'database-drivers-only-in-persistence'],
  ['apps/cli/src/asks-the-database.ts', 'typeorm', 'database-drivers-only-in-persistence'],
  ['apps/cli/src/injects-rows.ts', '@nestjs/typeorm', 'database-drivers-only-in-persistence'],
  [
    'libs/persistence/src/repositories/shares/share-rows.ts',
    '../../entities/rows',
    'hot-subjects-use-statements',
  ],
  ['apps/files/src/calls-out.ts', 'undici', 'undici-only-in-the-federation-client'],
  ['libs/identity/src/traces.ts', '@opentelemetry/api', 'telemetry-only-in-its-folder'],
  ['libs/platform/src/traces-always.ts', './tracing/sdk/tracer', 'telemetry-is-loaded-when-configured'],
  [
    'apps/share-api/src/calls-a-partner.ts',
    '#federation/client',
    'federation-client-only-where-partners-are-called',
  ],
  ['libs/federation/client/src/knows-a-tree.ts', '#storage', 'federation-below-the-storage'],
  ['apps/share-api/src/rows.controller.ts', '#persistence', 'controllers-see-use-cases-only'],
  ['apps/share-api/src/borrows.ts', '../../files/src/index', 'apps-do-not-import-apps'],
  ['libs/identity/src/looks-up.ts', '../../../apps/files/src/index', 'libraries-do-not-import-apps'],
  ['libs/identity/src/looks-inside.ts', '../../persistence/src/inner', 'libraries-through-their-index'],
  [
    'apps/files/src/looks-inside.ts',
    '../../../libs/persistence/src/inner',
    'apps-import-libraries-through-their-index',
  ],
  ['libs/identity/src/turns-round-again.ts', './turns-round', 'no-cycles'],
  ['libs/identity/src/uses-a-fake.ts', '#testing', 'testing-never-in-production'],
  ['libs/testing/src/fakes/starts.ts', '../rigs/database', 'only-rigs-start-something'],
  ['libs/identity/src/lost.ts', './nowhere', 'everything-resolves'],
] as const;

/** Files that the violations import, and an allowed import. */
const OTHER_FILES: Readonly<Record<string, string>> = {
  'libs/persistence/src/index.ts': `import 'pg';\nimport 'typeorm';\nexport {};\n`,
  'libs/persistence/src/inner.ts': 'export {};\n',
  'libs/persistence/src/entities/rows.ts': 'export {};\n',
  'libs/persistence/src/repositories/accounts/account-rows.ts': `import '../../entities/rows';\n`,
  'libs/federation/client/src/index.ts': 'export {};\n',
  'libs/storage/src/index.ts': 'export {};\n',
  'libs/platform/src/tracing/sdk/tracer.ts': `import '@opentelemetry/api';\n`,
  'libs/platform/src/traces-late.ts': `void import('./tracing/sdk/tracer.js');\n`,
  'libs/testing/src/index.ts': `import 'pg';\nimport '../../../apps/files/src/index';\n`,
  'libs/testing/src/rigs/database.ts': 'export {};\n',
  'libs/identity/src/index.ts': `import '#persistence';\n`,
  'libs/identity/src/rules.spec.ts': `import '#testing';\n`,
  'libs/identity/src/turns-round.ts': `import './turns-round-again';\n`,
  'libs/sharing/src/index.ts': 'export {};\n',
  'libs/sharing/src/rules.spec.ts': `import 'node:fs';\n`,
  'libs/ocs/protocol/src/index.ts': `import type {} from '#sharing';\n`,
  'apps/files/src/index.ts': `import '#identity';\nimport '#federation/client';\n`,
  'apps/standalone/src/index.ts': `import '../../files/src/index';\n`,
};

interface Report {
  readonly summary: { readonly violations: { rule: { name: string }; from: string }[] };
}

describe('the import rules', () => {
  let copy: string;
  let found: string[];

  function write(file: string, content: string): void {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), content);
  }

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'drawbridge-imports-'));
    for (const name of [
      'package.json',
      'tsconfig.base.json',
      'tsconfig.depcruise.json',
      '.dependency-cruiser.cjs',
    ])
      cpSync(join(REPOSITORY, name), join(copy, name));
    symlinkSync(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
    for (const [file, imported] of VIOLATIONS) write(file, `import '${imported}';\n`);
    for (const [file, content] of Object.entries(OTHER_FILES)) write(file, content);
    const command = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'apps', 'libs'];
    const run = spawnSync(join(REPOSITORY, 'node_modules/.bin/depcruise'), command, {
      cwd: copy,
      encoding: 'utf8',
    });
    const report = JSON.parse(run.stdout) as Report;
    found = report.summary.violations.map(({ rule, from }) => `${from} ${rule.name}`);
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it.each(VIOLATIONS)('%s may not import %s (%s)', (file, _imported, rule) => {
    expect(found).toContain(`${file} ${rule}`);
  });

  it('permit allowed imports', () => {
    const broken = new Set(VIOLATIONS.map(([file]) => file as string));
    const others = found.filter((line) => !broken.has(line.split(' ')[0]!));
    expect(others.filter((line) => !line.endsWith(' no-cycles'))).toEqual([]);
  });
});
