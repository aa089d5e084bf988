import { EndedShareRepository } from '#persistence';
import { InboundPartner } from './inbound-partner';

let partner: InboundPartner;

beforeAll(async () => {
  partner = await InboundPartner.start();
});
afterAll(() => partner.stop());

const ENDED = '/apps/files_sharing/api/v1/ended_shares';
const NOTIFICATIONS = '/apps/notifications/api/v1/notifications';
const REMOTE = 'cloud.partner.example';

const read = (id: string, uid: string) => partner.gateway.ocs('GET', `${ENDED}/${id}`, uid);
const notificationOf = async (id: string): Promise<Record<string, unknown> | undefined> => {
  const { data } = await partner.gateway.ocs('GET', NOTIFICATIONS, 'alice');
  return (data as Record<string, unknown>[]).find(({ object_id: about }) => about === id);
};

describe('a share that its recipient on another instance ended', () => {
  it.each([
    ['declined', []],
    ['left', ['SHARE_ACCEPTED']],
  ] as const)(
    'is %s: its initiator is notified, and can still read it at a separate address',
    async (ended, before) => {
      const secret = `SecretOf-${ended}`;
      const id = await partner.sentShare(`/${ended}.txt`, secret);
      for (const said of before) await partner.notify(said, id, secret);
      expect((await partner.notify('SHARE_DECLINED', id, secret)).http).toBe(201);
      expect((await partner.gateway.shares('GET', `/${id}`, 'alice')).code).toBe(404);
      const listed = await partner.gateway.list('alice', 'reshares=true');
      expect(listed.map((share) => share.id)).not.toContain(id);

      await partner.eventsHandled();
      const notification = await notificationOf(id);
      expect(notification).toMatchObject({
        object_type: 'ended_share',
        subject: `carol@${REMOTE} ${ended} your share "${ended}.txt"`,
        actions: [],
      });
      expect(notification!.link).toMatch(new RegExp(`^https?://.+/ocs/v2\\.php${ENDED}/${id}$`));
      const { data } = await read(id, 'alice');
      expect(data).toMatchObject({
        ...{ id, share_type: 6, share_with: `carol@${REMOTE}`, uid_owner: 'alice', uid_file_owner: 'alice' },
        ...{ item_type: 'file', name: `${ended}.txt`, permissions: 19, ended },
      });
      expect(data.readable_until - data.ended_at).toBe(30 * 86_400);
      expect(JSON.stringify(data)).not.toContain(secret);
    },
  );

  it('is shown to its initiator, its owner and administrators only', async () => {
    const id = await partner.sentShare('/who.txt', 'SecretOfWho');
    await partner.notify('SHARE_DECLINED', id, 'SecretOfWho');
    const codes = async (...uids: string[]) =>
      Promise.all(uids.map(async (uid) => (await read(id, uid)).code));
    expect(await codes('alice', 'admin', 'bob')).toEqual([200, 200, 404]);
    expect((await read('x', 'alice')).code).toBe(404);
    await partner.gateway.query(`UPDATE ended_share SET initiator_uid = 'bob' WHERE id = $1`, [id]);
    expect(await codes('alice', 'bob')).toEqual([200, 200]);
  });

  it('can be made again at once', async () => {
    const id = await partner.sentShare('/again.txt', 'SecretOfAgain');
    await partner.notify('SHARE_DECLINED', id, 'SecretOfAgain');
    await partner.gateway.dav('DELETE', 'alice', '/again.txt');
    expect(await partner.sentShare('/again.txt', 'SecretOfAgain2')).not.toBe(id);
  });

  it('is deleted with its notification after 30 days', async () => {
    const id = await partner.sentShare('/old.txt', 'SecretOfOld');
    await partner.notify('SHARE_DECLINED', id, 'SecretOfOld');
    await partner.eventsHandled();
    await partner.gateway.query(
      `UPDATE ended_share SET ended_at = now() - interval '30 days' WHERE id = $1`,
      [id],
    );
    expect((await read(id, 'alice')).code).toBe(404);
    const { nest } = partner.gateway.gateway.instance.app;
    expect(await nest.get(EndedShareRepository, { strict: false }).forget(1000)).toBe(1);
    expect(await notificationOf(id)).toBeUndefined();
  });

  it('does not stay if its owner ended it', async () => {
    const id = await partner.sentShare('/own.txt', 'SecretOfOwn');
    await partner.gateway.shares('DELETE', `/${id}`, 'alice');
    expect((await read(id, 'alice')).code).toBe(404);
    expect(await notificationOf(id)).toBeUndefined();
  });
});
