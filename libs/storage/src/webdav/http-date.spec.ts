import fc from 'fast-check';
import { httpDate } from './http-date';

it('writes times as the language does', () => {
  fc.assert(
    fc.property(fc.date(), (time) => {
      expect(httpDate(time)).toBe(time.toUTCString());
    }),
  );
  expect(httpDate(new Date('2031-05-01T02:03:04.999Z'))).toBe('Thu, 01 May 2031 02:03:04 GMT');
});
