import { basicAuth } from '../../libs/testing/src';
import { InboundPartner, offerBody } from './inbound-partner';
import { PASSWORD } from '../sharing/sharing-gateway';

/** Names of one length, so that replies can be compared as they are. */
const KNOWN = { plain: 'alice', disabled: 'ellen', inAddressBook: 'chris' };
const UNKNOWN = 'zzzzz';
const FROM_MAIL = (name: string): string => `${name}@mail.example`;

let partner: InboundPartner;
let host: string;

beforeAll(async () => {
  partner = await InboundPartner.start('owncloud10');
  host = new URL(partner.url).host;
  const { gateway } = partner;
  await gateway.addUsers(KNOWN.disabled, KNOWN.inAddressBook);
  for (const uid of Object.values(KNOWN)) {
    const email = { key: 'email', value: FROM_MAIL(uid) };
    expect((await gateway.ocs('PUT', `/cloud/users/${uid}`, 'admin', email)).code).toBe(200);
  }
  await gateway.set('federation/exchange_address_books', 'yes');
  const consent = '/apps/provisioning_api/api/v1/config/users/federation/in_address_book';
  await gateway.ocs('POST', consent, KNOWN.inAddressBook, { value: 'yes' });
  await gateway.set('federation/answer_webfinger', 'yes');
  await gateway.set('federatedfilesharing/denied_hosts', JSON.stringify([DENIED]));
  await gateway.set('system/allow_user_to_change_mail_address', 'no');
  const byMail = '/apps/provisioning_api/api/v1/config/users/federation/found_by_mail';
  await gateway.ocs('POST', byMail, KNOWN.disabled, { value: 'yes' });
  expect((await gateway.ocs('PUT', `/cloud/users/${KNOWN.disabled}/disable`, 'admin')).code).toBe(200);
}, 300_000);
afterAll(() => partner?.stop());

interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams;
}
const JSON_TYPE = { 'content-type': 'application/json' };
const json = (path: string, body: unknown): Call => ({
  ...{ method: 'POST', path, headers: JSON_TYPE },
  body: JSON.stringify(body),
});
const dav = (path: string, authorization?: string): Call => ({
  ...{ method: 'PROPFIND', path },
  headers: { depth: '0', ...(authorization ? { authorization } : {}) },
});
const BOOK = '/remote.php/dav/addressbooks/system/system/system';
const BY_BOB = basicAuth('bob', PASSWORD);

const DENIED = 'evil.example';

