import type { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import type { Story } from './share-stories';

const WRONG_ENDS = `SELECT id, kind, state, error_message AS error, payload ->> 'providerId' AS "shareId"
  FROM outbox_message WHERE state NOT IN ('delivered', 'superseded')`;
interface WrongEnd {
  readonly kind: string;
  readonly state: string;
  readonly shareId: string;
}
const TWICE = `SELECT message_id AS twice FROM delivery_attempt WHERE outcome IN ('delivered', 'already-gone')
  GROUP BY message_id HAVING count(*) > 1`;
const OUT_OF_ORDER = `SELECT id AS "outOfOrder" FROM (
    SELECT id, finished_at, lag(finished_at) OVER (PARTITION BY subject_type, subject_id ORDER BY id) AS before
    FROM outbox_message WHERE state = 'delivered') AS one
  WHERE finished_at < before`;

/** Messages of these shares that were not sent, sent twice, or sent in the wrong order for their share. */
export async function wrongMessages(
  outbox: FederationOutbox,
  stories: ReadonlyMap<string, Story>,
): Promise<unknown[]> {
  const wrong = await outbox.query<WrongEnd>(WRONG_ENDS);
  const repeated = await Promise.all([outbox.query(TWICE), outbox.query(OUT_OF_ORDER)]);
  return [...wrong.filter((message) => !isLateAnswer(message, stories)), ...repeated.flat()];
}

/** A recipient's answer that arrives after the end of the share, for the first time or because its first confirmation was lost. */
const isLateAnswer = ({ kind, state, shareId }: WrongEnd, stories: ReadonlyMap<string, Story>): boolean =>
  (kind === 'received-accept' || kind === 'received-seen') &&
  state === 'refused' &&
  stories.get(shareId)?.fate.endsWith('unshared') === true;
