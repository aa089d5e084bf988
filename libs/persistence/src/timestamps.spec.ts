import fc from 'fast-check';
import pg from 'pg';
import { readTimestamp } from './timestamps';

const parseByDriver = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, 'text');

it('reads times as the driver does', () => {
  const time = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(time, fc.constantFrom('', '1', '12', '123', '1234', '12345', '123456'), (at, fraction) => {
      const text = at.toISOString().slice(0, 19).replace('T', ' ') + (fraction && `.${fraction}`) + '+00';
      expect(readTimestamp(text)).toEqual(parseByDriver(text));
    }),
  );
});

it.each([
  '2031-05-01 12:00:00.25+02',
  '2031-05-01 12:00:00+05:30',
  '0044-03-15 12:00:00+00 BC',
  '0044-03-15 12:00:00+00',
  '12031-05-01 12:00:00+00',
  'infinity',
  '-infinity',
])('leaves %s to the driver', (text) => {
  expect(readTimestamp(text)).toEqual(parseByDriver(text));
});
