import type { PolicySource, ReceivedShareState, RegardedPartner } from '#sharing';
import type { DecidedShare, NewMessage } from '../messages/new-message';

/** A share from a partner that its recipient decides on, or that is accepted for them. */
export interface DecidableShare extends DecidedShare {
  readonly recipientUid: string;
  readonly name: string;
  readonly state: ReceivedShareState;
  readonly dialect: string;
  /** How the content is reached, and what was known of the sender. */
  readonly access: Readonly<Record<string, unknown>>;
}

/** Decisions on received shares within one change: all of it happens, or nothing. */
export interface DecisionChanges {
  /** Our own address, without a trailing slash; null where it is not known. */
  readonly ourUrl: string | null;
  /** @returns the new revision of the share */
  changeState(id: number, state: 'accepted' | 'declined'): Promise<number>;
  /** Takes away the notification that asks for a decision. */
  removeNotice(recipientUid: string, id: number): Promise<void>;
  /** Writes a message to the owner's server. */
  send(message: NewMessage): Promise<void>;
}

/** The same, where shares get a place in the trees of their recipients. */
export interface AcceptanceChanges extends DecisionChanges {
  /** `wished`, or the first numbered path that is free; it stays free until the change ends. */
  freeTarget(recipientUid: string, wished: string): Promise<string>;
  place(id: number, fileTarget: string): Promise<void>;
  /** Has the share probed soon. */
  announceProbe(): Promise<void>;
}

/** A saved link whose server will offer a share, or has done so. */
export interface AwaitedLink {
  readonly id: number;
  /** Id of that share at its server; null where it was not told. */
  readonly providerId: string | null;
}

/** A share that such a server offered. */
export interface AwaitedOffer {
  readonly id: number;
  readonly providerId: string;
}

/** Acceptances without a decision of the recipient. */
export interface AutoAcceptChanges extends AcceptanceChanges {
  /** One of the user's own shares, held until the change ends. */
  lock(id: number, recipientUid: string): Promise<DecidableShare | undefined>;
  /** Links of a user at a partner's host whose offers are awaited, held until the change ends. */
  lockLinks(uid: string, peerId: number): Promise<readonly AwaitedLink[]>;
  /** Shares that this host offered because of these links, and those that it offered meanwhile for other reasons. */
  offersFor(uid: string, peerId: number, links: readonly AwaitedLink[]): Promise<readonly AwaitedOffer[]>;
  saveLink(linkId: number, shareId: number): Promise<void>;
}

/** On whose behalf shares are accepted: so the audit log has it. */
export type Acceptor = 'gateway' | { readonly uid: string };

/** Everything that shares are accepted with, where nobody decides at the moment. */
export interface AcceptancePorts {
  readonly policy: PolicySource;
  readonly known: {
    partner(peerId: number): Promise<RegardedPartner | undefined>;
    /** Preferences of an account, by `app/key`; undefined where there is no account. */
    preferences(uid: string): Promise<Readonly<Record<string, string>> | undefined>;
  };
  /** Whether the user saves a link of a partner's host at the moment. */
  expectsOffers(uid: string, peerId: number): Promise<boolean>;
  change<T>(acceptor: Acceptor, work: (shares: AutoAcceptChanges) => Promise<T>): Promise<T>;
}
