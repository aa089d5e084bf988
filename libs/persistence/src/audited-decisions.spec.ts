import { hostOfAddress } from '#federation/protocol';
import { actingFor, SecretBox } from '#platform';
import { AuditStage } from '../../testing/src/rigs/audit-stage';
import { linkTo, userShareOf } from '../../testing/src/contracts/share-store-stage';
import { countAllStatements } from '../../testing/src/rigs/statement-count';
import { AccountRepository } from './repositories/accounts/account.repository';
import { HandshakeRepository } from './repositories/partners/handshake.repository';
import { PeerAdministrationRepository } from './repositories/partners/peer-administration.repository';
import { PeerRenameRepository } from './repositories/partners/peer-rename.repository';
import { PeerRepository } from './repositories/partners/peer.repository';
import { PeerTrustRepository } from './repositories/partners/peer-trust.repository';
import { ShareAdministrationRepository } from './repositories/shares/share-administration.repository';
import { ShareRepository } from './repositories/shares/share.repository';
import { SigningKeyRepository } from './repositories/trust/signing-key.repository';

let stage: AuditStage;

beforeAll(async () => {
  stage = await AuditStage.open();
});
afterAll(() => stage.test.drop());
beforeEach(() => stage.begin());

const account = (uid: string) => ({
  uid,
  displayName: uid,
  email: null,
  passwordHash: 'canary-hash',
  groups: [],
});

it('records that the keys of a partner changed, and nothing when the same keys are read again', async () => {
  const peers = new PeerRepository(stage.test.database);
  const { id } = await peers.ensure('keys.example');
  const read = (documentKeys: string, jwks: string): Promise<void> =>
    peers.saveDiscovery(id, {}, 60_000, { documentKeys, jwks });
  await read('first', '');
  await read('first', '');
  await read('second', '');
  await read('second', 'and a set');
  const events = (await stage.recorded()).filter(({ action }) => action === 'partner.keys');
  expect(events.map(({ objectId, detail }) => [objectId, (detail as { first: boolean }).first])).toEqual([
    ['keys.example', true],
    ['keys.example', false],
    ['keys.example', false],
  ]);
  expect(new Set(events.map(({ detail }) => (detail as { fingerprint: string }).fingerprint)).size).toBe(3);
});

describe('an operator', () => {
  const events = async (): Promise<string[]> => {
    const events = await stage.recorded();
    expect(new Set(events.map(({ actorKind }) => actorKind))).toEqual(new Set(['operator']));
    return events.map(({ action, objectId, outcome }) => `${action} ${objectId} ${outcome}`);
  };
  const asOperator = <T>(work: () => Promise<T>): Promise<T> => actingFor({ kind: 'operator' }, work);

  it('decides about partners', async () => {
    const { database } = stage.test;
    const host = hostOfAddress('operated.example');
    const peers = new PeerAdministrationRepository(database);
    await asOperator(async () => {
      const { id } = await new PeerTrustRepository(database).set(host, 'trusted', 'both');
      await new PeerTrustRepository(database).demand(host, 'required');
      await peers.pause(host);
      await peers.resume(host);
      await peers.limit(host, { concurrency: 3, ratePerSecond: 1, rateBurst: 2 });
      await peers.pin(host, { canary: 1 });
      await peers.unpin(host);
      const handshakes = new HandshakeRepository(database);
      await handshakes.begin(id, Buffer.from('canary'));
      await handshakes.move({ peerId: id, state: 'asking' }, 'asked', 5, '');
      await handshakes.move({ peerId: id, state: 'asked' }, 'failed', null, 'nobody came');
      await new PeerRenameRepository(database).rename({
        from: host,
        to: 'new.example',
        baseUrl: 'https://new.example',
      });
    });
    const done = (action: string): string => `${action} ${host} done`;
    expect(await events()).toEqual([
      ...['partner.trust', 'partner.signatures', 'partner.pause', 'partner.resume'].map(done),
      ...['partner.limits', 'partner.pin', 'partner.unpin', 'handshake.begin'].map(done),
      `handshake.fail ${host} refused`,
      'partner.trust new.example done',
      done('partner.rename'),
    ]);
  });

  it('changes keys', async () => {
    const keys = new SigningKeyRepository(stage.test.database);
    const key = (id: string) => ({
      id,
      algorithm: 'ed25519' as const,
      sealedPrivateKey: Buffer.from('canary'),
      publicJwk: {},
      notBefore: new Date(),
    });
    await asOperator(async () => {
      await keys.addFirst(key('first'));
    });
    await stage.begin();
    await asOperator(() => keys.replace(key('second'), 'first', new Date()));
    expect(await events()).toEqual(['signing-key.retire first done', 'signing-key.create second done']);
  });
});

