import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN, basicAuth, REPOSITORY } from '../../libs/testing/src';
import { differencesOf, type Compatibility, type Differences } from '../../libs/sharing/src';
import { Browser } from '../edge/browser';
import { SharingGateway, type Answer, type Form } from './sharing-gateway';

/** A partner that cannot be reached; the creation does not wait for its answer. */
const NOBODY = '127.0.0.1:9';
const AT_ONCE = { FEDERATION_SYNC_WAIT: '0s' };

/** Content of a reply, in the words of the table. */
type Shown = string;

const LOCK =
  '<d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype></d:lockinfo>';

interface Row {
  readonly of: keyof Differences;
  readonly shows: (people: SharingGateway, paths: () => string) => Promise<Shown>;
  readonly documented: Shown;
  readonly owncloud10: Shown;
}

const verdict = ({ code, data }: Answer): Shown =>
  code === 200 ? (Array.isArray(data) && data.length === 0 ? '200 []' : '200') : String(code);

/** A new file or folder of alice, which no other row uses; a folder if the name ends in a slash. */
async function fresh(people: SharingGateway, path: string): Promise<string> {
  await people.store('alice', path);
  return path.replace(/\/$/, '');
}

/** Locks a file. @returns its Lock-Token */
async function lock(people: SharingGateway, uid: string, path: string): Promise<string> {
  const headers = { authorization: people.authorizationOf(uid) };
  const reply = await fetch(people.davUrl(path), { method: 'LOCK', headers, body: LOCK });
  return reply.headers.get('lock-token')!;
}

/** Updates a new share, and returns the code of the reply and the stored value. */
async function updated(people: SharingGateway, made: Form, form: Form, field: string): Promise<Shown> {
  const id = await people.shareId('alice', made);
  const answer = await people.shares('PUT', `/${id}`, 'alice', form);
  const [record] = (await people.shares('GET', `/${id}`, 'alice')).data as Record<string, unknown>[];
  return `${answer.code} ${String(record?.[field])}`;
}

