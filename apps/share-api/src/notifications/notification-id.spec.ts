import fc from 'fast-check';
import { notificationNumber, parseNotificationNumber } from './notification-id';

describe('the number of a notification', () => {
  it('stands for one pending share or one stored notification', () => {
    const references = fc.record({
      kind: fc.constantFrom('pending-share' as const, 'stored' as const),
      id: fc.integer({ min: 1, max: 2 ** 50 }),
    });
    fc.assert(
      fc.property(references, (reference) => {
        expect(parseNotificationNumber(String(notificationNumber(reference)))).toEqual(reference);
      }),
    );
  });

  it.each(['', '0', '-2', '1.5', '0x10', '12a', ' 2', '99999999999999999999'])('is not %j', (raw) => {
    expect(parseNotificationNumber(raw)).toBeUndefined();
  });
});
