import { ConfigError } from './config-error';
import { mailAddress, smtpAddress } from './parsers';
import { readValue } from './read-config';

const smtpUrl = (raw: string): string => readValue('SMTP_URL', { parse: smtpAddress, secret: true }, raw);
const mailFrom = (raw: string): string => readValue('MAIL_FROM', { parse: mailAddress }, raw);

describe('the address of a mail server', () => {
  it.each(['smtp://127.0.0.1:25', 'smtps://user:p%40ss@mail.example.org?requireTLS=true'])('is %s', (raw) => {
    expect(smtpUrl(raw)).toBe(raw);
  });

  it.each([
    'mail.example.org',
    'http://mail.example.org',
    'smtp://',
    'smtp://user:secret@',
    'smtps://u:secret@a b',
  ])('is not %s, and the refusal does not show the password', (raw) => {
    const refused = (): string => smtpUrl(raw);
    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow(/^(?!.*secret)SMTP_URL is /);
  });
});

describe('the address that mails come from', () => {
  it('is one plain address', () => {
    expect(mailFrom('sharing@example.org')).toBe('sharing@example.org');
    for (const raw of [
      'sharing',
      'Sharing <sharing@example.org>',
      'a@b@c d',
      `${'x'.repeat(250)}@example.org`,
    ])
      expect(() => mailFrom(raw)).toThrow(ConfigError);
  });
});
