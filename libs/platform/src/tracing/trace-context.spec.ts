import fc from 'fast-check';
import { readTraceparent, writeTraceparent } from './trace-context';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    [`cc-${TRACE}-${SPAN}-01-what-will-come`, true],
  ])('%s is read', (text, isSampled) => {
    expect(readTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
  });

  it.each([
    '',
    'ff-' + TRACE + `-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-012`,
    ` 00-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`,
    undefined,
  ])('%j is none', (text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });

  it('is read as it was written', () => {
    const hex = (length: number) =>
      fc
        .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
        .filter((text) => !/^0+$/.test(text));
    const context = fc.record({ traceId: hex(32), spanId: hex(16), isSampled: fc.boolean() });
    fc.assert(
      fc.property(context, (written) => {
        expect(readTraceparent(writeTraceparent(written))).toEqual(written);
      }),
    );
  });
});
