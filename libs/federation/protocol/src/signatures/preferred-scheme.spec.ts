import { preferredScheme } from './preferred-scheme';

describe('a message to a partner', () => {
  it.each([
    ['that can check the newer signatures', ['notifications', 'http-sig'], null, 'rfc9421'],
    ['that says nothing of them', ['notifications', 'exchange-token'], null, 'cavage'],
    ['that says nothing at all', [], null, 'cavage'],
    ['for which an operator chose the older scheme', ['http-sig'], 'cavage', 'cavage'],
    ['for which an operator chose the newer scheme', [], 'rfc9421', 'rfc9421'],
    ['for which an operator chose none', ['http-sig'], 'none', 'none'],
  ] as const)('%s has the preferred signature', (_, capabilities, signBy, scheme) => {
    expect(preferredScheme({ capabilities, signBy })).toBe(scheme);
  });
});
