import { ExpirySweep } from '../../apps/share-api/src/shares/expiry-sweep';
import { eventually } from '../../libs/testing/src';
import type { SharingWorld } from '../api/sharing-world';

type Server = Pick<SharingWorld, 'gateway'> & { query(sql: string): Promise<object[]> };

/** Deletes all shares past their last day. One sweep leaves out those that other work holds, such as a delivery. */
export function sweepExpired(server: Server): Promise<unknown> {
  const { nest } = server.gateway.instance.app;
  return eventually('the end of all expired shares', async () => {
    await nest.get(ExpirySweep, { strict: false }).sweep();
    return (await server.query('SELECT FROM share WHERE expires_on < current_date')).length === 0;
  });
}
