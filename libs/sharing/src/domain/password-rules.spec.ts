import { isCommonPassword } from './common-passwords';
import { DEFAULT_PASSWORD_RULES, passwordFault } from './password-rules';
import { policyFrom } from './policy';

const TOO_SHORT = 'The password must be at least 10 characters long';
const TOO_LONG = 'The password cannot be longer than 1024 bytes';
const COMMON = 'The password is one of those that are tried first: choose another one';

describe('the rules for new passwords', () => {
  it.each([
    ['', TOO_SHORT],
    ['nine-char', TOO_SHORT],
    ['ten-chars!', undefined],
    [`1-${'ü'.repeat(511)}`, undefined],
    [`12-${'ü'.repeat(511)}`, TOO_LONG],
    ['äöüäöüäöü', TOO_SHORT],
    ['🔑🔑🔑🔑🔑', TOO_SHORT],
    ['🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑', undefined],
    ['1234567890', COMMON],
    ['QwertyUiop', COMMON],
    ['password123', COMMON],
    ['correct horse battery', undefined],
  ])('as shipped, judge %j as %j', (password, fault) => {
    expect(passwordFault(DEFAULT_PASSWORD_RULES, password)).toBe(fault);
  });

  it('can be weakened or switched off', () => {
    expect(passwordFault({ minLength: 4, refuseCommon: true }, 'letmein')).toBe(COMMON);
    expect(passwordFault({ minLength: 4, refuseCommon: false }, 'letmein')).toBeUndefined();
    expect(passwordFault({ minLength: 0, refuseCommon: false }, 'x')).toBeUndefined();
    expect(passwordFault({ minLength: 0, refuseCommon: false }, 'x'.repeat(1025))).toBe(TOO_LONG);
  });

  it('follow the settings, and without one the compatibility mode', () => {
    const rules = (settings: Record<string, string>, ...mode: ('documented' | 'owncloud10')[]) =>
      policyFrom(new Map(Object.entries(settings)), ...mode).passwords;
    expect(rules({})).toEqual(DEFAULT_PASSWORD_RULES);
    expect(rules({}, 'owncloud10')).toEqual({ minLength: 0, refuseCommon: false });
    const stored = { 'password_policy/minLength': '14', 'password_policy/enforceNonCommonPassword': 'no' };
    for (const mode of ['documented', 'owncloud10'] as const)
      expect(rules(stored, mode)).toEqual({ minLength: 14, refuseCommon: false });
  });
});

describe('the list of common passwords', () => {
  it('knows them regardless of case, and nothing else', () => {
    for (const password of ['123456', 'password', 'PASSWORD', 'qwertyuiop', '1q2w3e4r5t'])
      expect([password, isCommonPassword(password)]).toEqual([password, true]);
    for (const password of ['', ' ', 'constructor', '__proto__', '123456 password', 'alice-likes-long-ones'])
      expect([password, isCommonPassword(password)]).toEqual([password, false]);
  });
});
