/** All differences between the events that partners report to each other about shares, in both directions. */
interface EventFacts {
  /** The side of the share that sends it: its recipient, the partner that requested it, or its owner's server. */
  readonly sender: 'recipient' | 'requester' | 'owner';
  /** Whether it goes between the owner and the initiator of a reshare: a server that accepts offers need not know it. */
  readonly isOfReshare: boolean;
  /** Its type in OCM, and the text that people may read there. */
  readonly ocm: { readonly type: string; readonly message: string };
  /** Last segment of its legacy address, `/ocs/v2.php/cloud/shares/{id}/accept`; null if that dialect has no such message. */
  readonly legacy: string | null;
}

/** The one catalogue of these events, with their name in every dialect. Source: federation-facts 6. */
const FACTS = {
  'share-accepted': {
    sender: 'recipient',
    isOfReshare: false,
    ocm: { type: 'SHARE_ACCEPTED', message: 'Recipient accepted the share' },
    legacy: 'accept',
  },
  /** The recipient declined a pending share or left an accepted one. */
  'share-declined': {
    sender: 'recipient',
    isOfReshare: false,
    ocm: { type: 'SHARE_DECLINED', message: 'Recipient declined the share or unshared it from themself' },
    legacy: 'decline',
  },
  /** Our own addition: the recipient saw the offer, and has not decided yet. */
  'share-seen': {
    sender: 'recipient',
    isOfReshare: false,
    ocm: { type: 'SHARE_SEEN', message: 'Recipient saw the share' },
    legacy: null,
  },
  'share-unshared': {
    sender: 'owner',
    isOfReshare: false,
    ocm: { type: 'SHARE_UNSHARED', message: 'File was unshared' },
    legacy: 'unshare',
  },
  'reshare-undone': {
    sender: 'requester',
    isOfReshare: true,
    ocm: {
      type: 'RESHARE_UNDO',
      message: 'Tell the owner (or the sender of a reshare) that the reshare was unshared',
    },
    legacy: 'revoke',
  },
  'reshare-permissions': {
    sender: 'requester',
    isOfReshare: true,
    ocm: {
      type: 'RESHARE_CHANGE_PERMISSION',
      message: 'Tell the owner (or the sender of the reshare) that the permissions changed',
    },
    legacy: 'permissions',
  },
  'reshare-requested': {
    sender: 'recipient',
    isOfReshare: true,
    ocm: {
      type: 'REQUEST_RESHARE',
      message: 'Recipient of a share ask the owner to reshare the file with another user',
    },
    legacy: 'reshare',
  },
  /** Recipients with the legacy dialect see it in the share's properties. */
  'share-permissions': {
    sender: 'owner',
    isOfReshare: false,
    ocm: { type: 'SHARE_CHANGE_PERMISSION', message: 'The permissions changed' },
    legacy: null,
  },
  /** Our own addition: partners that do not announce it probe the share from time to time. */
  'content-changed': {
    sender: 'owner',
    isOfReshare: false,
    ocm: { type: 'SHARE_CONTENT_CHANGED', message: 'The content changed' },
    legacy: null,
  },
} as const satisfies Record<string, EventFacts>;

/** Word in `capabilities` of discovery with which a server asks for `content-changed`. */
export const TAKES_CONTENT_CHANGES = 'content-changes';

/** Word in `capabilities` with which a server asks for `share-seen`. */
export const TAKES_SEEN = 'seen-shares';

/** Word in `capabilities` of a server whose users can be asked for shares. */
export const TAKES_SHARE_REQUESTS = 'request-share';

type Facts = typeof FACTS;
export type PartnerEvent = keyof Facts;
/** Events with a message in the legacy dialect. */
export type LegacyEvent = {
  [Event in PartnerEvent]: Facts[Event]['legacy'] extends null ? never : Event;
}[PartnerEvent];
/** Last segment of a legacy address. */
export type LegacyAction = NonNullable<Facts[PartnerEvent]['legacy']>;

export const EVENTS: Readonly<Record<PartnerEvent, EventFacts>> = FACTS;
const KINDS = Object.keys(FACTS) as readonly PartnerEvent[];

/** Types of OCM notifications about shares. */
export const OCM_TYPES: readonly string[] = KINDS.map((kind) => EVENTS[kind].ocm.type);
export const LEGACY_ACTIONS: readonly LegacyAction[] = KINDS.flatMap((kind) => FACTS[kind].legacy ?? []);

/** @returns undefined for notifications about something else */
export const eventOfOcm = (type: string): PartnerEvent | undefined =>
  KINDS.find((kind) => EVENTS[kind].ocm.type === type);

export const isLegacyEvent = (event: PartnerEvent): event is LegacyEvent => EVENTS[event].legacy !== null;

export const eventOfLegacy = (action: LegacyAction): LegacyEvent =>
  KINDS.filter(isLegacyEvent).find((kind) => EVENTS[kind].legacy === action)!;
