import { InboundPartner } from './inbound-partner';

let partner: InboundPartner;
let made = 0;
beforeAll(async () => {
  partner = await InboundPartner.start();
});
afterAll(() => partner?.stop());

interface Message {
  readonly kind: string;
  readonly payload: { readonly providerId: string; readonly grantee: string };
}

/** A pending share of alice's. @returns its id */
async function pending(name: string, changes: object = {}): Promise<number> {
  const providerId = `p-${(made += 1)}`;
  await partner.offer(providerId, `SecretNumber${made}`, { name, ...changes });
  const { data } = await partner.received('GET', '/pending');
  return (data as { id: number; remote_id: string }[]).find((one) => one.remote_id === providerId)!.id;
}

const told = async (id: number): Promise<Message[]> => {
  await partner.eventsHandled();
  return partner.gateway.query<Message>(
    `SELECT kind, payload FROM outbox_message WHERE subject_type = 'received-share' AND subject_id = $1
       AND state <> 'superseded' ORDER BY id`,
    [id],
  );
};

const noticeOf = async (id: number, uid = 'alice'): Promise<Record<string, unknown> | undefined> => {
  const { data } = await partner.gateway.ocs('GET', '/apps/notifications/api/v1/notifications', uid);
  return (data as Record<string, unknown>[]).find((notice) => notice.object_id === String(id));
};

describe('accepting', () => {
  it('gives the share a place, and writes the message to its server', async () => {
    const id = await pending('plan.txt', { resourceType: 'folder' });
    const { code, data } = await partner.received('POST', `/pending/${id}`);
    expect([code, data]).toEqual([200, [{ state: 0, file_target: '/plan.txt' }]]);
    const grantee = `alice@${partner.url}`;
    expect(await told(id)).toEqual([
      { kind: 'received-accept', payload: { providerId: `p-${made}`, grantee } },
    ]);
    expect((await partner.received('GET', `/${id}`)).data).toMatchObject({
      mountpoint: '/plan.txt',
      accepted: 1,
      mimetype: 'httpd/unix-directory',
      permissions: 31,
      type: 'dir',
      file_id: expect.any(Number),
    });
  });

  it('adds no data that its server did not send', async () => {
    const id = await pending('unknown-kind');
    await partner.received('POST', `/pending/${id}`);
    expect(Object.keys((await partner.received('GET', `/${id}`)).data as object)).toEqual([
      'id',
      'remote',
      'remote_id',
      'share_token',
      'name',
      'owner',
      'user',
      'mountpoint',
      'accepted',
      'file_id',
      'owner_display_name',
      'sender',
      'sender_display_name',
      'description',
      'verified',
    ]);
  });

  it('a repeated answer changes nothing and sends no message', async () => {
    const id = await pending('again.txt');
    await partner.received('POST', `/pending/${id}`);
    expect((await partner.received('POST', `/pending/${id}`)).data).toEqual([
      { state: 0, file_target: '/again.txt' },
    ]);
    expect(await partner.gateway.move('alice', '/again.txt', '/moved.txt')).toBe(201);
    expect((await partner.received('POST', `/pending/${id}`)).data).toEqual([
      { state: 0, file_target: '/moved.txt' },
    ]);
    expect(await told(id)).toHaveLength(1);
  });

  it('avoids the names of files, and of shares accepted at the same moment', async () => {
    await partner.gateway.store('alice', '/crowd.txt');
    const ids = [await pending('crowd.txt'), await pending('crowd.txt'), await pending('crowd.txt')];
    const answers = await Promise.all(ids.map((id) => partner.received('POST', `/pending/${id}`)));
    const targets = answers.map(({ data }) => (data as { file_target: string }[])[0]!.file_target);
    expect(targets.sort()).toEqual(['/crowd (2).txt', '/crowd (3).txt', '/crowd (4).txt']);
  });

  it('gets the number at the end of its name if it is a folder, which has no extension', async () => {
    const folder = { resourceType: 'folder' };
    const ids = [await pending('Link of 10.0.0.1', folder), await pending('Link of 10.0.0.1', folder)];
    const targets = [];
    for (const id of ids) targets.push((await partner.received('POST', `/pending/${id}`)).data);
    expect(targets).toEqual(
      ['', ' (2)'].map((end) => [{ state: 0, file_target: `/Link of 10.0.0.1${end}` }]),
    );
    const change = { permissions: 1, expiration: 4_100_000_000 };
    await partner.gateway.query('UPDATE received_share SET expires_at = now() WHERE id = $1', [ids[0]]);
    await partner.gateway.store('alice', '/Link of 10.0.0.1/');
    await partner.notify('SHARE_CHANGE_PERMISSION', `p-${made - 1}`, `SecretNumber${made - 1}`, change);
    expect((await partner.received('GET', `/${ids[0]}`)).data).toMatchObject({
      mountpoint: '/Link of 10.0.0.1 (3)',
    });
  });

  it('keeps its place when other users share files here', async () => {
    const id = await pending('both.txt');
    await partner.received('POST', `/pending/${id}`);
    await partner.gateway.store('bob', '/both.txt');
    await partner.gateway.shareId('bob', { path: '/both.txt', shareWith: 'alice' });
    const targets = (await partner.gateway.received('alice')).map((share) => share.file_target);
    expect(targets).toEqual(['/both (2).txt']);
  });

  it('comes after earlier local shares, even if nobody has listed them yet', async () => {
    await partner.gateway.store('bob', '/earlier.txt');
    const here = await partner.gateway.shareId('bob', { path: '/earlier.txt', shareWith: 'alice' });
    const id = await pending('earlier.txt');
    const { data } = await partner.received('POST', `/pending/${id}`);
    expect(data).toEqual([{ state: 0, file_target: '/earlier (2).txt' }]);
    const received = await partner.gateway.received('alice');
    expect(received.find((share) => Number(share.id) === Number(here))?.file_target).toBe('/earlier.txt');
  });

  it('uses the folder for shares, and creates it if it is missing', async () => {
    await partner.gateway.set('system/share_folder', '/From others');
    const id = await pending('in-folder.txt');
    expect((await partner.received('POST', `/pending/${id}`)).data).toEqual([
      { state: 0, file_target: '/From others/in-folder.txt' },
    ]);
    expect(await partner.gateway.entries('alice')).toContain('/From others');
    await partner.gateway.unset('system/share_folder');
  });
});

