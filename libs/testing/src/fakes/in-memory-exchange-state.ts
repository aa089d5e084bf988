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
}

/** A share that one of our users received. */
export interface StoredReceived extends OfferedToUs {
  readonly id: number;
  state: ReceivedShareState;
  inDoubt: boolean;
  /** ETag of a content for which it is probed now; null while none was told. */
  dueFor: string | null;
  /** Where its recipient sees it; null while it has no place. */
  fileTarget: string | null;
}

export interface ExchangeState {
  ours: Map<number, StoredOurShare>;
  received: Map<number, StoredReceived>;
  ended: Map<number, Buffer>;
  answers: Map<string, unknown>;
  /** Messages to partners and other effects, in the order in which they were written. */
  sent: string[];
}

export const EMPTY = (): ExchangeState => ({
  ours: new Map(),
  received: new Map(),
  ended: new Map(),
  answers: new Map(),
  sent: [],
});

/** For a change that may have to be undone. */
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
