import { LINK_PASSWORD } from './held';
import type { SampleOf } from './sample-requests';

const PREVIEW = '/index.php/apps/files_sharing';
const PAGE = '/{s,index.php/s}/:token';

const FORM = {
  headers: { 'content-type': 'multipart/form-data; boundary=edge' },
  body: '--edge\r\ncontent-disposition: form-data; name="file"; filename="sent.txt"\r\n\r\nsent\r\n--edge--\r\n',
};

/** Requests for the pages of public links and of private links, by the rows of the matrix. */
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
  [`GET ${PAGE}/download`]: ({ link }) => ({ params: { token: link.token } }),
  [`GET ${PAGE}/download [file]`]: ({ link }) => ({
    params: { token: link.token },
    query: { path: '/kept.txt' },
    showsNothing: true,
  }),
  [`GET ${PAGE}/download [locked]`]: ({ lockedLink }) => ({
    params: { token: lockedLink.token },
    query: { path: '/kept.txt' },
    showsNothing: true,
  }),
  [`POST ${PAGE}/download`]: ({ link }) => ({ params: { token: link.token }, changesNothing: true }),
  [`POST ${PAGE}/download [file]`]: ({ link }) => ({
    params: { token: link.token },
    form: { 'files[]': 'kept.txt' },
    showsNothing: true,
    changesNothing: true,
  }),
  [`POST ${PAGE}/download [locked]`]: ({ lockedLink }) => ({
    params: { token: lockedLink.token },
    form: { 'files[]': 'kept.txt' },
    showsNothing: true,
    changesNothing: true,
  }),
  [`POST ${PAGE}/files`]: ({ link }) => ({ params: { token: link.token }, ...FORM }),
  [`POST ${PAGE}/files [locked]`]: ({ lockedLink }) => ({ params: { token: lockedLink.token }, ...FORM }),
  [`POST ${PAGE}/files [guess]`]: () => ({ params: { token: 'GuessedTokenOfALink0' }, ...FORM }),
  [`GET ${PREVIEW}/publicpreview/:token`]: ({ link }) => ({
    params: { token: link.token },
    query: { file: '/kept.txt' },
    showsNothing: true,
  }),
  [`GET ${PREVIEW}/publicpreview/:token [locked]`]: ({ lockedLink }) => ({
    params: { token: lockedLink.token },
    query: { file: '/kept.txt' },
  }),
  [`GET ${PREVIEW}/publicpreview/:token [guess]`]: () => ({ params: { token: 'GuessedTokenOfALink0' } }),
  [`GET ${PREVIEW}/ajax/publicpreview`]: ({ link }) => ({
    query: { t: link.token, file: '/kept.txt' },
    showsNothing: true,
  }),
  [`GET ${PREVIEW}/ajax/publicpreview [guess]`]: () => ({
    query: { t: 'GuessedTokenOfALink0', file: '/kept.txt' },
  }),
  'GET /index.php/core/preview': ({ keptId }) => ({ query: { fileId: keptId }, showsNothing: true }),
  'GET /index.php/core/preview.png': () => ({ query: { file: '/docs/kept.txt' }, showsNothing: true }),
  'GET /{f,index.php/f}/:id': ({ nodeId }) => ({ params: { id: nodeId }, showsNothing: true }),
};
