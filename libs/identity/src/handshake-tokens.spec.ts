import { createHash } from 'node:crypto';
import { isOursToAsk, tokenToAskWith } from './handshake-tokens';

it('lets exactly one of two servers ask, by the digests of their tokens', () => {
  const tokens = Array.from({ length: 30 }, (_none, index) => `token-${index}`);
  const pairs = tokens.slice(1).map((token, index) => [tokens[index]!, token] as const);
  for (const [a, b] of pairs) expect(isOursToAsk(a, b)).toBe(!isOursToAsk(b, a));
  const byText = pairs.filter(([a, b]) => isOursToAsk(a, b) === a > b);
  expect(byText.length).toBeLessThan(pairs.length);
  expect(byText.length).toBeGreaterThan(0);
  expect(isOursToAsk(tokens[0]!, tokens[0]!)).toBe(false);
});

it('begins with a token that a server with an empty token accepts', () => {
  const offered = Array.from({ length: 200 }, (_none, index) => `SixteenLetters${index}`);
  const tried: string[] = [];
  const random = (): string => {
    tried.push(offered[tried.length]!);
    return tried.at(-1)!;
  };
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
  for (let begun = 0; begun < 10; begun += 1) expect(digest(tokenToAskWith(random)) > digest('')).toBe(true);
  // Most tokens are not suitable; otherwise this test could not fail.
  expect(tried.length).toBeGreaterThan(20);
});

it('begins with a token above nearly all others, where servers compare the tokens themselves', () => {
  const others = ['zyzzzzzzzzzzzzzz', 'zzZzzzzzzzzzzzzz', 'aaaaaaaaaaaaaaaa', 'ZZZZZZZZZZZZZZZZ', ''];
  let made = 0;
  const token = tokenToAskWith(() => `0123456789abcde${(made++).toString(36)}`);
  for (const other of others) expect(token > other).toBe(true);
  expect(token).toHaveLength(16);
});
