import { countOption, type CommandInput } from './command';
import { UsageError } from './command-failed';

const input = (after: string): CommandInput => ({ arguments: {}, rest: [], options: { after } });

describe('a numeric option', () => {
  it.each([
    ['0', 0],
    ['999999999999999', 999_999_999_999_999],
  ])('takes %j', (given, read) => {
    expect(countOption(input(given), 'after')).toBe(read);
  });

  it.each(['', 'x', '-1', '1.5', '1e3', '9999999999999999'])('refuses %j', (given) => {
    expect(() => countOption(input(given), 'after')).toThrow(UsageError);
  });
});
