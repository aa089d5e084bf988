import type { OutgoingMessage, Settlement } from '#federation/exchange';
import { undeliveredRequestText } from '#sharing';
import type { Queryable } from '../../database';
import { array, int8, text } from '../../postgres-types';
import { statement } from '../../statement';
import { notify } from '../accounts/notices';
import { SENT_SHARE_REQUEST } from '../accounts/notified-objects';

/** An attempt to deliver a request for a share, with the new state of its message. */
interface SettledRequest {
  readonly message: Pick<OutgoingMessage, 'subject'>;
  readonly settlement: Pick<Settlement, 'state' | 'message'>;
}

const UNDELIVERED: readonly Settlement['state'][] = ['refused', 'dead', 'not-sent'];

const OF_IDS = statement({
  name: 'share_request_settlement.of_ids',
  params: { ids: array(int8) },
  row: { id: int8, uid: text, owner: text, resource: text },
  sql: 'SELECT id, uid, owner, resource FROM sent_share_request WHERE id = ANY(:ids::bigint[])',
});

/** Notifies people whose requests for shares could not be delivered, in the transaction that records the attempts. */
export async function notifyOfUndelivered(
  transaction: Queryable,
  attempts: readonly SettledRequest[],
): Promise<void> {
  const failed = new Map(
    attempts
      .filter(({ settlement }) => UNDELIVERED.includes(settlement.state))
      .map(({ message, settlement }) => [message.subject.id, settlement]),
  );
  if (failed.size === 0) return;
  const requests = await transaction.rows(OF_IDS, { ids: [...failed.keys()] });
  const notices = requests.map(({ id, uid, owner, resource }) => {
    const { state, message: error } = failed.get(id)!;
    const text = undeliveredRequestText({ isRefused: state === 'refused', owner, resource, error });
    return { uid, objectType: SENT_SHARE_REQUEST, objectId: String(id), text };
  });
  await notify(transaction, notices);
}
