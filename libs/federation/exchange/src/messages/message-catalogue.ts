import type { z } from 'zod';
import type { PartnerMessage } from '#federation/protocol';
import { content, decline, notice, offer, permissions, reshare, shareRequest } from './payloads';

const DAY = 86_400_000;

/** All differences between the kinds of messages to partners. */
interface MessageFacts<Kind extends string> {
  /** Schema of the message's stored content. */
  readonly payload: z.ZodType;
  /** The event that the partner learns of, in the words of both directions. Each dialect has its own name for it. */
  readonly event: PartnerMessage['kind'];
  /** The policy that applies to it: a message about a received share concerns incoming shares. */
  readonly direction: 'incoming' | 'outgoing';
  /** Time for attempts, in milliseconds. The end of an access is tried longest; a new share loses its meaning soon. */
  readonly lifetimeMs: number;
  /** Unsent messages of the same subject that become pointless with it. */
  readonly supersedes: readonly Kind[];
  /** The beginning. If the partner never got it, this end need not be sent. */
  readonly ends?: Kind;
  /** Whether it begins a share at a partner: later messages about the share wait for it, and its author waits for the answer. */
  readonly begins: boolean;
  /** Effect on an access of the partner's user, or of ours to the partner. The end of one is sent to every partner. */
  readonly access: 'gives' | 'ends' | 'none';
  /**
   * Effect of an answer on the record of our share: a refused `offer` refuses the share, a refused `change` leaves it
   * delivered, the `end` is
   * over with any answer. A refused `request` may become an offer of ours.
   */
  readonly shows: 'offer' | 'request' | 'change' | 'end' | 'nothing';
  /** Effect if the partner has no such message: it is not sent, or this server does the requested work itself. */
  readonly unsayable: 'not-sent' | 'left-to-us';
}

/**
 * Kinds of messages to partners. `share-*` are about our own shares (the partner has the received side), `received-*` about shares that we
 * received. `reshare-*` go between the owner of a share and its requester: the initiator asks (`-request`), the owner
 * reports the decision of its
 * recipient (`-accepted`, `-declined`), and either of them changes or ends it. `share-request` asks somebody at a partner for a share.
 */
