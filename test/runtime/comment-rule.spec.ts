import { Linter } from 'eslint';
import { join } from 'node:path';
import { REPOSITORY } from '../../libs/testing/src';

// Rules of ESLint plugins here are CommonJS.
const rule = jest.requireActual<never>(join(REPOSITORY, 'scripts/lint/plain-comments.cjs'));

function complaintsAbout(code: string): number {
  const config = {
    plugins: { house: { rules: { plain: rule } } },
    rules: { 'house/plain': 'error' },
  } as const;
  return new Linter().verify(code, [config]).length;
}

describe('the lint rule about comments', () => {
  it.each([
    '/** What a server said. */',
    '/** Whoever calls this holds the lock. */',
    '/**\n * Nobody knows this token.\n */',
    '// Of what is invalid, so much is shown.',
    '// whatever fails is thrown',
    'const a = 1; // Who asked.',
    '/** Whose key it is. */',
    '/** The caller holds the lock.\n * Whoever else calls waits.\n */',
    '// The first line; what follows is\n// another sentence.',
    '/** @returns what was found */',
  ])('refuses a sentence that begins with a relative clause: %s', (comment) => {
    expect(complaintsAbout(`${comment}\n`)).toBe(1);
  });

  it.each([
    '/** Answer of a server. */',
    '// What time is it?',
    '/** The caller holds the lock.\n * Another caller waits for it.\n */',
    '/** @throws Error for what is no number */',
    '// The first line of a comment,\n// what follows, and the rest.',
    '/** Whatsapp is a proper name. */',
  ])('accepts sentences that begin with their subject: %s', (comment) => {
    expect(complaintsAbout(`${comment}\n`)).toBe(0);
  });
});
