import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { PRODUCT_NAME, PRODUCT_VERSION } from '#platform';
import { createEmptyDatabase, REPOSITORY } from '#testing';
import { run, type Outcome } from '../../apps/cli/src/run';

describe('the command line', () => {
  let database: { url: string; drop(): Promise<void> };
  let directory: string;

  const drawbridge = (words: string[], env: Record<string, string> = {}): Promise<Outcome> =>
    run(words, () => undefined, { DATABASE_URL: database.url, ...env });

  /** Runs drawbridge as a process, through a symbolic link in another directory. */
  function asProcess(args: string[], options: { input?: string; stdout?: number } = {}): Promise<Outcome> {
    const env = { PATH: process.env.PATH, DATABASE_URL: database.url };
    const stdio = ['pipe', options.stdout ?? 'pipe', 'pipe'] as const;
    const child = spawn('./bridge', args, { cwd: directory, env, stdio: [...stdio] });
    let [out, err] = ['', ''];
    child.stdout?.on('data', (chunk) => (out += String(chunk)));
    child.stderr!.on('data', (chunk) => (err += String(chunk)));
    child.stdin!.end(options.input ?? '');
    return new Promise((ended) => child.once('close', (code) => ended({ exitCode: code!, out, err })));
  }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'drawbridge-cli-'));
    symlinkSync(join(REPOSITORY, 'bin/drawbridge'), join(directory, 'bridge'));
    database = await createEmptyDatabase();
  });
  afterAll(async () => {
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each(['--version', '-V'])('tells its version by %s, without an instance', async (word) => {
    const out = `${PRODUCT_NAME} ${PRODUCT_VERSION}\n`;
    expect(await drawbridge([word], { DATABASE_URL: 'nonsense' })).toEqual({ exitCode: 0, out, err: '' });
  });

  it('refuses to work on a schema that is too old', async () => {
    const sentence =
      "drawbridge: The database schema is older than this version: run 'drawbridge migrate' first.\n";
    expect(await drawbridge(['user', 'list'])).toEqual({ exitCode: 1, out: '', err: sentence });
  });

  it('migrates, makes the first administrator if a password is configured, and does neither twice', async () => {
    const env = { ADMIN_USER: 'root-of-all', ADMIN_PASSWORD: 'geheim' };
    const first = await drawbridge(['migrate', '--json'], env);
    const weakPassword = 'The password must be at least 10 characters long';
    expect(JSON.parse(first.out)).toMatchObject({
      administratorMade: true,
      weakPassword,
      applied: expect.arrayContaining(['Foundation1764000000001']),
    });
    const second = await drawbridge(['migrate', '--json'], {
      ...env,
      ADMIN_PASSWORD: 'a-configured-password',
    });
    expect(JSON.parse(second.out)).toEqual({ administratorMade: false, applied: [] });
    expect(await drawbridge(['migrate'], env)).toMatchObject({
      exitCode: 0,
      out: `The schema is up to date. ADMIN_PASSWORD is weak: ${weakPassword}. Change it in the account too: a start never changes a password.\n`,
    });
  });

  it.each([['help'], ['user', 'list'], ['audit', 'export'], ['backup', '-']])(
    'says in one sentence that a full disk has no room for the output of %s %s',
    async (...args) => {
      const stdout = openSync('/dev/full', 'w');
      const { exitCode, err } = await asProcess(args, { stdout });
      closeSync(stdout);
      const said = err
        .split('\n')
        .filter((line) => line.startsWith('drawbridge: ') || line.includes('Error'));
      expect(said).toEqual(['drawbridge: Standard output cannot be written: its disk is full.']);
      expect(exitCode).toBe(1);
    },
  );

  it('ends without a complaint if nobody reads its output', async () => {
    const child = spawn('sh', ['-c', './bridge help | true'], { cwd: directory });
    let err = '';
    child.stderr.on('data', (chunk) => (err += String(chunk)));
    await new Promise((ended) => child.once('close', ended));
    expect(err).toBe('');
  });

  it('has the same exit code if its complaint cannot be written', async () => {
    const child = spawn('sh', ['-c', 'exec ./bridge nonsense 2> /dev/full'], { cwd: directory });
    expect(await new Promise((ended) => child.once('close', ended))).toBe(2);
  });

  it('makes, shows, lists and deletes users', async () => {
    const made = await asProcess(['user', 'add', 'alice', '--display-name', 'Alice A.', '--group', 'admin'], {
      input: 'typed-into-a-pipe\n',
    });
    expect(made).toEqual({ exitCode: 0, out: 'User alice was made.\n', err: '' });
    const shown = await drawbridge(['user', 'show', 'alice', '--json']);
    expect(JSON.parse(shown.out)).toMatchObject({ uid: 'alice', displayName: 'Alice A.', groups: ['admin'] });
    expect((await drawbridge(['user', 'list', '--search', 'ali'])).out).toBe('uid\nalice\n');
    expect((await drawbridge(['user', 'delete', 'alice'])).exitCode).toBe(0);
    const again = await drawbridge(['user', 'delete', 'alice']);
    expect(again).toMatchObject({ exitCode: 1, out: '' });
  });

  it('reads a password from a file or generates one, and never takes it from the arguments', async () => {
    const file = join(directory, 'password');
    writeFileSync(file, 'from-a-file\nanother line\n');
    chmodSync(file, 0o600);
    expect((await drawbridge(['user', 'add', 'bob', '--password-file', file])).exitCode).toBe(0);
    const generated = await drawbridge(['user', 'password', 'bob', '--generate', '--json']);
    expect(JSON.parse(generated.out)).toEqual({ uid: 'bob', password: expect.stringMatching(/^[\w-]{20}$/) });
    expect(await drawbridge(['user', 'password', 'bob', 'a-password'])).toMatchObject({ exitCode: 2 });
    expect(await asProcess(['user', 'password', 'bob'])).toEqual({
      exitCode: 1,
      out: '',
      err: 'drawbridge: No password was given.\n',
    });
  });

  it('administers groups', async () => {
    for (const words of [
      ['add', 'staff'],
      ['join', 'staff', 'bob'],
    ])
      expect((await drawbridge(['group', ...words])).exitCode).toBe(0);
    expect(JSON.parse((await drawbridge(['group', 'show', 'staff', '--json'])).out)).toEqual([
      { uid: 'bob' },
    ]);
    expect((await drawbridge(['group', 'leave', 'staff', 'bob'])).exitCode).toBe(0);
    expect((await drawbridge(['group', 'delete', 'staff'])).exitCode).toBe(0);
    expect((await drawbridge(['group', 'list'])).out).toBe('gid\nadmin\n');
  });

  it('reports the instance that it uses', async () => {
    const status = await drawbridge(['status', '--json']);
    expect(JSON.parse(status.out)).toMatchObject({
      database: 'external',
      schema: 'up to date',
      users: 2,
      groups: 1,
    });
  });

  it.each([
    [['nothing'], "There is no command 'nothing'"],
    [['help', 'nothing'], "There is no command 'nothing'"],
    [['user'], "'user' needs another word:\n  drawbridge user list"],
    [['user', 'add'], 'Usage: drawbridge user add UID'],
    [['user', 'list', '--limit', 'x'], '--limit takes a whole number.'],
    [['user', 'list', '--limit', '-1'], '--limit takes a whole number.'],
    [['group', 'list', '--colour'], "Unknown option '--colour'"],
  ])('answers %j with its usage and exit code 2', async (words, said) => {
    const { exitCode, err } = await drawbridge(words);
    expect(err).toContain(said);
    expect(exitCode).toBe(2);
  });

  it('lists every command in its help', async () => {
    const { exitCode, out } = await drawbridge(['help']);
    for (const name of ['user add', 'user password', 'group join', 'migrate', 'status'])
      expect(out).toContain(name);
    expect(exitCode).toBe(0);
  });

  it.each([
    [['help', 'user'], 'user list'],
    [['user', '--help'], 'user list'],
    [['user', 'add', 'carol', '--help'], 'user add'],
  ])('lists with %j only the commands that begin with these words', async (words, name) => {
    const { exitCode, out } = await drawbridge(words);
    expect(out).toContain(`drawbridge ${name}`);
    expect(out).not.toContain('drawbridge group');
    expect(exitCode).toBe(0);
  });

  it('takes a negative number for a value', async () => {
    expect(await drawbridge(['setting', 'set', 'files_versions', 'quota_percent', '-3'])).toEqual({
      exitCode: 1,
      out: '',
      err: "drawbridge: files_versions/quota_percent cannot be '-3' (allowed: number, from 0).\n",
    });
  });

  it('does not create a missing instance', async () => {
    const env = { DATABASE_URL: '', DATA_DIR: join(directory, 'nothing') };
    const { exitCode, err } = await drawbridge(['user', 'list'], env);
    expect(err).toMatch(
      /^drawbridge: There is no instance in DATA_DIR .*: start the gateway there once, or set/,
    );
    expect(exitCode).toBe(1);
  });
});
