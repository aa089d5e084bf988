import fc from 'fast-check';
import { Database } from '#persistence';
import { basicAuth, startGateway, type TestGateway } from '../../libs/testing/src';
import { modelRuns } from '../../libs/testing/src/full-form';
import { EdgeClient, PASSWORD, readEnvelope, type EdgeReply, type EdgeRequest } from './edge-client';
import { routesOf, type Route } from './route-table';

/** Statuses of 500 and more that are intended: not built, try again, no space. */
const DELIBERATE = [501, 503, 507];
const RUNS = modelRuns(200, 5000);

let gateway: TestGateway;
let client: EdgeClient;
let database: Database;
let routes: Route[];

beforeAll(async () => {
  gateway = await startGateway();
  client = new EdgeClient(gateway);
  database = gateway.instance.app.nest.get(Database, { strict: false });
  routes = routesOf(gateway.instance.app.nest);
  await client.makeUsers('alice', 'victim');
  await client.ocs('POST', '/cloud/groups', { form: { groupid: 'staff' } });
});
afterAll(() => gateway.stop());

/** Contents that no refused request may change. */
const CONTENTS = [
  'SELECT uid, display_name, email, password_hash, enabled, quota_bytes, language FROM user_account',
  'SELECT gid FROM user_group',
  'SELECT gid, uid FROM group_member',
  'SELECT gid, uid FROM group_subadmin',
  'SELECT app, key, value FROM setting',
  'SELECT app, entry FROM capability_entry',
  'SELECT id, permissions, expires_on, attributes FROM share',
].map(
  (select) => `(SELECT md5(coalesce(string_agg(t::text, chr(10) ORDER BY t::text), '')) FROM (${select}) t)`,
);

async function contents(): Promise<string> {
  return JSON.stringify(
    await database.dataSource.query(`SELECT ${CONTENTS.map((sum, at) => `${sum} AS c${at}`).join()}`),
  );
}

const words = (text: string): string[] => text.trim().split(/\s+/);
const ODD_TEXTS = [
  ...['', ' ', '\0', 'a\0b', '\ud800', '\ufffe', '🙂', "'; DROP TABLE share; --", 'x'.repeat(300)],
  ...words(
    '0 -1 1 2 3 31 32 2147483648 9223372036854775808 9007199254740993 -99999999999999999999 1e999 NaN',
  ),
  ...words(
    '. .. / // /../.. % %00 %s {} [] ["a"] \\ __proto__ constructor toString file folder json all yes no',
  ),
  ...words('alice victim nobody staff core system shareapi_enabled share_folder display quota'),
  ...words('2030-01-01 2030-02-30 true false'),
];
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  fc.string({ unit: 'binary', maxLength: 12 }),
);

const percentEncoded = (raw: string): string => encodeURIComponent(raw.toWellFormed());
const segment = fc.oneof(
  { weight: 5, arbitrary: text.map(percentEncoded) },
  fc.constantFrom('%', '%ff', '%00', '%2e%2e', '%2F', '%c0%af', 'x'.repeat(5000)),
);

const NAMES = words(`
  path shareType shareWith permissions expireDate attributes attributes[0][scope] name password publicUpload
  state shared_with_me subfiles reshares include_tags share_types
  itemType itemSource recipient recipients recipients[] link personalNote page perPage
  userid groups groups[] groupid key value search limit offset filter format __proto__ a[[]
`);
const name = fc.constantFrom(...NAMES);
const form = fc
  .array(fc.tuple(name, text), { maxLength: 6 })
  .map((pairs) => pairs.map(([key, value]) => `${percentEncoded(key)}=${percentEncoded(value)}`).join('&'));
const json = fc
  .dictionary(name, fc.oneof(text, fc.jsonValue({ depthSize: 'small' })), { maxKeys: 6 })
  .map((value) => JSON.stringify(value));

interface Body {
  readonly type: string;
  readonly content: string;
}
const body: fc.Arbitrary<Body | undefined> = fc.oneof(
  fc.constant(undefined),
  form.map((content) => ({ type: 'application/x-www-form-urlencoded', content })),
  json.map((content) => ({ type: 'application/json', content })),
  fc.record({
    type: fc.constantFrom(
      'application/json',
      'application/xml',
      'multipart/form-data; boundary=x',
      'nonsense',
    ),
    content: fc.string({ unit: 'binary', maxLength: 40 }),
  }),
);

const CALLERS = [gatewayAdmin, () => basicAuth('alice', PASSWORD), () => undefined] as const;
function gatewayAdmin(): string {
  return gateway.adminAuth;
}

/** Any route of the table, with anything in its places. */
const anyRequest = (): fc.Arbitrary<EdgeRequest> =>
  fc
    .record({
      route: fc.constantFrom(...routes),
      places: fc.array(segment, { minLength: 4, maxLength: 4 }),
      query: form,
      body,
      caller: fc.constantFrom(...CALLERS),
    })
    .map(({ route, places, query, body: sent, caller }) => {
      let place = 0;
      const path = route.path.replace(/:\w+|\{?\*\w*\}?/g, () => places[place++ % places.length]!);
      const authorization = caller();
      const headers: Record<string, string> = {};
      if (authorization !== undefined) headers.authorization = authorization;
      if (sent) headers['content-type'] = sent.type;
      return { method: route.method, target: `${path}?${query}`, headers, body: sent?.content };
    });

function isRefused(reply: EdgeReply, isOcs: boolean): boolean {
  return reply.status >= 400 || (isOcs && readEnvelope(reply).status !== 'ok');
}

function assertAnswer(reply: EdgeReply, isOcs: boolean): void {
  if (reply.status >= 500) expect(DELIBERATE).toContain(reply.status);
  if (!isOcs || reply.status === 405) return;
  const { code, status } = readEnvelope(reply);
  expect(['ok', 'failure']).toContain(status);
  expect([500, 996]).not.toContain(code);
}

describe('the route table of a gateway', () => {
  it('has the routes of all calls', () => {
    const paths = routes.map(({ method, path }) => `${method} ${path}`);
    expect(paths).toContain('GET /ocs/v1.php/cloud/capabilities');
    expect(paths).toContain('POST /ocs/v2.php/apps/files_sharing/api/v1/shares/pending/:id');
    expect(paths).toContain('DELETE /ocs/v2.php/cloud/users/:uid/subadmins');
    expect(routes.length).toBeGreaterThan(80);
  });

  it('answers every request, and refused requests change nothing', async () => {
    let before = await contents();
    const property = fc.asyncProperty(anyRequest(), async (wanted) => {
      const reply = await client.send(wanted);
      const isOcs = wanted.target.startsWith('/ocs/');
      assertAnswer(reply, isOcs);
      const after = await contents();
      if (isRefused(reply, isOcs)) expect(after).toBe(before);
      before = after;
    });
    await fc.assert(property, { numRuns: RUNS });
  }, 300_000);
});
