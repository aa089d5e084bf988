import { LINK_PASSWORD } from './held';
import type { SampleOf } from './sample-requests';

const PAGE = '/{s,index.php/s}/:token';

/** Requests of the pages of public links and of private links, by the rows of the matrix. */
export const LINK_REQUESTS: Readonly<Record<string, SampleOf>> = {
  [`GET ${PAGE}`]: ({ link }) => ({ params: { token: link.token } }),
  [`GET ${PAGE} [locked]`]: ({ lockedLink }) => ({ params: { token: lockedLink.token }, showsNothing: true }),
  [`GET ${PAGE} [guess]`]: () => ({ params: { token: 'GuessedTokenOfALink0' } }),
  [`POST ${PAGE} [locked]`]: ({ lockedLink }) => ({
    params: { token: lockedLink.token },
    form: { password: LINK_PASSWORD },
    changesNothing: true,
  }),
  [`POST ${PAGE} [guess]`]: ({ lockedLink }) => ({
    params: { token: lockedLink.token },
    form: { password: 'guess' },
  }),
  [`GET ${PAGE}/download`]: ({ link }) => ({ params: { token: link.token }, query: { path: '/kept.txt' } }),
  [`GET ${PAGE}/download [locked]`]: ({ lockedLink }) => ({
    params: { token: lockedLink.token },
    query: { path: '/kept.txt' },
    showsNothing: true,
  }),
  'GET /{f,index.php/f}/:id': ({ nodeId }) => ({ params: { id: nodeId }, showsNothing: true }),
};
