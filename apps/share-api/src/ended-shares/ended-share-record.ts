import type { OcsValue } from '#ocs/protocol';
import { ENDED_SHARE_DAYS, type EndedShare } from '#persistence';
import { SHARE_TYPES } from '#sharing';

const SECONDS_PER_DAY = 86_400;
const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);

/** The record of an ended share, with the field names of share records. */
export function endedShareRecord(share: EndedShare): Readonly<Record<string, OcsValue>> {
  const endedAt = seconds(share.endedAt);
  return {
    id: String(share.id),
    share_type: SHARE_TYPES.federated,
    share_with: share.recipient,
    uid_owner: share.initiator,
    uid_file_owner: share.owner,
    item_type: share.kind,
    item_source: share.node,
    name: share.name,
    permissions: share.permissions,
    stime: seconds(share.created),
    ended: share.ended,
    ...(share.reason !== null && { reason: share.reason }),
    ended_at: endedAt,
    readable_until: endedAt + ENDED_SHARE_DAYS * SECONDS_PER_DAY,
  };
}
