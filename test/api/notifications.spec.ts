import { SharingWorld } from './sharing-world';

const NOTIFICATIONS = '/apps/notifications/api/v1/notifications';
const PENDING = '/apps/files_sharing/api/v1/shares/pending';

interface ListedNotification {
  readonly notification_id: number;
  readonly object_id: string;
  readonly subject: string;
  readonly actions: readonly { readonly label: string; readonly link: string; readonly type: string }[];
}

describe('notifications of pending shares', () => {
  let world: SharingWorld;
  beforeAll(async () => {
    world = await SharingWorld.start();
    await world.addUser('alice', { display: 'Alice Example' });
    for (const uid of ['bobby', 'carol', 'david', 'erika', 'frank']) await world.addUser(uid);
    await world.addGroup('staff', 'bobby', 'carol');
    await world.addGroup('crew', 'erika', 'frank');
    await world.set('core', 'shareapi_auto_accept_share', 'no');
  });
  afterAll(() => world.stop());

  const list = async (as: string): Promise<ListedNotification[]> => {
    const { data } = await world.must('GET', NOTIFICATIONS, { as });
    return data as ListedNotification[];
  };
  const idsOf = async (as: string): Promise<string[]> => (await list(as)).map(({ object_id }) => object_id);
  let files = 0;
  const shareWith = async (form: Record<string, string>, as = 'alice'): Promise<string> => {
    const path = `/report ${++files}.txt`;
    await world.put(as, path);
    return (await world.share(as, { path, ...form })).id as string;
  };

  it('have a text about the share, and the calls that accept or decline it', async () => {
    const id = await shareWith({ shareType: '0', shareWith: 'bobby' });
    const link = `${world.gateway.url}/ocs/v1.php/apps/files_sharing/api/v1/shares/pending/${id}`;
    const [told] = await list('bobby');
    expect(told).toEqual({
      notification_id: Number(id) * 2,
      app: 'files_sharing',
      user: 'bobby',
      datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      object_type: 'local_share',
      object_id: `ocinternal:${id}`,
      subject: `"Alice Example" shared "report ${files}.txt" with you`,
      message: '',
      link: '',
      actions: [
        { label: 'Accept', link, type: 'POST', primary: true },
        { label: 'Decline', link, type: 'DELETE', primary: false },
      ],
    });
    const one = await world.ocs('GET', `${NOTIFICATIONS}/${told!.notification_id}`, {
      as: 'bobby',
      version: 2,
    });
    expect(one).toMatchObject({ http: 200, code: 200, data: told });
    expect(await list('alice')).toEqual([]);
  });

  it('are in German for a client that asks for it', async () => {
    const id = await shareWith({ shareType: '0', shareWith: 'bobby' });
    const read = async (language: string): Promise<ListedNotification> => {
      const { data } = await world.ocs('GET', `${NOTIFICATIONS}/${Number(id) * 2}`, {
        as: 'bobby',
        version: 2,
        headers: { 'accept-language': language },
      });
      return data as ListedNotification;
    };
    const [german, english] = [await read('de-AT,de;q=0.9,en;q=0.8'), await read('fr')];
    expect(german.subject).toBe(`„Alice Example“ hat „report ${files}.txt“ mit Ihnen geteilt`);
    expect(german.actions.map(({ label }) => label)).toEqual(['Annehmen', 'Ablehnen']);
    expect(english.subject).toBe(`"Alice Example" shared "report ${files}.txt" with you`);
    expect({ ...german, subject: english.subject, actions: english.actions }).toEqual(english);
  });

  it.each(['POST', 'DELETE'])('end after their action (%s)', async (method) => {
    const id = await shareWith({ shareType: '0', shareWith: 'david' });
    const action = (await list('david'))[0]!.actions.find(({ type }) => type === method)!;
    await world.must(method, new URL(action.link).pathname.replace('/ocs/v1.php', ''), { as: 'david' });
    expect(await idsOf('david')).not.toContain(`ocinternal:${id}`);
  });

  it('end when the share is deleted, or if their action finds no share', async () => {
    const id = await shareWith({ shareType: '0', shareWith: 'david' });
    expect(await idsOf('david')).toEqual([`ocinternal:${id}`]);
    await world.must('DELETE', `/apps/files_sharing/api/v1/shares/${id}`, { as: 'alice' });
    expect(await world.ocs('POST', `${PENDING}/${id}`, { as: 'david' })).toMatchObject({ code: 404 });
    expect(await list('david')).toEqual([]);
  });

  it('go to every member of a group except the initiator of the share, and end with the membership', async () => {
    const id = await shareWith({ shareType: '1', shareWith: 'staff' }, 'bobby');
    expect(await idsOf('bobby')).not.toContain(`ocinternal:${id}`);
    expect(await idsOf('carol')).toEqual([`ocinternal:${id}`]);
    // A list of received shares stores the recipient's row; the recipient still gets only one notification.
    await world.must('GET', PENDING, { as: 'carol', query: 'shared_with_me=true&state=all' });
    expect(await idsOf('carol')).toEqual([`ocinternal:${id}`]);
    await world.must('DELETE', '/cloud/users/carol/groups', { form: { groupid: 'staff' } });
    expect(await list('carol')).toEqual([]);
    await world.must('POST', '/cloud/users/carol/groups', { form: { groupid: 'staff' } });
    expect(await idsOf('carol')).toEqual([`ocinternal:${id}`]);
  });

  it('go to members who accept by hand, before they look at their files', async () => {
    await world.set('core', 'shareapi_auto_accept_share', 'yes');
    const preference = '/apps/provisioning_api/api/v1/config/users/files_sharing/auto_accept_share';
    await world.must('POST', preference, { as: 'erika', form: { value: 'no' } });
    const id = await shareWith({ shareType: '1', shareWith: 'crew' });
    expect(await idsOf('erika')).toEqual([`ocinternal:${id}`]);
    expect(await list('frank')).toEqual([]);
    await world.set('core', 'shareapi_auto_accept_share', 'no');
  });

  it('can be dismissed by their recipient, and the share stays pending', async () => {
    const id = await shareWith({ shareType: '0', shareWith: 'david' });
    const number = (await list('david'))[0]!.notification_id;
    await world.must('DELETE', `${NOTIFICATIONS}/${number}`, { as: 'carol' });
    expect(await idsOf('david')).toEqual([`ocinternal:${id}`]);
    await world.must('DELETE', `${NOTIFICATIONS}/${number}`, { as: 'david' });
    await world.must('DELETE', `${NOTIFICATIONS}/${number}`, { as: 'david' });
    expect(await list('david')).toEqual([]);
    await world.must('POST', `${PENDING}/${id}`, { as: 'david' });
  });

  it('are hidden while sharing is switched off', async () => {
    const id = await shareWith({ shareType: '0', shareWith: 'david' });
    await world.set('core', 'shareapi_enabled', 'no');
    expect(await list('david')).toEqual([]);
    await world.unset('core', 'shareapi_enabled');
    expect(await idsOf('david')).toEqual([`ocinternal:${id}`]);
  });

  it.each(['0', '-1', 'abc', '1', '999999999999999', '99999999999999999999'])(
    'are unknown as %s',
    async (id) => {
      expect(await world.ocs('GET', `${NOTIFICATIONS}/${id}`, { as: 'alice', version: 2 })).toMatchObject({
        http: 404,
        code: 404,
        data: [],
      });
      await world.must('DELETE', `${NOTIFICATIONS}/${id}`, { as: 'alice' });
    },
  );

  it('are in the capabilities', async () => {
    const { data } = await world.must('GET', '/cloud/capabilities', { as: 'alice' });
    expect(data).toMatchObject({
      capabilities: { notifications: { 'ocs-endpoints': ['list', 'get', 'delete'] } },
    });
  });
});
