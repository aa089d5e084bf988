import { preferredScheme } from './preferred-scheme';

describe('a message to a partner', () => {
  it.each([
    ['that can check the newer signatures', ['notifications', 'http-sig'], 'rfc9421'],
    ['that says nothing of them', ['notifications', 'exchange-token'], 'cavage'],
    ['that says nothing at all', [], 'cavage'],
  ])('%s is signed so', (_, capabilities, scheme) => {
    expect(preferredScheme({ capabilities })).toBe(scheme);
  });
});
