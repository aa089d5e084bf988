import fc from 'fast-check';
import {
  assertPassword,
  describeQuota,
  parseDisplayName,
  parseEmail,
  parseGroupId,
  parseQuota,
  parseUserId,
} from './account-rules';
import { ProvisioningFailed, type ProvisioningFailure } from './provisioning-failed';

function reasonOf(work: () => unknown): ProvisioningFailure | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ProvisioningFailed) return error.reason;
    throw error;
  }
}

describe('a display name', () => {
  it.each([
    ['Alice A.', 'Alice A.'],
    [' Alice ', 'Alice'],
    ['', 'alice'],
    ['  ', 'alice'],
    ['🙂'.repeat(256), '🙂'.repeat(256)],
  ])('%j is stored as %j', (raw, stored) => {
    expect(parseDisplayName(raw, 'alice')).toBe(stored);
  });

  it.each(['x'.repeat(257), 'Alice\nA.', 'a\tb', 'a\u0085b', 'a\u2028b', 'a\u2029b', 'a\u007fb', '\ud800'])(
    'may not be %j',
    (raw) => {
      expect(reasonOf(() => parseDisplayName(raw, 'alice'))).toBe('display-name-refused');
    },
  );
});

describe('a user id', () => {
  it.each(['alice', 'Alice Example', "o'hara", 'a.b-c_d+e@example.org', '123', 'x'.repeat(64)])(
    'may be %j',
    (uid) => {
      expect(parseUserId(uid)).toBe(uid);
    },
  );

  it.each([
    ...[
      '',
      ' ',
      'ab',
      '...',
      ' alice',
      'alice ',
      'al/ice',
      'al:ice',
      'al%ice',
      'älice',
      'al\nice',
      'al\0ice',
    ],
    ...['x'.repeat(65), '<script>', 'alice\u200b'],
  ])('may not be %j', (uid) => {
    expect(reasonOf(() => parseUserId(uid))).toBe('user-id-refused');
  });

  it('is either kept unchanged or refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (raw) => {
        const refused = reasonOf(() => parseUserId(raw));
        if (refused === undefined) expect(raw).toMatch(/^[a-zA-Z0-9 _.@\-+']{3,64}$/);
        else expect(refused).toBe('user-id-refused');
      }),
    );
  });
});

describe('a password', () => {
  it.each(['a', ' a ', 'Grüße', 'x'.repeat(1024)])('may be %j', (password) => {
    expect(reasonOf(() => assertPassword(password))).toBeUndefined();
  });

  it.each(['', '  ', '\t\n', 'x'.repeat(1025), 'ü'.repeat(513)])('may not be %j', (password) => {
    expect(reasonOf(() => assertPassword(password))).toBe('password-refused');
  });
});

describe('a group id', () => {
  it.each(['staff', 'a', 'Grüße & more', 'a/b', 'x'.repeat(64)])('may be %j', (gid) => {
    expect(parseGroupId(gid)).toBe(gid);
  });

  it.each(['', ' a', 'a ', '.', '..', 'x'.repeat(65), 'a\nb', 'a\0', 'a\ud800'])('may not be %j', (gid) => {
    expect(reasonOf(() => parseGroupId(gid))).toBe('group-id-refused');
  });
});

describe('an e-mail address', () => {
  it.each([
    ['', null],
    ['a@b', 'a@b'],
    ['alice+x@example.org', 'alice+x@example.org'],
  ])('of %j is %j', (raw, email) => {
    expect(parseEmail(raw)).toBe(email);
  });

  it.each(['alice', '@example.org', 'alice@', 'a b@c', 'a@b@c', '<a@b>', `${'x'.repeat(250)}@b.org`])(
    'is not %j',
    (raw) => {
      expect(reasonOf(() => parseEmail(raw))).toBe('email-refused');
    },
  );
});

describe('a quota', () => {
  it.each([
    ['none', null],
    ['default', null],
    ['0', 0],
    ['1024', 1024],
    ['5 GB', 5 * 1024 ** 3],
    ['5gb', 5 * 1024 ** 3],
    [' 1.5 KB ', 1536],
    ['2 TB', 2 * 1024 ** 4],
    ['10 B', 10],
  ])('of %j is %j bytes', (raw, bytes) => {
    expect(parseQuota(raw)).toBe(bytes);
  });

  it.each(['', 'lots', '-1', '-1 GB', '1e9', '5 PB', '5 GBs', '9'.repeat(15) + ' TB', '1,5 GB', 'NaN'])(
    'is not %j',
    (raw) => {
      expect(reasonOf(() => parseQuota(raw))).toBe('quota-refused');
    },
  );

  it.each([
    [null, 'none'],
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KB'],
    [5 * 1024 ** 3, '5 GB'],
    [3000 * 1024 ** 4, '3000 TB'],
  ])('of %j bytes reads %j', (bytes, text) => {
    expect(describeQuota(bytes)).toBe(text);
  });

  it('that reads without a fraction is the same when it is set again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1023 }), fc.integer({ min: 0, max: 4 }), (count, unit) => {
        const bytes = count * 1024 ** unit;
        expect(parseQuota(describeQuota(bytes))).toBe(bytes);
      }),
    );
  });
});
