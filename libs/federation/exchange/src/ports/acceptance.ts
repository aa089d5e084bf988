import type { NodeKind, PolicySource, ReceivedShareState, RegardedPartner } from '#sharing';
import type { DecidedShare, NewMessage } from '../messages/new-message';

/** A share from a partner that its recipient decides on, or that is accepted automatically. */
export interface DecidableShare extends DecidedShare {
  readonly recipientUid: string;
  readonly name: string;
  /** null: not known yet. */
  readonly kind: NodeKind | null;
  readonly state: ReceivedShareState;
  readonly dialect: string;
  /** How the content is accessed, and the known facts about the sender. */
  readonly access: Readonly<Record<string, unknown>>;
}

/** Decisions on received shares within one transaction. */
export interface DecisionChanges {
  /** Our own address, without a trailing slash; null if it is not known. */
  readonly ourUrl: string | null;
  /** @returns the new revision of the share */
  changeState(id: number, state: 'accepted' | 'declined'): Promise<number>;
  /** Removes the notification that asks for a decision. */
  removeNotice(recipientUid: string, id: number): Promise<void>;
  /** Writes a message to the owner's server. */
  send(message: NewMessage): Promise<void>;
}

/** The same, including places in the trees of recipients. */
export interface AcceptanceChanges extends DecisionChanges {
  /** `wished`, or the first free numbered path. It stays free until the transaction ends. */
  freeTarget(recipientUid: string, wished: string, kind: NodeKind | null): Promise<string>;
  place(id: number, fileTarget: string): Promise<void>;
  /** Wakes workers to probe a due share of this partner. */
  announceProbe(peerId: number): Promise<void>;
}

/** A saved link whose server will offer a share, or has offered it. */
export interface AwaitedLink {
  readonly id: number;
  /** Id of that share at its server; null if the server did not send it. */
  readonly providerId: string | null;
}

/** A share that this server offered. */
export interface AwaitedOffer {
  readonly id: number;
  readonly providerId: string;
}

/** Acceptances without a decision of the recipient. */
export interface AutoAcceptChanges extends AcceptanceChanges {
  /** One of the user's own shares, locked until the transaction ends. */
  lock(id: number, recipientUid: string): Promise<DecidableShare | undefined>;
  /** Saved links of a user at a partner's host whose offers are awaited, locked until the transaction ends. */
  lockLinks(uid: string, peerId: number): Promise<readonly AwaitedLink[]>;
  /** Shares that this host offered because of these links, and those that it offered for other reasons at the same time. */
  offersFor(uid: string, peerId: number, links: readonly AwaitedLink[]): Promise<readonly AwaitedOffer[]>;
  saveLink(linkId: number, shareId: number): Promise<void>;
}

/** The person for whom shares are accepted, as the audit log names them. */
export type Acceptor = 'gateway' | { readonly uid: string };

/** Everything that acceptance without a person's decision needs. */
export interface AcceptancePorts {
  readonly policy: PolicySource;
  readonly known: {
    partner(peerId: number): Promise<RegardedPartner | undefined>;
    /** Preferences of an account, by `app/key`; undefined if there is no account. */
    preferences(uid: string): Promise<Readonly<Record<string, string>> | undefined>;
  };
  change<T>(acceptor: Acceptor, work: (shares: AutoAcceptChanges) => Promise<T>): Promise<T>;
}