describe('declining and leaving', () => {
  it.each([
    ['declining a pending share', '/pending', false],
    ['declining an accepted share', '/pending', true],
    ['leaving an accepted share', '', true],
    ['leaving a pending share', '', false],
  ])('%s ends the share and informs its server', async (_what, below, accepted) => {
    const id = await pending('ends.txt');
    if (accepted) await partner.received('POST', `/pending/${id}`);
    const { code, data } = await partner.received('DELETE', `${below}/${id}`);
    expect([code, data]).toEqual([200, []]);
    expect((await told(id)).at(-1)).toMatchObject({ kind: 'received-decline' });
    expect(await partner.received('DELETE', `/pending/${id}`)).toMatchObject({
      http: 404,
      message: "wrong share ID, share doesn't exist.",
    });
    expect(await partner.received('DELETE', `/${id}`)).toMatchObject({ message: 'Share does not exist' });
    expect(await partner.received('GET', `/${id}`)).toMatchObject({ message: 'share does not exist' });
    expect(await partner.received('POST', `/pending/${id}`)).toMatchObject({ http: 404 });
  });

  it('at the same moment as accepting leave one state, and its server knows it', async () => {
    const id = await pending('race.txt');
    await Promise.all([
      partner.received('POST', `/pending/${id}`),
      partner.received('DELETE', `/pending/${id}`),
      partner.received('DELETE', `/${id}`),
    ]);
    expect((await partner.received('GET', `/${id}`)).http).toBe(404);
    expect((await told(id)).at(-1)).toMatchObject({ kind: 'received-decline' });
  });
});

describe('addresses', () => {
  it('of pending shares may lack their last slash', async () => {
    const id = await pending('slash.txt');
    expect((await partner.received('POST', `/pending${id}`)).code).toBe(200);
    expect((await partner.received('DELETE', `/pending${id}`)).code).toBe(200);
  });

  it('with another verb are 405', async () => {
    const url = `${partner.url}/ocs/v2.php/apps/files_sharing/api/v1/remote_shares`;
    const headers = { authorization: partner.gateway.authorizationOf('alice') };
    expect((await fetch(`${url}/pending/1`, { headers })).status).toBe(405);
    expect((await fetch(url, { method: 'PUT', headers })).status).toBe(405);
  });

  it.each(['abc', '-1', '0', '99999999999999999999', '1.5e3'])('with %s get 404', async (id) => {
    expect((await partner.received('GET', `/${id}`)).http).toBe(404);
    expect((await partner.received('POST', `/pending/${id}`)).http).toBe(404);
    expect((await partner.received('DELETE', `/${id}`)).http).toBe(404);
  });

  it('of other people’s shares get 404, and need a sign-in', async () => {
    const id = await pending('mine.txt');
    for (const [method, below] of [
      ['GET', `/${id}`],
      ['POST', `/pending/${id}`],
      ['DELETE', `/pending/${id}`],
      ['DELETE', `/${id}`],
    ] as const)
      expect((await partner.received(method, below, 'bob')).http).toBe(404);
    expect((await partner.received('GET', '/all', 'bob')).data).toEqual([]);
    expect((await partner.get('/ocs/v2.php/apps/files_sharing/api/v1/remote_shares')).http).toBe(401);
    expect((await partner.received('GET', `/${id}`)).http).toBe(200);
  });
});

describe('a notification', () => {
  it('has the text about a pending share, and the calls that accept or decline it', async () => {
    const id = await pending('told.txt');
    const link = `${partner.url}/ocs/v1.php/apps/files_sharing/api/v1/remote_shares/pending/${id}`;
    expect(await noticeOf(id)).toMatchObject({
      app: 'files_sharing',
      object_type: 'remote_share',
      subject: 'You received "/told.txt" as a remote share from rem@cloud.partner.example',
      actions: [
        { label: 'Accept', link, type: 'POST', primary: true },
        { label: 'Decline', link, type: 'DELETE', primary: false },
      ],
    });
    expect(await noticeOf(id, 'bob')).toBeUndefined();
  });

  it('is gone after the share expired', async () => {
    const id = await pending('short-lived.txt', { expiration: 4_000_000_000 });
    expect(await noticeOf(id)).toBeDefined();
    await partner.gateway.query(`UPDATE received_share SET expires_at = now() WHERE id = $1`, [id]);
    expect(await noticeOf(id)).toBeUndefined();
    expect((await partner.received('POST', `/pending/${id}`)).http).toBe(404);
  });

  it.each([
    ['accepted', 'POST'],
    ['declined', 'DELETE'],
  ])('is gone when the share was %s', async (_what, method) => {
    const id = await pending('acted-upon.txt');
    expect(await noticeOf(id)).toBeDefined();
    await partner.received(method, `/pending/${id}`);
    expect(await noticeOf(id)).toBeUndefined();
  });
});
