import { CHECKS } from '../../apps/cli/src/doctor/checks';
import { Instance } from '../../apps/cli/src/instance';
import { readConfig } from '../../libs/platform/src';
import { OidcIssuer } from '../../libs/testing/src/rigs/oidc-issuer';

let issuer: OidcIssuer;
beforeAll(async () => {
  issuer = await OidcIssuer.start();
});
afterAll(() => issuer?.close());

async function findings(changes: Readonly<Record<string, string>>): Promise<string[]> {
  const check = CHECKS.find(({ name }) => name === 'issuer')!;
  const found = await check.look(new Instance(readConfig({ ...issuer.env, ...changes }), false));
  return found.map(({ subject, state }) => `${subject} ${state}`);
}

it.each<[string, Record<string, string>, string[]]>([
  ['that fits', {}, ['OIDC_ISSUER ok', 'keys ok', 'OIDC_AUDIENCE ok', 'OIDC_CLIENT_ID ok']],
  ['without an audience', { OIDC_AUDIENCE: '' }, ['OIDC_ISSUER failed']],
  ['with half a client', { OIDC_CLIENT_SECRET: '' }, ['OIDC_ISSUER failed']],
  ['with rules about groups of no claim', { OIDC_ADMIN_GROUPS: 'bosses' }, ['OIDC_ISSUER failed']],
  ['of an issuer that cannot be reached', { OIDC_ISSUER: 'http://127.0.0.1:9' }, ['OIDC_ISSUER failed']],
  [
    'with algorithms that the issuer does not use',
    { OIDC_ALGORITHMS: 'ES512' },
    ['OIDC_ISSUER ok', 'keys failed', 'OIDC_AUDIENCE ok', 'OIDC_CLIENT_ID ok'],
  ],
])('the check of the issuer looks at a configuration %s', async (_, changes, expected) => {
  expect(await findings(changes)).toEqual(expected);
});

it('the check of the issuer fails if it has another name', async () => {
  const other = issuer.url.replace('127.0.0.1', 'localhost');
  expect(await findings({ OIDC_ISSUER: other })).toEqual(['OIDC_ISSUER failed']);
});
