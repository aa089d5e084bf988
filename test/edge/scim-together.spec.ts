import { GROUP, ScimWorld, USER } from './scim-world';

let world: ScimWorld;
let ask: ScimWorld['ask'];
let make: ScimWorld['make'];
let patch: ScimWorld['patch'];

beforeAll(async () => {
  world = await ScimWorld.open('entra');
  ({ ask, make, patch } = world);
});
afterAll(() => world?.close());

const ROUNDS = Array.from({ length: 6 }, (_, round) => round);

describe('calls at the same time with the same If-Match', () => {
  const etagOf = async (path: string): Promise<string> => (await ask('GET', path)).headers.get('etag')!;
  const statusesOf = async (calls: readonly Promise<{ status: number }>[]): Promise<number[]> =>
    (await Promise.all(calls)).map(({ status }) => status).toSorted((one, other) => one - other);

  it('replace a user once', async () => {
    const { body } = await make('replaced');
    const path = `/Users/${body.id}`;
    for (const round of ROUNDS) {
      const headers = { 'if-match': await etagOf(path) };
      const put = (displayName: string) =>
        ask('PUT', path, { schemas: [USER], userName: 'replaced', displayName }, headers);
      const names = ['A', 'B', 'C', 'D'].map((name) => `${name} ${round}`);
      expect(await statusesOf(names.map(put))).toEqual([200, 412, 412, 412]);
    }
  });

  it('change, replace or delete a user', async () => {
    for (const round of ROUNDS) {
      const { body, headers } = await make(`contested-${round}`);
      const path = `/Users/${body.id}`;
      const condition = { 'if-match': headers.get('etag')! };
      const [first, ...others] = await statusesOf([
        ask('DELETE', path, undefined, condition),
        ask('PUT', path, { schemas: [USER], userName: `contested-${round}`, active: false }, condition),
      ]);
      expect([200, 204]).toContain(first);
      expect([404, 412]).toContain(others[0]);
    }
  });

  it('replace a group once', async () => {
    const { body } = await ask('POST', '/Groups', { schemas: [GROUP], displayName: 'contested' });
    const path = `/Groups/${body.id}`;
    for (const round of ROUNDS) {
      const headers = { 'if-match': await etagOf(path) };
      const put = (displayName: string) => ask('PUT', path, { schemas: [GROUP], displayName }, headers);
      const names = ['a', 'b', 'c', 'd'].map((name) => `${name}-${round}`);
      expect(await statusesOf(names.map(put))).toEqual([200, 412, 412, 412]);
    }
  });
});

describe('PATCHes of one name at the same time', () => {
  it('keep every part of it', async () => {
    for (const round of ROUNDS) {
      const { body } = await make(`named-${round}`, { name: { formatted: 'Before' } });
      const path = `/Users/${body.id}`;
      const parts = { givenName: 'Ada', middleName: 'King', familyName: 'Lovelace', honorificPrefix: 'Lady' };
      await Promise.all(
        Object.entries(parts).map(([part, value]) =>
          patch(path, { op: 'replace', path: `name.${part}`, value }),
        ),
      );
      expect((await ask('GET', path)).body.name).toEqual({ formatted: 'Before', ...parts });
    }
  });
});
