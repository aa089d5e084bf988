import fc from 'fast-check';
import { phrase, translated } from './notification-phrases';
import { expiringText, lostAccessText } from './owner-notifications';
import { keptInsteadText } from './refused-write';

describe('a notification in German', () => {
  it.each([
    [
      phrase('accepted', { recipient: 'bea@there.example', name: 'a.txt' }),
      'bea@there.example hat Ihre Freigabe „a.txt“ angenommen',
    ],
    [
      phrase('changeUndelivered', { recipient: 'bea@there.example', name: 'a.txt' }),
      'Eine Änderung Ihrer Freigabe „a.txt“ konnte bea@there.example nicht zugestellt werden',
    ],
    [
      expiringText({ name: 'a (1).txt', expiresOn: '2030-05-01' }, 'Bea').subject,
      'Ihre Freigabe „a (1).txt“ für Bea endet mit dem 1. Mai 2030',
    ],
    [
      phrase('offerOnBehalf', { name: 'a', sender: 'bea@there.example', owner: 'carl@there.example' }),
      'bea@there.example hat „/a“ von einem anderen Server aus mit Ihnen geteilt (im Namen von carl@there.example)',
    ],
    [
      lostAccessText('Bob', 'plans', null).subject,
      'Bob hat den Zugriff auf „plans“ verloren, teilt es aber noch über einen öffentlichen Link',
    ],
    [
      keptInsteadText({ name: 'a', shareName: 'b', hostKey: 'c.example' }, 'no-space', '/a').message,
      'Dort ist kein Platz dafür. Es liegt bei Ihren eigenen Dateien: /a',
    ],
  ])('%s', (stored, german) => {
    expect(translated(stored, 'de')).toBe(german);
    expect(translated(stored, 'en')).toBe(stored);
  });

  it('keeps the words of others as they are', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (recipient, name) => {
        const text = translated(phrase('left', { recipient, name }), 'de');
        expect(text.startsWith(recipient) && text.includes(name)).toBe(true);
      }),
    );
    expect(translated('User does not exist', 'de')).toBe('User does not exist');
    expect(translated('', 'de')).toBe('');
  });
});
