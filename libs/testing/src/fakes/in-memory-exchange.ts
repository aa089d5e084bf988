import { randomUUID } from 'node:crypto';
import type {
  InboundPartners,
  InboundPorts,
  KnownPartner,
  OfferedToUs,
  OfferVerdict,
  OurShares,
  OurShareStore,
  PersonNames,
  ReceivedShareChanges,
  ReceivedSharesHeld,
  StoredOffer,
} from '#federation/exchange';
import { SecretText } from '#federation/protocol';
import { policyFrom, type PartnerTrust } from '#sharing';
import { InMemoryAcceptance } from './in-memory-acceptance';
import { copyOf, EMPTY, type StoredOurShare, type StoredReceived } from './in-memory-exchange-state';

/** The exchange with partners in memory. Specs set it up directly and act through the use cases. */
export class InMemoryExchange implements InboundPorts {
  readonly publicUrl = 'https://here.example.org';
  readonly settings = new Map<string, string>();
  readonly users = new Map<string, { uid: string; displayName: string; enabled: boolean }>();
  readonly trust = new Map<string, PartnerTrust>();
  /** Stored partners, by host. */
  readonly entered = new Map<string, number>();
  /** Contacts as `uid name@peer`. */
  readonly contacts = new Set<string>();
  /** Blocks as a user id and a host or a canonical cloud id. */
  readonly blocked = new Set<string>();
  /** Users who have too many undecided shares. */
  readonly withoutRoom = new Set<string>();
  /** Hosts whose discovery fails. */
  readonly noPartners = new Set<string>();
  /** The partner to which the message was attributed. */
  actedAs: { readonly hostKey?: string | undefined; readonly peerId?: number | undefined } | undefined;
  offerVerdict: OfferVerdict | undefined;
  private state = EMPTY();
  private lastId = 0;

  get ourShares(): ReadonlyMap<number, StoredOurShare> {
    return this.state.ours;
  }

  get receivedShares(): readonly StoredReceived[] {
    return [...this.state.received.values()];
  }

  get sent(): readonly string[] {
    return this.state.sent;
  }

  readonly policy = { current: () => Promise.resolve(policyFrom(this.settings)) };
  /** Members by group. */
  readonly groups = new Map<string, readonly string[]>();
  readonly accounts = {
    find: (uid: string) => Promise.resolve(this.users.get(uid)),
    membersOf: (gid: string, most: number) =>
      Promise.resolve((this.groups.get(gid) ?? []).slice(0, most).map((uid) => this.users.get(uid)!)),
  };

  /** A text is sealed by reversing it; its lookup key is the text with a prefix. */
  readonly secrets = {
    seal: (secret: string) => Buffer.from([...secret].reverse().join('')),
    open: (sealed: Buffer) => [...sealed.toString()].reverse().join(''),
    lookup: (secret: string) => Buffer.from(`key of ${secret}`),
    matches: (secret: string, key: Buffer) => key.equals(Buffer.from(`key of ${secret}`)),
  };

  newSecret(): SecretText {
    return new SecretText(randomUUID());
  }

  verdict(): Promise<OfferVerdict | undefined> {
    return Promise.resolve(this.offerVerdict);
  }

  addUser(uid: string): void {
    this.users.set(uid, { uid, displayName: uid.toUpperCase(), enabled: true });
  }

  enter(hostKey: string): KnownPartner {
    const id = this.entered.get(hostKey) ?? ++this.lastId;
    this.entered.set(hostKey, id);
    return { id, hostKey, trust: this.trust.get(hostKey) ?? 'unknown', outgoingTrust: null };
  }

  /** Adds a share of Alice's folder with an account at the host. */
  addOurShare(
    hostKey: string,
    secret: string,
    given: Partial<Pick<StoredOurShare, 'permissions' | 'mayBeThereTwice' | 'isGranted' | 'isForGroup'>> & {
      readonly requester?: string;
    } = {},
  ): number {
    const { requester, ...values } = given;
    const id = ++this.lastId;
    this.state.ours.set(id, {
      id,
      peerId: this.enter(hostKey).id,
      tokenHmac: this.secrets.lookup(secret),
      sealedSecret: this.secrets.seal(secret),
      permissions: 31,
      ownerUid: 'alice',
      requesterPeerId: requester === undefined ? null : this.enter(requester).id,
      isGranted: false,
      kind: 'folder',
      recipient: `bea@${hostKey}`,
      isForGroup: false,
      remoteOwner: null,
      seen: false,
      accepted: false,
      mayBeThereTwice: false,
      requesterShareId: null,
      ...values,
    });
    return id;
  }

