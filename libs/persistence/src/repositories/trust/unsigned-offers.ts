import type { Queryable } from '../../database';
import { array, int8 } from '../../postgres-types';
import { statement } from '../../statement';
import { NOTIFYING_APP, REMOTE_SHARE } from '../accounts/notified-objects';

/** Whether a partner at any address of `host` announces that it signs what it sends. */
export const ANNOUNCES_SIGNATURES = `EXISTS (SELECT FROM peer announcing WHERE announcing.host_id = host.id
  AND (coalesce(announcing.pinned_profile, announcing.profile) -> 'capabilities' ? 'http-sig'
    OR coalesce(announcing.pinned_profile, announcing.profile) -> 'criteria' ? 'must-use-http-sig'))`;

/** Addresses of a server that announces signatures; none if only an operator demands them. */
const SIGNING = statement({
  name: 'unsigned_offers.signing',
  params: { peerId: int8 },
  row: { id: int8 },
  sql: `SELECT a.id FROM peer one JOIN peer host ON host.id = one.host_id JOIN peer a ON a.host_id = host.id
   WHERE one.id = :peerId AND ${ANNOUNCES_SIGNATURES}
     AND coalesce(host.signatures, (SELECT value FROM setting
       WHERE app = 'federatedfilesharing' AND key = 'incoming_signatures'), 'known') <> 'checked'`,
});

const WITHDRAW = statement({
  name: 'unsigned_offers.withdraw',
  params: { peerIds: array(int8) },
  sql: `WITH withdrawn AS (
     UPDATE received_share r SET state = 'gone', revision = r.revision + 1, decided_at = now(), gone_at = now(), file_target = NULL,
       failed_probes = 0, quarantined_at = NULL, look_at = NULL
     WHERE r.peer_id = ANY(:peerIds::bigint[]) AND r.state IN ('pending', 'accepted') AND NOT r.verified
       AND r.access ->> 'senderUnknown' = 'true'
     RETURNING r.id, r.recipient_uid
   )
   DELETE FROM notification n USING withdrawn w WHERE n.uid = w.recipient_uid AND n.app = '${NOTIFYING_APP}'
     AND n.object_type = '${REMOTE_SHARE}' AND n.object_id = w.id::text`,
});

/** Ends unsigned offers that were stored while their server could not be asked, if the server turns out to sign. */
export async function withdrawUnsignedOffers(database: Queryable, peerId: number): Promise<void> {
  // Few servers announce signatures, but one partner may have made very many offers.
  const peerIds = (await database.rows(SIGNING, { peerId })).map(({ id }) => id);
  if (peerIds.length > 0) await database.rows(WITHDRAW, { peerIds });
}
