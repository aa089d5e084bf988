import type { AddressCard, PeerProfile, SecretText } from '#federation/protocol';
import type { PolicySource } from '#sharing';
import type { ReachedPartner, ReachedPartners } from './reached-partners';
import type { Secrets } from './secrets';

/** The address book of a trusted partner that has to be read now. */
export interface DueAddressBook {
  readonly peerId: number;
  readonly hostKey: string;
  /** The partner's mark of the state that was read last; empty: everything is read. */
  readonly syncToken: string;
  readonly sealedSecret: Buffer;
}

/** A card of a partner's book. */
export interface StoredCard {
  /** Its name in the book. */
  readonly name: string;
  readonly etag: string;
  /** undefined: it cannot be understood, and is kept so that it is not read again. */
  readonly card: AddressCard | undefined;
}

/** Result of a reading. */
export interface BookChanges {
  readonly changed: readonly StoredCard[];
  /** Names of cards. */
  readonly removed: readonly string[];
  /** Mark of the state that is complete with these changes; undefined: more cards have to be read first. */
  readonly syncToken: string | undefined;
  /** Until the next reading. */
  readonly afterSeconds: number;
}

/** An entry of a partner's list of changes. */
export interface ListedCard {
  readonly name: string;
  /** null: the card was removed. */
  readonly etag: string | null;
}

/** Answer of a partner to the question for changes. `token-unknown`: everything has to be read again. */
export type BookAnswer =
  | {
      readonly kind: 'changes';
      readonly cards: readonly ListedCard[];
      readonly syncToken: string;
      /** Whether there are more changes after these. */
      readonly isTruncated: boolean;
    }
  | { readonly kind: 'token-unknown' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'later'; readonly reason: string };

/** Everything that the reading of an address book needs. Calls never throw for errors of a partner. */
export interface AddressBookPorts<Partner extends ReachedPartner = ReachedPartner> {
  readonly policy: PolicySource;
  readonly partners: ReachedPartners<Partner>;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly calls: {
    changes(partner: PeerProfile, secret: SecretText, syncToken: string): Promise<BookAnswer>;
    /** The text of a card; undefined if it cannot be read now; null if there is no such card, or it is too large. */
    card(partner: PeerProfile, secret: SecretText, name: string): Promise<string | undefined | null>;
  };
  readonly books: {
    /** ETags of the stored cards, by name. */
    etags(peerId: number): Promise<ReadonlyMap<string, string>>;
    keep(peerId: number, changes: BookChanges): Promise<void>;
    /** @param anew whether everything has to be read again */
    fail(peerId: number, reason: string, afterSeconds: number, anew?: boolean): Promise<void>;
    empty(peerId: number): Promise<void>;
  };
}
