import type { z } from 'zod';
import type { PartnerMessage } from '#federation/protocol';
import { content, decline, notice, offer, permissions, reshare } from './payloads';

const DAY = 86_400_000;

/** Everything in which the kinds of messages to partners differ. */
interface MessageFacts<Kind extends string> {
  /** Content that the writer puts into the message. */
  readonly payload: z.ZodType;
  /** The event that partners hear of, in the words of both directions; each dialect has its own for it. */
  readonly event: PartnerMessage['kind'];
  /** Policy that it falls under: a message in answer to a received share concerns incoming shares. */
  readonly direction: 'incoming' | 'outgoing';
  /** How long it is tried, in milliseconds. The end of an access is tried longest; a new share is soon without meaning. */
  readonly lifetimeMs: number;
  /** Unsent messages of the same subject that it makes pointless. */
  readonly supersedes: readonly Kind[];
  /** The beginning that needs no such end when the partner never got it. */
  readonly ends?: Kind;
  /** Whether it begins a share at a partner: others about it follow it, and its sender waits for the verdict. */
  readonly begins: boolean;
  /** Effect on the access of the partner's user. */
  readonly access: 'gives' | 'ends' | 'none';
  /**
   * How an answer shows in the record of our share: a refused `offer` refuses the share, a refused `change` leaves it delivered, the `end` is
   * over with any answer. A refused `request` may become an offer of ours.
   */
  readonly shows: 'offer' | 'request' | 'change' | 'end' | 'nothing';
  /** Where the partner has no such message: it is not sent, or it is left to us what was asked for. */
  readonly unsayable: 'not-sent' | 'left-to-us';
}

/**
 * Kinds of messages to partners. `share-*` concern our own shares (the partner holds the received side), `received-*` concern shares that we
 * received, `reshare-*` go between the owner of a share and its requester: the initiator asks (`-request`), the owner reports its
 * recipient's decision (`-accepted`, `-declined`), either of them changes or ends it.
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
    lifetimeMs: 7 * DAY,
    supersedes: ['received-seen', 'received-accept', 'received-decline'],
    begins: false,
    access: 'none',
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
    access: 'none',
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
    // A request is not among them: only a granted reshare has an id to be undone by, and then no request is open.
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

/** Kinds that say no more than what they are. */
export type PlainKind = {
  [Kind in MessageKind]: (typeof FACTS)[Kind]['payload'] extends typeof notice
    ? typeof notice extends (typeof FACTS)[Kind]['payload']
      ? Kind
      : never
    : never;
}[MessageKind];

/** A message's payload with the kind that gives it its shape. */
export type MessageContent = {
  [Kind in MessageKind]: {
    readonly kind: Kind;
    readonly payload: z.infer<(typeof FACTS)[Kind]['payload']>;
  };
}[MessageKind];

/** Reads what a message's writer put into it. @throws ZodError for what no writer puts there: a bug */
export function readContent(kind: MessageKind, payload: unknown): MessageContent {
  return { kind, payload: FACTS[kind].payload.parse(payload) } as MessageContent;
}

/** The event of a kind that says no more than what it is. */
export const plainNotice = <Kind extends PlainKind>(kind: Kind): (typeof FACTS)[Kind]['event'] =>
  FACTS[kind].event;
