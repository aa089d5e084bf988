import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../config/config-error';
import { readEncryptionKey } from './encryption-key';
import { randomToken } from './random-token';
import { SecretBox, SecretUnreadable } from './secret-box';

const boxWith = (key: Buffer): SecretBox => new SecretBox(() => key);
const SECRET = 'a shared secret: ä€😀';

describe('a secret box', () => {
  const key = randomBytes(32);
  const box = boxWith(key);

  it.each(['', 'x', SECRET, 'y'.repeat(5000)])('opens what it sealed', (text) => {
    expect(box.open(box.seal(text))).toBe(text);
  });

  it('opens what another process with the same key sealed', () => {
    expect(boxWith(Buffer.from(key)).open(box.seal(SECRET))).toBe(SECRET);
  });

  it('seals the same text differently each time, and never shows it', () => {
    const [one, two] = [box.seal(SECRET), box.seal(SECRET)];
    expect(one.equals(two)).toBe(false);
    expect(one.includes(Buffer.from('shared secret'))).toBe(false);
  });

  it('refuses a change in any byte', () => {
    const sealed = box.seal(SECRET);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(() => box.open(changed)).toThrow(SecretUnreadable);
    }
  });

  it.each([0, 1, 5, 17, 32])('refuses the first %d bytes alone', (length) => {
    expect(() => box.open(box.seal(SECRET).subarray(0, length))).toThrow(SecretUnreadable);
  });

  it('reports another key, without a part of the secret', () => {
    const sealed = boxWith(randomBytes(32)).seal(SECRET);
    const failure = caught(() => box.open(sealed));
    expect(failure).toBeInstanceOf(SecretUnreadable);
    expect(failure).toMatchObject({ reason: 'another-key' });
    expect(String(failure)).not.toContain('shared');
  });

  it('opens only for the purpose of the sealing', () => {
    const sealed = box.seal(SECRET, 'tokens');
    expect(box.open(sealed, 'tokens')).toBe(SECRET);
    expect(() => box.open(sealed)).toThrow(SecretUnreadable);
    expect(() => box.open(box.seal(SECRET), 'tokens')).toThrow(SecretUnreadable);
  });

  it('looks up by a stable key of 32 bytes that depends on the encryption key', () => {
    expect(box.lookup(SECRET)).toHaveLength(32);
    expect(box.lookup(SECRET)).toEqual(boxWith(Buffer.from(key)).lookup(SECRET));
    expect(box.lookup(SECRET)).not.toEqual(box.lookup(`${SECRET}.`));
    expect(box.lookup(SECRET)).not.toEqual(boxWith(randomBytes(32)).lookup(SECRET));
  });

  it('reads its key at the first use, or on demand', () => {
    let asked = 0;
    const missing = new SecretBox(() => {
      asked += 1;
      throw new ConfigError('no key');
    });
    expect(asked).toBe(0);
    expect(() => missing.requireKey()).toThrow(ConfigError);
    expect(() => missing.lookup('x')).toThrow(ConfigError);
  });
});

describe('the encryption key', () => {
  const digits = 'ab'.repeat(32);
  const directory = mkdtempSync(join(tmpdir(), 'encryption-key-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const fileWith = (text: string): string => {
    const file = join(directory, 'key');
    writeFileSync(file, text);
    return file;
  };
  const read = (value?: string, file?: string): Buffer =>
    readEncryptionKey({ ENCRYPTION_KEY: value, ENCRYPTION_KEY_FILE: file });

  it('is read from its variable or from its file, whose last line may end', () => {
    const key = Buffer.alloc(32, 0xab);
    expect(read(digits)).toEqual(key);
    expect(read(undefined, fileWith(`${digits.toUpperCase()}\n`))).toEqual(key);
  });

  it.each([
    ['neither', undefined, undefined, 'Set ENCRYPTION_KEY or ENCRYPTION_KEY_FILE'],
    ['both', digits, '/nowhere', 'not both'],
    ['a short key', 'abcd', undefined, 'must hold 64 hexadecimal digits'],
    ['a long key', `${digits}00`, undefined, 'must hold 64 hexadecimal digits'],
    ['no hexadecimal digits', 'xy'.repeat(32), undefined, 'must hold 64 hexadecimal digits'],
    ['a file that is not there', undefined, '/nowhere/key', 'cannot be read (ENOENT)'],
    ['an empty file', undefined, 'EMPTY', 'must hold 64 hexadecimal digits'],
  ])('is refused in one sentence: %s', (_name, value, file, sentence) => {
    const failure = caught(() => read(value, file === 'EMPTY' ? fileWith('') : file));
    expect(failure).toBeInstanceOf(ConfigError);
    expect((failure as Error).message).toContain(sentence);
    if (value) expect((failure as Error).message).not.toContain(value);
  });
});

describe('a random token', () => {
  it.each([undefined, 15, 22, 32])('of length %s is made of letters and digits', (length) => {
    expect(randomToken(length)).toMatch(new RegExp(`^[A-Za-z0-9]{${length ?? 22}}$`));
  });

  it('uses every letter and digit about equally often', () => {
    const counts = new Map<string, number>();
    const draws = 31_000;
    for (const letter of Array.from({ length: draws / 31 }, () => randomToken(31)).join('')) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    // Each is expected 500 times, with a standard deviation of 22: a difference of nine deviations does not happen by chance.
    for (const count of counts.values()) expect(Math.abs(count - draws / 62)).toBeLessThan(200);
  });

  it.each([0, 14, 33, 22.5, NaN])('refuses the length %s', (length) => {
    expect(() => randomToken(length)).toThrow(RangeError);
  });
});

function caught(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
