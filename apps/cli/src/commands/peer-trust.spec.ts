import { administrationOn, isOursToAsk } from '#identity';
import { PeerAdministrationRepository } from '#persistence';
import { readConfig, SecretBox } from '#platform';
import { createTestDatabase, type TestDatabase } from '#testing';
import type { Output } from '../command';
import { UsageError } from '../command-failed';
import { parseCommandLine } from '../command-line';
import type { Instance } from '../instance';

let test: TestDatabase;
const secrets = new SecretBox(() => Buffer.alloc(32));
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => test.empty('peer', 'user_account'));

const query = (text: string): Promise<Record<string, unknown>[]> => test.database.dataSource.query(text);

async function run(...words: string[]): Promise<Output> {
  const { command, input } = parseCommandLine(words)!;
  const config = readConfig({ PUBLIC_URL: 'https://share.example.org' });
  const instance = {
    config,
    secrets,
    open: async () => test.database,
    administration: async () => administrationOn(test.database, config),
  };
  return command.run(input, instance as unknown as Instance);
}

async function recordOf(...words: string[]): Promise<Record<string, unknown>> {
  const output = await run(...words);
  if (output.kind === 'rows') throw new Error('rows');
  return output.record;
}

const regarded = (host: string) => new PeerAdministrationRepository(test.database).find(host);

it('shows the trust in a known or unknown partner', async () => {
  expect(await recordOf('peer', 'trust', 'Cloud.Example.org', 'denied')).toMatchObject({
    hostKey: 'cloud.example.org',
    trust: 'denied',
    outgoingTrust: null,
  });
  await recordOf('peer', 'trust', 'cloud.example.org', 'trusted');
  expect(await regarded('cloud.example.org')).toMatchObject({
    trust: 'trusted',
    outgoingTrust: null,
    handshake: null,
  });
});

it('sets the trust of one direction, and keeps the other one', async () => {
  const host = 'cloud.example.org';
  await recordOf('peer', 'trust', host, 'invited');
  expect(await recordOf('peer', 'trust', host, 'denied', '--incoming')).toMatchObject({
    trust: 'denied',
    outgoingTrust: 'invited',
  });
  expect(await recordOf('peer', 'trust', host, 'allowed', '--outgoing')).toMatchObject({
    trust: 'denied',
    outgoingTrust: 'allowed',
  });
  expect(await recordOf('peer', 'trust', host, 'unknown')).toMatchObject({
    trust: 'unknown',
    outgoingTrust: null,
  });
});

it('sets whether its messages have to be signed, and resets this to the setting', async () => {
  const host = 'cloud.example.org';
  expect(await recordOf('peer', 'trust', host, 'allowed', '--signatures', 'required')).toMatchObject({
    trust: 'allowed',
    signatures: 'required',
  });
  expect(await recordOf('peer', 'trust', host, 'trusted')).toMatchObject({ signatures: 'required' });
  expect(await regarded(host)).toMatchObject({ signatures: 'required', signs: false });
  expect(await recordOf('peer', 'trust', host, 'trusted', '--signatures', 'default')).toMatchObject({
    signatures: null,
  });
  await expect(recordOf('peer', 'trust', host, 'trusted', '--signatures', 'often')).rejects.toThrow(
    UsageError,
  );
});

it('finds a partner by an earlier name', async () => {
  await query(`WITH next AS (INSERT INTO peer (host_key) VALUES ('new.example.org') RETURNING id)
    INSERT INTO peer (host_key, alias_of) SELECT 'old.example.org', id FROM next`);
  expect(await recordOf('peer', 'trust', 'old.example.org', 'denied')).toMatchObject({
    hostKey: 'new.example.org',
  });
});

it('begins a handshake with its own encrypted token, and begins again if the command is repeated', async () => {
  const words = ['peer', 'trust', 'cloud.example.org', 'trusted', '--handshake'];
  const tokens = [];
  for (let time = 1; time <= 2; time++) {
    await recordOf(...words);
    const [row] = await query('SELECT state, sealed_own_token FROM trusted_handshake');
    expect(row!.state).toBe('asking');
    tokens.push(secrets.open(row!.sealed_own_token as Buffer));
  }
  expect(tokens[0]).toMatch(/^[A-Za-z0-9]{16}$/);
  expect(tokens[1]).not.toBe(tokens[0]);
  expect(tokens.every((token) => isOursToAsk(token, ''))).toBe(true);
  expect(await regarded('cloud.example.org')).toMatchObject({ handshake: 'asking' });
});

it.each([
  ['adored'],
  ['allowed', '--handshake'],
  ['trusted', '--handshake', '--outgoing'],
  ['denied', '--incoming', '--outgoing'],
])('refuses the arguments %s %s %s', async (...options) => {
  await expect(run('peer', 'trust', 'cloud.example.org', ...options)).rejects.toThrow();
  expect(await query('SELECT FROM peer')).toEqual([]);
});

it('makes an invitation, lists it without its token and revokes it', async () => {
  await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', 'x')`);
  const { id, invitation } = await recordOf('invitation', 'create', 'alice', '--description', 'for bob');
  const token = Buffer.from(String(invitation), 'base64').toString().split('@')[0]!;
  expect(await query('SELECT token_hmac FROM invitation')).toEqual([{ token_hmac: secrets.lookup(token) }]);
  const listed = await run('invitation', 'list', 'alice');
  expect(listed).toMatchObject({ kind: 'rows', rows: [{ id, description: 'for bob' }] });
  expect(JSON.stringify(listed)).not.toContain(token);
  await recordOf('invitation', 'remove', 'alice', String(id));
  await expect(run('invitation', 'remove', 'alice', String(id))).rejects.toThrow('no invitation');
  await expect(run('invitation', 'create', 'nobody')).rejects.toThrow('could not be found');
});

it('lists contacts and removes them', async () => {
  await query(
    `INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', 'x'), ('bob', 'Bob', 'x')`,
  );
  await query(`WITH p AS (INSERT INTO peer (host_key) VALUES ('cloud.example.org') RETURNING id)
    INSERT INTO contact (uid, peer_id, remote_user) SELECT 'alice', id, 'bob' FROM p`);
  const listed = await run('contact', 'list', 'ALICE');
  if (listed.kind !== 'rows') throw new Error('no rows');
  expect(listed.rows).toMatchObject([{ hostKey: 'cloud.example.org', remoteUser: 'bob' }]);
  const id = String(listed.rows[0]!.id);
  await expect(run('contact', 'remove', 'bob', id)).rejects.toThrow('no contact');
  await recordOf('contact', 'remove', 'alice', id);
  expect(await query('SELECT FROM contact')).toEqual([]);
});
