import { acceptAwaited } from '#federation/exchange';
import {
  AccountRepository,
  ForeignLinkRepository,
  PeerRepository,
  ReceivedShareRepository,
} from '#persistence';
import type { CachedPolicy } from '#settings';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { ReceivedShareAcceptance } from './received-share-acceptance';
import { ReceivedShares } from './received-shares';

describe('offers of a server whose public link a user saves', () => {
  let test: TestDatabase;
  let links: ForeignLinkRepository;
  let peerId: number;
  let made = 0;

  beforeAll(async () => {
    test = await createTestDatabase();
    links = new ForeignLinkRepository(test.database);
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    await test.empty('user_account', 'outbox_message', 'peer');
    for (const uid of ['bob', 'ben'])
      await new AccountRepository(test.database).insert({
        ...{ uid, displayName: uid, email: null, passwordHash: '-', groups: [] },
      });
    peerId = (await new PeerRepository(test.database).ensure('cloud.example.org')).id;
  });

  const query = <T = unknown>(text: string, values: unknown[] = []): Promise<T[]> =>
    test.database.dataSource.query<T[]>(text, values);

  async function accept(uid = 'bob'): Promise<void> {
    const policy = { current: async () => ({ shareFolder: '/' }) } as unknown as CachedPolicy;
    const places = new ReceivedShares(test.database, policy);
    await acceptAwaited(new ReceivedShareAcceptance(test.database, policy, places), uid, peerId);
  }
  /** @returns the id of a link whose server said that it will offer a share */
  async function asked(providerId: string | null): Promise<number> {
    const key = Buffer.from(`link ${(made += 1)}`);
    const { id } = await links.begin({ uid: 'bob', peerId, tokenHmac: key, sealedKeys: Buffer.from('keys') });
    await links.asked(id, providerId);
    return id;
  }
  async function offered(
    providerId: string,
    { host = 'cloud.example.org', uid = 'bob', access = {} } = {},
  ): Promise<number> {
    const offer = {
      peerId: (await new PeerRepository(test.database).ensure(host)).id,
      ...{ providerId, tokenHmac: Buffer.from(providerId), tokenEnc: Buffer.from('sealed') },
      ...{ owner: `bea@${host}`, ownerDisplayName: 'Bea', sender: `bea@${host}`, senderDisplayName: 'Bea' },
      ...{ name: `share-${providerId}`, description: '', kind: 'folder' as const, permissions: 1, access },
      ...{ expiresAt: null, dialect: 'ocm-webdav', webappTokenEnc: null, verified: false },
    };
    const stored = await new ReceivedShareRepository(test.database).insert(offer, [uid], 'an offer');
    return Number(stored.get(uid));
  }
  const states = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await query<{ name: string; state: string }>('SELECT name, state FROM received_share')).map(
        ({ name, state }) => [name, state],
      ),
    );
  const settled = (id: number) => links.settled(id);

  it.each([['42'], [null]])('are accepted, with or without a named id (%s)', async (providerId) => {
    const link = await asked(providerId);
    await accept();
    expect(await settled(link)).toBeUndefined();
    const share = await offered('42');
    await accept();
    expect(await states()).toEqual({ 'share-42': 'accepted' });
    expect(await settled(link)).toMatchObject({ state: 'saved', receivedShareId: share });
  });

  it('are not accepted without a request, or for another user', async () => {
    await offered('1');
    await accept();
    await asked('2');
    await offered('2', { uid: 'ben' });
    await accept('ben');
    await accept();
    expect(await states()).toEqual({ 'share-1': 'pending', 'share-2': 'pending' });
  });

  it('are distinguished by id from other offers of the same server', async () => {
    await asked('42');
    await offered('41');
    await offered('42');
    await accept();
    expect(await states()).toEqual({ 'share-41': 'pending', 'share-42': 'accepted' });
  });

  it('wait for their recipient if they cannot be distinguished from others', async () => {
    const link = await asked(null);
    await offered('41');
    await offered('42');
    await accept();
    expect(await states()).toEqual({ 'share-41': 'pending', 'share-42': 'pending' });
    expect(await settled(link)).toBeUndefined();
  });

  it('have to come from the requested server, after the request', async () => {
    await offered('40');
    await query(`UPDATE received_share SET received_at = now() - interval '1 hour'`);
    await asked(null);
    await offered('41', { host: 'other.example.org' });
    await accept();
    expect(await states()).toEqual({ 'share-40': 'pending', 'share-41': 'pending' });
  });

  it('are not accepted from an unknown sender, nor ten minutes later', async () => {
    const link = await asked('42');
    await offered('42', { access: { senderUnknown: true } });
    await accept();
    await query(`UPDATE foreign_link SET created_at = now() - interval '11 minutes' WHERE id = $1`, [link]);
    await query(`UPDATE received_share SET access = '{}'`);
    await accept();
    expect(await states()).toEqual({ 'share-42': 'pending' });
  });

  it('can be the mount that their recipient already has', async () => {
    await asked('42');
    const share = await offered('42');
    await accept();
    const again = await asked('42');
    await accept();
    expect(await settled(again)).toMatchObject({ state: 'saved', receivedShareId: share });
  });

  it('of two links belong to one each', async () => {
    const both = [await asked(null), await asked(null)];
    const shares = [await offered('41'), await offered('42')];
    await accept();
    expect(await Promise.all(both.map(settled))).toEqual(
      shares.map((receivedShareId) => expect.objectContaining({ state: 'saved', receivedShareId })),
    );
  });
});
