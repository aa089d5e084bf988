import { readConfig } from '#platform';
import type { DeliverMessage } from '#queue';
import { DeliveryProcessor } from './delivery.processor';

it('lets attempts wait beside the places for others, but not at more partners than leave connections for others', () => {
  const waitingOf = (places: string) => {
    const config = readConfig({ DELIVERY_CONCURRENCY: places });
    return new DeliveryProcessor({} as DeliverMessage, config).waiting;
  };
  expect(waitingOf('10').atMost).toBe(400);
  expect(waitingOf('50').atMost).toBe(2000);
  expect(waitingOf('500').atMost).toBe(2000);
});
