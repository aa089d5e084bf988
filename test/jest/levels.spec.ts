import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { levelOf, specsByLevel } from './levels.cjs';

/** Loads a built-in module without an import, because an import would change the level of this spec. */
const builtin = (name: string) => process.getBuiltinModule(name) as Record<string, CallableFunction>;

describe('the level of a spec', () => {
  const level = (text: string, below: string): string => {
    const directory = mkdtempSync(join(__dirname, '../..', below, 'levels-'));
    try {
      writeFileSync(join(directory, 'a.spec.ts'), text);
      return levelOf(join(directory, 'a.spec.ts'));
    } finally {
      rmSync(directory, { recursive: true });
    }
  };

  it.each([
    ['pure', "import { join } from 'node:path';"],
    ['pure', "import { differencesOf } from '#sharing';"],
    ['pure', "import type { Server } from 'node:http';"],
    ['pure', "import { MAX } from '../../src/database';"],
    ['pure', "import { inMemoryPorts } from '../../testing/src/fakes/in-memory-sharing-ports';"],
    ['adapters', "import { spawn } from 'node:child_process';"],
    ['adapters', "import {\n  createServer,\n  type Server,\n} from 'node:http';"],
    ['adapters', "import { createTestDatabase } from '#testing';"],
    ['adapters', "import { startGateway } from '../../testing/src/rigs/in-process-gateway';"],
    // In two parts, because the import in one piece would count for this spec.
    ['adapters', `it('connects', async () => { await ${'import'}('pg'); });`],
  ])('is %s for %j', (expected, text) => {
    expect(level(text, 'libs/sharing')).toBe(expected);
    expect(level(text.replaceAll('../../testing/', '../../libs/testing/'), 'test')).toBe(
      expected === 'adapters' ? 'system' : expected,
    );
  });

  it('is one of the three for every spec', () => {
    const { pure, adapters, system } = specsByLevel();
    expect(pure).toContain(__filename);
    for (const specs of [pure, adapters, system]) expect(specs.length).toBeGreaterThan(50);
    expect(new Set([...pure, ...adapters, ...system]).size).toBe(
      pure.length + adapters.length + system.length,
    );
  });
});

describe('a pure spec', () => {
  it.each([
    ['child_process', 'spawn', ['true']],
    ['child_process', 'execFile', ['true']],
    ['child_process', 'spawnSync', ['true']],
    ['child_process', 'execFileSync', ['true']],
    ['net', 'connect', [1, '127.0.0.1']],
    ['http', 'get', ['http://127.0.0.1:1/']],
  ] as const)('cannot open anything by %s.%s()', (module, name, args) => {
    expect(() => builtin(`node:${module}`)[name]!(...args)).toThrow(/^A pure spec called/);
  });

  it('cannot listen', () => {
    const server = builtin('node:http').createServer!() as { listen(port: number): void };
    expect(() => server.listen(0)).toThrow(/^A pure spec called listen/);
  });
});
