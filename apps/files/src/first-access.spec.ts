import type { DeliveryState } from '#federation/exchange';
import { PRODUCT_NAME } from '#platform';
import { FederationOutbox } from '../../../libs/testing/src/rigs/federation-outbox';
import {
  GOWEBDAV_PROPERTIES,
  LEGACY,
  MOUNT_PROPERTIES,
  OCM,
  WAYS_IN,
  type KeptShare,
} from '../../../libs/testing/src/partners/reading-partner';
import { sharedFolderStage } from '../../../libs/testing/src/rigs/shared-folder-stage';
import { countStatements, countTransactions } from '../../../libs/testing/src/rigs/statement-count';

const stage = sharedFolderStage();

describe('the first access', () => {
  const stateOf = async ({ id }: KeptShare) =>
    (
      await stage.sql<Record<string, unknown>>(
        `SELECT acceptance, acceptance_source AS source, delivery_state AS delivery, delivery_error AS error,
           delivered_at IS NOT NULL AS arrived, xmin::text AS version FROM share WHERE id = $1`,
        [id],
      )
    )[0]!;

  it.each(WAYS_IN)('at %s marks the share as accepted, once', async (way) => {
    const secret = await stage.shareFolder();
    expect(await stateOf(secret)).toMatchObject({ acceptance: 'unknown', source: null });
    await stage.partner.propfind(way, secret);
    const noted = await stateOf(secret);
    expect(noted).toMatchObject({ acceptance: 'accepted', source: 'access', delivery: 'delivered' });
    // The first read of a file is noted separately.
    await stage.partner.ask(way, secret, 'GET', '/file.txt');
    const read = await stateOf(secret);
    expect(read).toMatchObject({ ...noted, version: expect.any(String) as string });
    await stage.partner.propfind(way, secret);
    await stage.partner.ask(way, secret, 'GET', '/file.txt');
    expect(await stateOf(secret)).toEqual(read);
  });

  it('marks nothing if the reader is our own product, which probes offers', async () => {
    const secret = await stage.shareFolder();
    const before = await stateOf(secret);
    const headers = { depth: '0', 'user-agent': `${PRODUCT_NAME}/1.0` };
    expect(await stage.partner.statusOf(OCM, secret, 'PROPFIND', '', { headers })).toBe(207);
    expect(await stateOf(secret)).toEqual(before);
    await stage.partner.ask(OCM, secret, 'GET', '/file.txt', { headers });
    expect(await stateOf(secret)).toMatchObject({ acceptance: 'accepted', source: 'access' });
  });

  it('does not change a state from an earlier message', async () => {
    const secret = await stage.shareFolder();
    await stage.sql(
      `UPDATE share SET acceptance = 'accepted', acceptance_source = 'notification' WHERE id = $1`,
      [secret.id],
    );
    const before = await stateOf(secret);
    await stage.partner.propfind(OCM, secret);
    expect(await stateOf(secret)).toEqual(before);
  });

  it('marks nothing if it is refused', async () => {
    const secret = await stage.shareFolder();
    const before = await stateOf(secret);
    await stage.partner.propfind(OCM, { id: 0, token: secret.token });
    await stage.sql('UPDATE user_account SET enabled = false WHERE uid = $1', [stage.alice]);
    await stage.partner.propfind(OCM, secret);
    expect(await stateOf(secret)).toEqual(before);
  });

  async function offered(deliveryState: DeliveryState, messageState: string) {
    const secret = await stage.files.federatedShare({ path: '/folder', owner: stage.alice, deliveryState });
    await stage.sql(`UPDATE share SET delivery_error = 'no answer' WHERE id = $1`, [secret.id]);
    const outbox = new FederationOutbox(stage.files.database);
    const peerId = await outbox.addPeer('cloud.partner.example');
    const messageId = (await outbox.write(peerId, 'share-create', secret.id))!;
    await stage.sql('UPDATE outbox_message SET state = $2 WHERE id = $1', [messageId, messageState]);
    const message = async () => (await outbox.states()).get(messageId);
    return { secret, message };
  }

  it.each<[DeliveryState, string]>([
    ['pending', 'pending'],
    ['pending', 'queued'],
    ['retrying', 'pending'],
    ['dead', 'dead'],
    ['pending', 'cancelled'],
  ])(
    'marks an offer that is %s and %s as delivered, which is not sent again',
    async (state, messageState) => {
      const { secret, message } = await offered(state, messageState);
      await stage.partner.propfind(OCM, secret);
      expect(await stateOf(secret)).toMatchObject({
        acceptance: 'accepted',
        source: 'access',
        delivery: 'delivered',
        error: null,
        arrived: true,
      });
      expect(await message()).toBe('superseded');
    },
  );

  it('marks nothing while the offer is being sent: some servers read the share before they answer', async () => {
    const { secret, message } = await offered('pending', 'inflight');
    expect(await stage.partner.rootStatus(LEGACY, secret)).toBe(207);
    expect(await stateOf(secret)).toMatchObject({ acceptance: 'unknown', delivery: 'pending' });
    expect(await message()).toBe('inflight');
  });

  it('does not affect a later message that still waits', async () => {
    const secret = await stage.shareFolder();
    await stage.sql(`UPDATE share SET delivery_state = 'retrying', acceptance = 'accepted' WHERE id = $1`, [
      secret.id,
    ]);
    const before = await stateOf(secret);
    await stage.partner.propfind(OCM, secret);
    expect(await stateOf(secret)).toEqual(before);
  });
});

describe('the cost of a request', () => {
  it.each([
    ['ownCloud', LEGACY, MOUNT_PROPERTIES, 2],
    ['OpenCloud, with quota', OCM, GOWEBDAV_PROPERTIES, 4],
    ['ownCloud, with quota', LEGACY, MOUNT_PROPERTIES.replace('<x:size/>', '<d:quota-used-bytes/>'), 3],
  ] as const)('%s for a root needs few statements', async (_who, way, body, statements) => {
    const secret = await stage.shareFolder();
    await stage.partner.propfind(way, secret, '', body);
    const again = () =>
      stage.partner.propfind(way, secret, '', body).then((reply) => expect(reply.status).toBe(207));
    expect(await countStatements(stage.files.appDatabase, again)).toBe(statements);
    expect(await countTransactions(stage.files.appDatabase, again)).toBe(0);
  });
});
