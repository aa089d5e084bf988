import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGateway } from '#testing';
import { OidcIssuer } from '../../libs/testing/src/rigs/oidc-issuer';
import { PASSWORD } from '../edge/edge-client';
import { ClientWorld } from './client-world';
import { FEWER_NAMES } from './names';
import { describeWith, run } from './programs';

let world: ClientWorld;

beforeAll(async () => {
  world = await ClientWorld.start();
  for (const uid of ['olga', 'nina', 'nora', 'ines', 'carl', 'wim']) await world.sharing.addUser(uid);
});
afterAll(() => world?.stop());

function filled(name: string): string {
  const folder = world.folder(name);
  mkdirSync(join(folder, 'below'));
  for (const each of FEWER_NAMES) writeFileSync(join(folder, 'below', each), `content of ${each}`);
  return folder;
}

/** Runs rclone; `here:` stands for the files of a user. */
async function rcloneFor(
  vendor: string,
  uid: string,
  address: string,
): Promise<(...args: string[]) => Promise<string>> {
  const env = {
    RCLONE_CONFIG: join(world.folder('rclone'), 'none.conf'),
    RCLONE_CONFIG_HERE_TYPE: 'webdav',
    RCLONE_CONFIG_HERE_VENDOR: vendor,
    RCLONE_CONFIG_HERE_URL: world.url + address,
    RCLONE_CONFIG_HERE_USER: uid,
    RCLONE_CONFIG_HERE_PASS: (await run('rclone', ['obscure', PASSWORD])).trim(),
    RCLONE_WEBDAV_NEXTCLOUD_CHUNK_SIZE: '1Mi',
  };
  return (...args) => run('rclone', args, { env });
}

/** Version 1.60, of Debian 12, sends large files in one piece, and a file again to change its time. */
function rcloneIsNewer(): boolean {
  const { stdout } = spawnSync('rclone', ['version'], { encoding: 'utf8' });
  return Number(/^rclone v1\.(\d+)/.exec(stdout)?.[1]) >= 70;
}

describeWith(['rclone'], 'rclone', () => {
  (rcloneIsNewer() ? it : it.skip).each([
    ['nextcloud', 'nora', 'PUT /remote.php/dav/uploads/nora/'],
    ['infinitescale', 'ines', 'PATCH /remote.php/dav/tus/'],
  ])('sends large files in pieces to its kind %s (with version 1.70 or later)', async (vendor, uid, sent) => {
    const rclone = await rcloneFor(vendor, uid, `/remote.php/dav/files/${uid}`);
    const from = world.folder('large');
    writeFileSync(join(from, 'large.bin'), randomBytes(3_500_000));
    // Long before the upload, to see that the file keeps its own time and not the time of the upload.
    utimesSync(join(from, 'large.bin'), 1_700_000_000, 1_700_000_000);
    const copy = (): Promise<string> => rclone('copy', from, 'here:copy');
    expect(await world.transfersOf(copy)).toContainEqual(expect.stringContaining(sent));
    await rclone('check', '--download', from, 'here:copy');
    expect(await world.transfersOf(copy)).toEqual([]);
  });

  it.each([
    ['owncloud', 'olga', '/remote.php/webdav'],
    ['nextcloud', 'nina', '/remote.php/dav/files/nina'],
  ])('syncs to and from its kind %s, and then transfers nothing', async (vendor, uid, address) => {
    const rclone = await rcloneFor(vendor, uid, address);
    const [from, to] = [filled('from'), world.folder('to')];
    await rclone('sync', from, 'here:copy');
    expect(await world.names(uid, '/copy/below')).toEqual([...FEWER_NAMES].sort());
    await rclone('check', '--checksum', from, 'here:copy');
    expect(await world.transfersOf(() => rclone('sync', from, 'here:copy'))).toEqual([]);
    utimesSync(join(from, 'below', FEWER_NAMES[0]!), 1_551_614_400, 1_551_614_400);
    const withNewTime = await world.transfersOf(() => rclone('sync', from, 'here:copy'));
    if (rcloneIsNewer()) expect(withNewTime.filter((transfer) => transfer.startsWith('PUT '))).toEqual([]);
    expect(await rclone('lsl', 'here:copy')).toContain('2019-03-03');
    await rclone('moveto', `here:copy/below/${FEWER_NAMES[0]!}`, 'here:copy/moved.txt');
    await rclone('deletefile', `here:copy/below/${FEWER_NAMES[1]!}`);
    await rclone('sync', 'here:copy', to);
    expect(readdirSync(to).sort()).toEqual(['below', 'moved.txt']);
    expect(readdirSync(join(to, 'below'))).toHaveLength(FEWER_NAMES.length - 2);
    expect(readFileSync(join(to, 'moved.txt'), 'utf8')).toBe(`content of ${FEWER_NAMES[0]!}`);
    await rclone('purge', 'here:copy');
    expect(await world.names(uid, '/')).toEqual([]);
    expect(await rclone('about', '--json', 'here:')).toContain('"used"');
  });
});

