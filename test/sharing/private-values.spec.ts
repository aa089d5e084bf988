import { SharingGateway } from './sharing-gateway';

const READ = '/privatedata/getattribute';
const keep = (app: string, key: string): string => `/privatedata/setattribute/${app}/${key}`;

let people: SharingGateway;

beforeAll(async () => {
  people = await SharingGateway.start();
  await people.addUsers('alice', 'bob', 'carol');
});
afterAll(() => people.stop());

const valuesOf = async (uid: string, below = ''): Promise<unknown> =>
  (await people.ocs('GET', READ + below, uid)).data;

describe('values that clients keep for their users', () => {
  it('are stored, replaced, read by app and key, and removed', async () => {
    await people.ocs('POST', keep('notes', 'font'), 'alice', { value: 'small' });
    await people.ocs('POST', keep('notes', 'font'), 'alice', { value: 'Größe <1>' });
    await people.ocs('POST', keep('player', 'volume'), 'alice', { value: '3' });
    const [font, volume] = [
      { key: 'font', app: 'notes', value: 'Größe <1>' },
      { key: 'volume', app: 'player', value: '3' },
    ];
    expect(await valuesOf('alice')).toEqual([font, volume]);
    expect(await valuesOf('alice', '/notes')).toEqual([font]);
    expect(await valuesOf('alice', '/player/volume')).toEqual([volume]);
    expect(await valuesOf('alice', '/player/font')).toEqual([]);
    expect((await people.ocs('POST', '/privatedata/deleteattribute/notes/font', 'alice')).code).toBe(200);
    expect(await valuesOf('alice')).toEqual([volume]);
  });

  it('cannot be read or changed by other users', async () => {
    await people.ocs('POST', keep('notes', 'own'), 'bob', { value: 'of bob' });
    await people.ocs('POST', '/privatedata/deleteattribute/notes/own', 'alice');
    await people.ocs('POST', keep('notes', 'own'), 'alice', { value: 'of alice' });
    expect(await valuesOf('bob')).toEqual([{ key: 'own', app: 'notes', value: 'of bob' }]);
  });

  it('have limited names and lengths, and a limited number', async () => {
    const code = async (app: string, key: string, value: string): Promise<number> =>
      (await people.ocs('POST', keep(app, key), 'carol', { value })).code;
    expect(await code('a', 'k'.repeat(256), 'x')).toBe(400);
    expect(await code('a', 'with%0Aline', 'x')).toBe(400);
    expect(await code('a', 'long', 'x'.repeat(65_537))).toBe(400);
    for (let kept = 0; kept < 200; kept++)
      await people.ocs('POST', keep('a', `${kept}`), 'carol', { value: '' });
    expect(await code('a', 'one-more', 'x')).toBe(507);
    expect(await code('a', '7', 'replaced')).toBe(200);
  });
});
