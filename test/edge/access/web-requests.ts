import type { SampleOf } from './sample-requests';

const APP_PASSWORD = { name: 'phone', scopes: ['files'] };
const unknownAppPassword = { params: { id: '999' }, json: APP_PASSWORD };

/** Calls of the pages for people. Everybody with an account has a browser that `DELETE /web/sessions` signs out. */
export const WEB_REQUESTS: Readonly<Record<string, SampleOf>> = {
  'POST /web/app-passwords': () => ({ json: APP_PASSWORD }),
  'PUT /web/app-passwords/:id': () => unknownAppPassword,
  'DELETE /web/app-passwords/:id': () => unknownAppPassword,
  'POST /index.php/settings/personal/authtokens': () => ({ form: { name: 'phone' } }),
  'DELETE /index.php/settings/personal/authtokens/:id': () => unknownAppPassword,
};