describeWith(['rclone'], 'rclone with an access token', () => {
  it('syncs, and is refused with a wrong token', async () => {
    const issuer = await OidcIssuer.start();
    const gateway = await startGateway({ env: issuer.env });
    try {
      issuer.people.set('s-tom', { preferred_username: 'tom' });
      const rclone = async (token: string, ...args: string[]): Promise<string> =>
        run('rclone', args, {
          env: {
            RCLONE_CONFIG: join(world.folder('rclone'), 'none.conf'),
            RCLONE_CONFIG_HERE_TYPE: 'webdav',
            RCLONE_CONFIG_HERE_VENDOR: 'owncloud',
            RCLONE_CONFIG_HERE_URL: `${gateway.url}/remote.php/webdav`,
            RCLONE_CONFIG_HERE_BEARER_TOKEN: token,
          },
        });
      const [from, token] = [filled('by-token'), await issuer.token('s-tom')];
      await rclone(token, 'sync', from, 'here:copy');
      await rclone(token, 'check', '--checksum', from, 'here:copy');
      const forAnother = await issuer.token('s-tom', 'jwt', 'https://another.example');
      await expect(rclone(forAnother, '--retries', '1', 'ls', 'here:copy')).rejects.toThrow();
    } finally {
      await gateway.stop();
      await issuer.close();
    }
  });
});

describeWith(['cadaver'], 'cadaver', () => {
  it('uploads, copies, moves, lists, downloads and deletes', async () => {
    const [home, files] = [world.folder('home'), world.folder('cadaver')];
    writeFileSync(join(files, 'one.txt'), 'first');
    const { hostname } = new URL(world.url);
    writeFileSync(join(home, '.netrc'), `machine ${hostname} login carl password ${PASSWORD}\n`, {
      mode: 0o600,
    });
    const output = await run('cadaver', [`${world.url}/remote.php/webdav/`], {
      env: { HOME: home },
      input: [
        'mkcol papers',
        `put ${join(files, 'one.txt')} papers/one.txt`,
        'copy papers/one.txt papers/two.txt',
        'move papers/two.txt papers/three.txt',
        'mkcol gone',
        'rmcol gone',
        'delete papers/one.txt',
        `get papers/three.txt ${join(files, 'three.txt')}`,
        'ls papers',
        'quit',
      ].join('\n'),
    });
    expect(output).not.toMatch(/failed/i);
    expect(output).toContain('three.txt');
    expect(readFileSync(join(files, 'three.txt'), 'utf8')).toBe('first');
    expect(await world.names('carl', '/')).toEqual(['papers']);
    expect(await world.names('carl', '/papers')).toEqual(['three.txt']);
  });
});

const WEBDAV_CLIENT = `
import sys
from webdav3.client import Client
url, folder, password = sys.argv[1:]
client = Client({'webdav_hostname': url, 'webdav_login': 'wim', 'webdav_password': password})
assert client.check('/') and not client.check('nothing')
client.mkdir('docs')
client.upload_sync(remote_path='docs/gr\\u00f6\\u00dfe.txt', local_path=folder + '/sent.txt')
assert client.check('docs/gr\\u00f6\\u00dfe.txt') and client.is_dir('docs')
assert client.info('docs/gr\\u00f6\\u00dfe.txt')['size'] == '4'
client.copy(remote_path_from='docs/gr\\u00f6\\u00dfe.txt', remote_path_to='docs/copy.txt')
client.move(remote_path_from='docs/copy.txt', remote_path_to='docs/moved.txt')
assert sorted(client.list('docs'))[-2:] == ['gr\\u00f6\\u00dfe.txt', 'moved.txt'], client.list('docs')
client.download_sync(remote_path='docs/moved.txt', local_path=folder + '/got.txt')
client.clean('docs/moved.txt')
assert not client.check('docs/moved.txt')
client.free()
`;

// Debian's package of the module contains the program wdc, and needs Debian's Python.
describeWith(['wdc'], 'webdavclient3', () => {
  it('creates, uploads, describes, copies, moves, lists, downloads and removes', async () => {
    const folder = world.folder('webdavclient');
    writeFileSync(join(folder, 'sent.txt'), 'sent');
    await run('/usr/bin/python3', ['-c', WEBDAV_CLIENT, `${world.url}/remote.php/webdav`, folder, PASSWORD]);
    expect(readFileSync(join(folder, 'got.txt'), 'utf8')).toBe('sent');
    expect(await world.names('wim', '/docs')).toEqual(['größe.txt']);
  });
});
