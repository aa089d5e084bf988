import { Database } from '#persistence';
import { basicAuth, type TestGateway } from '#testing';
import type { Route } from '../edge/route-table';
import { requestFor, type Held } from './corpus';
import type { Dice } from './dice';
import type { FuzzRequest } from './fuzz-request';

const PASSWORD = 'fuzzing-of-the-specs';
const FORM = 'application/x-www-form-urlencoded';

/** Names of the fields of calls, with meaningful values. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  path: ['/held', '/held/inner.txt', '/', '/none'],
  name: ['a', 'held', ''],
  shareType: ['0', '1', '3', '6', '4'],
  shareWith: ['gina', 'staff', 'bea@cloud.partner.example', 'alice'],
  permissions: ['1', '15', '31', '4'],
  expireDate: ['2999-12-31', '', '1970-01-01'],
  attributes: ['[{"scope":"permissions","key":"download","enabled":false}]', '[]'],
  password: [PASSWORD, 'other-password', ''],
  publicUpload: ['true', 'false'],
  key: ['email', 'quota', 'display', 'password', 'language'],
  value: ['5 GB', 'a@b.example', 'Alice', 'none'],
  userid: ['fresh', 'alice', 'gina'],
  groupid: ['staff', 'fresh', 'admin'],
  groups: ['staff'],
  search: ['a', 'gi', ''],
  itemType: ['file', 'folder'],
  itemSource: ['1', '2'],
  perPage: ['1', '200'],
  limit: ['1', '0', '-1'],
  shared_with_me: ['true', 'false'],
  reshares: ['true', 'false'],
  subfiles: ['true', 'false'],
  format: ['json', 'xml'],
  link: ['https://cloud.example.org/s/abc'],
  recipient: ['gina', 'a@b.example'],
  description: ['x'],
};
const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  [
    'destination',
    ['/remote.php/webdav/copy', '/remote.php/webdav/held/inner.txt', '/remote.php/webdav/held/in'],
  ],
  ['depth', ['0', '1', 'infinity']],
  ['overwrite', ['T', 'F']],
  ['if-match', ['*', '"x"']],
];
const PROPERTIES =
  '<d:propertyupdate xmlns:d="DAV:" xmlns:o="http://owncloud.org/ns"><d:set><d:prop><o:favorite>1</o:favorite></d:prop></d:set></d:propertyupdate>';

/** A user, a group administrator and a partner, each with their credentials. */
export class SignedInCast {
  private constructor(
    private readonly gateway: TestGateway,
    private readonly held: Held,
    private readonly callers: readonly string[],
  ) {}

  static async of(gateway: TestGateway, held: Held): Promise<SignedInCast> {
    const callers = [
      basicAuth('alice', PASSWORD),
      basicAuth('gina', PASSWORD),
      basicAuth(held.shareSecret, ''),
    ];
    const cast = new SignedInCast(gateway, held, callers);
    await cast.restore();
    return cast;
  }

  /** Restores passwords, groups and folder of the accounts, and deletes failed sign-ins. */
  async restore(): Promise<void> {
    const { nest } = this.gateway.instance.app;
    await nest.get(Database, { strict: false }).dataSource.query('DELETE FROM throttle');
    await this.ask('POST', '/cloud/groups', { groupid: 'staff' });
    for (const userid of ['alice', 'gina']) {
      await this.ask('POST', '/cloud/users', { userid, password: PASSWORD });
      await this.ask('PUT', `/cloud/users/${userid}`, { key: 'password', value: PASSWORD });
      await this.ask('PUT', `/cloud/users/${userid}/enable`, {});
      await this.ask('POST', `/cloud/users/${userid}/groups`, { groupid: 'staff' });
    }
    await this.ask('POST', '/cloud/users/gina/subadmins', { groupid: 'staff' });
    const authorization = this.callers[0]!;
    for (const [method, path, body] of [
      ['MKCOL', 'held', undefined],
      ['PUT', 'held/inner.txt', 'content'],
    ] as const)
      await (
        await fetch(`${this.gateway.url}/remote.php/webdav/${path}`, {
          method,
          headers: { authorization },
          body,
        })
      ).text();
  }

  /** A meaningful request by one of them for a route of the server's table. */
  requestFor(route: Route, dice: Dice): FuzzRequest {
    const request = requestFor(route, this.held, dice);
    const headers: Record<string, string> = { ...request.headers, authorization: dice.of(this.callers) };
    const target = dice.oneIn(4) ? request.target : pathInTree(request.target, dice);
    if (!target.startsWith('/ocs/')) {
      const [name, values] = dice.of(HEADERS);
      headers[name] = dice.of(values);
      return {
        ...request,
        target,
        headers,
        body: request.method === 'PROPPATCH' ? PROPERTIES : request.body,
      };
    }
    const fields = new URLSearchParams(chosenFields(dice));
    if (request.method === 'GET') return { ...request, target: `${target}?${fields.toString()}`, headers };
    const isJson = dice.oneIn(4);
    headers['content-type'] = isJson ? 'application/json' : FORM;
    const body = isJson ? JSON.stringify(Object.fromEntries(fields)) : fields.toString();
    return { ...request, target, headers, body };
  }

  private async ask(method: string, path: string, form: Record<string, string>): Promise<void> {
    const reply = await fetch(`${this.gateway.url}/ocs/v2.php${path}`, {
      method,
      headers: { authorization: this.gateway.adminAuth },
      body: new URLSearchParams(form),
    });
    await reply.text();
    if (reply.status >= 500) throw new Error(`${method} ${path} was answered ${reply.status}`);
  }
}

function chosenFields(dice: Dice): [string, string][] {
  const names = Object.keys(FIELDS);
  return Array.from({ length: 1 + dice.below(6) }, () => {
    const name = dice.of(names);
    return [name, dice.of(FIELDS[name]!)];
  });
}

const TREES = ['/remote.php/webdav', '/remote.php/dav/files/alice', '/dav/files/gina', '/public.php/webdav'];
const ENTRIES = ['', '/', '/held', '/held/inner.txt', '/held/in', '/copy', '/new.txt'];

/** The same address; for a WebDAV address, a path of an item that exists or may exist. */
function pathInTree(target: string, dice: Dice): string {
  if (!/^\/(?:remote\.php|public\.php|dav)(?:\/|$)/.test(target)) return target;
  return `${dice.of(TREES)}${dice.of(ENTRIES)}`;
}
