import { startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, type EdgeEnvelope } from '../edge/edge-client';

const EVENTS = '/apps/audit/api/v1/events';

let gateway: TestGateway;
let client: EdgeClient;

beforeAll(async () => {
  gateway = await startGateway();
  client = new EdgeClient(gateway);
  await client.makeUsers('alice');
  for (const groupid of ['one', 'two', 'three', 'four', 'five'])
    await client.ocs('POST', '/cloud/groups', { form: { groupid } });
});
afterAll(() => gateway.stop());

type Event = Readonly<Record<string, string | number | null>>;
const read = (query = ''): Promise<EdgeEnvelope> => client.ocs('GET', EVENTS, { version: 2, query });
const events = async (query: string): Promise<Event[]> => (await read(query)).data as Event[];

describe('the audit log', () => {
  it('is read by administrators, the latest first', async () => {
    const [latest] = await events('limit=1');
    expect(latest).toEqual({
      id: expect.any(Number) as number,
      at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/) as string,
      actorKind: 'user',
      actor: 'admin',
      action: 'group.create',
      objectType: 'group',
      objectId: 'five',
      outcome: 'done',
      address: '127.0.0.1',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      attempts: 1,
      detail: '{}',
    });
  });

  it('the audit log is refused to everybody but administrators', async () => {
    expect(await client.ocs('GET', EVENTS, { version: 2, as: 'alice' })).toMatchObject({
      http: 403,
      data: [],
    });
    expect(await client.ocs('GET', EVENTS, { version: 2, as: '' })).toMatchObject({ http: 401 });
  });

  it('refuses POST, PUT and DELETE, also by administrators', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { adminAuth: authorization } = gateway;
      const reply = await client.send({ method, target: `/ocs/v2.php${EVENTS}`, headers: { authorization } });
      expect(reply.status).toBe(405);
    }
  });

  it('has pages with the cursor of the page before', async () => {
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = await read(`action=group.create&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...(page.data as Event[]).map(({ objectId }) => objectId));
      cursor = String(page.headers['x-next-cursor'] ?? '');
    } while (cursor !== '');
    expect(seen).toEqual(['five', 'four', 'three', 'two', 'one']);
  });

  it('is filtered by object, actor, outcome and time', async () => {
    const [three] = await events('objectType=group&objectId=three');
    const at = encodeURIComponent(String(three!.at));
    const found = async (query: string): Promise<unknown[]> =>
      (await events(`objectType=group&action=group.create&${query}`)).map(({ objectId }) => objectId);
    expect(await found(`since=${at}`)).toEqual(['five', 'four', 'three']);
    expect(await found(`until=${at}`)).toEqual(['two', 'one']);
    expect(await found('actor=admin&actorKind=user&outcome=done')).toHaveLength(5);
    expect(await found('actor=ADMIN&actorKind=user')).toHaveLength(5);
    expect(await found('actor=alice')).toEqual([]);
    const made = await events('action=account.create&objectType=account&objectId=alice');
    expect(made).toHaveLength(1);
    expect(await events('action=account.create&objectId=ALICE')).toEqual(made);
    expect(await events('action=group.create&objectId=THREE')).toEqual([]);
    expect(await found('outcome=refused')).toEqual([]);
    expect(await found('until=2020-01-01')).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=501',
    'limit=many',
    'cursor=-1',
    `cursor=${'9'.repeat(17)}`,
    'since=yesterday',
    'until=2026-13-01',
    'outcome=odd',
    'actorKind=nobody',
    `actor=${'x'.repeat(513)}`,
  ])('refuses %s', async (query) => {
    expect(await read(query)).toMatchObject({ http: 400, code: 400, data: [] });
  });

  it('is also answered as XML', async () => {
    const { adminAuth: authorization } = gateway;
    const target = `/ocs/v1.php${EVENTS}?limit=1`;
    const { body } = await client.send({ target, headers: { authorization } });
    expect(body).toContain('<action>group.create</action>');
    expect(body).toContain('<detail>{}</detail>');
  });
});
