import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../libs/testing/src/rigs/free-port';
import { PASSWORD, SharingGateway } from '../sharing/sharing-gateway';
import { AMONG_FAKES } from './outgoing-world';
import { MANNERS, startWrongServer } from './wrong-ocm-server';
import { itInFullForm } from '../../libs/testing/src/full-form';

const RUNNER = join(__dirname, '../../scripts/ocm-conformance.mjs');

interface Result {
  readonly id: string;
  readonly level: 'MUST' | 'SHOULD' | 'STATED';
  readonly result: 'passed' | 'failed' | 'not run';
  readonly detail: string;
}

interface Run {
  readonly code: number | null;
  readonly said: string;
  readonly results: readonly Result[];
}

const directory = mkdtempSync(join(tmpdir(), 'drawbridge-ocm-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function check(url: string, ...options: string[]): Promise<Run> {
  const file = join(directory, 'results.json');
  rmSync(file, { force: true });
  const child = spawn(process.execPath, [RUNNER, url, '--json', file, ...options]);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
  const code = await new Promise<number | null>((ended) => child.once('close', ended));
  if (!existsSync(file)) throw new Error(`the runner ended with ${code} and no results:\n${said}`);
  return { code, said, results: JSON.parse(readFileSync(file, 'utf8')) as Result[] };
}

const withPartner = async (): Promise<string[]> => ['--listen', `127.0.0.1:${await freePort(2)}`];
const ids = (run: Run, wanted: Result['result']): string[] =>
  run.results.filter(({ result }) => result === wanted).map(({ id }) => id);

describe('the conformance runner of Open Cloud Mesh', () => {
  let people: SharingGateway;
  beforeAll(async () => {
    people = await SharingGateway.start({ env: AMONG_FAKES });
    await people.addUsers('alice');
  });
  afterAll(() => people.stop());

  const invitation = async (): Promise<string> =>
    (await people.ocs('POST', '/apps/ocm/api/v1/invitations', 'alice', { description: '' })).data.invitation;

  it('finds no broken MUST at this server, with defaults and with all demands', async () => {
    const account = `alice:${PASSWORD}`;
    const alice = ['--recipient', 'alice', '--account', account];
    const given = [...(await withPartner()), ...alice, '--invitation', await invitation()];
    await people.set('files_sharing/outgoing_server2server_group_share_enabled', 'yes');
    await people.set('federatedfilesharing/outgoing_webapps', 'yes');
    const first = await check(people.gateway.url, ...given);
    const broken = first.results.filter(({ level, result }) => level === 'MUST' && result === 'failed');
    expect(broken).toEqual([]);
    expect(first.code).toBe(0);
    expect(ids(first, 'passed').length).toBeGreaterThan(90);
    const optional = first.results.filter(({ id }) => OPTIONAL.includes(id));
    expect(optional.filter(({ result }) => result !== 'passed')).toEqual([]);
    expect(optional).toHaveLength(OPTIONAL.length);

    await people.set('federatedfilesharing/incoming_default_trust', 'invited');
    const strangers = [...(await withPartner()), '--recipient', 'alice'];
    const refused = await check(people.gateway.url, ...strangers);
    expect(ids(refused, 'failed')).toEqual([]);
    expect(ids(refused, 'passed')).toContain('discovery.invited');
    await people.set('federatedfilesharing/require_token_exchange', 'yes');
    await people.set('federatedfilesharing/incoming_token_exchange', 'yes');
    await people.set('federatedfilesharing/incoming_signatures', 'required');
    const again = [...(await withPartner()), '--recipient', 'alice', '--invitation', await invitation()];
    const demanding = await check(people.gateway.url, ...again);
    expect(ids(demanding, 'failed')).toEqual([]);
    const demands = ['discovery.demand', 'shares.exchange-demanded', 'shares.signature-demanded'];
    expect(ids(demanding, 'passed')).toEqual(expect.arrayContaining(demands));
  });

  it('ends all its offers', async () => {
    const pending = await people.ocs('GET', '/apps/files_sharing/api/v1/remote_shares/pending', 'alice');
    expect(pending.data).toEqual([]);
  });

  it('reports why a check was not run, and works without options', async () => {
    const run = await check(people.gateway.url);
    expect(run.code).toBe(0);
    const missing = run.results.find(({ id }) => id === 'signatures.wrong');
    expect(missing).toMatchObject({ result: 'not run', detail: expect.stringContaining('--listen') });
    expect(ids(run, 'passed')).toEqual(expect.arrayContaining(['discovery.endpoint', 'tokens.signature']));
    expect(run.said).toContain('passed   MUST   terms.discoverable: ');
  });

  it('reports an unreachable server', async () => {
    const run = await check('http://127.0.0.1:9');
    expect(run.code).toBe(1);
    expect(ids(run, 'failed')).toEqual(expect.arrayContaining(['terms.discoverable']));
    expect(ids(run, 'passed')).toEqual([]);
  });

  it.each(['', 'not-a-url', 'http://x.example --recipient y', 'http://x.example --listen 9'])(
    'refuses the command line "%s"',
    async (line) => {
      const child = spawn(process.execPath, [RUNNER, ...line.split(' ').filter((word) => word !== '')]);
      expect(await new Promise((ended) => child.once('close', ended))).toBe(2);
    },
  );
});

/** Optional parts of the draft that this product has. */
const OPTIONAL = [
  ...['request-share.taken', 'request-share.foreign', 'request-share.sent', 'request-share.signed'],
  ...['expiration.sent', 'expiration.taken', 'description.sent', 'invites.link'],
  ...['group.sent', 'group.unannounced', 'group.refused'],
  ...['webapp.sent', 'webapp.unannounced', 'webapp.agree', 'webapp.opens', 'webapp.taken'],
];

/** Checks that a loopback server without TLS cannot fail, and checks that need the inside of a server. */
const NEVER_RUN = [
  ...['terms.registry', 'roles.tls', 'discovery.gesture', 'discovery.protocols', 'mfa.honoured'],
  ...['directory.document', 'shares.ssh-key', 'tokens.tls'],
];

describe('a server that does not conform', () => {
  itInFullForm(
    'fails in every check that can be run',
    async () => {
      const invitation = Buffer.from('token@here.example').toString('base64');
      const failed = new Set<string>();
      let all: string[] = [];
      for (const [name, manner] of Object.entries(MANNERS))
        for (const more of [[], ['--invitation', invitation]]) {
          const server = await startWrongServer(manner);
          const given = ['--recipient', 'alice', '--account', 'alice:x', '--wait', '1', ...more];
          const run = await check(server.url, ...(await withPartner()), ...given);
          expect({ name, code: run.code }).toEqual({ name, code: 1 });
          for (const id of ids(run, 'failed')) failed.add(id);
          all = run.results.map(({ id }) => id);
          await server.close();
        }
      expect(all.filter((id) => !failed.has(id)).sort()).toEqual([...NEVER_RUN].sort());
    },
    300_000,
  );
});
