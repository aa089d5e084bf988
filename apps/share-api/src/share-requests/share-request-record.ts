import type { SentShareRequestRow } from '#persistence';

type Progress = 'pending' | 'retrying' | 'delivered' | 'not-sent' | 'refused' | 'dead';

/** The same words as for the delivery of shares. A delivered message is deleted before its request. */
function progressOf({ state, attempts }: SentShareRequestRow): Progress {
  switch (state) {
    case null:
    case 'delivered':
      return 'delivered';
    case 'pending':
    case 'queued':
    case 'inflight':
      return attempts ? 'retrying' : 'pending';
    case 'cancelled':
    case 'superseded':
      return 'dead';
    case 'not-sent':
    case 'refused':
    case 'dead':
      return state;
  }
}

/** A request for a share, for the user who made it. */
export const shareRequestRecord = (request: SentShareRequestRow) => ({
  id: request.id,
  owner: request.owner,
  share: request.resource,
  since: Math.floor(request.createdAt.getTime() / 1000),
  state: progressOf(request),
  error: request.error ?? '',
});
