import type { LinkAnswer, LinkKeys, LinkPlace, PeerProfile } from '#federation/protocol';
import type { NodeKind, PolicySource } from '#sharing';
import type { AcceptancePorts } from './acceptance';
import type { CallingAccounts, ReachedPartner, ReachedPartners } from './reached-partners';
import type { OfferedToUs } from './received-share-changes';
import type { Secrets } from './secrets';

/** A public link of another server that one of our users saves, and its server is to be asked for. */
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
  /** Bytes. */
  readonly size: number;
  /** Share permissions; null where the server does not say. */
  readonly permissions: number | null;
}

/** Why the server of a link did not show it: no answer, a denial, nothing there, or another cause. */
export type LinkFailure = 'away' | 'denied' | 'forbidden' | 'missing' | 'other';

/** A link as it is read at one of the places where servers show links. */
export interface LinkReader<Entry extends ForeignLinkEntry = ForeignLinkEntry> {
  /** The root, and with depth 1 behind it what it holds directly. */
  entries(depth: 0 | 1): Promise<readonly Entry[] | LinkFailure>;
  /** @returns undefined where the first byte of the file came */
  tryToRead(file: Entry): Promise<LinkFailure | undefined>;
}

/** Everything that a link is mounted with. */
export interface MountLinkPorts<Partner extends ReachedPartner = ReachedPartner> {
  /** @param sealedKeys token and password of the link, as a received share has them */
  reader(partner: Partner, place: LinkPlace, sealedKeys: Buffer): LinkReader;
  /** Whether a node can have the name. */
  isName(name: string): boolean;
  /** Stores the link as a received share that no message of a partner finds. @returns its id; undefined where its recipient has too many to decide on */
  keep(share: Omit<OfferedToUs, 'tokenHmac'>): Promise<number | undefined>;
  readonly acceptance: AcceptancePorts;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
}

/** Everything that a link is saved with. */
export interface SaveLinkPorts<
  Partner extends ReachedPartner = ReachedPartner,
> extends MountLinkPorts<Partner> {
  readonly policy: PolicySource;
  readonly partners: ReachedPartners<Partner>;
  readonly accounts: CallingAccounts;
  readonly links: {
    /** undefined where its server was asked already. */
    waiting(id: number): Promise<LinkToSave | undefined>;
    /** Its server will offer a share; the keys of the link are forgotten. */
    asked(id: number, providerId: string | null): Promise<void>;
    /** The keys of the link are forgotten. @param words the other server's */
    refuse(link: LinkToSave, reason: string, words: string): Promise<void>;
  };
  readonly calls: {
    /** Has the server offer what the link shows to `shareWith`. Never throws for what the server does. */
    ask(server: PeerProfile, keys: LinkKeys, shareWith: string): Promise<LinkAnswer>;
  };
  /** Our own address, without a trailing slash. */
  readonly publicUrl: string;
}
