import { isFullForm } from '../../libs/testing/src/full-form';
import { PASSWORD } from '../edge/edge-client';
import { ClientWorld } from './client-world';
import { describeWith, run } from './programs';

const SUITES = ['basic', 'copymove', 'props', 'locks', 'http'];

describeWith(['litmus'], 'litmus, the test suite of WebDAV', () => {
  let world: ClientWorld;

  beforeAll(async () => {
    world = await ClientWorld.start();
    for (const uid of ['lea', 'max', 'mia']) await world.sharing.addUser(uid);
    await world.dav('max', 'MKCOL', '/shared');
    await world.sharing.share('max', { path: '/shared', shareType: '0', shareWith: 'mia' });
  });
  afterAll(() => world?.stop());

  it.each([
    ...(isFullForm
      ? [['/remote.php/webdav/', 'lea'] as const, ['/remote.php/dav/files/lea/', 'lea'] as const]
      : []),
    ['/remote.php/webdav/shared/', 'mia'] as const,
  ])('all suites of litmus pass at %s', async (address, uid) => {
    const output = await run('litmus', ['-k', world.url + address, uid, PASSWORD], {
      // It writes logs to its working directory.
      cwd: world.folder('litmus'),
      env: { TESTS: SUITES.join(' ') },
    });
    for (const suite of SUITES)
      expect(output).toMatch(
        new RegExp(`summary for \`${suite}': of \\d+ tests run: \\d+ passed, 0 failed. 100.0%`),
      );
    expect(output).not.toMatch(/WARNING|SKIPPED/);
  });
});
