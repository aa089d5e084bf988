import { basicAuth } from '#testing';
import { offerBody, offerForm } from '../../federation/inbound-partner';
import { COMMON_SECRET, HANDSHAKE_TOKENS, RECEIVED_SECRETS, SECRETS, type Held } from './held';
import type { Caller } from './matrix-rows';
import type { Sample, SampleOf } from './sample-requests';

const FEDERATION = '{ocs}/apps/federation/api/v1';
const SHARES = '{ocs}/cloud/shares';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Credential of the partner, and of another partner; other callers guess. */
const shown = (caller: Caller, right: string, another: string): string =>
  caller === 'partner' ? right : caller === 'another' ? another : 'GuessedSecretOfNobody';

/** The secret of a received share. */
const receivedSecret = (caller: Caller): string =>
  shown(caller, RECEIVED_SECRETS.accepted, RECEIVED_SECRETS.pending);

type Given = 'partner' | 'untaken' | 'askedFor';

const ofGiven =
  (which: Given, form: Readonly<Record<string, string>> = {}): SampleOf =>
  ({ given }, caller) => ({
    params: { id: given[which] },
    form: { token: shown(caller, SECRETS[which], SECRETS.another), ...form },
  });
/** The end of a foreign share gets the same answer as the end of an own one. */
const endedFor = (caller: Caller): Pick<Sample, 'changesNothing'> =>
  caller === 'partner' ? {} : { changesNothing: true };

function notification(type: string, providerId: string, sharedSecret: string, more: object = {}): Sample {
  const said = { sharedSecret, message: 'said', ...more };
  const body = { notificationType: type, resourceType: 'file', providerId, notification: said };
  return { json: body, headers: JSON_TYPE };
}

function acceptance({ invitation }: Held, caller: Caller): Sample {
  const token = shown(caller, invitation.token, SECRETS.another);
  const person = { userID: 'mara', email: 'mara@partner.example', name: 'Mara' };
  return { json: { recipientProvider: 'cloud.partner.example', token, ...person }, headers: JSON_TYPE };
}

/** A trusted server asks us to fetch a secret; other callers have an untrusted name. */
const request: SampleOf = (_held, caller) => ({
  form: {
    url: caller === 'partner' ? 'https://cloud.partner.example' : 'https://stranger.example',
    token: 'TokenOfSomebody1',
  },
});
const secret: SampleOf = (_held, caller) => ({
  query: {
    url: 'https://cloud.partner.example',
    token: shown(caller, HANDSHAKE_TOKENS.partner, HANDSHAKE_TOKENS.another),
  },
  // It is made on demand.
  changesOnSuccess: true,
});

const SECRET_OF_OFFER = 'SecretOfANewOffer';

/** Requests of routes for servers of partners, by the rows of the matrix. */
export const PARTNERS_REQUESTS: Readonly<Record<string, SampleOf>> = {
  'POST /ocm/shares': () => ({
    json: { ...offerBody('new', SECRET_OF_OFFER), shareWith: 'sten@x' },
    headers: JSON_TYPE,
  }),
  'POST /ocm/notifications [declined]': ({ given }, caller) =>
    notification('SHARE_DECLINED', given.partner, shown(caller, SECRETS.partner, SECRETS.another)),
  'POST /ocm/notifications [unshared]': (_held, caller) => ({
    ...notification('SHARE_UNSHARED', 'offer-accepted', receivedSecret(caller)),
    ...endedFor(caller),
  }),
  'POST /ocm/notifications [reshare]': ({ given, inviter }, caller) =>
    notification('REQUEST_RESHARE', given.partner, shown(caller, SECRETS.partner, SECRETS.another), {
      shareWith: `zed@${inviter}`,
      senderId: '77',
      permission: 1,
    }),
  'POST /ocm/{invite-accepted,invited-accepted}': acceptance,
  // A person whom the owner does not know is refused.
  'POST /ocm/request-share': ({ nodeId }) => ({
    json: { owner: 'olga@x', shareWith: 'mara@cloud.partner.example', share: String(nodeId) },
    headers: JSON_TYPE,
  }),
  // The token carries its own rights: nothing is stored.
  'POST /ocm/token': (_held, caller) => ({
    form: {
      grant_type: 'authorization_code',
      client_id: 'cloud.partner.example',
      code: shown(caller, SECRETS.partner, SECRETS.another),
    },
    changesNothing: true,
  }),
  'POST /index.php/apps/files_sharing/shareinfo': (_held, caller) => ({
    query: { t: shown(caller, SECRETS.partner, SECRETS.another) },
    form: { password: '', depth: '0' },
    changesNothing: true,
  }),
  'POST /index.php/apps/files_sharing/shareinfo [link]': ({ link }) => ({
    query: { t: link.token },
    form: { password: '', depth: '0' },
    changesNothing: true,
  }),
  [`POST ${SHARES}`]: () => ({ form: { ...offerForm('new', SECRET_OF_OFFER), shareWith: 'sten' } }),
  [`POST ${SHARES}/:id/accept`]: ofGiven('untaken'),
  [`POST ${SHARES}/:id/decline`]: ofGiven('partner'),
  [`POST ${SHARES}/:id/unshare`]: (_held, caller) => ({
    params: { id: 'offer-accepted' },
    form: { token: receivedSecret(caller) },
    ...endedFor(caller),
  }),
  [`POST ${SHARES}/:id/revoke`]: ofGiven('askedFor'),
  [`POST ${SHARES}/:id/permissions`]: ofGiven('partner', { permissions: '1' }),
  [`POST ${SHARES}/:id/reshare`]: (held, caller) =>
    ofGiven('partner', { shareWith: `zed@${held.inviter}`, permission: '1', remoteId: '77' })(held, caller),
  [`POST ${FEDERATION}/request-shared-secret`]: request,
  'POST {ocs}/cloud/shared-secret': request,
  [`GET ${FEDERATION}/shared-secret`]: secret,
  'GET {ocs}/cloud/shared-secret': secret,
  'ALL /remote.php/dav/addressbooks/system/system/system': (_held, caller) => ({
    method: 'REPORT',
    body: '<sync-collection xmlns="DAV:"><sync-token/></sync-collection>',
    authorization: basicAuth('system', shown(caller, COMMON_SECRET, SECRETS.another)),
  }),
  'ALL /remote.php/dav/addressbooks/system/system/system/:name': (_held, caller) => ({
    params: { name: '00000000-0000-4000-8000-000000000000.vcf' },
    method: 'GET',
    authorization: basicAuth('system', shown(caller, COMMON_SECRET, SECRETS.another)),
  }),
  'GET /ocm-provider/*': () => ({ path: '/ocm-provider/' }),
  'GET /ocs-provider/*': () => ({ path: '/ocs-provider/' }),
};
