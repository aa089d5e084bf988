import { randomBytes } from 'node:crypto';
import { SecretBox } from '#platform';
import { ShareAccessTokens } from './share-access-tokens';

const [key, other] = [randomBytes(32), randomBytes(32)];
const box = new SecretBox(() => key);
const tokens = new ShareAccessTokens(box);
const tokenHmac = box.lookup('the secret of a share');

beforeEach(() => jest.useFakeTimers({ now: Date.parse('2030-01-01T00:00:00Z') }));
afterEach(() => jest.useRealTimers());

describe('an access token', () => {
  it('gives the access of the secret, on every replica and beside other tokens', () => {
    const given = [tokens.give(tokenHmac).token, tokens.give(tokenHmac).token];
    const replica = new ShareAccessTokens(new SecretBox(() => Buffer.from(key)));
    for (const token of [...given, replica.give(tokenHmac).token])
      expect(replica.read(token)).toEqual({ tokenHmac, isOver: false });
    expect(new Set(given).size).toBe(2);
  });

  it('is a bearer token that reveals nothing of its share', () => {
    const { token, expiresInSeconds } = tokens.give(tokenHmac);
    expect(expiresInSeconds).toBe(900);
    expect(token).toMatch(/^at_[\w-]{100,200}$/);
    const content = Buffer.from(token.slice(3), 'base64url');
    expect([content.includes(tokenHmac), content.includes(tokenHmac.toString('base64'))]).toEqual([
      false,
      false,
    ]);
  });

  it('ends at the announced time', () => {
    const { token, expiresInSeconds } = tokens.give(tokenHmac);
    jest.advanceTimersByTime(expiresInSeconds * 1000 - 1);
    expect(tokens.read(token)?.isOver).toBe(false);
    jest.advanceTimersByTime(1);
    expect(tokens.read(token)?.isOver).toBe(true);
  });

  it('is refused if any part of it was changed', () => {
    const { token } = tokens.give(tokenHmac);
    const content = Buffer.from(token.slice(3), 'base64url');
    for (let at = 0; at < content.length; at += 1) {
      const changed = Buffer.from(content);
      changed[at]! ^= 1;
      expect(tokens.read(`at_${changed.toString('base64url')}`)).toBeUndefined();
    }
  });

  it.each(['', 'at_', 'at_x', 'qX7tNn2cVb9LmPz4Kd3R'])('is not read from %j', (text) => {
    expect(tokens.read(text)).toBeUndefined();
  });

  it('another sealed value is not taken for an access token', () => {
    const stored = box.seal(`9999999999 ${tokenHmac.toString('base64')}`);
    expect(tokens.read(`at_${stored.toString('base64url')}`)).toBeUndefined();
  });

  it('and a session for the same share are not taken for each other', () => {
    const [{ token }, session] = [tokens.give(tokenHmac), tokens.giveSession(tokenHmac)];
    expect([tokens.read(session), tokens.readSession(token)]).toEqual([undefined, undefined]);
    expect(tokens.read(`at_${session.slice(3)}`)).toBeUndefined();
    expect(tokens.readSession(session)).toEqual({ tokenHmac, isOver: false });
    jest.advanceTimersByTime(3_600_000);
    expect(tokens.readSession(session)).toEqual({ tokenHmac, isOver: true });
  });

  it('stays valid after a change of the encryption key, as long as the previous key is configured', () => {
    const { token } = tokens.give(tokenHmac);
    const during = new ShareAccessTokens(
      new SecretBox(
        () => other,
        () => key,
      ),
    );
    const after = new ShareAccessTokens(new SecretBox(() => other));
    expect(during.read(token)?.tokenHmac).toEqual(tokenHmac);
    expect(after.read(token)).toBeUndefined();
    expect(after.read(during.give(tokenHmac).token)?.tokenHmac).toEqual(tokenHmac);
  });
});
