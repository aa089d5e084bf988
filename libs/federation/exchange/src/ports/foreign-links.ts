import type { LinkAnswer, LinkKeys, LinkPlace, PeerProfile } from '#federation/protocol';
import type { NodeKind, PolicySource } from '#sharing';
import type { AcceptancePorts } from './acceptance';
import type { CallingAccounts, ReachedPartner, ReachedPartners } from './reached-partners';
import type { OfferedToUs } from './received-share-changes';
import type { Secrets } from './secrets';

/** A public link of another server that one of our users wants to save. Its server has still to be asked. */
export interface LinkToSave {
  readonly id: number;
  readonly uid: string;
  readonly peerId: number;
  /** Token and password of the link. */
  readonly sealedKeys: Buffer;
}

/** The root of a link, or an entry in it. */
export interface ForeignLinkEntry {
  readonly kind: NodeKind;
  /** In bytes. */
  readonly size: number;
  /** Share permissions; null if the server does not name them. */
  readonly permissions: number | null;
}

/** Reason why the server of a link did not show it: no answer, a denial, nothing there, or another cause. */
export type LinkFailure = 'away' | 'denied' | 'forbidden' | 'missing' | 'other';

/** A link, read at one of the addresses where servers show links. */
export interface LinkReader<Entry extends ForeignLinkEntry = ForeignLinkEntry> {
  /** The root and, with depth 1, its direct children behind it. */
  entries(depth: 0 | 1): Promise<readonly Entry[] | LinkFailure>;
  /** @returns undefined if the first byte of the file arrived */
  tryToRead(file: Entry): Promise<LinkFailure | undefined>;
}

/** Everything that mounting a link needs. */
export interface MountLinkPorts<Partner extends ReachedPartner = ReachedPartner> {
  /** @param sealedKeys token and password of the link, in the form that a received share stores */
  reader(partner: Partner, place: LinkPlace, sealedKeys: Buffer): LinkReader;
  /** Whether a node can have the name. */
  isName(name: string): boolean;
  /**
   * Stores the link as a received share of `uid` that no partner's message can address. @returns its id; undefined if
   * the user has too many undecided shares
   */
  keep(uid: string, share: Omit<OfferedToUs, 'tokenHmac'>): Promise<number | undefined>;
  readonly acceptance: AcceptancePorts;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
}

/** Everything that saving a link needs. */
export interface SaveLinkPorts<
  Partner extends ReachedPartner = ReachedPartner,
> extends MountLinkPorts<Partner> {
  readonly policy: PolicySource;
  readonly partners: ReachedPartners<Partner>;
  readonly accounts: CallingAccounts;
  readonly links: {
    /** undefined if its server was asked already. */
    waiting(id: number): Promise<LinkToSave | undefined>;
    /** Notes that its server will offer a share, and deletes the keys of the link. */
    asked(id: number, providerId: string | null): Promise<void>;
    /** Notes the refusal, and deletes the keys of the link. @param words text of the other server */
    refuse(link: LinkToSave, reason: string, words: string): Promise<void>;
  };
  readonly calls: {
    /** Asks the server to offer the link's node to `shareWith`. Never throws for errors of the server. */
    ask(server: PeerProfile, keys: LinkKeys, shareWith: string): Promise<LinkAnswer>;
  };
  /** Our own address, without a trailing slash. */
  readonly publicUrl: string;
}
