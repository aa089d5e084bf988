import { misspeltVariables } from './misspelt-variables';
import { VARIABLES } from './table';

describe('variables that are probably misspelt', () => {
  it.each([
    ['PUBLIC_ULR', 'PUBLIC_URL'],
    ['COMPATIBLITY', 'COMPATIBILITY'],
    ['DATADIR', 'DATA_DIR'],
    ['LDAP_URL', 'LDAP_URLS'],
    ['FEDERATION_ALLOW_ADRESSES', 'FEDERATION_ALLOW_ADDRESSES'],
    ['OIDC_CLIENTID', 'OIDC_CLIENT_ID'],
    ['ADMIN_PASWORD', 'ADMIN_PASSWORD'],
  ])('%s means %s', (written, meant) => {
    expect(misspeltVariables({ [written]: 'x' })).toEqual([{ written, meant }]);
  });

  it('are none of the right ones, of other programs, or beside the right one', () => {
    const right = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, 'x']));
    expect(misspeltVariables(right)).toEqual([]);
    const others = ['HOME', 'PATH', 'POST', 'HOSTS', 'AWS_REGION', 'REDIS_PORT', 'OTEL_TRACES_EXPORTER'];
    expect(misspeltVariables(Object.fromEntries(others.map((name) => [name, 'x'])))).toEqual([]);
    expect(misspeltVariables({ REDIS_URI: 'x', REDIS_URL: 'x' })).toEqual([]);
    expect(misspeltVariables({ PUBLIC_ULR: '' })).toEqual([]);
  });
});
