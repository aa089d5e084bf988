import { FilesApp } from '../../../libs/testing/src/files-app';

let files: FilesApp;

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian');
});
afterAll(() => files.stop());

describe('the files of a user', () => {
  it('are put, read, listed, and removed', async () => {
    expect((await files.dav('MKCOL', 'alice', '/notes')).status).toBe(201);
    expect((await files.dav('PUT', 'alice', '/notes/a.txt', { body: 'one' })).status).toBe(201);
    expect((await files.dav('PUT', 'alice', '/notes/a.txt', { body: 'second' })).status).toBe(204);

    const read = await files.dav('GET', 'alice', '/notes/a.txt');
    expect([read.status, await read.text()]).toEqual([200, 'second']);

    const listing = await files.dav('PROPFIND', 'alice', '/notes', { headers: { depth: '1' } });
    const xml = await listing.text();
    expect(listing.status).toBe(207);
    expect(xml).toContain('<d:href>/remote.php/webdav/notes/</d:href>');
    expect(xml).toContain('<d:href>/remote.php/webdav/notes/a.txt</d:href>');
    expect(xml).toContain('<d:getcontentlength>6</d:getcontentlength>');

    expect((await files.dav('DELETE', 'alice', '/notes')).status).toBe(204);
    expect((await files.dav('PROPFIND', 'alice', '/notes/a.txt')).status).toBe(404);
  });
});
