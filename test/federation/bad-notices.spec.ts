import { InboundPartner, type PartnerReply } from './inbound-partner';

let partner: InboundPartner;
beforeAll(async () => {
  partner = await InboundPartner.start();
});
afterAll(() => partner?.stop());

interface Row {
  readonly permissions: number;
  readonly state: string;
}

const sent = async (id: string): Promise<{ acceptance: string } | undefined> => {
  const rows = await partner.gateway.query<{ acceptance: string }>(
    'SELECT acceptance FROM share WHERE id = $1',
    [id],
  );
  return rows[0];
};
const received = (providerId: string): Promise<Row[]> =>
  partner.gateway.query<Row>('SELECT state, permissions FROM received_share WHERE provider_id = $1', [
    providerId,
  ]);
/** Messages that wait for partners: an answer to a notice would cause another answer. */
const pendingMessages = async (subjectId: string): Promise<string[]> => {
  await partner.eventsHandled();
  const rows = await partner.gateway.query<{ kind: string }>(
    `SELECT kind FROM outbox_message WHERE subject_id = $1 AND state <> 'superseded'`,
    [subjectId],
  );
  return rows.map(({ kind }) => kind);
};
const permit = (providerId: string, secret: string, permissions: readonly string[]): Promise<PartnerReply> =>
  partner.notify('SHARE_CHANGE_PERMISSION', providerId, secret, { protocol: { webdav: { permissions } } });

describe('late notices', () => {
  it.each([
    'SHARE_ACCEPTED',
    'SHARE_DECLINED',
    'RESHARE_UNDO',
    'REQUEST_RESHARE',
    'RESHARE_CHANGE_PERMISSION',
  ])('%s about a declined share restores nothing and causes no message', async (type) => {
    const secret = `SecretOfLate${type.replaceAll('_', '')}`;
    const id = await partner.sentShare(`/late-${type}.txt`, secret);
    await partner.notify('SHARE_DECLINED', id, secret);
    const more = { shareWith: 'dan@third.example', senderId: '5', permission: ['read'] };
    const { http } = await partner.notify(type, id, secret, more);
    expect(http).toBeLessThan(500);
    expect(await sent(id)).toBeUndefined();
    expect(await pendingMessages(id)).toEqual([]);
  });

  it('an acceptance of a share that its owner ended changes nothing', async () => {
    const id = await partner.sentShare('/taken-back.txt', 'SecretOfTakenBack');
    await partner.gateway.query('DELETE FROM share WHERE id = $1', [id]);
    const { http } = await partner.notify('SHARE_ACCEPTED', id, 'SecretOfTakenBack');
    expect([400, 410]).toContain(http);
    expect(await sent(id)).toBeUndefined();
    expect(await pendingMessages(id)).toEqual(['share-unshare']);
  });

  it('new permissions for a share that the partner ended change nothing', async () => {
    await partner.offer('late-1', 'SecretOfLate1');
    await partner.notify('SHARE_UNSHARED', 'late-1', 'SecretOfLate1');
    const { http } = await permit('late-1', 'SecretOfLate1', ['read', 'write']);
    expect(http).toBeLessThan(500);
    expect((await received('late-1')).map(({ state }) => state)).toEqual(['gone']);
    expect((await partner.received('GET', '/pending')).data).toEqual([]);
  });
});

describe('notices in the wrong order', () => {
  it('an acceptance after its decline changes nothing', async () => {
    const id = await partner.sentShare('/overtaken.txt', 'SecretOfOvertaken');
    await partner.notify('SHARE_DECLINED', id, 'SecretOfOvertaken');
    await partner.notify('SHARE_ACCEPTED', id, 'SecretOfOvertaken');
    expect(await sent(id)).toBeUndefined();
  });

  it('simultaneous copies of all notices leave one share in one state, without a server error', async () => {
    await partner.offer('storm', 'SecretOfStorm');
    const calls = Array.from({ length: 120 }, (_, at) => {
      if (at % 4 === 0) return partner.offer('storm', 'SecretOfStorm');
      if (at % 4 === 1) return permit('storm', 'SecretOfStorm', ['read']);
      if (at % 4 === 2) return permit('storm', 'SecretOfStorm', ['read', 'write']);
      return partner.notify('SHARE_UNSHARED', 'storm', 'SecretOfStorm');
    });
    const answers = await Promise.all(calls);
    expect(answers.filter(({ http }) => http >= 500)).toEqual([]);
    expect((await received('storm')).map(({ state }) => state)).toEqual(['gone']);
  });
});