const FACTS = {
  'share-create': {
    payload: offer,
    event: 'offer',
    direction: 'outgoing',
    lifetimeMs: 3 * DAY,
    supersedes: [],
    begins: true,
    access: 'gives',
    shows: 'offer',
    unsayable: 'not-sent',
  },
  'share-permissions': {
    payload: permissions,
    event: 'share-permissions',
    direction: 'outgoing',
    lifetimeMs: 7 * DAY,
    supersedes: ['share-permissions'],
    begins: false,
    access: 'gives',
    shows: 'change',
    unsayable: 'not-sent',
  },
  'share-content': {
    payload: content,
    event: 'content-changed',
    direction: 'outgoing',
    lifetimeMs: 7 * DAY,
    supersedes: ['share-content'],
    begins: false,
    access: 'none',
    shows: 'nothing',
    unsayable: 'not-sent',
  },
  'share-unshare': {
    payload: notice,
    event: 'share-unshared',
    direction: 'outgoing',
    lifetimeMs: 30 * DAY,
    supersedes: ['share-create', 'share-permissions', 'share-content', 'share-unshare'],
    ends: 'share-create',
    begins: false,
    access: 'ends',
    shows: 'end',
    unsayable: 'not-sent',
  },
  'received-seen': {
    payload: notice,
    event: 'share-seen',
    direction: 'incoming',
    lifetimeMs: 1 * DAY,
    supersedes: ['received-seen'],
    begins: false,
    access: 'none',
    shows: 'nothing',
    unsayable: 'not-sent',
  },
  'received-accept': {
    payload: notice,
    event: 'share-accepted',
    direction: 'incoming',
    lifetimeMs: 7 * DAY,
    supersedes: ['received-seen', 'received-accept', 'received-decline'],
    begins: false,
    access: 'none',
    shows: 'nothing',
    unsayable: 'not-sent',
  },
  'received-decline': {
    payload: decline,
    event: 'share-declined',
    direction: 'incoming',
    lifetimeMs: 30 * DAY,
    supersedes: ['received-seen', 'received-accept', 'received-decline'],
    begins: false,
    access: 'ends',
    shows: 'nothing',
    unsayable: 'not-sent',
  },
  'reshare-request': {
    payload: reshare,
    event: 'reshare-requested',
    direction: 'incoming',
    lifetimeMs: 3 * DAY,
    supersedes: [],
    begins: true,
    access: 'gives',
    shows: 'request',
    unsayable: 'left-to-us',
  },
  'share-request': {
    payload: shareRequest,
    event: 'share-request',
    direction: 'incoming',
    lifetimeMs: 3 * DAY,
    supersedes: [],
    begins: true,
    access: 'none',
    shows: 'nothing',
    unsayable: 'not-sent',
  },
  'reshare-accepted': {
    payload: notice,
    event: 'share-accepted',
    direction: 'outgoing',
    lifetimeMs: 7 * DAY,
    supersedes: ['reshare-accepted'],
    begins: false,
    access: 'none',
    shows: 'nothing',
    unsayable: 'not-sent',
  },
  'reshare-declined': {
    payload: notice,
    event: 'share-declined',
    direction: 'outgoing',
    lifetimeMs: 30 * DAY,
    supersedes: ['reshare-accepted', 'reshare-permissions', 'reshare-undo', 'reshare-declined'],
    begins: false,
    access: 'ends',
    shows: 'nothing',
    unsayable: 'not-sent',
  },
  'reshare-permissions': {
    payload: permissions,
    event: 'reshare-permissions',
    direction: 'outgoing',
    lifetimeMs: 7 * DAY,
    supersedes: ['reshare-permissions'],
    begins: false,
    access: 'none',
    shows: 'change',
    unsayable: 'not-sent',
  },
  'reshare-undo': {
    payload: notice,
    event: 'reshare-undone',
    direction: 'outgoing',
    lifetimeMs: 30 * DAY,
    // A request is not in this list: only a granted reshare has an id that an end can name, and then no request is open.
    supersedes: ['reshare-accepted', 'reshare-permissions', 'reshare-undo'],
    begins: false,
    access: 'ends',
    shows: 'nothing',
    unsayable: 'not-sent',
  },
} as const satisfies Record<string, MessageFacts<string>>;

export type MessageKind = keyof typeof FACTS;

/** The one catalogue of messages to partners. */
export const MESSAGES: Readonly<Record<MessageKind, MessageFacts<MessageKind>>> = FACTS;

export const MESSAGE_KINDS = Object.keys(FACTS) as readonly MessageKind[];

/** Messages that begin a share at a partner. */
export const BEGINNINGS: readonly MessageKind[] = MESSAGE_KINDS.filter((kind) => MESSAGES[kind].begins);

/** Whether it offers a share to its recipient. */
export const isOffer = (kind: MessageKind): boolean => MESSAGES[kind].event === 'offer';

/** Kinds of messages without any content of their own. */
export type PlainKind = {
  [Kind in MessageKind]: (typeof FACTS)[Kind]['payload'] extends typeof notice
    ? typeof notice extends (typeof FACTS)[Kind]['payload']
      ? Kind
      : never
    : never;
}[MessageKind];

/** A message's payload, with the kind that decides its shape. */
export type MessageContent = {
  [Kind in MessageKind]: {
    readonly kind: Kind;
    readonly payload: z.infer<(typeof FACTS)[Kind]['payload']>;
  };
}[MessageKind];

/** Reads the stored content of a message. @throws ZodError for invalid content: a bug */
export function readContent(kind: MessageKind, payload: unknown): MessageContent {
  return { kind, payload: FACTS[kind].payload.parse(payload) } as MessageContent;
}

/** The event of a kind without content of its own. */
export const plainNotice = <Kind extends PlainKind>(kind: Kind): (typeof FACTS)[Kind]['event'] =>
  FACTS[kind].event;
