import type { SigningPartner, UnsignedRequest } from '../../../libs/testing/src';
import { offerBody, offerForm } from '../inbound-partner';
import type { Scene } from './attack';
import { PUBLIC_URL } from './hostile-world';

const FORM = 'application/x-www-form-urlencoded';

/** A message in the name of X that would be accepted from X. */
export interface Target {
  readonly name: string;
  readonly request: (scene: Scene) => UnsignedRequest;
  /** Whether it is accepted unsigned, because the partner is asked itself. */
  readonly isConfirmed?: true;
}

export const jsonMessage = (path: string, body: object): UnsignedRequest => ({
  url: PUBLIC_URL + path,
  body: JSON.stringify(body),
});
export const formMessage = (path: string, fields: Readonly<Record<string, string>>): UnsignedRequest => ({
  url: PUBLIC_URL + path,
  body: new URLSearchParams(fields).toString(),
  type: FORM,
});

export function notification(
  notificationType: string,
  { id, secret }: { readonly id: string; readonly secret: string },
  more: object = {},
): UnsignedRequest {
  const said = { sharedSecret: secret, message: 'said', ...more };
  return jsonMessage('/ocm/notifications', {
    notificationType,
    resourceType: 'file',
    providerId: id,
    notification: said,
  });
}

let offers = 0;

/** A new offer to alice of a file at this partner. */
export function offerBy({ url }: SigningPartner, shareWith = 'alice@gateway.example'): UnsignedRequest {
  const id = `new-${++offers}`;
  const person = `rem@${url}`;
  const body = { ...offerBody(id, `SecretOfAForgedOffer${offers}`), shareWith };
  return jsonMessage('/ocm/shares', { ...body, owner: person, sender: person });
}

export const tokenRequest = (client: string, code: string): UnsignedRequest =>
  formMessage('/ocm/token', { grant_type: 'authorization_code', client_id: client, code });

function legacyOffer({ url }: SigningPartner): UnsignedRequest {
  const person = `rem@${url}`;
  const names = { ownerFederatedId: person, sharedByFederatedId: person, remote: url };
  return formMessage('/ocs/v2.php/cloud/shares', {
    ...offerForm(`legacy-${++offers}`, `SecretOfAForgedOffer${offers}`),
    ...names,
  });
}

export const TARGETS: readonly Target[] = [
  { name: 'an offer', request: ({ world }) => offerBy(world.x) },
  {
    name: 'the end of a share that alice received',
    request: ({ prize }) => notification('SHARE_UNSHARED', prize.received.x),
  },
  {
    name: 'new permissions of a share that alice received',
    request: ({ prize }) =>
      notification('SHARE_CHANGE_PERMISSION', prize.received.x, {
        protocol: { webdav: { permissions: ['read'] } },
      }),
  },
  {
    name: 'the end of a share of alice’s',
    request: ({ prize }) => notification('SHARE_DECLINED', prize.given.x),
  },
  {
    name: 'lower permissions of a share of alice’s',
    request: ({ prize }) =>
      notification('RESHARE_CHANGE_PERMISSION', prize.given.x2, { permission: ['read'] }),
  },
  {
    name: 'a request to share on',
    request: ({ prize, world }) =>
      notification('REQUEST_RESHARE', prize.given.x2, {
        shareWith: `zed@${world.y.url}`,
        senderId: '77',
        permission: ['read'],
      }),
  },
  {
    name: 'an accepted invitation',
    request: ({ prize, world }) =>
      jsonMessage('/ocm/invite-accepted', {
        recipientProvider: world.x.host,
        token: prize.invitation,
        ...{ userID: 'mara', email: 'mara@partner.example', name: 'Mara' },
      }),
  },
  {
    name: 'an exchange for a token',
    request: ({ prize, world }) => tokenRequest(world.x.host, prize.given.x.secret),
  },
  {
    name: 'a request to fetch a secret',
    request: ({ world }) =>
      formMessage('/ocs/v2.php/cloud/shared-secret', { url: world.x.url, token: 'TokenOfSomebody1' }),
    isConfirmed: true,
  },
  { name: 'a legacy offer', request: ({ world }) => legacyOffer(world.x) },
  {
    name: 'the legacy end of a share of alice’s',
    request: ({ prize }) =>
      formMessage(`/ocs/v2.php/cloud/shares/${prize.given.x.id}/decline`, { token: prize.given.x.secret }),
  },
  {
    name: 'legacy lower permissions of a share of alice’s',
    request: ({ prize }) =>
      formMessage(`/ocs/v2.php/cloud/shares/${prize.given.x2.id}/permissions`, {
        token: prize.given.x2.secret,
        permissions: '1',
      }),
  },
];
