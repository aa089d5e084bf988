import { isLikeTotpCode, newTotpSecret, stepOfCode, totpAddress } from './totp-codes';

/** The secret of RFC 6238, appendix B: "12345678901234567890" in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

it.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('computes the code of RFC 6238 at %d seconds', (seconds, code) => {
  expect(stepOfCode(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
});

it.each([
  ['in the period before', -30, 1],
  ['in the period after', 30, 1],
  ['two periods before', -60, 0],
  ['two periods after', 60, 0],
])('accepts or refuses a code %s', (_when, seconds, isTaken) => {
  expect(stepOfCode(SECRET, '081804', (1_111_111_109 + seconds) * 1000)).toBe(
    isTaken ? Math.floor(1_111_111_109 / 30) : undefined,
  );
});

it.each(['', '28708', '2870820', '28708a', '２８７０８２', '287083'])('refuses %j', (code) => {
  expect(stepOfCode(SECRET, code, 59_000)).toBeUndefined();
});

it('reads digits that were typed in groups', () => {
  expect(isLikeTotpCode('287 082')).toBe(true);
  expect(stepOfCode(SECRET, '287 082', 59_000)).toBe(1);
});

it('gives an app its secret, with the name of the account', () => {
  const secret = newTotpSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  const address = new URL(totpAddress(secret, 'alice@files.example'));
  expect([address.protocol, address.hostname, address.searchParams.get('secret')]).toEqual([
    'otpauth:',
    'totp',
    secret,
  ]);
  expect(decodeURIComponent(address.pathname)).toContain('alice@files.example');
});
