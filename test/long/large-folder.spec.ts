import { KilledReplicas } from './killed-replicas';
import { isFullForm } from '../../libs/testing/src/full-form';

const FILES = isFullForm ? 100_000 : 10_000;
const AT_ONCE = 16;
/** Longest path of a node, in bytes. */
const PATH_BYTES = 4000;

jest.setTimeout(30 * 60_000);

let replicas: KilledReplicas;
let url: string;
beforeAll(async () => {
  replicas = await KilledReplicas.start();
  url = `http://127.0.0.1:${await replicas.port()}`;
  memoryBefore = await replicas.peakMemory();
});
afterAll(() => replicas?.stop());
afterEach(async () => expect(await replicas.problems()).toEqual([]));

/** A process may grow by this. With all rows of one listing of 100,000 files in its memory, it would grow by 265 MB. */
const MOST_GROWTH_BYTES = 128 * 1024 * 1024;
let memoryBefore: number;

const TREE = '/remote.php/dav/files/sender';
const TRASH = '/remote.php/dav/trash-bin/sender';

const send = (
  method: string,
  path: string,
  { body, ...headers }: Record<string, string> = {},
): Promise<Response> =>
  fetch(url + path, { method, headers: { authorization: replicas.authorization, ...headers }, body });
async function statusOf(...request: Parameters<typeof send>): Promise<number> {
  const reply = await send(...request);
  await reply.arrayBuffer();
  return reply.status;
}

/** Counts the entries of a multistatus while it arrives. */
async function countEntries(reply: Response): Promise<number> {
  expect(reply.status).toBe(207);
  const mark = '<d:response>';
  let [rest, found] = ['', 0];
  for await (const chunk of reply.body!.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split(mark);
    found += parts.length - 1;
    rest = parts.at(-1)!.slice(1 - mark.length);
  }
  return found;
}

const nameOf = (index: number): string => `file-${String(index).padStart(6, '0')}.txt`;
const entriesOf = async (path: string): Promise<number> =>
  countEntries(await send('PROPFIND', path, { depth: '1' }));
const ownId = async (path: string): Promise<number> =>
  Number((await send('HEAD', path)).headers.get('oc-fileid')!.slice(0, 8));

it(`a folder of ${FILES} files is filled, listed, searched, changed, deleted and restored in bounded memory`, async () => {
  expect(await statusOf('MKCOL', `${TREE}/many`)).toBe(201);
  let next = 0;
  const fill = async (): Promise<void> => {
    while (next < FILES) {
      const index = next++;
      // Only one in ten has a content, because the folder is measured.
      const body = index % 10 === 0 ? `content ${index}` : '';
      expect(await statusOf('PUT', `${TREE}/many/${nameOf(index)}`, { body })).toBe(201);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fill));

  expect(await entriesOf(`${TREE}/many`)).toBe(FILES + 1);
  const search = await send('SEARCH', '/remote.php/dav/', { body: searchFor(`${nameOf(4710)}`) });
  expect(await search.text()).toContain(`/many/${nameOf(4710)}`);

  const etag = async (): Promise<string> => (await send('HEAD', `${TREE}/many`)).headers.get('etag')!;
  const before = await etag();
  expect(await statusOf('PUT', `${TREE}/many/one more`, { body: 'more' })).toBe(201);
  expect(await etag()).not.toBe(before);
  expect(await (await send('GET', `${TREE}/many/${nameOf(4710)}`)).text()).toBe('content 4710');
  expect(await statusOf('DELETE', `${TREE}/many/${nameOf(7)}`)).toBe(204);
  expect(await entriesOf(`${TREE}/many`)).toBe(FILES + 1);

  const destination = `${url}${TREE}/renamed`;
  expect(await statusOf('MOVE', `${TREE}/many`, { destination })).toBe(201);
  const id = await ownId(`${TREE}/renamed`);
  expect(await statusOf('DELETE', `${TREE}/renamed`)).toBe(204);
  expect(await entriesOf(`${TRASH}/${id}`)).toBe(FILES + 1);
  expect(await statusOf('MOVE', `${TRASH}/${id}`, { destination })).toBe(201);
  expect(await entriesOf(`${TREE}/renamed`)).toBe(FILES + 1);
  expect(await statusOf('DELETE', `${TREE}/renamed`)).toBe(204);
  expect(await statusOf('DELETE', `${TRASH}/${id}`)).toBe(204);
  expect(await entriesOf(TREE)).toBe(1);
  expect((await replicas.peakMemory()) - memoryBefore).toBeLessThan(MOST_GROWTH_BYTES);
});

it('a tree can be as deep as its longest path, and not deeper', async () => {
  const name = 'd'.repeat(9);
  const levels = PATH_BYTES / (name.length + 1);
  const pathAt = (depth: number): string => `${TREE}${`/${name}`.repeat(depth)}`;
  for (let depth = 1; depth <= levels; depth++) expect(await statusOf('MKCOL', pathAt(depth))).toBe(201);
  expect(await statusOf('MKCOL', pathAt(levels + 1))).toBeGreaterThanOrEqual(400);
  expect(await statusOf('PUT', `${pathAt(levels)}/f`, { body: 'too deep' })).toBeGreaterThanOrEqual(400);
  expect(await statusOf('PUT', `${pathAt(levels - 1)}/f`, { body: 'deep' })).toBe(201);
  expect(await (await send('GET', `${pathAt(levels - 1)}/f`)).text()).toBe('deep');

  expect(await statusOf('MKCOL', `${TREE}/other`)).toBe(201);
  const below = { destination: `${url}${TREE}/other/${name}` };
  for (const method of ['MOVE', 'COPY'])
    expect(await statusOf(method, pathAt(1), below)).toBeGreaterThanOrEqual(400);
  expect(await statusOf('HEAD', pathAt(levels))).toBe(200);
  expect(await entriesOf(`${TREE}/other`)).toBe(1);
  expect(await statusOf('MOVE', pathAt(1), { destination: `${url}${TREE}/short` })).toBe(201);
  expect(await statusOf('MOVE', `${TREE}/short`, below)).toBeGreaterThanOrEqual(400);

  expect(await entriesOf(`${TREE}/short${`/${name}`.repeat(levels - 2)}`)).toBe(3);
  const id = await ownId(`${TREE}/short`);
  expect(await statusOf('DELETE', `${TREE}/short`)).toBe(204);
  expect(await statusOf('MOVE', `${TRASH}/${id}`, below)).toBeGreaterThanOrEqual(400);
  expect(await statusOf('MOVE', `${TRASH}/${id}`, { destination: `${url}${pathAt(1)}` })).toBe(201);
  expect(await statusOf('HEAD', pathAt(levels))).toBe(200);
  expect((await replicas.peakMemory()) - memoryBefore).toBeLessThan(MOST_GROWTH_BYTES);
});

const searchFor = (
  name: string,
): string => `<d:searchrequest xmlns:d="DAV:"><d:basicsearch><d:select><d:prop><d:displayname/></d:prop></d:select>
<d:from><d:scope><d:href>/files/sender</d:href><d:depth>infinity</d:depth></d:scope></d:from>
<d:where><d:like><d:prop><d:displayname/></d:prop><d:literal>%${name}%</d:literal></d:like></d:where></d:basicsearch></d:searchrequest>`;
