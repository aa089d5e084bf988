import fc from 'fast-check';
import {
  leadingInteger,
  OcsParameters,
  ParametersRefused,
  readForm,
  readJsonObject,
  type ParameterMap,
} from './parameters';

const form = (text: string): unknown => JSON.parse(JSON.stringify(readForm(text)));

function json(text: string, before = ''): ParameterMap {
  const values = readForm(before);
  readJsonObject(text, values);
  return values;
}

/** A plain copy of the result, because maps of parameters have no prototype. */
const plain = (values: ParameterMap): unknown => JSON.parse(JSON.stringify(values));

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a form', () => {
  it.each([
    ['', {}],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=2', { a: '2' }],
    ['a', { a: '' }],
    ['=x&a=1', { a: '1' }],
    ['&&a=1&', { a: '1' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=x+y%20z%2B', { a: 'x y z+' }],
    ['a=%', { a: '%' }],
    ['a=%ff', { a: '\ufffd' }],
    ['a=%C3%A4%zz%C3', { a: 'ä%zz\ufffd' }],
    ['a[]=1&a[]=2', { a: { 0: '1', 1: '2' } }],
    ['a[1]=x&a[]=y', { a: { 1: 'x', 2: 'y' } }],
    ['a[b]=1&a[c][d]=2', { a: { b: '1', c: { d: '2' } } }],
    ['a[0][scope]=s&a[0][key]=k', { a: { 0: { scope: 's', key: 'k' } } }],
    ['a%5Bb%5D=1', { a: { b: '1' } }],
    ['a=1&a[b]=2', { a: { b: '2' } }],
    ['a[b]=2&a=1', { a: '1' }],
    ['a[b=1', { 'a[b': '1' }],
    ['[a]=1', { '[a]': '1' }],
    ['a[b]c=1', { 'a[b]c': '1' }],
  ])('%j is %j', (text, values) => {
    expect(form(text)).toEqual(values);
  });

  it.each(['a=%00b', 'n%00=1', 'a[%00]=1', 'a=\0'])('is refused for NUL: %j', (text) => {
    expect(() => form(text)).toThrow(new ParametersRefused('A parameter contains NUL'));
  });

  it.each([
    (values: ParameterMap) => readForm('a=%00&format=json', values),
    (values: ParameterMap) => readJsonObject('{"a":["\\u0000"],"format":"json"}', values),
  ])('is read beside a parameter with NUL', (read) => {
    const values = readForm('');
    expect(() => read(values)).toThrow(ParametersRefused);
    expect(values).toEqual({ format: 'json' });
  });

  it('ends after a thousand parameters', () => {
    const text = Array.from({ length: 1500 }, (_, index) => `p${index}=1`).join('&');
    expect(Object.keys(readForm(text))).toHaveLength(1000);
  });

  it('leaves out fields that are nested deeper than sixteen levels', () => {
    expect(form(`a${'[b]'.repeat(15)}=1`)).not.toEqual({});
    expect(form(`a${'[b]'.repeat(16)}=1`)).toEqual({});
  });
});