  readonly partners: InboundPartners = {
    partiesOf: ({ hostKey, hosts, people, uids }) => {
      const peerId = this.entered.get(hostKey) ?? null;
      const trust = this.trust.get(hostKey);
      const blocks = [...hosts, ...people];
      return Promise.resolve({
        peerId,
        regarded: trust && { trust, outgoingTrust: null },
        signing: undefined,
        blockedBy: uids.filter((uid) => blocks.some((one) => this.blocked.has(`${uid} ${one}`))),
        awaitedBy: this.acceptance.links
          .filter((link) => link.peerId === peerId && link.shareId === null)
          .map(({ uid }) => uid),
      });
    },
    regarded: (hostKey) => {
      const trust = this.trust.get(hostKey);
      return Promise.resolve(trust && { trust, outgoingTrust: null });
    },
    ensure: (hostKey) => Promise.resolve(this.enter(hostKey)),
    isPartner: (hostKey) => Promise.resolve(!this.noPartners.has(hostKey)),
    hasContact: (uid, peerId, { users, persons }: PersonNames) =>
      Promise.resolve([...users, ...persons].some((name) => this.contacts.has(`${uid} ${name}@${peerId}`))),
    ofOurs: (shareId, key, side) => {
      const share = this.state.ours.get(shareId);
      if (!share || (key && !key.equals(share.tokenHmac))) return Promise.resolve([]);
      const peerId = side === 'requester' ? (share.requesterPeerId ?? share.peerId) : share.peerId;
      return Promise.resolve([{ peerId, hostKey: this.hostOf(peerId) }]);
    },
    ofReceived: (providerId, key) => {
      const shares = this.receivedShares.filter(
        (share) => share.providerId === providerId && (!key || key.equals(share.tokenHmac)),
      );
      const peerIds = [...new Set(shares.map(({ peerId }) => peerId))];
      return Promise.resolve(peerIds.map((peerId) => ({ peerId, hostKey: this.hostOf(peerId) })));
    },
    actAs: (partner) => {
      this.actedAs = partner;
    },
  };

  readonly ours: OurShareStore = {
    change: (work) => this.atOnce(() => work(this.ourSharesHeld)),
    once: async <Reply>(
      { key }: { readonly key: Buffer },
      work: (shares: OurShares) => Promise<{ readonly reply: Reply }>,
    ): Promise<Reply> => {
      const name = key.toString();
      if (this.state.answers.has(name)) return this.state.answers.get(name) as Reply;
      const { reply } = await this.atOnce(() => work(this.ourSharesHeld));
      this.state.answers.set(name, reply);
      return reply;
    },
    secretsOfEnded: (shareId) => {
      const sealed = this.state.ended.get(shareId);
      return Promise.resolve(sealed ? [sealed] : []);
    },
    setRequesterShareId: (shareId, requesterShareId) => {
      const share = this.state.ours.get(shareId);
      if (share) share.requesterShareId = requesterShareId;
      return Promise.resolve(share?.sealedSecret);
    },
  };

  readonly received: ReceivedShareChanges = {
    change: (work) => this.atOnce(() => work(this.receivedHeld)),
    insert: (offer, recipientUids, subject) =>
      Promise.resolve(new Map(recipientUids.map((uid) => [uid, this.store(offer, uid, subject)]))),
    withdrawUnsigned: () => Promise.resolve(),
    recordUnknown: () => {
      this.state.sent.push('unknown share');
      return Promise.resolve();
    },
  };

  readonly acceptance = new InMemoryAcceptance(this);

