import { LISTED_STATES, MOUNTED_STATES } from '#sharing';
import { isOfGroup } from '../received/group-share';
import { coalesce, type OpenMessage } from './coalescing';
import type { MessageState, Subject } from './message';
import type { PlainKind } from './message-catalogue';
import type { NoticePayload } from './payloads';

/** A federated share of ours, at the time of the event. */
export interface ShareFacts {
  readonly id: number;
  readonly revision: number;
  /** Partner of its recipient; the owner's server if that makes the share for us. */
  readonly peer_id: number | null;
  readonly recipient: string | null;
  readonly delivery_state: string;
  readonly delivered_at: string | null;
  readonly acceptance: string;
  /** Partner that requested it, and its id there. */
  readonly requester_peer_id: number | null;
  readonly requester_share_id: string | null;
  /** Set if the owner's server makes the share for us. */
  readonly via_owner: 'asked' | 'granted' | null;
  readonly granted_id: string | null;
  readonly recipient_peer_id: number | null;
  /** State of the received share that it passes on; null if there is none. */
  readonly received_state: string | null;
}

/** A received share, at the time of the event. */
export interface ReceivedShareFacts {
  readonly id: number;
  readonly revision: number;
  readonly peer_id: number;
  readonly provider_id: string;
  readonly dialect: string;
  readonly state: string;
  /** How the content is accessed. */
  readonly access?: unknown;
}

/** A message about the subjects of an event, in any state. */
export interface SubjectMessage extends OpenMessage {
  readonly subjectType: Subject['type'];
}

/** A message that an event requires. */
interface DueNotice {
  readonly kind: PlainKind | 'received-decline';
  readonly subject: Subject;
  readonly peerId: number;
  readonly revision: number;
  readonly payload: NoticePayload;
}

/** Effect of an event on the messages of its subjects. */
export interface EventEffect {
  /** Messages that must not be sent or replayed any more. */
  readonly superseded: readonly number[];
  readonly due: readonly DueNotice[];
}

const OPEN: readonly MessageState[] = ['pending', 'queued', 'inflight'];
const GIVEN_UP: readonly MessageState[] = ['refused', 'dead', 'cancelled'];
/** A partner that ended a share itself gets no further message about its end. */
const ENDED_BY_RECIPIENT: readonly string[] = ['declined', 'left'];
const LISTED: readonly string[] = LISTED_STATES;
const MOUNTED: readonly string[] = MOUNTED_STATES;

/** The requester of a share gets a message when its recipient accepts it. */
export function afterAcceptance(share: ShareFacts): EventEffect {
  return { superseded: [], due: toRequester(share, 'reshare-accepted', share.revision) };
}

/** The partners of an ended share get a message about the end, unless they never heard of the share. */
export function afterShareEnded(share: ShareFacts, messages: readonly SubjectMessage[]): EventEffect {
  const side = share.via_owner === null ? endOfOurs(share, messages) : endOfGranted(share, messages);
  const requester = endForRequester(share, messages);
  return {
    superseded: [...side.superseded, ...requester.superseded],
    due: [...side.due, ...requester.due],
  };
}

/** The server of an ended received share gets a message that the recipient is gone. */
export function afterReceivedShareEnded(
  received: ReceivedShareFacts,
  messages: readonly SubjectMessage[],
): EventEffect {
  const isInUse = LISTED.includes(received.state);
  // Links of other servers need no share there, so nothing is sent. Other members of a group keep their shares.
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

/**
 * Whether a share was given up before its offer could have arrived. Operators also cancel offers that arrived after the backup that they
 * restored.
 */
function neverArrived(share: ShareFacts, own: readonly SubjectMessage[]): boolean {
  const perhaps = own.some(
    ({ kind, state, maybeDelivered }) => kind === 'share-create' && (maybeDelivered || state === 'cancelled'),
  );
  return share.delivery_state === 'dead' && share.delivered_at === null && !perhaps;
}

/**
 * A share that the owner's server made for us: that server gets a message about the end, and so does the recipient's
 * server if that is left to us.
 */
function endOfGranted(share: ShareFacts, messages: readonly SubjectMessage[]): EventEffect {
  // The end was already sent if the answer to the request came after the share ended.
  const own = messages.filter(({ subjectType, kind }) => subjectType === 'share' && kind !== 'reshare-undo');
  const { superseded } = coalesce(own.filter(isOpen), 'reshare-undo');
  const pointless = own.filter(
    ({ kind, state, maybeDelivered }) =>
      GIVEN_UP.includes(state) || (kind === 'reshare-request' && isUnsent(state) && !maybeDelivered),
  );
  const isOver = share.delivery_state === 'revoked' || ENDED_BY_RECIPIENT.includes(share.acceptance);
  const isHeld = share.received_state !== null && MOUNTED.includes(share.received_state);
  const due: DueNotice[] = [];
  if (share.via_owner === 'granted' && !isOver && isHeld && share.granted_id !== null) {
    const { peer_id: owner, recipient_peer_id: recipient, granted_id: id } = share;
    if (owner !== null) due.push(noticeOf(share, 'reshare-undo', 'share', owner, id));
    if (recipient !== null) due.push(noticeOf(share, 'share-unshare', 'reshare', recipient, id));
  }
  return { superseded: [...superseded, ...idsOf(pointless)], due };
}

/** The requester gets a message that says who ended the share: its recipient or its owner. */
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
