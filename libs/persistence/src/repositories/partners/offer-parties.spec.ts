import type { KnownParties, OfferParties } from '#federation/exchange';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { AccountRepository } from '../accounts/account.repository';
import { PartnerKeysRepository } from '../trust/partner-keys.repository';
import { ForeignLinkRepository } from './foreign-link.repository';
import { OfferBlockRepository } from './offer-block.repository';
import { OfferPartiesRepository } from './offer-parties.repository';
import { PeerTrustRepository } from './peer-trust.repository';
import { PeerRepository } from './peer.repository';
import { hostOfAddress } from '#federation/protocol';

const HOST = hostOfAddress('cloud.example.org');

let test: TestDatabase;
let parties: OfferPartiesRepository;
let peers: PeerRepository;
let keys: PartnerKeysRepository;

beforeAll(async () => {
  test = await createTestDatabase();
  parties = new OfferPartiesRepository(test.database);
  peers = new PeerRepository(test.database);
  keys = new PartnerKeysRepository(test.database);
  for (const uid of ['ann', 'bob', 'eve'])
    await new AccountRepository(test.database).insert({
      ...{ uid, displayName: uid, email: null, passwordHash: '-', groups: [] },
    });
});
afterAll(() => test.drop());
beforeEach(() => test.empty('peer', 'offer_block', 'foreign_link'));

const query = (sql: string, values: unknown[] = []): Promise<unknown> =>
  test.database.dataSource.query(sql, values);

/** An offer of Bea at `hostKey`, sent by Zoe at another server, to all three accounts. */
const of = (hostKey: string, given: Partial<OfferParties> = {}): Promise<KnownParties> =>
  parties.find({
    hostKey,
    hosts: [hostKey, 'other.example.org'],
    people: [`bea@${hostKey}`, 'zoe@other.example.org'],
    uids: ['ann', 'bob', 'eve'],
    ...given,
  });

describe('the parties of an offer', () => {
  it('are unknown if nothing of its host was ever seen', async () => {
    expect(await of(HOST)).toEqual({
      ...{ peerId: null, regarded: undefined, signing: undefined, blockedBy: [], awaitedBy: [] },
    });
  });

  it.each([HOST, `${HOST}/cloud`, `${HOST}/new`])(
    'have the trust and the signatures of their host, as every look-up of %s alone finds them',
    async (address) => {
      const { id } = await peers.ensure(`${HOST}/cloud`);
      await peers.saveDiscovery(id, { capabilities: ['http-sig'] }, 60_000, { documentKeys: '', jwks: '' });
      await keys.noteSigned(`${HOST}/cloud`);
      await new PeerTrustRepository(test.database).set(HOST, 'denied', 'both');
      await new PeerTrustRepository(test.database).demand(HOST, 'required');
      const found = await of(address);
      expect(found.peerId).toBe((await peers.find(address))?.id ?? null);
      expect(found.regarded).toEqual(await peers.regarded(address));
      expect(found.signing).toEqual(await keys.host(address));
      expect(found).toMatchObject({
        regarded: { trust: 'denied' },
        signing: { signatures: 'required', isSigner: true, announces: true },
      });
    },
  );

  it('of a renamed host are the partner at its new address, with the trust of the new host', async () => {
    await peers.ensure(HOST);
    const next = await peers.ensure('new.example.org');
    await new PeerTrustRepository(test.database).set(hostOfAddress('new.example.org'), 'trusted', 'both');
    await query('UPDATE peer SET alias_of = $1 WHERE host_key = $2', [next.id, HOST]);
    expect(await of(HOST)).toMatchObject({ peerId: next.id, regarded: { trust: 'trusted' } });
    expect((await of(HOST)).signing).toEqual(await keys.host(HOST));
  });

  it('include the accounts that block its people or its hosts', async () => {
    const blocks = new OfferBlockRepository(test.database);
    await blocks.add('ann', HOST, '', 10);
    await blocks.add('bob', 'other.example.org', 'zoe@other.example.org', 10);
    await blocks.add('eve', 'other.example.org', 'another@other.example.org', 10);
    await blocks.add('eve', 'third.example.org', '', 10);
    expect((await of(HOST)).blockedBy.toSorted()).toEqual(['ann', 'bob']);
    expect((await of(HOST, { uids: ['eve'] })).blockedBy).toEqual([]);
  });

  it('include the accounts that block them under another name of their server', async () => {
    const blocks = new OfferBlockRepository(test.database);
    await blocks.add('ann', HOST, `bea@${HOST}`, 10);
    await blocks.add('bob', 'new.example.org', '', 10);
    await blocks.add('eve', HOST, `another@${HOST}`, 10);
    const next = await peers.ensure('new.example.org');
    for (const name of [HOST, 'older.example.org']) {
      const { id } = await peers.ensure(name);
      await query('UPDATE peer SET alias_of = $1 WHERE id = $2', [next.id, id]);
    }
    for (const name of ['new.example.org', HOST, 'older.example.org'])
      expect((await of(name)).blockedBy.toSorted()).toEqual(['ann', 'bob']);
  });

  it('include the accounts that are saving a link of any address of its host', async () => {
    const links = new ForeignLinkRepository(test.database);
    const begin = async (uid: string, address: string): Promise<number> => {
      const peerId = (await peers.ensure(address)).id;
      return (
        await links.begin({ uid, peerId, tokenHmac: Buffer.from(uid), sealedKeys: Buffer.from('keys') })
      ).id;
    };
    await begin('ann', `${HOST}/cloud`);
    await links.asked(await begin('bob', HOST), '7');
    await begin('eve', 'other.example.org');
    expect((await of(HOST)).awaitedBy.toSorted()).toEqual(['ann', 'bob']);
    expect((await of(`${HOST}/later`)).awaitedBy.toSorted()).toEqual(['ann', 'bob']);
    expect((await of(HOST, { uids: ['ann'] })).awaitedBy).toEqual(['ann']);
    await query(`UPDATE foreign_link SET state = 'refused' WHERE uid = 'bob'`);
    expect((await of(HOST)).awaitedBy).toEqual(['ann']);
  });
});