const ROWS: readonly Row[] = [
  {
    of: 'passwordRules',
    shows: async (people, path) => {
      const link = { path: await fresh(people, path()), shareType: '3', password: '' };
      const codes: Shown[] = [];
      for (const password of ['nine-char', 'qwertyuiop', 'ten-chars!'])
        codes.push(verdict(await people.shares('POST', '', 'alice', { ...link, password })));
      return codes.join(' ');
    },
    documented: '403 403 200',
    owncloud10: '200 200 200',
  },
  {
    of: 'infiniteDepthIsPrecondition',
    shows: async (people) => String(await people.dav('PROPFIND', 'alice', '/', { depth: 'infinity' })),
    documented: '403',
    owncloud10: '412',
  },
  {
    of: 'declineShowsRecord',
    shows: async (people, path) => {
      const id = await people.shareId('alice', { path: await fresh(people, path()), shareWith: 'bob' });
      const { code, data } = await people.shares('DELETE', `/pending/${id}`, 'bob');
      return `${code} ${JSON.stringify((data as { state: number }[]).map((record) => record.state))}`;
    },
    documented: '200 []',
    owncloud10: '200 [2]',
  },
  {
    of: 'decliningAgainFails',
    shows: async (people, path) => {
      const id = await people.shareId('alice', { path: await fresh(people, path()), shareWith: 'bob' });
      await people.shares('DELETE', `/pending/${id}`, 'bob');
      return verdict(await people.shares('DELETE', `/pending/${id}`, 'bob'));
    },
    documented: '404',
    owncloud10: '200',
  },
  {
    of: 'severalUpdateArguments',
    shows: async (people, path) => {
      const made = { path: await fresh(people, path()), shareWith: 'bob' };
      return updated(people, made, { permissions: '1', expireDate: '2099-01-01' }, 'permissions');
    },
    documented: '400 19',
    owncloud10: '200 1',
  },
  {
    of: 'emptyUpdateSucceeds',
    shows: async (people, path) => {
      const target = await fresh(people, path());
      const user = await updated(people, { path: target, shareWith: 'bob' }, {}, 'permissions');
      const link = await updated(people, { path: target, shareType: '3' }, {}, 'permissions');
      return `${user}, link ${link}`;
    },
    documented: '400 19, link 400 1',
    owncloud10: '200 19, link 400 1',
  },
  {
    of: 'linkPermissionsChange',
    shows: async (people, path) => {
      const made = { path: await fresh(people, `${path()}/`), shareType: '3' };
      const shown = [];
      for (const permissions of ['1', '3', '4', '5', '7', '15', '2', '16', '31'])
        shown.push((await updated(people, made, { permissions }, 'permissions')).replace(' ', ':'));
      return shown.join(' ');
    },
    documented: Array<string>(9).fill('400:1').join(' '),
    owncloud10: '200:1 200:3 200:4 200:5 200:7 200:15 400:1 400:1 400:1',
  },
  {
    of: 'fileLinkMayUpdate',
    shows: async (people, path) => {
      const target = await fresh(people, path());
      const asked = ['1', '3', '15', '5'];
      const made = await Promise.all(
        asked.map((permissions) => people.share('alice', { path: target, shareType: '3', permissions })),
      );
      return made.map(({ data }) => (data as { permissions: number }).permissions).join(' ');
    },
    documented: '1 1 1 1',
    owncloud10: '1 3 3 1',
  },
  {
    of: 'oddUploadFlagIgnored',
    shows: async (people, path) => {
      const target = await fresh(people, `${path()}/`);
      const shown = [];
      for (const publicUpload of ['true', '1', 'yes', '']) {
        const { code, data } = await people.share('alice', { path: target, shareType: '3', publicUpload });
        shown.push(code === 200 ? `200:${(data as { permissions: number }).permissions}` : code);
      }
      const link = await updated(
        people,
        { path: target, shareType: '3' },
        { publicUpload: '1' },
        'permissions',
      );
      return `${shown.join(' ')}, update ${link}`;
    },
    documented: '200:15 400 400 400, update 400 1',
    owncloud10: '200:15 200:1 200:1 200:1, update 200 1',
  },
  {
    of: 'unknownAttributesKept',
    shows: async (people, path) => {
      const made = { path: await fresh(people, path()), shareWith: 'bob', permissions: '1' };
      const printing = JSON.stringify([{ scope: 'documents', key: 'print', enabled: false }]);
      const user = await people.share('alice', { ...made, attributes: printing });
      const link = await people.share('alice', { path: made.path, shareType: '3', attributes: printing });
      const next = { path: await fresh(people, path()), shareWith: 'bob' };
      const update = await updated(people, next, { attributes: printing }, 'attributes');
      return `${verdict(user)} ${verdict(link)}, update ${update}`;
    },
    documented: '400 400, update 400 null',
    owncloud10: '200 200, update 200 [{"scope":"documents","key":"print","enabled":false}]',
  },
  {
    of: 'linkArgumentsIgnored',
    shows: async (people, path) => {
      const target = await fresh(people, path());
      const made = { path: target, shareWith: 'bob' };
      const user = await people.share('alice', { ...made, password: 'p' });
      const away = { path: target, shareType: '6', shareWith: `bea@${NOBODY}` };
      const federated = await people.share('alice', { ...away, publicUpload: 'true' });
      const target2 = { path: await fresh(people, path()), shareWith: 'bob' };
      const update = await updated(people, target2, { password: 'p' }, 'permissions');
      return `${verdict(user)} ${verdict(federated)}, update ${update}`;
    },
    documented: '400 400, update 400 19',
    owncloud10: '200 200, update 200 19',
  },
  {
    of: 'phpDates',
    shows: async (people, path) => {
      const made = { path: await fresh(people, path()), shareType: '3' };
      const shown = [];
      for (const expireDate of ['2099-01-31', '31.1.2099', 'tomorrow', ''])
        shown.push(verdict(await people.share('alice', { ...made, expireDate })));
      const word = await updated(people, made, { expireDate: '31.1.2099' }, 'expiration');
      const none = await updated(
        people,
        { ...made, expireDate: '2099-01-31' },
        { expireDate: '' },
        'expiration',
      );
      return `${shown.join(' ')}, update ${word}, ${none}`;
    },
    documented: '200 404 404 404, update 400 null, 200 null',
    owncloud10: '200 200 200 200, update 200 2099-01-31 00:00:00, 200 null',
  },
  {
    of: 'ownerDeletesThroughPending',
    shows: async (people, path) => {
      const id = await people.shareId('alice', { path: await fresh(people, path()), shareWith: 'bob' });
      const { code } = await people.shares('DELETE', `/pending/${id}`, 'alice');
      return `${code}, then ${(await people.shares('GET', `/${id}`, 'alice')).code}`;
    },
    documented: '200, then 404',
    owncloud10: '403, then 200',
  },
  {
    of: 'statusFlagsAsText',
    shows: async (people) => {
      const { data } = await people.ocs('GET', '/cloud/capabilities', 'alice');
      return JSON.stringify([
        data.capabilities.core.status.installed,
        data.capabilities.core.status.maintenance,
      ]);
    },
    documented: '["true","false"]',
    owncloud10: '[true,false]',
  },
  {
    of: 'capabilitiesSayOk',
    shows: async (people) =>
      JSON.stringify((await people.ocs('GET', '/cloud/capabilities', 'alice')).message),
    documented: 'null',
    owncloud10: '"OK"',
  },
  {
    of: 'userLocksAnnounced',
    shows: async (people) => {
      const { data } = await people.ocs('GET', '/cloud/capabilities', 'alice');
      return String(data.capabilities.files.locking);
    },
    documented: '1.0',
    owncloud10: 'undefined',
  },
  {
    of: 'visitorsLock',
    shows: async (people, path) => {
      const shared = await people.shares('POST', '', 'alice', {
        path: await fresh(people, `${path()}/`),
        shareType: '3',
        permissions: '15',
      });
      const { token } = shared.data as { token: string };
      const address = new URL(`/remote.php/dav/public-files/${token}`, people.davUrl('/'));
      return String((await fetch(address, { method: 'LOCK', body: LOCK })).status);
    },
    documented: '200',
    owncloud10: '405',
  },
  {
    of: 'ownersEndLocks',
    shows: async (people, path) => {
      const file = await fresh(people, path());
      await people.shareId('alice', { path: file, shareWith: 'bob' });
      return String(
        await people.dav('UNLOCK', 'alice', file, { 'lock-token': await lock(people, 'bob', file) }),
      );
    },
    documented: '204',
    owncloud10: '403',
  },
  {
    of: 'locksBelowListed',
    shows: async (people, path) => {
      const folder = await fresh(people, `${path()}/`);
      await people.store('alice', `${folder}/locked.txt`);
      await lock(people, 'alice', `${folder}/locked.txt`);
      return String(await people.dav('DELETE', 'alice', folder));
    },
    documented: '207',
    owncloud10: '423',
  },
  {
    of: 'tusAnnounced',
    shows: async (people) => {
      const { data } = await people.ocs('GET', '/cloud/capabilities', 'alice');
      return String(data.capabilities.files.tus_support?.version);
    },
    documented: '1.0.0',
    owncloud10: 'undefined',
  },
  {
    of: 'missingAvatarIsName',
    shows: async (people) => {
      const asked = async (uid: string): Promise<string> => {
        const headers = { authorization: people.authorizationOf('alice') };
        const reply = await fetch(`${new URL(people.davUrl('/')).origin}/index.php/avatar/${uid}/32`, {
          headers,
        });
        const type = reply.headers.get('content-type')!;
        return `${reply.status} ${type.startsWith('image/') ? type : await reply.text()}`;
      };
      return `${await asked('bob')}, ${await asked('nobody')}`;
    },
    documented: '200 image/png, 404 []',
    owncloud10: '200 {"data":{"displayname":"bob"}}, 200 {"data":{"displayname":""}}',
  },
  {
    of: 'pageTokensAdminister',
    shows: async (people) => {
      const { origin } = new URL(people.davUrl('/'));
      const administrator = new Browser(origin);
      await administrator.signIn(ADMIN.uid, ADMIN.password);
      const made = await administrator.fetch('/index.php/settings/personal/authtokens', {
        method: 'POST',
        headers: { requesttoken: administrator.requestToken },
        body: new URLSearchParams({ name: 'script' }),
      });
      const { token } = (await made.json()) as { token: string };
      const headers = { authorization: basicAuth(ADMIN.uid, token) };
      return String((await fetch(`${origin}/ocs/v2.php/cloud/users`, { headers })).status);
    },
    documented: '403',
    owncloud10: '200',
  },
  {
    of: 'passwordEnforcedAsObject',
    shows: async (people) => {
      const { data } = await people.ocs('GET', '/cloud/capabilities', 'alice');
      const { enforced, enforced_for } = data.capabilities.files_sharing.public.password;
      return `${JSON.stringify(enforced)} beside ${Object.keys(enforced_for as object).join()}`;
    },
    documented:
      '{"read_only":false,"read_write":false,"upload_only":false} beside read_only,read_write,upload_only,read_write_delete',
    owncloud10: 'false beside read_only,read_write,upload_only,read_write_delete',
  },
];

