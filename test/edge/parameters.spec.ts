import { startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, readEnvelope, type EdgeEnvelope } from './edge-client';

let gateway: TestGateway;
let client: EdgeClient;

beforeAll(async () => {
  gateway = await startGateway();
  client = new EdgeClient(gateway);
});
afterAll(() => gateway.stop());

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=edge';

const part = (name: string, value: string, more = ''): string =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

async function create(type: string | undefined, body: string, query = ''): Promise<EdgeEnvelope> {
  const headers = {
    authorization: gateway.adminAuth,
    ...(type === undefined ? {} : { 'content-type': type }),
  };
  return readEnvelope(
    await client.send({ method: 'POST', target: `/ocs/v1.php/cloud/groups${query}`, headers, body }),
  );
}

const groups = async (): Promise<string[]> =>
  ((await client.ocs('GET', '/cloud/groups')).data as { groups: string[] }).groups;

describe('a parameter', () => {
  it.each<[string, string | undefined, string, string, string]>([
    ['the query', undefined, '', '?groupid=query', 'query'],
    ['a form', FORM, 'groupid=form', '', 'form'],
    ['a form with a charset', `${FORM}; charset=UTF-8`, 'groupid=charset', '', 'charset'],
    ['a form whose type is written in capitals', FORM.toUpperCase(), 'groupid=capitals', '', 'capitals'],
    ['a form rather than the query', FORM, 'groupid=form2', '?groupid=query2', 'form2'],
    ['the last of several', FORM, 'groupid=first&groupid=last', '', 'last'],
    ['a JSON object', 'application/json', '{"groupid":"json"}', '', 'json'],
    [
      'a JSON object rather than the query',
      'application/json; charset=utf-8',
      '{"groupid":"json2"}',
      '?groupid=q',
      'json2',
    ],
    ['a JSON number', 'application/json', '{"groupid":12}', '', '12'],
    ['a multipart form', MULTIPART, `${part('groupid', 'multipart')}--edge--\r\n`, '', 'multipart'],
    [
      'a multipart form rather than the query',
      MULTIPART,
      `${part('groupid', 'multipart2')}--edge--\r\n`,
      '?groupid=q',
      'multipart2',
    ],
    ['text in any script', FORM, `groupid=${encodeURIComponent('Größe 世界 🙂')}`, '', 'Größe 世界 🙂'],
    ['bytes that are no UTF-8, replaced', FORM, 'groupid=broken%ff', '', 'broken\ufffd'],
    ['a percent sign that escapes nothing', FORM, 'groupid=100%', '', '100%'],
  ])('is read from %s', async (_, type, body, query, gid) => {
    expect(await create(type, body, query)).toMatchObject({ http: 200, code: 100 });
    expect(await groups()).toContain(gid);
  });

  it.each<[string, string | undefined, string]>([
    ['no body', undefined, ''],
    ['a body without a type', undefined, 'groupid=lost'],
    ['a body of another type', 'text/plain', 'groupid=lost'],
    ['a JSON list', 'application/json', '["lost"]'],
    ['a JSON null', 'application/json', 'null'],
    ['a JSON map in place of a text', 'application/json', '{"groupid":{"a":"lost"}}'],
    ['a JSON list in place of a text', 'application/json', '{"groupid":["lost"]}'],
    [
      'JSON that nests too deep',
      'application/json',
      `{"groupid":"lost","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    ],
    ['a list in a form', FORM, 'groupid[]=lost'],
    ['a multipart form that is cut off', MULTIPART, part('groupid', 'lost')],
    ['a multipart form without a boundary', 'multipart/form-data', part('groupid', 'lost')],
    ['a file in a multipart form', MULTIPART, `${part('groupid', 'lost', '; filename="a.txt"')}--edge--\r\n`],
  ])('is not read from %s', async (_, type, body) => {
    const before = await groups();
    expect(await create(type, body)).toMatchObject({ http: 200, code: 101, message: 'Invalid group name' });
    expect(await groups()).toEqual(before);
  });

  it.each<[string, string, string, string]>([
    ['a form that claims to be JSON', 'application/json', 'groupid=lost', 'not valid JSON'],
    ['JSON that is cut off', 'application/json', '{"groupid":"lost"', 'not valid JSON'],
    ['JSON with NUL', 'application/json', '{"groupid":"lost\\u0000"}', 'contains NUL'],
    ['a form with NUL', FORM, 'groupid=lost%00', 'contains NUL'],
    ['a multipart form with NUL', MULTIPART, `${part('groupid', 'lost\0')}--edge--\r\n`, 'contains NUL'],
  ])('is refused from %s', async (_, type, body, words) => {
    const before = await groups();
    expect(await create(type, body)).toMatchObject({
      status: 'failure',
      code: 400,
      message: expect.stringContaining(words),
    });
    expect(await groups()).toEqual(before);
  });

  it('is also read from the body of a DELETE and of a PUT', async () => {
    await client.makeUsers('paula');
    await client.ocs('POST', '/cloud/groups', { form: { groupid: 'leavers' } });
    await client.ocs('POST', '/cloud/users/paula/groups', { form: { groupid: 'leavers' } });
    expect(
      await client.ocs('DELETE', '/cloud/users/paula/groups', { form: { groupid: 'leavers' } }),
    ).toMatchObject({ code: 100 });
    expect((await client.ocs('GET', '/cloud/groups/leavers')).data).toEqual({ users: [] });
    expect(
      await client.ocs('PUT', '/cloud/users/paula', { json: { key: 'display', value: 'Paula P.' } }),
    ).toMatchObject({ code: 100 });
    expect((await client.ocs('GET', '/cloud/users/paula')).data).toMatchObject({ displayname: 'Paula P.' });
  });

  it('that is a number may have any text after its digits, and its limits apply', async () => {
    const page = async (query: string): Promise<number> =>
      ((await client.ocs('GET', '/cloud/groups', { query })).data as { groups: string[] }).groups.length;
    const all = await page('');
    const huge = '9'.repeat(400);
    for (const [query, count] of [
      ['limit=2', 2],
      ['limit=2abc', 2],
      ['limit=0', 0],
      ['limit=abc', 0],
      ['limit=-1', all],
      [`limit=${huge}`, all],
      [`limit=-${huge}`, all],
      [`offset=${huge}`, 0],
      ['offset=-5', all],
      ['offset=1', all - 1],
      ['limit[]=1', 1],
    ] as const)
      expect([query, await page(query)]).toEqual([query, count]);
  });
});
