import type { SampleOf } from './sample-requests';

const AVATAR = '{/avatar,/index.php/avatar}';
const picture: SampleOf = () => ({ params: { user: 'olga', size: '32' }, showsNothing: true });
const removed: SampleOf = () => ({ changesNothing: true });

/** Requests for the pictures of accounts, by the rows of the matrix. */
export const AVATAR_REQUESTS: Readonly<Record<string, SampleOf>> = {
  [`GET ${AVATAR}/:user/:size`]: picture,
  [`GET ${AVATAR}/:user/:size/dark`]: picture,
  'GET {/dav,/remote.php/dav}/avatars/:user/:file': () => ({ params: { user: 'olga', file: '32.png' } }),
  [`POST ${AVATAR}/*`]: () => ({ path: '/index.php/avatar/' }),
  [`DELETE ${AVATAR}`]: removed,
  [`DELETE ${AVATAR}/*`]: () => ({ path: '/index.php/avatar/', changesNothing: true }),
};
