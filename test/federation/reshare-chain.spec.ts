import { eventually } from '../../libs/testing/src';
import { Organisation, ReshareWorld, type Entry } from './reshare-world';

describe('three organisations: alice at a shares with bob at b, who reshares with carol at c', () => {
  let a: Organisation;
  let b: Organisation;
  let c: Organisation;
  let world: ReshareWorld;
  beforeAll(async () => {
    [a, b, c] = await Promise.all([
      Organisation.found('a', 'alice'),
      Organisation.found('b', 'bob'),
      Organisation.found('c', 'carol'),
    ]);
    world = new ReshareWorld([a, b, c]);
  }, 300_000);
  afterAll(() => world?.close());
  beforeEach(async () => {
    for (const { id } of await a.shares()) await a.end(id);
    await world.told();
  });

  /** Alice shares a new folder with bob, who has accepted it. */
  async function give(name: string, permissions = 31): Promise<{ given: Entry; received: Entry }> {
    await a.makeFolder(`/${name}`);
    const given = await a.share(`/${name}`, b.cloudId, { permissions: String(permissions) });
    const received = await b.accept();
    expect(await world.told()).toEqual(['a>b share-create', 'b>a received-accept']);
    return { given, received };
  }

  /** Bob has reshared it, and carol has accepted it. */
  async function pass(name: string, permissions = 31): Promise<{ passed: Entry; pending: Entry }> {
    const passed = await b.share(`/${name}`, c.cloudId, { permissions: String(permissions) });
    const pending = await c.accept();
    await b.becomes(passed.id, { acceptance: 'accepted' });
    const told = ['a>c share-create', 'a>b reshare-accepted', 'b>a reshare-request', 'c>a received-accept'];
    expect((await world.told()).sort()).toEqual(told.sort());
    return { passed, pending };
  }

  const ofAlice = async (): Promise<Entry> =>
    (await a.shares()).find(({ share_with: shareWith }) => shareWith === c.cloudId)!;
  const permissionsAtCarols = async (): Promise<number> => {
    const [row] = await c.query<{ permissions: number }>(
      `SELECT permissions FROM received_share ORDER BY id DESC LIMIT 1`,
    );
    return row!.permissions;
  };

  it('carol gets it from alice’s server, and everybody sees its recipients', async () => {
    await give('one');
    const passed = await b.share('/one', c.cloudId);
    const owner = `alice@${a.url}`;
    expect(passed).toMatchObject({
      ...{ share_type: 6, uid_owner: 'bob', uid_file_owner: owner, displayname_file_owner: owner },
      ...{ share_with: c.cloudId, permissions: 31, path: '/one', item_type: 'folder' },
      ...{ delivery_state: 'delivered', acceptance: 'unknown' },
    });
    expect(passed).not.toHaveProperty('additional_info_file_owner');
    const atAlices = await ofAlice();
    expect(atAlices).toMatchObject({ token: passed.token, uid_file_owner: 'alice', permissions: 31 });
    expect(await world.told()).toEqual(['a>c share-create', 'b>a reshare-request']);
    const [pending] = await c.received('/pending');
    expect(pending).toMatchObject({ owner: 'alice', remote: a.url, remote_id: atAlices.id, name: '/one' });
    const [row] = await c.query(`SELECT owner, sender, sender_display_name FROM received_share`);
    expect(row).toMatchObject({ sender: b.cloudId, sender_display_name: 'bob' });
    await c.accept();
    await b.becomes(passed.id, { acceptance: 'accepted' });
    await a.becomes(atAlices.id, { acceptance: 'accepted' });
    expect((await world.told()).sort()).toEqual(['a>b reshare-accepted', 'c>a received-accept']);
  });

  it('bob requests fewer permissions than the share has, reduces them, and alice raises them: each gets one message, without answers', async () => {
    await give('two');
    const { passed } = await pass('two', 15);
    expect(await ofAlice()).toMatchObject({ permissions: 15 });
    await b.change(passed.id, 7);
    expect((await world.told()).sort()).toEqual(['a>c share-permissions', 'b>a reshare-permissions']);
    expect(await ofAlice()).toMatchObject({ permissions: 7 });
    expect(await permissionsAtCarols()).toBe(7);
    const { id } = await ofAlice();
    await a.change(id, 15);
    expect((await world.told()).sort()).toEqual(['a>b reshare-permissions', 'a>c share-permissions']);
    await b.becomes(passed.id, { permissions: 15, delivery_state: 'delivered' });
    // The same value again is no change.
    await a.change(id, 15);
    expect(await world.told()).toEqual([]);
    const raised = await b.ask('PUT', `/${String(passed.id)}`, { permissions: '31' });
    expect(raised.code).toBe(404);
    expect(await world.told()).toEqual([]);
  });

  it('bob ends the reshare', async () => {
    await give('three');
    const { passed } = await pass('three');
    await b.end(passed.id);
    await eventually('the end at carol’s', async () => (await c.received()).length === 0);
    expect((await world.told()).sort()).toEqual(['a>c share-unshare', 'b>a reshare-undo']);
    expect(await ofAlice()).toBeUndefined();
  });

  it('carol leaves the reshare', async () => {
    await give('four');
    const { passed, pending } = await pass('four');
    await c.leave(pending.id);
    await b.becomes(passed.id, null);
    expect((await world.told()).sort()).toEqual(['a>b reshare-declined', 'c>a received-decline']);
    expect(await ofAlice()).toBeUndefined();
  });

  it('alice ends carol’s share', async () => {
    await give('five');
    const { passed } = await pass('five');
    await a.end((await ofAlice()).id);
    await b.becomes(passed.id, null);
    expect((await world.told()).sort()).toEqual(['a>b reshare-undo', 'a>c share-unshare']);
    expect([(await c.received()).length, (await b.received()).length]).toEqual([0, 1]);
  });

  it('alice ends bob’s share, and carol keeps the share from alice’s server', async () => {
    const { given } = await give('six');
    const { passed } = await pass('six');
    await a.end(given.id);
    await b.becomes(passed.id, null);
    expect(await world.told()).toEqual(['a>b share-unshare']);
    expect([(await c.received()).length, (await b.received()).length]).toEqual([1, 0]);
    expect(await ofAlice()).toMatchObject({ acceptance: 'accepted' });
  });

  it('bob leaves it, and carol keeps the share from alice’s server', async () => {
    const { received } = await give('seven');
    const { passed } = await pass('seven');
    await b.leave(received.id);
    await b.becomes(passed.id, null);
    expect(await world.told()).toEqual(['b>a received-decline']);
    expect((await c.received()).length).toBe(1);
    expect(await ofAlice()).toMatchObject({ acceptance: 'accepted' });
  });

  it('is refused for alice, for an unknown account at c, and without the share permission', async () => {
    await give('eight');
    const tries = [
      [a.cloudId, 403, /same user/i],
      [`nobody@${c.host}`, 403, /nobody/],
    ] as const;
    for (const [shareWith, code, words] of tries) {
      const refused = await b.ask('POST', '', { path: '/eight', shareType: '6', shareWith });
      expect([shareWith, refused.code]).toEqual([shareWith, code]);
      expect(refused.message).toMatch(words);
    }
    expect((await world.told()).sort()).toEqual(['a>c share-create', 'b>a reshare-request']);
    await give('plain', 15);
    const refused = await b.ask('POST', '', { path: '/plain', shareType: '6', shareWith: c.cloudId });
    expect(refused.code).toBe(404);
    expect(await b.shares()).toEqual([]);
    expect(await ofAlice()).toBeUndefined();
    await world.told();
  });

  it('a share of a node inside it is made at bob’s server, and ends with bob’s share', async () => {
    const { given } = await give('ten');
    await a.makeFolder('/ten/inner');
    await eventually('the folder at bob’s', async () => (await b.ask('GET', '', undefined)).code === 100);
    const passed = await b.share('/ten/inner', c.cloudId, { permissions: '17' });
    expect(passed).toMatchObject({ uid_file_owner: 'bob', path: '/ten/inner', delivery_state: 'delivered' });
    const pending = await c.accept();
    expect(pending).toMatchObject({ owner: 'bob', remote: b.url, name: '/inner' });
    expect((await world.told()).sort()).toEqual(['b>c share-create', 'c>b received-accept']);
    // Carol asks bob's server, because hers knows no other. It shares again from there, but not with alice.
    const asked = { path: '/inner', shareType: '6', shareWith: a.cloudId, permissions: '17' };
    const back = await c.ask('POST', '', asked);
    expect(back.code).toBe(403);
    await a.change(given.id, 1);
    await b.becomes(passed.id, { permissions: 1 });
    await eventually('less at carol’s', async () => (await permissionsAtCarols()) === 1);
    await a.end(given.id);
    await b.becomes(passed.id, null);
    await eventually('the end at carol’s', async () => (await c.received()).length === 0);
    expect((await world.told()).sort()).toEqual(
      [
        'a>b share-permissions',
        'a>b share-unshare',
        'b>c share-permissions',
        'b>c share-unshare',
        'c>b reshare-request',
      ].sort(),
    );
  });

  it('is made once, in any spelling of the request', async () => {
    await give('nine');
    await pass('nine');
    const again = await b.ask('POST', '', { path: '/nine', shareType: '6', shareWith: c.cloudId });
    expect(again.code).toBe(403);
    // Carol received it from alice. She cannot reshare it with bob, who also has it, nor with alice.
    for (const shareWith of [b.cloudId, a.cloudId]) {
      const { code } = await c.ask('POST', '', { path: '/nine', shareType: '6', shareWith });
      expect([shareWith, code]).toEqual([shareWith, 403]);
    }
    expect(await c.shares()).toEqual([]);
    expect((await world.told()).sort()).toEqual(['c>a reshare-request']);
  });
});
