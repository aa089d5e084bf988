import type { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import type { MixedLoad } from './mixed-load';
import { disagreements } from './share-ends';

/** An answer to an offer is refused if its owner has unshared it in the meantime. */
const WRONG_MESSAGES = `SELECT id, kind, state, error_message FROM outbox_message
  WHERE state NOT IN ('delivered', 'superseded') AND NOT (kind IN ('received-accept', 'received-decline') AND state = 'refused')`;
const TWICE = `SELECT message_id FROM delivery_attempt WHERE outcome IN ('delivered', 'already-gone')
  GROUP BY message_id HAVING count(*) > 1`;

interface Side {
  readonly outbox: FederationOutbox;
}

/** Everything that a mixed load lost or doubled on either side, after all messages have arrived. */
export async function findingsAfter(load: MixedLoad, here: Side, there: Side): Promise<unknown[]> {
  const messages = [here, there].flatMap(({ outbox }) => [outbox.query(WRONG_MESSAGES), outbox.query(TWICE)]);
  const found = await Promise.all<readonly unknown[]>([
    load.local.differences(here.outbox),
    load.federated.differences(here.outbox),
    load.lostDocuments(),
    disagreements(here, there),
    disagreements(there, here),
    ...messages,
  ]);
  return found.flat();
}
