import { lookupTextOfRecoveryCode, newRecoveryCodes } from './recovery-codes';

it('makes ten codes, none twice', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}-[a-z2-9]{5}$/);
});

it('reads a code in any typing, as a code of its account only', () => {
  const text = lookupTextOfRecoveryCode('alice', 'k7pqa-x3mzd-9fhwe');
  expect(text).toBe('recovery code\nalice\nk7pqax3mzd9fhwe');
  expect(lookupTextOfRecoveryCode('alice', ' K7PQA x3mzd9FHWE')).toBe(text);
  expect(lookupTextOfRecoveryCode('bob', 'k7pqa-x3mzd-9fhwe')).not.toBe(text);
});

it.each(['', '123456', 'k7pqa-x3mzd-9fhw', 'k7pqa-x3mzd-9fhwe1', 'l7pqa-x3mzd-9fhwe'])(
  'refuses %j',
  (code) => {
    expect(lookupTextOfRecoveryCode('alice', code)).toBeUndefined();
  },
);
