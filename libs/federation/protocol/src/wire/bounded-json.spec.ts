import fc from 'fast-check';
import { MAX_MESSAGE_LENGTH, parseBoundedJson } from './bounded-json';

describe('a JSON text', () => {
  it('is read up to its limits', () => {
    expect(parseBoundedJson('\ufeff{"a":"]]]]]]]]]]{\\"["}')).toEqual({ a: ']]]]]]]]]]{"[' });
    expect(parseBoundedJson('[[[[[[[[1]]]]]]]]')).toBeDefined();
    expect(parseBoundedJson('[[[[[[[[[1]]]]]]]]]')).toBeUndefined();
    expect(parseBoundedJson('['.repeat(60_000))).toBeUndefined();
    expect(parseBoundedJson(`"${'x'.repeat(MAX_MESSAGE_LENGTH)}"`)).toBeUndefined();
    expect(parseBoundedJson('{"a":')).toBeUndefined();
    expect(parseBoundedJson('')).toBeUndefined();
  });

  it('is read as usual if it is small', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) =>
        expect(parseBoundedJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value))),
      ),
    );
  });
});
