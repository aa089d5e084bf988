import { claimedClient } from './claimed-client';

describe('the claimed client of a request', () => {
  it.each<[string, string | undefined, string | undefined]>([
    // A proxy in a private network that is not configured: alone, and behind a trusted one.
    ['10.9.9.9', '203.0.113.7', '203.0.113.7'],
    ['10.9.9.9', '203.0.113.7, 10.9.9.9', '203.0.113.7'],
    ['10.9.9.9', '198.51.100.1, 203.0.113.7, 10.9.9.9, 10.0.0.1', '203.0.113.7'],
    ['::1', '2001:db8::7', '2001:db8::7'],
    // The address belongs to the client itself.
    ['10.9.9.9', undefined, undefined],
    ['10.9.9.9', '10.9.9.9', undefined],
    ['10.9.9.9', '10.9.9.9, 10.0.0.1', undefined],
    // Anybody on the internet can write the header.
    ['203.0.113.7', '198.51.100.1', undefined],
    ['203.0.113.7', '198.51.100.1, 203.0.113.7', undefined],
    ['2001:db8::7', '198.51.100.1', undefined],
    ['2600::7', '198.51.100.1', undefined],
    // Values that are no addresses.
    ['10.9.9.9', 'unknown', undefined],
    ['10.9.9.9', '', undefined],
    ['10.9.9.9', ',,', undefined],
    ['', '203.0.113.7', undefined],
  ])('of %j with X-Forwarded-For %j is %j', (ip, forwardedFor, client) => {
    expect(claimedClient({ id: 'request', ip, forwardedFor })).toBe(client);
  });
});
