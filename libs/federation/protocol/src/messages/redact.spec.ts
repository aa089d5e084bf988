import { inspect } from 'node:util';
import fc from 'fast-check';
import { SecretText } from '../secret-text';
import { redact } from './redact';

describe('a secret text', () => {
  it('is shown only on request', () => {
    const holder = { body: new SecretText('TopSecret22') };
    for (const shown of [
      String(holder.body),
      JSON.stringify(holder),
      inspect(holder, { depth: 9, showHidden: true }),
    ]) {
      expect(shown).not.toContain('TopSecret22');
    }
    expect(Object.keys(holder.body)).toEqual([]);
    expect(holder.body.reveal()).toBe('TopSecret22');
  });
});

describe('an excerpt of an answer', () => {
  const secret = new SecretText('Top"Secret&22');

  it.each([
    ['as it was', 'no: Top"Secret&22!'],
    ['inside of JSON', JSON.stringify({ message: 'no: Top"Secret&22' })],
    ['inside of a form', `a=${encodeURIComponent('Top"Secret&22')}&b=1`],
  ])('leaves out the secret that was sent, %s', (_how, text) => {
    const excerpt = redact(text, [secret]);
    expect(excerpt).toContain('[secret]');
    expect(excerpt).not.toMatch(/Secret.{0,3}22/);
  });

  it.each([
    '{"sharedSecret":"abc123","providerId":"7"}',
    '{"token": "abc123"}',
    '{"access_token":"abc123',
    'token=abc123&x=1',
    'password: abc123',
  ])('leaves out values with the name of a secret: %s', (text) => {
    expect(redact(text, [])).not.toContain('abc123');
  });

  it('is one short line', () => {
    expect(redact('a\r\n\tb\u0000c\u0007', [])).toBe('a b c');
    expect(redact('x'.repeat(10_000), [])).toHaveLength(500);
    expect(redact('\ud800', [])).toBe('\ufffd');
  });

  it('never has the secret in any form', () => {
    const around = fc.string({ maxLength: 700 });
    fc.assert(
      fc.property(around, around, fc.stringMatching(/^[A-Za-z0-9]{22}$/), (before, after, text) => {
        expect(redact(`${before}${text}${after}`, [new SecretText(text)])).not.toContain(text);
      }),
    );
  });
});