  private readonly ourSharesHeld: OurShares = {
    lock: (shareId) => Promise.resolve(this.state.ours.get(shareId)),
    see: (shareId) => this.put(shareId, { seen: true }),
    accept: (shareId) => this.put(shareId, { accepted: true }),
    doubt: (shareId) => {
      const { accepted, mayBeThereTwice } = this.state.ours.get(shareId)!;
      const isDoubtful = accepted && mayBeThereTwice;
      return this.put(shareId, { accepted: accepted && !isDoubtful }).then(() => isDoubtful);
    },
    changePermissions: (shareId, permissions) => this.put(shareId, { permissions }),
    notifyRecipient: (shareId, permissions) => this.send(`share ${shareId}: permissions ${permissions}`),
    end: (shareId) => this.remove(shareId),
    revoke: (shareId) => this.remove(shareId).then(() => this.send(`share ${shareId}: taken back`)),
    drop: (shareId) => this.remove(shareId),
    insertRequested: (shareId, asked) => {
      const original = this.state.ours.get(shareId)!;
      if ([...this.state.ours.values()].some(({ recipient }) => recipient === asked.recipient))
        return Promise.resolve(undefined);
      const id = ++this.lastId;
      this.state.ours.set(id, {
        ...original,
        id,
        peerId: asked.recipientPeerId,
        tokenHmac: asked.tokenHmac,
        sealedSecret: asked.tokenEnc,
        permissions: asked.permissions,
        recipient: asked.recipient,
        requesterPeerId: original.peerId,
        requestedOf: shareId,
        accepted: false,
      });
      return Promise.resolve({
        id,
        nodeName: 'plans',
        nodeKind: 'folder' as const,
        expiresOn: null,
        ownerUid: original.ownerUid,
        ownerDisplayName: original.ownerUid,
      });
    },
    requestedBefore: (shareId, asked) => {
      const before = [...this.state.ours.values()].find(({ recipient }) => recipient === asked.recipient);
      return Promise.resolve(before?.requestedOf === shareId ? before : undefined);
    },
    offer: ({ id }, { shareWith, sender }) =>
      this.send(
        `share ${id}: offered to ${shareWith} by ${'cloudId' in sender ? sender.cloudId : sender.uid}`,
      ).then(() => id),
  };

  private readonly receivedHeld: ReceivedSharesHeld = {
    lockBySecret: (providerId, key) =>
      Promise.resolve(
        this.receivedShares.filter((one) => one.providerId === providerId && one.tokenHmac.equals(key)),
      ),
    lockOfPartners: (providerId, peerIds) =>
      Promise.resolve(
        this.receivedShares.filter((one) => one.providerId === providerId && peerIds.includes(one.peerId)),
      ),
    end: ({ id }, state) => this.change(id, { state }),
    changePermissions: (id, permissions) => this.change(id, { permissions }),
    changeExpiry: (id, expiresAt) => this.change(id, { expiresAt }),
    changeDescription: (id, description) => this.change(id, { description }),
    probeNow: (id, etag) => this.change(id, { dueFor: etag }),
    doubt: async ({ providerId, tokenHmac }) => {
      for (const { id } of await this.receivedHeld.lockBySecret(providerId, tokenHmac))
        await this.change(id, { inDoubt: true });
    },
  };

  private store(offer: OfferedToUs, recipientUid: string, subject: string): StoredOffer {
    const isKnown = this.receivedShares.some(
      (share) =>
        share.peerId === offer.peerId &&
        share.providerId === offer.providerId &&
        share.recipientUid === recipientUid &&
        share.tokenHmac.equals(offer.tokenHmac),
    );
    if (isKnown) return 'known';
    if (this.withoutRoom.has(recipientUid)) return 'no-room';
    const id = ++this.lastId;
    this.state.received.set(id, {
      ...offer,
      id,
      recipientUid,
      state: 'pending',
      inDoubt: false,
      dueFor: null,
      fileTarget: null,
    });
    this.state.sent.push(`to ${recipientUid}: ${subject}`);
    return id;
  }

  /** Runs the whole work, or undoes it if it fails. */
  async atOnce<T>(work: () => Promise<T>): Promise<T> {
    const before = copyOf(this.state);
    try {
      return await work();
    } catch (error) {
      this.state = before;
      throw error;
    }
  }

  private put(shareId: number, values: Partial<StoredOurShare>): Promise<void> {
    this.state.ours.set(shareId, { ...this.state.ours.get(shareId)!, ...values });
    return Promise.resolve();
  }

  change(id: number, values: Partial<StoredReceived>): Promise<void> {
    this.state.received.set(id, { ...this.state.received.get(id)!, ...values });
    return Promise.resolve();
  }

  private remove(shareId: number): Promise<void> {
    this.state.ended.set(shareId, this.state.ours.get(shareId)!.sealedSecret);
    this.state.ours.delete(shareId);
    return Promise.resolve();
  }

  send(what: string): Promise<void> {
    this.state.sent.push(what);
    return Promise.resolve();
  }

  partnerOf(peerId: number): KnownPartner | undefined {
    const found = [...this.entered].find(([, id]) => id === peerId);
    return found && this.enter(found[0]);
  }

  private hostOf(peerId: number): string {
    return [...this.entered].find(([, id]) => id === peerId)![0];
  }
}
