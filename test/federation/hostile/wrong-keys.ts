import { basicAuth } from '../../../libs/testing/src';
import type { Scene } from './attack';

/** Requests for content with a key that opens other content, or nothing. */
export const KEYS: readonly [
  name: string,
  path: (scene: Scene) => string,
  authorization: (scene: Scene) => string,
][] = [
  [
    'the secret of another share',
    ({ prize }) => `/dav/ocm/${prize.given.y.id}`,
    ({ prize }) => `Bearer ${prize.given.x.secret}`,
  ],
  [
    'the secret of its own other share',
    ({ prize }) => `/dav/ocm/${prize.given.x2.id}`,
    ({ prize }) => `Bearer ${prize.given.x.secret}`,
  ],
  [
    'the access token of another share',
    ({ prize }) => `/dav/ocm/${prize.given.y.id}`,
    ({ prize }) => `Bearer ${prize.accessToken}`,
  ],
  [
    'the access token of its own other share',
    ({ prize }) => `/remote.php/dav/ocm/${prize.given.x2.id}`,
    ({ prize }) => `Bearer ${prize.accessToken}`,
  ],
  [
    'an access token that was changed',
    ({ prize }) => `/dav/ocm/${prize.given.x.id}`,
    ({ prize }) => `Bearer ${changedIn(prize.accessToken)}`,
  ],
  [
    'the secret of a share that it gave',
    () => '/public.php/webdav/',
    ({ prize }) => basicAuth(prize.received.x.secret, ''),
  ],
  [
    'the token of an invitation',
    ({ prize }) => `/dav/ocm/${prize.given.x.id}`,
    ({ prize }) => `Bearer ${prize.invitation}`,
  ],
  ['a guess', ({ prize }) => `/dav/ocm/${prize.given.x.id}`, () => 'Bearer GuessedSecret12345'],
];

/** The call in which a trusted server fetches the common secret, sent in its name with a guessed token. */
export const COMMON_SECRET = ({ world }: Scene): string =>
  `/ocs/v2.php/cloud/shared-secret?${new URLSearchParams({ url: world.x.url, token: 'GuessedSecret123' }).toString()}`;

/** One character in the middle is another one. */
function changedIn(token: string): string {
  const at = Math.floor(token.length / 2);
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
}