describe.each(['documented', 'owncloud10'] as const)('in %s mode', (mode: Compatibility) => {
  let people: SharingGateway;
  let count = 0;
  beforeAll(async () => {
    people = await SharingGateway.start({ compatibility: mode, env: AT_ONCE });
    await people.addUsers('alice', 'bob');
  });
  afterAll(() => people.stop());

  it('secrets of federated shares have 32 characters', async () => {
    const made = {
      path: await fresh(people, `/thing-${++count}`),
      shareType: '6',
      shareWith: `bea@${NOBODY}`,
    };
    const { data } = await people.share('alice', made);
    expect((data as { token: string }).token).toMatch(/^[A-Za-z0-9]{32}$/);
  });

  it.each(ROWS.map((row) => [row.of, row] as const))('%s matches the table', async (_, row) => {
    expect(await row.shows(people, () => `/thing-${++count}`)).toBe(row[mode]);
  });
});

describe('the table of differences', () => {
  const differences = differencesOf('documented');
  const page = readFileSync(join(REPOSITORY, 'docs/protocol/compatibility.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` *\|[^|]*\| `(\w+)` *\| `(\w+)` *\|/gm)];

  it('has a test over HTTP for each', () => {
    expect(ROWS.map((row) => row.of).sort()).toEqual(Object.keys(differences).sort());
  });

  it('is the same in the documents and in the code', () => {
    const documented = Object.fromEntries(rows.map(([, name, value]) => [name, value === 'yes']));
    const owncloud10 = Object.fromEntries(rows.map(([, name, , value]) => [name, value === 'yes']));
    expect(documented).toEqual(differences);
    expect(owncloud10).toEqual(differencesOf('owncloud10'));
  });

  it('differs in every row', () => {
    const other = differencesOf('owncloud10');
    for (const [name, value] of Object.entries(differences))
      expect(other[name as keyof Differences]).toBe(!value);
  });
});
