import type { OfferedToUs, OurShares } from '#federation/exchange';
import type { ReceivedShareState } from '#sharing';

type LockedShare = NonNullable<Awaited<ReturnType<OurShares['lock']>>>;

/** A share of ours with a partner's account. */
export interface StoredOurShare extends LockedShare {
  readonly sealedSecret: Buffer;
  seen: boolean;
  accepted: boolean;
  /** Whether its offer may have arrived twice. */
  readonly mayBeThereTwice: boolean;
  requesterShareId: string | null;
  /** Our share that was passed on by this one. */
  readonly requestedOf?: number;
}

/** A share that one of our users received. */
export interface StoredReceived extends OfferedToUs {
  readonly id: number;
  readonly recipientUid: string;
  state: ReceivedShareState;
  inDoubt: boolean;
  /** ETag of the content for which a probe is due; null if none was reported. */
  dueFor: string | null;
  /** Place in the recipient's tree; null if it has none. */
  fileTarget: string | null;
}

export interface ExchangeState {
  ours: Map<number, StoredOurShare>;
  received: Map<number, StoredReceived>;
  ended: Map<number, Buffer>;
  answers: Map<string, unknown>;
  /** Messages to partners and other effects, in the order of writing. */
  sent: string[];
}

export const EMPTY = (): ExchangeState => ({
  ours: new Map(),
  received: new Map(),
  ended: new Map(),
  answers: new Map(),
  sent: [],
});

/** A copy, so that a change can be undone. */
export function copyOf({ ours, received, ended, answers, sent }: ExchangeState): ExchangeState {
  const copies = <T extends object>(rows: Map<number, T>): Map<number, T> =>
    new Map([...rows].map(([id, row]) => [id, { ...row }]));
  return {
    ours: copies(ours),
    received: copies(received),
    ended: new Map(ended),
    answers: new Map(answers),
    sent: [...sent],
  };
}