describe('a JSON body', () => {
  it('adds its fields, which win over the form', () => {
    expect(plain(json('{"a":2,"b":{"c":[true,null]}}', 'a=1&d=4'))).toEqual({
      a: 2,
      b: { c: [true, null] },
      d: '4',
    });
  });

  it.each(['', '[1,2]', '"text"', '1', 'null'])('that is %j adds nothing', (text) => {
    expect(plain(json(text, 'a=1'))).toEqual({ a: '1' });
  });

  it('adds nothing if it is nested too deep, in any place', () => {
    expect(plain(json(`{"a":${nested(15)}}`))).not.toEqual({});
    expect(plain(json(`{"a":${nested(16)}}`))).toEqual({});
    expect(plain(json(`{"a":${nested(100_000)}}`))).toEqual({});
    const siblings = '1,'.repeat(2000);
    expect(plain(json(`{"a":[${siblings}${nested(100_000)}]}`))).toEqual({});
  });

  it.each(['nonsense', '{"a":', '{"a":1}}', ' '])('that is %j is refused', (text) => {
    expect(() => json(text)).toThrow(new ParametersRefused('The request body is not valid JSON'));
  });

  const distinct = (count: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

  it.each([
    ['names', distinct(10_001)],
    ['items', { a: Array<number>(10_001).fill(0) }],
    ['values of many lists', { a: Array<number[]>(100).fill(Array<number>(100).fill(0)) }],
  ])('that holds more than ten thousand %s is refused', (_what, body) => {
    expect(() => json(JSON.stringify(body))).toThrow(
      new ParametersRefused('The request body holds too many values'),
    );
  });

  it('does not count commas and brackets inside of strings', () => {
    const text = `"${',[{\\\\\\"'.repeat(10_001)}"`;
    expect(json(`{"note":${text}}`).note).toBe(JSON.parse(text));
  });

  it('holds ten thousand values', () => {
    expect(json(JSON.stringify(distinct(10_000))).k9999).toBe(9999);
  });

  it.each(['{"a":"x\\u0000"}', '{"b":["\\u0000"]}', '{"\\u0000":1}', '{"a":{"\\u0000":1}}'])(
    'with NUL is refused: %s',
    (text) => expect(() => json(text)).toThrow(new ParametersRefused('A parameter contains NUL')),
  );
});

describe('parameters', () => {
  const given = new OcsParameters(
    json(
      '{"n":12,"yes":true,"no":false,"nil":null,"map":{"x":1},"list":["a",2,null,true],"none":{}}',
      't=text',
    ),
  );

  it.each([
    ['t', 'text'],
    ['n', '12'],
    ['yes', 'true'],
    ['no', 'false'],
    ['nil', undefined],
    ['map', undefined],
    ['absent', undefined],
  ])('%s as text is %j', (name, text) => {
    expect(given.text(name)).toBe(text);
  });

  it.each([
    ['t', 0],
    ['n', 12],
    ['yes', 1],
    ['no', 0],
    ['nil', undefined],
    ['map', 1],
    ['none', 0],
    ['absent', undefined],
  ])('%s as a whole number is %j', (name, number) => {
    expect(given.integer(name)).toBe(number);
  });

  it('are present unless absent or null', () => {
    expect(['t', 'no', 'none', 'nil', 'absent'].map((name) => given.has(name))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('read single values and lists as lists of texts', () => {
    expect(given.texts('list')).toEqual(['a', '2']);
    expect(given.texts('t')).toEqual(['text']);
    expect(given.texts('absent')).toEqual([]);
    expect(new OcsParameters(readForm('g[]=b&g[]=a')).texts('g')).toEqual(['b', 'a']);
  });
});

describe('the whole number that a text begins with', () => {
  it.each([
    ['12', 12],
    ['12abc', 12],
    [' -3 ', -3],
    ['+7', 7],
    ['abc', 0],
    ['', 0],
    ['1e9', 1],
    ['0x10', 0],
    ['9'.repeat(30), Number.MAX_SAFE_INTEGER],
    [`-${'9'.repeat(400)}`, Number.MIN_SAFE_INTEGER],
  ])('of %j is %j', (text, number) => {
    expect(leadingInteger(text)).toBe(number);
  });
});

describe('parameters with any content', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '__proto__',
      'constructor',
      'prototype',
      '[',
      ']',
      '[]',
      '%',
      '%00',
      '%ff',
      '&',
      '=',
      '+',
      'a',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

  const untouched = (): void => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  };

  /** The parameters; none if reading was refused. */
  const readable = (read: () => ParameterMap): ParameterMap => {
    try {
      return read();
    } catch (error) {
      expect(error).toBeInstanceOf(ParametersRefused);
      return {};
    }
  };

  it('as a form is either read or refused, and changes no prototype of JavaScript', () => {
    fc.assert(
      fc.property(text, (sent) => {
        const values = readable(() =>
          readForm(
            `__proto__[polluted]=1&a[__proto__][polluted]=1&constructor[prototype][polluted]=1&${sent}`,
          ),
        );
        for (const name of Object.keys(values)) new OcsParameters(values).integer(name);
        untouched();
      }),
    );
  });

  it('as JSON is either read or refused, and changes no prototype of JavaScript', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.json()), (sent) => {
        const values = readable(() =>
          json(`{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}},"b":${sent}}`),
        );
        readable(() => json(sent));
        for (const name of Object.keys(values)) new OcsParameters(values).texts(name);
        untouched();
      }),
    );
  });
});
