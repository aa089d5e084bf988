import { randomUUID } from 'node:crypto';
import { RuntimeSettings } from '#settings';
import { eventually } from '#testing';
import { BackgroundMoves } from './jobs/background-moves';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian');
  await files.get(RuntimeSettings).set('system', 'dav.enable.async', 'yes');
});
afterAll(() => files.stop());

const LOCATION = /^\/remote\.php\/dav\/job-status\/alice\/[0-9a-f-]{36}$/;

function send(
  method: string,
  path: string,
  uid: string,
  headers: Record<string, string> = {},
  body?: string,
) {
  return fetch(`${files.url}${path}`, {
    method,
    headers: { authorization: files.authorizationOf(uid), ...headers },
    body,
  });
}

const moved = (from: string, to: string, headers: Record<string, string> = {}): Promise<Response> =>
  send('MOVE', from, 'alice', {
    destination: `${files.url}/remote.php/dav/files/alice${to}`,
    'oc-lazyops': 'true',
    ...headers,
  });
const movedFile = (from: string, to: string, headers?: Record<string, string>): Promise<Response> =>
  moved(`/remote.php/dav/files/alice${from}`, to, headers);

async function locationOf(reply: Response): Promise<string> {
  expect(reply.status).toBe(202);
  const location = reply.headers.get('oc-jobstatus-location');
  expect(location).toMatch(LOCATION);
  return location!;
}

/** The state of a move when it has ended. */
function end(location: string): Promise<Record<string, unknown>> {
  return eventually('the end of the move', async () => {
    const reply = await send('GET', location, 'alice');
    expect(reply.status).toBe(200);
    const state = (await reply.json()) as Record<string, unknown>;
    return state.status === 'started' ? undefined : state;
  });
}

describe('MOVE with OC-LazyOps', () => {
  it('is answered with the address of its state, which has the file id at the end', async () => {
    await files.dav('PUT', 'alice', '/one.txt', { body: 'one' });
    const state = await end(await locationOf(await movedFile('/one.txt', '/two.txt')));
    const head = await files.dav('HEAD', 'alice', '/two.txt');
    expect(state).toEqual({
      status: 'finished',
      fileId: head.headers.get('oc-fileid'),
      ETag: head.headers.get('etag'),
    });
    expect((await files.dav('GET', 'alice', '/one.txt')).status).toBe(404);
  });

  it('puts the chunks of an upload together', async () => {
    const upload = '/remote.php/dav/uploads/alice/lazy';
    expect((await send('MKCOL', upload, 'alice')).status).toBe(201);
    for (const [name, body] of [
      ['1', 'AAA'],
      ['2', 'BBB'],
    ])
      expect((await send('PUT', `${upload}/${name}`, 'alice', {}, body)).status).toBe(201);
    expect(
      await end(await locationOf(await moved(`${upload}/.file`, '/joined.txt', { 'oc-total-length': '5' }))),
    ).toMatchObject({ status: 'error', errorCode: 400 });
    expect(await end(await locationOf(await moved(`${upload}/.file`, '/joined.txt')))).toMatchObject({
      status: 'finished',
    });
    expect(await (await files.dav('GET', 'alice', '/joined.txt')).text()).toBe('AAABBB');
  });

  it('shows in its state why it was refused, and does not move the file', async () => {
    await files.dav('PUT', 'alice', '/stays.txt', { body: 'stays' });
    expect(await end(await locationOf(await movedFile('/stays.txt', '/nowhere/stays.txt')))).toEqual({
      status: 'error',
      errorCode: 409,
      errorMessage: expect.any(String) as string,
    });
    expect((await files.dav('GET', 'alice', '/stays.txt')).status).toBe(200);
  });

  it.each([
    ['/.htaccess', 403],
    ['/stays.part', 400],
  ])('is refused before it begins where the name is not allowed: %s', async (to, status) => {
    await files.dav('PUT', 'alice', '/stays.txt', { body: 'stays' });
    expect((await movedFile('/stays.txt', to)).status).toBe(status);
  });

  it('is done before the answer if the setting is off', async () => {
    await files.get(RuntimeSettings).set('system', 'dav.enable.async', 'no');
    try {
      await files.dav('PUT', 'alice', '/off.txt', { body: 'off' });
      const reply = await movedFile('/off.txt', '/was-off.txt');
      expect(reply.status).toBe(201);
      expect(reply.headers.get('oc-jobstatus-location')).toBeNull();
    } finally {
      await files.get(RuntimeSettings).set('system', 'dav.enable.async', 'yes');
    }
  });
});

describe('the state of a MOVE in the background', () => {
  it('is shown only to its user', async () => {
    await files.dav('PUT', 'alice', '/own.txt', { body: 'own' });
    const location = await locationOf(await movedFile('/own.txt', '/own too.txt'));
    const asBrian = location.replace('/alice/', '/brian/');
    expect((await send('GET', location, 'brian')).status).toBe(404);
    expect((await send('GET', asBrian, 'brian')).status).toBe(404);
    expect((await send('GET', asBrian, 'alice')).status).toBe(404);
    expect((await send('GET', `${location}/more`, 'alice')).status).toBe(404);
    expect((await send('GET', location.slice(0, -36), 'alice')).status).toBe(404);
    expect((await fetch(`${files.url}${location}`)).status).toBe(401);
  });

  const insert = async (ago: string): Promise<string> => {
    const id = randomUUID();
    await files.database.dataSource.query(
      `INSERT INTO background_move (id, uid, seen_at) VALUES ($1, 'alice', now() - $2::interval)`,
      [id, ago],
    );
    return id;
  };

  it('reports an interruption if its replica is dead', async () => {
    const [living, silent] = [await insert('10 seconds'), await insert('2 minutes')];
    const stateOf = async (id: string): Promise<unknown> =>
      (await send('GET', `/remote.php/dav/job-status/alice/${id}`, 'alice')).json();
    expect(await stateOf(living)).toEqual({ status: 'started' });
    expect(await stateOf(silent)).toMatchObject({ status: 'error', errorCode: 503 });
  });

  it('is removed after a day', async () => {
    const [fresh, old] = [await insert('23 hours'), await insert('25 hours')];
    await files.get(BackgroundMoves).removeOld(new AbortController().signal);
    const left: { id: string }[] = await files.database.dataSource.query('SELECT id FROM background_move');
    const ids = left.map(({ id }) => id);
    expect(ids).toContain(fresh);
    expect(ids).not.toContain(old);
  });
});
