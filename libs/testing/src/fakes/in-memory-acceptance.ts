import type { AcceptancePorts, Acceptor, AwaitedLink, AutoAcceptChanges } from '#federation/exchange';
import type { PolicySource, RegardedPartner } from '#sharing';
import type { StoredReceived } from './in-memory-exchange-state';

/** The parts of an instance in memory that acceptances change. */
interface AcceptingInstance {
  readonly publicUrl: string;
  readonly policy: PolicySource;
  readonly users: ReadonlyMap<string, unknown>;
  readonly receivedShares: readonly StoredReceived[];
  partnerOf(peerId: number): RegardedPartner | undefined;
  atOnce<T>(work: () => Promise<T>): Promise<T>;
  change(id: number, values: Partial<StoredReceived>): Promise<void>;
  send(line: string): Promise<void>;
}

/** A public link of another server that one of our users saves. */
interface SavedLink extends AwaitedLink {
  readonly uid: string;
  readonly peerId: number;
  shareId: number | null;
}

/** Acceptances of received shares in memory. */
export class InMemoryAcceptance implements AcceptancePorts, AutoAcceptChanges {
  readonly links: SavedLink[] = [];
  /** Preferences by account. */
  readonly preferences = new Map<string, Record<string, string>>();
  /** The user who made the last acceptance. */
  acceptor: Acceptor | undefined;
  private revision = 0;

  constructor(private readonly instance: AcceptingInstance) {}

  get policy(): PolicySource {
    return this.instance.policy;
  }

  get ourUrl(): string {
    return this.instance.publicUrl;
  }

  readonly known: AcceptancePorts['known'] = {
    partner: (peerId) => Promise.resolve(this.instance.partnerOf(peerId)),
    preferences: (uid) =>
      Promise.resolve(this.instance.users.has(uid) ? (this.preferences.get(uid) ?? {}) : undefined),
  };

  /** Adds a link whose server was asked. @param providerId id of the promised share; null for none */
  addLink(uid: string, peerId: number, providerId: string | null): number {
    const id = this.links.length + 1;
    this.links.push({ id, uid, peerId, providerId, shareId: null });
    return id;
  }

  change<T>(acceptor: Acceptor, work: (shares: AutoAcceptChanges) => Promise<T>): Promise<T> {
    this.acceptor = acceptor;
    return this.instance.atOnce(() => work(this));
  }

  lock(id: number, recipientUid: string): Promise<StoredReceived | undefined> {
    const { receivedShares } = this.instance;
    return Promise.resolve(receivedShares.find((one) => one.id === id && one.recipientUid === recipientUid));
  }

  lockLinks(uid: string, peerId: number): Promise<readonly SavedLink[]> {
    return Promise.resolve(
      this.links.filter((link) => link.uid === uid && link.peerId === peerId && link.shareId === null),
    );
  }

  offersFor(uid: string, peerId: number): Promise<readonly StoredReceived[]> {
    const { receivedShares } = this.instance;
    return Promise.resolve(receivedShares.filter((one) => one.recipientUid === uid && one.peerId === peerId));
  }

  saveLink(linkId: number, shareId: number): Promise<void> {
    this.links.find(({ id }) => id === linkId)!.shareId = shareId;
    return Promise.resolve();
  }

  freeTarget(recipientUid: string, wished: string): Promise<string> {
    const taken = new Set(
      this.instance.receivedShares
        .filter((one) => one.recipientUid === recipientUid)
        .map(({ fileTarget }) => fileTarget),
    );
    for (let number = 2, target = wished; ; number++, target = `${wished} (${number - 1})`)
      if (!taken.has(target)) return Promise.resolve(target);
  }

  place(id: number, fileTarget: string): Promise<void> {
    return this.instance.change(id, { fileTarget });
  }

  async changeState(id: number, state: 'accepted' | 'declined'): Promise<number> {
    await this.instance.change(id, state === 'declined' ? { state, fileTarget: null } : { state });
    return ++this.revision;
  }

  removeNotice(recipientUid: string, id: number): Promise<void> {
    return this.instance.send(`to ${recipientUid}: nothing more about ${id}`);
  }

  send({ kind, peerId, payload }: Parameters<AutoAcceptChanges['send']>[0]): Promise<void> {
    return this.instance.send(`to partner ${peerId}: ${kind} of ${String(payload['grantee'])}`);
  }

  announceProbe(): Promise<void> {
    return Promise.resolve();
  }
}
