import { SignatureRefused } from './signature-refused';
import { parseDictionary, serializeInnerList, type Member } from './structured-dictionary';

const read = (text: string) => parseDictionary(text, 'signature-input');

/** A member in the syntax of RFC 8941. */
function written(member: Member | undefined): string {
  if (!member) return 'none';
  return 'items' in member
    ? serializeInnerList(member)
    : serializeInnerList({ items: [member], parameters: new Map() });
}

describe('dictionaries that are read', () => {
  it.each([
    ['a=1', '(1)'],
    ['a=-07', '(-7)'],
    ['a=999999999999999', '(999999999999999)'],
    ['a=token/x:*', '(token/x:*)'],
    ['a="q \\"u\\" \\\\"', '("q \\"u\\" \\\\")'],
    ['a=:AQI=:', '(:AQI=:)'],
    ['a=::', '(::)'],
    ['a=?0', '(?0)'],
    ['a', '(?1)'],
    ['a;x=2', '(?1;x=2)'],
    ['a=()', '()'],
    ['  a=( "x"   "y" );b;c=?0;  d=:AA==:  ', '("x" "y");b;c=?0;d=:AA==:'],
    ['a=("x";req;key="k" y);created=1', '("x";req;key="k" y);created=1'],
    ['b=2 ,\ta=(1 2), c', '(1 2)'],
  ])('%s', (text, expected) => {
    expect(written(read(text).get('a'))).toBe(expected);
  });

  it('may be empty', () => {
    expect(read('').size).toBe(0);
  });
});

describe('dictionaries that are refused', () => {
  it.each([
    'a=1,',
    ',a=1',
    'a=1 b=2',
    'A=1',
    'a=',
    'a=1.',
    'a=1.2345',
    'a=1.5.5',
    'a=1000000000000000',
    'a=-',
    'a="x',
    'a="x\\n"',
    'a="é"',
    'a="x\ny"',
    'a=:AQI:',
    'a=:AQJ=:',
    'a=:A=I=:',
    'a=:AQI=',
    'a=?2',
    'a=@1659578233',
    'a=("x"',
    'a=("x""y")',
    'a=("x"\t"y")',
    'a=(("x"))',
    'a=1,a=2',
    'a=1;b;b',
    'a=1;B',
    'a =1',
    '1=1',
    `a=(${'1 '.repeat(33)})`,
    `a${';x'.repeat(2)}`,
    Array.from({ length: 33 }, (_, at) => `a${at}`).join(','),
    `a="${'x'.repeat(8 * 1024)}"`,
  ])('%.40s', (text) => {
    expect(() => read(text)).toThrow(new SignatureRefused('malformed', 'signature-input'));
  });
});
