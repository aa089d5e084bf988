import { isOfGroup } from '../received/group-share';
import { coalesce, type OpenMessage } from './coalescing';
import type { MessageState, Subject } from './message';
import type { PlainKind } from './message-catalogue';
import type { NoticePayload } from './payloads';

/** A federated share of ours as it was when something happened to it. */
export interface ShareFacts {
  readonly id: number;
  readonly revision: number;
  /** Partner of its recipient; of a share that the owner's server makes for us, the owner's server. */
  readonly peer_id: number | null;
  readonly recipient: string | null;
  readonly delivery_state: string;
  readonly delivered_at: string | null;
  readonly acceptance: string;
  /** Partner that asked for it, and the id that it has there. */
  readonly requester_peer_id: number | null;
  readonly requester_share_id: string | null;
  /** Set where the owner's server makes it for us. */
  readonly via_owner: 'asked' | 'granted' | null;
  readonly granted_id: string | null;
  readonly recipient_peer_id: number | null;
  /** State of the received share that it passes on; null where there is none. */
  readonly received_state: string | null;
}

/** A received share as it was when something happened to it. */
export interface ReceivedShareFacts {
  readonly id: number;
  readonly revision: number;
  readonly peer_id: number;
  readonly provider_id: string;
  readonly dialect: string;
  readonly state: string;
  /** How the content is reached. */
  readonly access?: unknown;
}

/** A message about the subjects of an event, in any state. */
export interface SubjectMessage extends OpenMessage {
  readonly subjectType: Subject['type'];
}

/** A message that an event calls for. */
interface DueNotice {
  readonly kind: PlainKind | 'received-decline';
  readonly subject: Subject;
  readonly peerId: number;
  readonly revision: number;
  readonly payload: NoticePayload;
}

/** Effect of an event on the messages of its subjects. */
export interface EventEffect {
  /** Messages that must not be sent, or replayed, any more. */
  readonly superseded: readonly number[];
  readonly due: readonly DueNotice[];
}

const OPEN: readonly MessageState[] = ['pending', 'queued', 'inflight'];
const GIVEN_UP: readonly MessageState[] = ['refused', 'dead', 'cancelled'];
/** A partner that ended a share itself gets no other message about its end. */
const ENDED_BY_RECIPIENT: readonly string[] = ['declined', 'left'];
const HELD: readonly string[] = ['accepted', 'quarantined'];

/** The requester of a share learns that its recipient accepted it. */
export function afterAcceptance(share: ShareFacts): EventEffect {
  return { superseded: [], due: toRequester(share, 'reshare-accepted', share.revision) };
}

/** The partners of a share that is gone learn of its end, each of its own side, unless they never heard of it. */
export function afterShareEnded(share: ShareFacts, messages: readonly SubjectMessage[]): EventEffect {
  const side = share.via_owner === null ? endOfOurs(share, messages) : endOfGranted(share, messages);
  const requester = endForRequester(share, messages);
  return {
    superseded: [...side.superseded, ...requester.superseded],
    due: [...side.due, ...requester.due],
  };
}

/** The server of a received share that is gone learns that it lost its recipient. */
export function afterReceivedShareEnded(
  received: ReceivedShareFacts,
  messages: readonly SubjectMessage[],
): EventEffect {
  const isInUse = received.state === 'pending' || HELD.includes(received.state);
  // Links of other servers are read without a share there; others of a group keep theirs.
  if (!isInUse || received.dialect === 'public-link' || isOfGroup(received.access))
    return { superseded: [], due: [] };
  const kind = 'received-decline';
  const notice: DueNotice = {
    kind,
    subject: { type: 'received-share', id: received.id },
    peerId: received.peer_id,
    revision: received.revision + 1,
    payload: { providerId: received.provider_id, grantee: null },
  };
  return { superseded: coalesce(messages.filter(isOpen), kind).superseded, due: [notice] };
}

