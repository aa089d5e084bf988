import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { PartnerKeysRepository, type PartnerKeysRow, type ReadKeys } from './partner-keys.repository';
import { PeerRepository } from '../partners/peer.repository';

const HOST = 'cloud.example.org';
const KEYS: ReadKeys = { documentKeys: '{"keys": [1]}', jwks: '{"keys": [2]}' };
let test: TestDatabase;
let keys: PartnerKeysRepository;
let peers: PeerRepository;
let peerId: number;

beforeAll(async () => {
  test = await createTestDatabase();
  keys = new PartnerKeysRepository(test.database);
  peers = new PeerRepository(test.database);
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.empty('peer');
  peerId = (await peers.ensure(HOST)).id;
});

const query = (sql: string): Promise<unknown> => test.database.dataSource.query(sql);
const row = async (): Promise<PartnerKeysRow> => (await keys.find(HOST))!;
const discovered = (found: ReadKeys): Promise<void> => peers.saveDiscovery(peerId, {}, 60_000, found);
const failed = (): Promise<void> => peers.saveDiscoveryFailure(peerId, 'timeout', 1000);

it('has none for an unknown host, and for one that was never read', async () => {
  expect(await keys.find('nobody.example.org')).toBeUndefined();
  expect(await row()).toMatchObject({
    documentKeys: '',
    jwks: '',
    isAnswered: false,
    isComplete: false,
  });
});

it('lets one of many processes ask, and the next one a minute later', async () => {
  const claims = await Promise.all(Array.from({ length: 8 }, () => keys.claim(peerId, 60)));
  expect(claims.filter(Boolean)).toHaveLength(1);
  expect(await row()).toMatchObject({ isAnswered: false });
  await query(`UPDATE partner_keys SET asked_at = asked_at - interval '61 seconds'`);
  expect(await keys.claim(peerId, 60)).toBe(true);
});

it('counts keys from discovery as an answer', async () => {
  await keys.claim(peerId, 60);
  await discovered(KEYS);
  expect(await row()).toMatchObject({ ...KEYS, isAnswered: true, isComplete: true });
});

it('keeps its keys while a part or all of them cannot be read, and reports it', async () => {
  await discovered(KEYS);
  await keys.claim(peerId, 60);
  await discovered({ documentKeys: 'new', jwks: null });
  expect(await row()).toMatchObject({
    documentKeys: 'new',
    jwks: KEYS.jwks,
    isAnswered: true,
    isComplete: false,
  });
  await query(`UPDATE partner_keys SET asked_at = NULL`);
  await keys.claim(peerId, 60);
  await failed();
  expect(await row()).toMatchObject({ documentKeys: 'new', isAnswered: true, isComplete: false });
});

it('remembers that a partner signs after its keys are gone', async () => {
  await discovered(KEYS);
  await keys.noteSigned(HOST);
  await discovered({ documentKeys: '', jwks: '' });
  expect(await keys.host(HOST)).toMatchObject({ signatures: null, isSigner: true, announces: false });
  expect(await row()).toMatchObject({ documentKeys: '', jwks: '', isComplete: true });
});

it('applies the knowledge about one address to its whole host', async () => {
  expect(await keys.host(HOST)).toMatchObject({ signatures: null, isSigner: false, announces: false });
  await discovered(KEYS);
  await query(`UPDATE peer SET signatures = 'required' WHERE id = ${peerId}`);
  for (const address of [HOST, `${HOST}/cloud`, `${HOST}:80`])
    expect(await keys.host(address)).toMatchObject({
      signatures: 'required',
      isSigner: true,
      announces: false,
    });
  await peers.ensure(`${HOST}/cloud`);
  expect(await keys.host(`${HOST}/cloud`)).toMatchObject({
    signatures: 'required',
    isSigner: true,
    announces: false,
  });
  expect(await keys.host(`${HOST}:8443`)).toBeUndefined();
});

it('says whether a partner has answered, and whether it has to be asked now', async () => {
  expect(await keys.host(HOST)).toMatchObject({ isSettled: false, isProfiled: false });
  await failed();
  expect(await keys.host(HOST)).toMatchObject({ isSettled: true, isProfiled: false });
  await query(`UPDATE peer SET discovery_failed_until = now() - interval '1 second'`);
  expect(await keys.host(HOST)).toMatchObject({ isSettled: false, isProfiled: false });
  await discovered(KEYS);
  const former = await peers.ensure('old.example.org');
  await query(`UPDATE peer SET alias_of = ${peerId} WHERE id = ${former.id}`);
  for (const address of [HOST, 'old.example.org'])
    expect(await keys.host(address)).toMatchObject({ isSettled: true, isProfiled: true });
  expect(await keys.host(`${HOST}/cloud`)).toMatchObject({ isSettled: false, isProfiled: false });
  await query(`UPDATE peer SET profile_expires_at = now() - interval '1 second'`);
  expect(await keys.host(HOST)).toMatchObject({ isSettled: false, isProfiled: true });
  await query(`UPDATE peer SET pinned_profile = '{}', profile = NULL WHERE id = ${peerId}`);
  expect(await keys.host(HOST)).toMatchObject({ isSettled: true, isProfiled: true });
});

it('finds a partner by an earlier name', async () => {
  const former = await peers.ensure('old.example.org');
  await query(`UPDATE peer SET alias_of = ${peerId} WHERE id = ${former.id}`);
  await discovered(KEYS);
  expect(await keys.find('old.example.org')).toMatchObject({ hostKey: HOST });
});
