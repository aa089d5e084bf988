import type { SigningPartner, UnsignedRequest } from '../../../libs/testing/src';
import type { Expected, Scene } from './attack';
import { formMessage, jsonMessage, notification, offerBy, tokenRequest } from './targets';

/** A message with its sender's valid signature that asks for something that is not the sender's. */
export interface Claim {
  readonly name: string;
  readonly by: 'x' | 'y' | 'm';
  readonly request: (scene: Scene) => UnsignedRequest;
  /** The claimed sender, if the log warns of a wrong signer. */
  readonly inNameOf?: 'x' | 'y';
  readonly statuses?: Expected['statuses'];
}

/** An unknown share gets the same answer as an ended one. */
const AS_GONE = [201];

const raised = (more: object = {}) => ({ permission: ['read', 'write', 'share'], ...more });
const askedOf = ({ world }: Scene, more: object) => ({
  shareWith: `zed@${world.y.url}`,
  senderId: '78',
  ...more,
});

export const CLAIMS: readonly Claim[] = [
  {
    name: 'the end of another’s share, with the secret of its own',
    by: 'x',
    request: ({ prize }) =>
      notification('SHARE_UNSHARED', { ...prize.received.y, secret: prize.received.x.secret }),
    statuses: AS_GONE,
  },
  {
    name: 'the end of another’s share, with that share’s secret',
    by: 'x',
    request: ({ prize }) => notification('SHARE_UNSHARED', prize.received.y),
    inNameOf: 'y',
  },
  {
    name: 'the end of a share that is another’s to leave',
    by: 'x',
    request: ({ prize }) => notification('SHARE_DECLINED', prize.given.y),
    inNameOf: 'y',
  },
  {
    name: 'the end of a share, with the secret of its other share',
    by: 'x',
    request: ({ prize }) =>
      notification('SHARE_DECLINED', { ...prize.given.x, secret: prize.given.x2.secret }),
  },
  {
    name: 'the end of a share, with a guessed secret',
    by: 'm',
    request: ({ prize }) =>
      notification('SHARE_DECLINED', { ...prize.given.x, secret: 'GuessedSecret12345' }),
  },
  {
    name: 'the end of a share that it gave, as of one that it got',
    by: 'm',
    request: ({ prize }) => notification('SHARE_DECLINED', { ...prize.received.x, id: prize.given.x.id }),
  },
  {
    name: 'more permissions of a share that it got',
    by: 'x',
    request: ({ prize }) => notification('RESHARE_CHANGE_PERMISSION', prize.given.x, raised()),
  },
  {
    name: 'more permissions of a share that it got, by number',
    by: 'x',
    request: ({ prize }) =>
      notification('RESHARE_CHANGE_PERMISSION', prize.given.x, raised({ permissions: 31 })),
  },
  {
    name: 'more permissions of a share that it got, in the legacy dialect',
    by: 'x',
    request: ({ prize }) =>
      formMessage(`/ocs/v2.php/cloud/shares/${prize.given.x.id}/permissions`, {
        token: prize.given.x.secret,
        permissions: '31',
      }),
  },
  {
    name: 'more permissions of what it got, as if it had given it',
    by: 'x',
    request: ({ prize }) =>
      notification('SHARE_CHANGE_PERMISSION', prize.given.x, {
        protocol: { webdav: { permissions: ['read', 'write', 'share'] } },
      }),
  },
  {
    name: 'to share on what may only be read',
    by: 'x',
    request: (scene) =>
      notification('REQUEST_RESHARE', scene.prize.given.x, askedOf(scene, { permission: ['read'] })),
  },
  {
    name: 'to share on what it may only read, with all permissions, in the legacy dialect',
    by: 'x',
    request: ({ prize, world }) =>
      formMessage(`/ocs/v2.php/cloud/shares/${prize.given.x.id}/reshare`, {
        ...{ token: prize.given.x.secret, shareWith: `zed@${world.y.url}`, permission: '31', remoteId: '78' },
      }),
  },
  {
    name: 'to share on what another got',
    by: 'm',
    request: (scene) => notification('REQUEST_RESHARE', scene.prize.given.x2, askedOf(scene, {})),
    inNameOf: 'x',
  },
  {
    name: 'a token for another’s share, in its own name',
    by: 'y',
    request: ({ prize, world }) => tokenRequest(world.y.host, prize.given.x.secret),
  },
  {
    name: 'a token for another’s share, in the other’s name',
    by: 'y',
    request: ({ prize, world }) => tokenRequest(world.x.host, prize.given.x.secret),
    inNameOf: 'x',
  },
  {
    name: 'a token for a share that was given to us',
    by: 'x',
    request: ({ prize, world }) => tokenRequest(world.x.host, prize.received.x.secret),
  },
  {
    name: 'a token for a token',
    by: 'x',
    request: ({ prize, world }) => tokenRequest(world.x.host, prize.accessToken),
  },
  {
    name: 'an invitation that there is not',
    by: 'm',
    request: ({ world }) =>
      jsonMessage('/ocm/invite-accepted', {
        recipientProvider: world.m.host,
        token: 'GuessedInvitation1234567890abcde',
        ...{ userID: 'mara', email: 'mara@partner.example', name: 'Mara' },
      }),
  },
  {
    name: 'the secret that we have for a trusted server',
    by: 'm',
    request: ({ world }) =>
      formMessage('/ocs/v2.php/cloud/shared-secret', { url: world.m.url, token: 'TokenOfSomebody1' }),
  },
  {
    name: 'to give something to nobody',
    by: 'm',
    request: ({ world }) => offerBy(world.m, `${NOBODY}@gateway.example`),
  },
];

/** Not a secret: a name that answers and logs may contain. */
export const NOBODY = 'nobody-of-this-name';

export const signerOf = ({ world }: Scene, { by }: Claim): SigningPartner => world[by];
