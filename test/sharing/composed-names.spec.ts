import { SharingGateway } from './sharing-gateway';

const COMPOSED = '/gr\u00fc\u00dfe';
const DECOMPOSED = COMPOSED.normalize('NFD');

let people: SharingGateway;

beforeAll(async () => {
  people = await SharingGateway.start();
  await people.addUsers('alice', 'bob');
});
afterAll(() => people.stop());

it('a node with a decomposed name is shared under its composed name', async () => {
  await people.store('alice', `${DECOMPOSED}/`);
  const id = await people.shareId('alice', { path: DECOMPOSED, shareWith: 'bob' });
  expect(await people.entries('bob')).toEqual([COMPOSED]);
  const [received] = await people.received('bob');
  expect([received!.id, received!.file_target]).toEqual([id, COMPOSED]);
  expect(await people.list('alice', `path=${encodeURIComponent(DECOMPOSED)}`)).toHaveLength(1);
  expect((await people.share('bob', { path: DECOMPOSED, shareType: '3' })).code).toBe(200);
});
