import { SecretText } from '#federation/protocol';
import { isOursToAsk } from './token-order';

it('lets exactly one of two ask, whatever their tokens, and not by the order of the tokens themselves', () => {
  const tokens = Array.from({ length: 30 }, (_none, index) => new SecretText(`token-${index}`));
  const pairs = tokens.slice(1).map((token, index) => [tokens[index]!, token] as const);
  for (const [a, b] of pairs) expect(isOursToAsk(a, b)).toBe(!isOursToAsk(b, a));
  const byText = pairs.filter(([a, b]) => isOursToAsk(a, b) === a.reveal() > b.reveal());
  expect(byText.length).toBeLessThan(pairs.length);
  expect(byText.length).toBeGreaterThan(0);
  expect(isOursToAsk(tokens[0]!, tokens[0]!)).toBe(false);
});