describe('a share', () => {
  let shares: ShareRepository;
  const node = { nodeId: 0, kind: 'folder', name: 'f', ownerPath: '/f', ownerUid: 'alice' } as const;
  const shared = { ...node, mimetype: 'httpd/unix-directory', storageId: 0, parentId: null, isRemote: false };

  beforeAll(async () => {
    shares = new ShareRepository(stage.test.database, new SecretBox(() => Buffer.alloc(32, 7)));
    for (const uid of ['alice', 'bob']) await new AccountRepository(stage.test.database).insert(account(uid));
    await stage.query(`INSERT INTO storage (key, owner_uid) VALUES ('a', 'alice')`);
    const [row] = await stage.query<{ id: string }>(
      `INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
       SELECT id, 'alice', '', '', 'folder', 'httpd/unix-directory', now(), 'e' FROM storage WHERE key = 'a' RETURNING id`,
    );
    Object.assign(shared, { nodeId: Number(row!.id) });
  });

  it('of any kind is made and recorded in one statement', async () => {
    const makes = [() => shares.insert(userShareOf(shared)), () => shares.insert(linkTo(shared))];
    for (const make of makes)
      expect(await stage.asAdministrator(() => countAllStatements(stage.test.database, make))).toBe(1);
    expect((await stage.recorded()).map(({ actor, action }) => [actor, action])).toEqual([
      ['root', 'share.create'],
      ['root', 'share.create'],
    ]);
  });

  it('a share that an operator ends is recorded under the operator, and its removal under the gateway', async () => {
    const made = await shares.insert(linkTo(shared));
    if (typeof made === 'string') throw new Error(made);
    await actingFor({ kind: 'operator' }, () =>
      new ShareAdministrationRepository(stage.test.database).expire(made.id),
    );
    await actingFor({ kind: 'user', uid: 'bob' }, () => shares.removeExpired(10));
    expect((await stage.recorded()).map(({ actorKind, action }) => [actorKind, action])).toEqual([
      ['system', 'share.create'],
      ['operator', 'share.update'],
      ['system', 'share.expire'],
    ]);
  });
});

describe('secrets', () => {
  beforeAll(() => new AccountRepository(stage.test.database).insert(account('dora')));

  it('are not in the record of a share', async () => {
    const box = new SecretBox(() => Buffer.alloc(32, 7));
    await stage.query(`INSERT INTO storage (key, owner_uid) VALUES ('s', 'dora')`);
    await stage.query(`INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
      SELECT id, 'dora', '', '', 'folder', 'httpd/unix-directory', now(), 'e' FROM storage WHERE key = 's'`);
    await stage.query(
      `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, permissions, token_hmac, token_enc, password_hash, name)
       SELECT 3, id, 'dora', 'dora', 1, $1, $2, 'canary-hash', 'canary-name' FROM node WHERE owner_uid = 'dora'`,
      [box.lookup('canary'), box.seal('canary')],
    );
    await stage.query(
      `UPDATE share SET password_hash = 'canary-two', name = 'canary-three' WHERE owner_uid = 'dora'`,
    );
    const events = await stage.recorded();
    expect(events.map(({ action, detail }) => [action, detail.password])).toEqual([
      ['share.create', true],
      ['share.update', 'set'],
    ]);
    expect(JSON.stringify(events)).not.toContain('canary');
  });
});