/** Calls of strangers, partners without a secret, and another user, in which a name may be that of an account. */
const CALLS: Readonly<Record<string, (name: string) => Call>> = {
  'WebFinger for a cloud id': (name) => ({
    path: `/.well-known/webfinger?resource=${encodeURIComponent(`acct:${name}@${host}`)}`,
  }),
  'WebFinger for a mail address': (name) => ({
    path: `/.well-known/webfinger?resource=${encodeURIComponent(`acct:${FROM_MAIL(name)}`)}`,
  }),
  'WebFinger for a mail address in another form': (name) => ({
    path: `/.well-known/webfinger?resource=${encodeURIComponent(`mailto:${FROM_MAIL(name)}`)}&rel=self`,
  }),
  'a card of the address book': (name) => ({ path: `${BOOK}/Database:${name}.vcf` }),
  'a card of the address book, with a guessed secret': (name) => ({
    path: `${BOOK}/${name}.vcf`,
    headers: { authorization: basicAuth('system', 'GuessedSecretOfNobody') },
  }),
  'the address book, as that user': (name) => ({
    ...{ method: 'REPORT', path: BOOK },
    headers: { authorization: basicAuth(name, 'GuessedSecretOfNobody') },
    body: '<sync-collection xmlns="DAV:"><sync-token/></sync-collection>',
  }),
  'a request for a share': (name) =>
    json('/ocm/request-share', {
      ...{ owner: `${name}@${host}`, shareWith: 'eve@cloud.partner.example', share: '1' },
    }),
  'a message about a share that does not exist': (name) =>
    json('/ocm/notifications', {
      ...{ notificationType: 'SHARE_UNSHARED', resourceType: 'file', providerId: name },
      notification: { sharedSecret: 'GuessedSecret', owner: `${name}@${host}` },
    }),
  'an accepted invitation with a guessed token': (name) =>
    json('/ocm/invite-accepted', {
      ...{ recipientProvider: 'cloud.partner.example', token: 'GuessedToken', userID: 'eve' },
      ...{ email: FROM_MAIL(name), name },
    }),
  'files of an account': (name) => dav(`/remote.php/dav/files/${name}/`),
  'files of an account, as another user': (name) => dav(`/remote.php/dav/files/${name}/`, BY_BOB),
  'the principal of an account, as another user': (name) =>
    dav(`/remote.php/dav/principals/users/${name}/`, BY_BOB),
  'the data of an account, as another user': (name) => ({
    path: `/ocs/v2.php/cloud/users/${name}?format=json`,
    headers: { authorization: BY_BOB },
  }),
  'the picture of an account': (name) => ({ path: `/index.php/avatar/${name}/64` }),
  'a notice to an account in the legacy dialect': (name) => ({
    ...{ method: 'POST', path: '/ocs/v2.php/cloud/shares/999/accept?format=json' },
    body: new URLSearchParams({ token: 'GuessedToken', user: name }),
  }),
  'an offer of a denied server': (name) =>
    json('/ocm/shares', {
      ...offerBody('o-1', 'SecretOfADenied'),
      shareWith: `${name}@${host}`,
      owner: `eve@${DENIED}`,
    }),
  'an offer of a denied server in the legacy dialect': (name) => ({
    ...{ method: 'POST', path: '/ocs/v2.php/cloud/shares?format=json' },
    body: new URLSearchParams({
      ...{ shareWith: name, token: 'SecretOfADenied', name: 'plan.txt', remoteId: '7', owner: 'eve' },
      remote: `https://${DENIED}/`,
    }),
  }),
  'the handshake in the name of an account': (name) => ({
    ...{ method: 'POST', path: '/ocs/v2.php/cloud/shared-secret?format=json' },
    body: new URLSearchParams({ url: `https://${name}@cloud.partner.example`, token: 'GuessedToken' }),
  }),
};

const OF_EACH_REPLY = new Set(['date', 'x-request-id', 'set-cookie']);

/** The whole reply, without the name that was tried. */
async function replyTo({ path, ...call }: Call, name: string): Promise<unknown> {
  const reply = await fetch(partner.url + path, { redirect: 'manual', ...call });
  const text = (await reply.text()).replaceAll(name, 'NAME');
  const headers = [...reply.headers].filter(([key]) => !OF_EACH_REPLY.has(key));
  return { status: reply.status, headers, text };
}

it.each(Object.entries(CALLS))('%s has the same answer for known and unknown names', async (_what, of) => {
  const expected = (await replyTo(of(UNKNOWN), UNKNOWN)) as { status: number };
  // 201: the message has nothing to end, which it wanted.
  expect([201, 400, 401, 403, 404, 410]).toContain(expected.status);
  for (const [kind, name] of Object.entries(KNOWN))
    expect({ kind, reply: await replyTo(of(name), name) }).toEqual({ kind, reply: expected });
});

describe('a search for recipients', () => {
  async function found(search: string): Promise<string[]> {
    const query = new URLSearchParams({ search, itemType: 'file' });
    const { data } = await partner.gateway.ocs(
      'GET',
      `/apps/files_sharing/api/v1/sharees?${query.toString()}`,
      'bob',
    );
    const lists = [data.exact.users, data.exact.remotes, data.users, data.remotes] as {
      value: { shareWith: string };
    }[][];
    return lists.flat().map(({ value }) => value.shareWith);
  }

  it.each(['', ' ', 'a', 'z', '%', '_', '*', '@'])(
    'finds nobody by %j, which is shorter than allowed',
    async (text) => {
      expect(await found(text)).toEqual([]);
    },
  );

  it('finds nobody by a part of a name where lists are off, with one answer for known and unknown names', async () => {
    await partner.gateway.set('core/shareapi_allow_share_dialog_user_enumeration', 'no');
    for (const name of [...Object.values(KNOWN), UNKNOWN])
      for (const length of [1, 2, 3, 4]) expect(await found(name.slice(0, length))).toEqual([]);
    expect(await found('alic%')).toEqual([]);
    expect(await found('alice')).toEqual(['alice']);
  });
});