function endOfOurs(share: ShareFacts, messages: readonly SubjectMessage[]): EventEffect {
  const kind = 'share-unshare';
  const own = messages.filter(({ subjectType }) => subjectType === 'share');
  const { superseded, needed } = coalesce(own.filter(isOpen), kind);
  const lost = own.filter(({ state }) => GIVEN_UP.includes(state));
  const isKnownThere = needed && share.delivery_state !== 'refused' && !neverArrived(share, own);
  const { peer_id: peerId, acceptance } = share;
  const tells = isKnownThere && peerId !== null && !ENDED_BY_RECIPIENT.includes(acceptance);
  return {
    superseded: [...superseded, ...idsOf(lost)],
    due: tells ? [noticeOf(share, kind, 'share', peerId, String(share.id))] : [],
  };
}

/** A share that was given up, and whose offer cannot have arrived. */
function neverArrived(share: ShareFacts, own: readonly SubjectMessage[]): boolean {
  const perhaps = own.some(({ kind, maybeDelivered }) => kind === 'share-create' && maybeDelivered);
  return share.delivery_state === 'dead' && share.delivered_at === null && !perhaps;
}

/** A share that the owner's server makes for us: the owner's server hears of its end, and the recipient's where that is left to us. */
function endOfGranted(share: ShareFacts, messages: readonly SubjectMessage[]): EventEffect {
  // An undo is there already where the answer to the request came after the end.
  const own = messages.filter(({ subjectType, kind }) => subjectType === 'share' && kind !== 'reshare-undo');
  const { superseded } = coalesce(own.filter(isOpen), 'reshare-undo');
  const pointless = own.filter(
    ({ kind, state, maybeDelivered }) =>
      GIVEN_UP.includes(state) || (kind === 'reshare-request' && isUnsent(state) && !maybeDelivered),
  );
  const isOver = share.delivery_state === 'revoked' || ENDED_BY_RECIPIENT.includes(share.acceptance);
  const isHeld = share.received_state !== null && HELD.includes(share.received_state);
  const due: DueNotice[] = [];
  if (share.via_owner === 'granted' && !isOver && isHeld && share.granted_id !== null) {
    const { peer_id: owner, recipient_peer_id: recipient, granted_id: id } = share;
    if (owner !== null) due.push(noticeOf(share, 'reshare-undo', 'share', owner, id));
    if (recipient !== null) due.push(noticeOf(share, 'share-unshare', 'reshare', recipient, id));
  }
  return { superseded: [...superseded, ...idsOf(pointless)], due };
}

/** The requester hears who ended the share: its recipient, or its owner. */
function endForRequester(share: ShareFacts, messages: readonly SubjectMessage[]): EventEffect {
  const byRecipient = ENDED_BY_RECIPIENT.includes(share.acceptance);
  const due = toRequester(share, byRecipient ? 'reshare-declined' : 'reshare-undo', share.revision + 1);
  if (due.length === 0) return { superseded: [], due };
  const pointless = messages.filter(
    ({ subjectType, state }) => subjectType === 'reshare' && (isUnsent(state) || GIVEN_UP.includes(state)),
  );
  return { superseded: idsOf(pointless), due };
}

function toRequester(share: ShareFacts, kind: PlainKind, revision: number): DueNotice[] {
  const { requester_peer_id: peerId, requester_share_id: id } = share;
  if (peerId === null || id === null) return [];
  return [{ ...noticeOf(share, kind, 'reshare', peerId, id), revision }];
}

function noticeOf(
  share: ShareFacts,
  kind: PlainKind,
  side: 'share' | 'reshare',
  peerId: number,
  providerId: string,
): DueNotice {
  return {
    kind,
    subject: { type: side, id: share.id },
    peerId,
    revision: share.revision + 1,
    payload: { providerId, grantee: share.recipient },
  };
}

const isOpen = ({ state }: SubjectMessage): boolean => OPEN.includes(state);
const isUnsent = (state: MessageState): boolean => state === 'pending' || state === 'queued';
const idsOf = (messages: readonly SubjectMessage[]): number[] => messages.map(({ messageId }) => messageId);
