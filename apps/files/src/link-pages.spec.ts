import { SecretBox } from '#platform';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice');
  await files.dav('MKCOL', 'alice', '/folder');
  await files.dav('MKCOL', 'alice', '/folder/sub & more');
  await files.dav('PUT', 'alice', '/folder/<b>.txt', { body: 'bold' });
  await files.dav('PUT', 'alice', '/folder/sub & more/deep.txt', { body: 'x'.repeat(1500) });
});
afterAll(() => files.stop());

const page = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(files.url + path, { redirect: 'manual', ...init });
const unescape = (text: string): string =>
  text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
const hrefs = (html: string): string[] =>
  [...html.matchAll(/<a [^>]*?href="(.*?)"/g)].map((match) => unescape(match[1]!));
const give = (token: string, password: string): Promise<Response> =>
  page(`/s/${token}`, { method: 'POST', body: new URLSearchParams({ password }) });

/** Parameters of a signed address of a protected link. @param id of the share @param expires as text, such as ISO 8601 */
async function signedUntil(expires: string, id: number, purpose = 'read'): Promise<string> {
  const [row] = await files.database.dataSource.query<{ hash: string }[]>(
    'SELECT password_hash AS hash FROM share WHERE id = $1',
    [id],
  );
  const signature = files.get(SecretBox).lookup(`${purpose} link\n${id}\n${row!.hash}\n${expires}`);
  return new URLSearchParams({ expires, signature: signature.toString('hex') }).toString();
}
const fromNow = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe('the page of a link', () => {
  it('lists a folder, with addresses of the entries', async () => {
    const { token } = await files.link({ path: '/folder', owner: 'alice' });
    for (const address of [`/s/${token}`, `/index.php/s/${token}`]) {
      const reply = await page(address);
      expect(reply.status).toBe(200);
      const html = await reply.text();
      expect(html).toContain('&lt;b&gt;.txt');
      expect(html).not.toContain('<b>');
      const [folder, file] = hrefs(html) as [string, string];
      expect(await (await page(file)).text()).toBe('bold');
      const sub = await (await page(folder)).text();
      expect(sub).toContain('<h1>sub &amp; more</h1>');
      expect(sub).toContain('1.5 kB');
      const [up, deep] = hrefs(sub) as [string, string];
      expect(await (await page(deep)).text()).toHaveLength(1500);
      expect(up).toBe(`/s/${token}`);
    }
  });

  it('leads from the password to the requested folder', async () => {
    const { token } = await files.link({ path: '/folder', owner: 'alice', password: 'pass-1' });
    const address = `/s/${token}?${new URLSearchParams({ path: '/sub & more' }).toString()}`;
    const body = new URLSearchParams({ password: 'pass-1' });
    const { headers } = await page(address, { method: 'POST', body });
    expect(await (await page(headers.get('location')!)).text()).toContain('deep.txt');
  });

  it('leads from an expired address through the password to the folder and the view of that address', async () => {
    const { token } = await files.link({ path: '/folder', owner: 'alice', password: 'pass-1' });
    const signed = 'expires=2020-01-01T00:00:00%2B00:00&signature=00';
    const file = `/remote.php/dav/public-files/${token}/sub%20%26%20more/deep.txt?${signed}`;
    const ofFile = (await page(file, { headers: { accept: 'text/html' } })).headers.get('location')!;
    const place = `path=%2Fsub+%26+more&view=tiles&${signed}`;
    for (const address of [
      ofFile,
      `/s/${token}?${place}`,
      `/s/${token}/download?${place}&files[]=deep.txt`,
    ]) {
      const action = /<form method="post" action="(.*?)"/.exec(await (await page(address)).text())![1]!;
      const body = new URLSearchParams({ password: 'pass-1' });
      const right = await page(unescape(action), { method: 'POST', body });
      const html = await (await page(right.headers.get('location')!)).text();
      expect(html).toContain('deep.txt');
      expect(html.includes('class="tiles"')).toBe(address.includes('view=tiles'));
    }
  });

  it('asks for the password again after a signed address expired', async () => {
    const { token } = await files.link({ path: '/folder', owner: 'alice', password: 'pass-1' });
    const query = 'expires=2020-01-01T00:00:00%2B00:00&signature=00';
    const address = `/remote.php/dav/public-files/${token}/%3Cb%3E.txt?${query}`;
    const browsers = await page(address, { headers: { accept: 'text/html,*/*' } });
    expect([browsers.status, browsers.headers.get('location')]).toEqual([303, `/s/${token}`]);
    expect((await page(address)).status).toBe(401);
  });

  it('offers a file for download', async () => {
    const { token } = await files.link({ path: '/folder/<b>.txt', owner: 'alice' });
    const html = await (await page(`/s/${token}`)).text();
    expect(html).toContain('4 bytes');
    expect(await (await page(hrefs(html)[0]!)).text()).toBe('bold');
    const download = await fetch(`${files.url}/index.php/s/${token}/download`);
    expect(await download.text()).toBe('bold');
  });

  it('runs no scripts, loads nothing from elsewhere and is not cached', async () => {
    const { token } = await files.link({ path: '/folder', owner: 'alice' });
    const { headers } = await page(`/s/${token}`);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self'; [^*]*frame-ancestors 'none'/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('set-cookie')).toBeNull();
  });

  it('shows nothing of a protected link before its password, and everything behind a signed address', async () => {
    const { id, token } = await files.link({ path: '/folder', owner: 'alice', password: 'pass-1' });
    const sub = new URLSearchParams({ path: '/sub & more' }).toString();
    const below = ['', '/download', `?${sub}`, `/download?${sub}`, `?${sub}&signature=00&expires=2999-01-01`];
    for (const path of below.map((rest) => `/s/${token}${rest}`)) {
      const asking = await (await page(path)).text();
      expect(asking).toContain('type="password"');
      expect(asking).not.toMatch(/sub &amp; more|deep\.txt/);
    }
    const wrong = await give(token, 'wrong');
    expect(wrong.status).toBe(403);
    expect(await wrong.text()).toContain('not right');
    expect((await give(token, '')).status).toBe(403);
    const right = await give(token, 'pass-1');
    expect(right.status).toBe(303);
    const signed = right.headers.get('location')!;
    const html = await (await page(signed)).text();
    expect(html).toContain('sub &amp; more');
    const [folder, file] = hrefs(html) as [string, string];
    expect(await (await page(file)).text()).toBe('bold');
    expect(await (await page(folder)).text()).toContain('deep.txt');
    expect((await page(file, { method: 'PUT', body: 'x' })).status).toBe(401);
    expect((await page(file.replace(/expires=\d{4}/, 'expires=2999'))).status).toBe(401);
    expect((await page(file.replace('signature=', 'signature=00'))).status).toBe(401);
    await files.database.dataSource.query(`UPDATE share SET password_hash = 'changed' WHERE id = $1`, [id]);
    expect((await page(file)).status).toBe(401);
  });

  it('lets a signed address of a protected link expire', async () => {
    const { id, token } = await files.link({ path: '/folder', owner: 'alice', password: 'pass-1' });
    const soon = await signedUntil(fromNow(60_000), id);
    const past = await signedUntil(fromNow(-1_000), id);
    const file = `/remote.php/dav/public-files/${token}/%3Cb%3E.txt`;
    expect(await (await page(`/s/${token}?${soon}`)).text()).toContain('sub &amp; more');
    expect((await page(`${file}?${soon}`)).status).toBe(200);
    expect(await (await page(`/s/${token}?${past}`)).text()).toContain('type="password"');
    expect((await page(`${file}?${past}`)).status).toBe(401);
    expect((await page(`${file}?${await signedUntil('never', id)}`)).status).toBe(401);
  });

  it('signs no address for longer than the one that was presented', async () => {
    const { token } = await files.link({
      path: '/folder',
      owner: 'alice',
      permissions: 15,
      password: 'pass-1',
    });
    const address = (await give(token, 'pass-1')).headers.get('location')!;
    const until = new URLSearchParams(address.split('?')[1]).get('expires')!;
    const html = await (await page(address)).text();
    const form = unescape(/multipart\/form-data" action="(.*?)"/.exec(html)![1]!);
    const body = new FormData();
    body.append('x', '');
    const after = await (await page(form, { method: 'POST', body })).text();
    for (const shown of [html, after]) {
      const times = [...unescape(shown).matchAll(/[?&]expires=([^&"]*)/g)];
      expect(times.length).toBeGreaterThan(1);
      expect(new Set(times.map(([, time]) => decodeURIComponent(time!)))).toEqual(new Set([until]));
    }
    expect(await (await page(hrefs(after)[1]!)).text()).toBe('bold');
  });

  it('limits attempts at the password', async () => {
    const { token } = await files.link({ path: '/folder', owner: 'alice', password: 'pass-1' });
    for (let attempt = 0; attempt < 10; attempt++) await give(token, `guess-${attempt}`);
    const refused = await give(token, 'pass-1');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('explains uploads to a file drop, and does not list it', async () => {
    const { token } = await files.link({ path: '/folder', owner: 'alice', permissions: 4 });
    const html = await (await page(`/s/${token}`)).text();
    expect(html).toContain(`${files.url}/remote.php/dav/public-files/${token}/`);
    expect(html).not.toContain('sub &amp; more');
  });

  describe('with a form for files', () => {
    const send = (address: string, name: string, content: string): Promise<Response> => {
      const body = new FormData();
      body.append('file', new Blob([content]), name);
      return page(address, { method: 'POST', body });
    };
    const actionIn = (html: string): string =>
      unescape(/multipart\/form-data" action="(.*?)"/.exec(html)![1]!);

    it('accepts files for a drop, and shows no others', async () => {
      const { token } = await files.link({ path: '/folder', owner: 'alice', permissions: 4 });
      const reply = await send(actionIn(await (await page(`/s/${token}`)).text()), '<b>.txt', 'sent');
      expect(reply.status).toBe(200);
      const html = await reply.text();
      expect(html).toContain('<li>&lt;b&gt;.txt, 4 bytes</li>');
      expect(html).not.toContain('sub &amp; more');
      expect(await (await files.dav('GET', 'alice', '/folder/<b>.txt')).text()).toBe('bold');
      expect(await (await files.dav('GET', 'alice', '/folder/<b> (2).txt')).text()).toBe('sent');
    });

    it('accepts nothing through read-only links, nor without the password', async () => {
      const shown = await files.link({ path: '/folder', owner: 'alice' });
      expect(await (await page(`/s/${shown.token}`)).text()).not.toContain('multipart');
      expect((await send(`/s/${shown.token}/files`, 'no.txt', 'x')).status).toBe(404);
      const locked = await files.link({
        path: '/folder',
        owner: 'alice',
        permissions: 15,
        password: 'pass-1',
      });
      const unlocked = (await give(locked.token, 'pass-1')).headers.get('location')!;
      const address = actionIn(await (await page(unlocked)).text());
      const reading = `/s/${locked.token}/files?${unlocked.split('?')[1]!}`;
      for (const refused of [`/s/${locked.token}/files`, reading]) {
        const reply = await send(refused, 'no.txt', 'x');
        expect([reply.status, await reply.text()]).toEqual([403, expect.stringContaining('type="password"')]);
      }
      expect((await files.dav('GET', 'alice', '/folder/no.txt')).status).toBe(404);
      expect((await send(address, 'yes.txt', 'x')).status).toBe(200);
      expect((await files.dav('GET', 'alice', '/folder/yes.txt')).status).toBe(200);
    });

    it('keeps nothing of an interrupted form, and refuses invalid forms', async () => {
      const { token } = await files.link({ path: '/folder', owner: 'alice', permissions: 4 });
      const headers = { 'content-type': 'multipart/form-data; boundary=edge' };
      const part = '--edge\r\ncontent-disposition: form-data; name="file"; filename="half.txt"\r\n\r\nhalf';
      const half = await page(`/s/${token}/files`, { method: 'POST', headers, body: part });
      expect(half.status).toBe(400);
      expect((await files.dav('GET', 'alice', '/folder/half.txt')).status).toBe(404);
      expect((await page(`/s/${token}/files`, { method: 'POST', body: 'x' })).status).toBe(400);
    });

    it('accepts uploads by TUS with the signature of the page, which cannot read or delete', async () => {
      const { token } = await files.link({
        path: '/folder',
        owner: 'alice',
        permissions: 15,
        password: 'pass-1',
      });
      const unlocked = (await give(token, 'pass-1')).headers.get('location')!;
      const html = await (await page(unlocked)).text();
      const signature = unescape(/data-signature="(.*?)"/.exec(html)![1]!);
      const endpoint = unescape(/data-endpoint="(.*?)"/.exec(html)![1]!);
      const headers = {
        'x-link-signature': signature,
        'tus-resumable': '1.0.0',
        'upload-length': '3',
        'upload-metadata': `filename ${Buffer.from('tus.txt').toString('base64')}`,
        'content-type': 'application/offset+octet-stream',
      };
      expect((await page(endpoint, { method: 'POST', headers, body: 'tus' })).status).toBe(201);
      expect(await (await files.dav('GET', 'alice', '/folder/tus.txt')).text()).toBe('tus');
      const file = `${endpoint}tus.txt`;
      expect((await page(file, { headers: { 'x-link-signature': signature } })).status).toBe(401);
      const end = { method: 'DELETE', headers: { 'x-link-signature': signature } };
      expect((await page(file, end)).status).toBe(401);
      const asked = await page(file, {
        method: 'PATCH',
        headers: { 'x-link-signature': signature, 'x-recalculate-hash': 'sha1' },
      });
      expect([asked.status, asked.headers.get('oc-checksum')]).toEqual([405, null]);
    });

    it('continues uploads by TUS after the signature has expired, but begins none, and ends with the password', async () => {
      const link = { path: '/folder', owner: 'alice', permissions: 15, password: 'pass-1' };
      const { id, token } = await files.link(link);
      const send = async (method: string, path: string, expires: number, more: object): Promise<Response> => {
        const signature = await signedUntil(fromNow(expires), id, 'upload');
        const headers = { 'x-link-signature': signature, 'tus-resumable': '1.0.0', ...more };
        return page(path, { method, headers, ...(method === 'PATCH' && { body: 'x' }) });
      };
      const begin = (expires: number): Promise<Response> => {
        const metadata = `filename ${Buffer.from('slow.txt').toString('base64')}`;
        const told = { 'upload-length': '2', 'upload-metadata': metadata };
        return send('POST', `/remote.php/dav/public-files/${token}/`, expires, told);
      };
      const append = (location: string, offset: number): Promise<Response> =>
        send('PATCH', location, -1_000, {
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
        });
      expect((await begin(-1_000)).status).toBe(401);
      const location = (await begin(60_000)).headers.get('location')!.slice(files.url.length);
      expect((await append(location, 0)).status).toBe(204);
      expect((await send('HEAD', location, -1_000, {})).headers.get('upload-offset')).toBe('1');
      const read = await signedUntil(fromNow(-1_000), id);
      expect((await page(location, { method: 'HEAD', headers: { 'x-link-signature': read } })).status).toBe(
        401,
      );
      const stale = await signedUntil(fromNow(-1_000), id, 'upload');
      await files.database.dataSource.query(`UPDATE share SET password_hash = 'changed' WHERE id = $1`, [id]);
      const headers = { 'x-link-signature': stale, 'tus-resumable': '1.0.0' };
      expect((await page(location, { method: 'HEAD', headers })).status).toBe(401);
    });
  });

  it('refuses NUL in an address', async () => {
    const { token } = await files.link({ path: '/folder', owner: 'alice' });
    expect((await page(`/s/${token}?path=%00`)).status).toBe(400);
  });

  it.each(['?path=/none', '?path=../..', '/sub'])('answers 404 at %s', async (rest) => {
    const { token } = await files.link({ path: '/folder', owner: 'alice' });
    expect((await page(`/s/${token}${rest}`)).status).toBe(404);
  });
});
