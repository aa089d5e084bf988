import { GOWEBDAV_PROPERTIES } from '../../libs/testing/src/partners/reading-partner';
import { OpenCloudPartner } from '../../libs/testing/src/partners/opencloud-partner';
import { SharingGateway } from '../sharing/sharing-gateway';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const ALAN = { id: 'b1f74ec4-dd7e-11ef-a543-03775734d0f7', mail: 'alan@example.org', name: 'Alan Turing' };

let here: SharingGateway;
let there: OpenCloudPartner;
beforeAll(async () => {
  here = await SharingGateway.start({ env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '10s' } });
  there = await OpenCloudPartner.start(ALAN);
  await here.addUsers('ann');
});
afterAll(() => Promise.all([here?.stop(), there?.close()]));

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** An offer, as the server got it. */
interface Offer {
  readonly name: string;
  readonly protocol: { readonly webdav: { readonly sharedSecret: string; readonly uri: string } };
}

/** A reader and writer of a share that sends the requests of OpenCloud, with their recorded headers. */
class OpenCloudReader {
  constructor(private readonly offer: Offer) {}

  async stat(path: string): Promise<number> {
    const headers = { 'content-type': 'application/xml;charset=UTF-8', accept: 'application/xml,text/xml' };
    const about = {
      body: GOWEBDAV_PROPERTIES,
      headers: { ...headers, 'accept-charset': 'utf-8', depth: '0' },
    };
    return (await this.ask('PROPFIND', path, about)).status;
  }

  /** @returns the paths below the share */
  async list(path: string): Promise<string[]> {
    const headers = { 'content-type': 'application/xml;charset=UTF-8', depth: '1' };
    const reply = await this.ask('PROPFIND', path, { body: GOWEBDAV_PROPERTIES, headers });
    const root = new URL(this.offer.protocol.webdav.uri).pathname;
    const hrefs = [...(await reply.text()).matchAll(/<d:href>(.*?)<\/d:href>/g)].map(([, href]) => href!);
    return hrefs.map((href) => decodeURIComponent(href.slice(root.length))).sort();
  }

  async read(path: string): Promise<string> {
    const reply = await this.ask('GET', path);
    return reply.ok ? reply.text() : String(reply.status);
  }

  /** Its header of locks is sent even without a lock. */
  async write(path: string, body: string): Promise<number> {
    return (await this.ask('PUT', path, { body, headers: { 'lock-token': '<>' } })).status;
  }

  /** The path of a new folder ends with a slash. */
  async make(path: string): Promise<number> {
    return (await this.ask('MKCOL', `${path}/`)).status;
  }

  async move(path: string, to: string): Promise<number> {
    const destination = this.offer.protocol.webdav.uri + encoded(to);
    return (await this.ask('MOVE', path, { headers: { destination, overwrite: 'F' } })).status;
  }

  async remove(path: string): Promise<number> {
    return (await this.ask('DELETE', path)).status;
  }

  private ask(
    method: string,
    path: string,
    { body, headers }: { body?: string; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const { uri, sharedSecret } = this.offer.protocol.webdav;
    const authorization = `Bearer ${sharedSecret}`;
    return fetch(uri + encoded(path), { method, body, headers: { ...headers, authorization } });
  }
}

async function offered(path: string, permissions: number): Promise<{ id: number; reader: OpenCloudReader }> {
  const shareWith = `${ALAN.id}@${there.host}`;
  const form = { path, shareType: '6', shareWith, permissions: String(permissions) };
  const { code, data } = await here.ocs('POST', SHARES, 'ann', form);
  expect({ code, state: data.delivery_state }).toEqual({ code: 200, state: 'delivered' });
  const offer = there.received('shares').at(-1) as unknown as Offer;
  return { id: Number(data.id), reader: new OpenCloudReader(offer) };
}

const content = async (path: string): Promise<string> => {
  const reply = await fetch(here.davUrl(path), { headers: { authorization: here.authorizationOf('ann') } });
  return reply.ok ? reply.text() : String(reply.status);
};

describe('OpenCloud reading and writing a share as recorded', () => {
  let reader: OpenCloudReader;
  let id: number;
  beforeAll(async () => {
    await here.dav('MKCOL', 'ann', '/Plans');
    await here.dav('PUT', 'ann', '/Plans/first.txt', {}, 'first');
    ({ id, reader } = await offered('/Plans', 31));
  });

  it('finds the root at its address with and without a last slash, and its content', async () => {
    expect([await reader.stat(''), await reader.stat('/')]).toEqual([207, 207]);
    expect(await reader.list('/')).toEqual(['/', '/first.txt']);
    expect([await reader.read('/first.txt'), await reader.read('/none.txt')]).toEqual(['first', '404']);
    expect(await reader.stat('/none.txt')).toBe(404);
  });

  it('makes folders, also existing ones, and writes into them', async () => {
    expect([await reader.make('/made'), await reader.make('/made')]).toEqual([201, 405]);
    expect([
      await reader.write('/made/new.txt', 'new'),
      await reader.write('/made/new.txt', 'newer'),
    ]).toEqual([201, 204]);
    expect(await reader.write('/made/empty.txt', '')).toBe(201);
    expect([await content('/Plans/made/new.txt'), await content('/Plans/made/empty.txt')]).toEqual([
      'newer',
      '',
    ]);
  });

  it('renames, moves and deletes', async () => {
    expect(await reader.move('/made/new.txt', '/made/ü #1 100%.txt')).toBe(201);
    expect(await content('/Plans/made/ü #1 100%.txt')).toBe('newer');
    expect(await reader.move('/made', '/kept')).toBe(201);
    expect(await reader.list('/kept')).toEqual(['/kept/', '/kept/empty.txt', '/kept/ü #1 100%.txt']);
    expect([await reader.remove('/kept/empty.txt'), await reader.remove('/kept')]).toEqual([204, 204]);
    expect(await reader.list('/')).toEqual(['/', '/first.txt']);
  });

  it('is refused without a permission, gets it back, and reads nothing after the end of the share', async () => {
    await here.ocs('PUT', `${SHARES}/${id}`, 'ann', { permissions: '1' });
    expect([await reader.write('/no.txt', 'no'), await reader.remove('/first.txt')]).toEqual([403, 403]);
    await here.ocs('PUT', `${SHARES}/${id}`, 'ann', { permissions: '31' });
    expect(await reader.write('/yes.txt', 'yes')).toBe(201);
    await here.ocs('DELETE', `${SHARES}/${id}`, 'ann');
    expect([await reader.stat('/'), await reader.read('/first.txt')]).toEqual([401, '401']);
  });
});

it('reads a single file under the name of the offer, even after a rename', async () => {
  await here.dav('PUT', 'ann', '/alone.txt', {}, 'alone');
  const { reader } = await offered('/alone.txt', 3);
  await here.move('ann', '/alone.txt', '/renamed.txt');
  expect([await reader.stat('/alone.txt'), await reader.read('/alone.txt')]).toEqual([207, 'alone']);
  expect(await reader.write('/alone.txt', 'changed')).toBe(204);
  expect(await content('/renamed.txt')).toBe('changed');
});
