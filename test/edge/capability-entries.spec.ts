import { RESERVED_CAPABILITIES } from '#settings';
import { startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, readEnvelope, type EdgeEnvelope } from './edge-client';

const NOTES = { notes: { api_version: ['0.2', '1.3'], 'notes-path': 'Notes' } };

let gateway: TestGateway;
let client: EdgeClient;

beforeAll(async () => {
  gateway = await startGateway();
  client = new EdgeClient(gateway);
  await client.makeUsers('alice');
});
afterAll(() => gateway.stop());

const path = (app: string): string => `/cloud/capabilities/entries/${app}`;
const put = (app: string, entry: unknown, as?: string): Promise<EdgeEnvelope> =>
  client.ocs('PUT', path(app), { json: entry, as, version: 2 });

/** Sends a body unchanged, with any media type. */
async function putText(app: string, body: string, type = 'application/json'): Promise<EdgeEnvelope> {
  const headers = { authorization: gateway.adminAuth, 'content-type': type };
  return readEnvelope(await client.send({ method: 'PUT', target: `/ocs/v2.php${path(app)}`, headers, body }));
}

async function capabilities(as = 'alice') {
  const { data } = await client.ocs('GET', '/cloud/capabilities', { as });
  return JSON.parse(JSON.stringify(data)).capabilities;
}

describe('an entry of another app', () => {
  it('is added, seen by everybody at once, read, replaced and removed', async () => {
    expect((await capabilities()).notes).toBeUndefined();
    expect(await put('notes', NOTES)).toMatchObject({ http: 200, status: 'ok', message: null, data: [] });
    expect((await capabilities()).notes).toEqual(NOTES.notes);
    expect(await client.ocs('GET', path('notes'))).toMatchObject({ code: 100, data: NOTES });
    await put('notes', { notes: { api_version: [] } });
    expect((await capabilities()).notes).toEqual({ api_version: [] });
    expect(await client.ocs('DELETE', path('notes'))).toMatchObject({ code: 100, data: [] });
    expect((await capabilities()).notes).toBeUndefined();
    for (const method of ['GET', 'DELETE'])
      expect(await client.ocs(method, path('notes'), { version: 2 })).toMatchObject({ http: 404, code: 404 });
  });

  it('is merged with others by name, not by order of arrival', async () => {
    await put('zulu', { spec: { text: 'zulu', z: 1 } });
    await put('alpha', { spec: { text: 'alpha', a: 1 } });
    expect((await capabilities()).spec).toEqual({ text: 'zulu', z: 1, a: 1 });
    for (const app of ['zulu', 'alpha']) await client.ocs('DELETE', path(app));
  });

  it('is also written in XML', async () => {
    await put('app', { app: { yes: true, no: false, list: ['<a>'], none: null, empty: {} } });
    const reply = await client.send({
      target: '/ocs/v1.php/cloud/capabilities',
      headers: { authorization: gateway.adminAuth },
    });
    expect(reply.body).toContain(
      `   <app>
    <no></no>
    <yes>1</yes>
    <list>
     <element>&lt;a&gt;</element>
    </list>
    <none/>
    <empty/>
   </app>
`,
    );
    await client.ocs('DELETE', path('app'));
  });

  it.each<[string, string, string]>([
    ['no body', 'app', ''],
    ['no JSON', 'app', '{"a":'],
    ['a list', 'app', '[{"a":1}]'],
    ['a text', 'app', '"a"'],
    ['null', 'app', 'null'],
    ['a key that is no name', 'app', '{"a b":1}'],
    ['a prototype', 'app', '{"a":{"__proto__":{"polluted":1}}}'],
    ['NUL', 'app', '{"a":"\\u0000"}'],
    ['half a character', 'app', '{"a":"\\ud800"}'],
    ['much depth', 'app', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['much text', 'app', JSON.stringify({ a: 'x'.repeat(70_000) })],
    ['an app that is no name', 'a%20b', '{}'],
    ['an app with a long name', 'x'.repeat(65), '{}'],
  ])('is refused with %s', async (_, app, body) => {
    expect(await putText(app, body)).toMatchObject({ http: 400, status: 'failure', code: 400 });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(await client.ocs('GET', path(app))).toMatchObject({ code: 404 });
  });

  it.each(RESERVED_CAPABILITIES)('does not change %s', async (key) => {
    const before = await capabilities();
    expect(await put('app', { [key]: { api_enabled: false } })).toMatchObject({ http: 409, code: 409 });
    expect(await capabilities()).toEqual(before);
  });

  it.each([
    ['alice', 403, 403],
    ['', 401, 997],
  ])('is forbidden for %j', async (as, http, code) => {
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect(await client.ocs(method, path('app'), { as, json: {}, version: 2 })).toMatchObject({
        http,
        code,
      });
  });
});
