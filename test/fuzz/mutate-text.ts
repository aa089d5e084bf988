import type { Dice } from './dice';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Texts that break parsers: limits of numbers, encodings, names of JavaScript, paths, markup, addresses. */
const ODD = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\ufeff',
    '🙂',
    '\u202e',
    "'; DROP TABLE share; --",
    '\r\nX-Injected: 1',
  ],
  ...words('0 -1 1 31 32 2147483648 9223372036854775808 -99999999999999999999 1e999 NaN null true [] {}'),
  ...words(
    '.. ../../etc/passwd / // %00 %2e%2e%2f %c0%af % %zz __proto__ constructor toString hasOwnProperty',
  ),
  ...words(
    'http://127.0.0.1:1/ https://169.254.169.254/latest file:///etc/passwd a@b@c @ a@ @b a@[::1] a@b:99999',
  ),
  ...words('<!DOCTYPE <a <![CDATA[ &x; ]]> </d:propfind> <d:prop/> xmlns:d="DAV:" <?xml'),
  ...words(
    'SHARE_UNSHARED RESHARE_UNDO REQUEST_RESHARE webdav must-exchange-token group federation file folder 1970 2999-12-31',
  ),
];
const LONG = [300, 1500, 5000];

/** The text with an error in it, or another text. */
export function mutateText(text: string, dice: Dice): string {
  const at = dice.below(text.length + 1);
  switch (dice.below(8)) {
    case 0:
      return dice.of(ODD);
    case 1:
      return text.slice(0, at);
    case 2:
      return text.slice(0, at) + text.slice(at + 1 + dice.below(4));
    case 3:
      return text.slice(0, at) + String.fromCharCode(dice.below(256)) + text.slice(at + 1);
    case 4:
      return text + text;
    case 5:
      return text.slice(0, at) + 'x'.repeat(dice.of(LONG)) + text.slice(at);
    default:
      return text.slice(0, at) + dice.of(ODD) + text.slice(at);
  }
}
