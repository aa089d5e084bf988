import type {
  AcceptanceChanges,
  AcceptancePorts,
  Acceptor,
  AwaitedLink,
  AutoAcceptChanges,
} from '#federation/exchange';
import {
  AccountRepository,
  announceProbes,
  ForeignLinkRepository,
  PeerRepository,
  ReceivedShareRepository,
  type Database,
  type Queryable,
  type Transaction,
} from '#persistence';
import { actingFor } from '#platform';
import type { PolicySource } from '#sharing';
import type { ReceivedShares } from './received-shares';

/** Accepted shares from partners: stores them, and places them in the trees of their recipients. */
export class ReceivedShareAcceptance implements AcceptancePorts {
  private readonly shares: ReceivedShareRepository;
  private readonly links: ForeignLinkRepository;

  constructor(
    private readonly database: Database,
    readonly policy: PolicySource,
    private readonly places: ReceivedShares,
  ) {
    this.shares = new ReceivedShareRepository(database);
    this.links = new ForeignLinkRepository(database);
  }

  readonly known: AcceptancePorts['known'] = {
    partner: (peerId) => new PeerRepository(this.database).findById(peerId),
    preferences: async (uid) => (await new AccountRepository(this.database).find(uid))?.preferences,
  };

  change<T>(acceptor: Acceptor, work: (shares: AutoAcceptChanges) => Promise<T>): Promise<T> {
    const actor =
      acceptor === 'gateway' ? ({ kind: 'system' } as const) : ({ kind: 'user', uid: acceptor.uid } as const);
    return actingFor(actor, () =>
      this.database.transaction((transaction) => work(this.autoAcceptIn(transaction))),
    );
  }

  /** The changes of an acceptance, in the given transaction. */
  within(transaction: Queryable): AcceptanceChanges {
    const decisions = this.places.decisionsIn(transaction);
    return {
      ourUrl: decisions.ourUrl,
      changeState: (id, state) => decisions.changeState(id, state),
      removeNotice: (recipientUid, id) => decisions.removeNotice(recipientUid, id),
      send: (message) => decisions.send(message),
      freeTarget: (recipientUid, wished, kind) =>
        this.places.freeTarget(transaction, recipientUid, wished, kind),
      place: (id, fileTarget) => this.shares.place(transaction, id, fileTarget),
      announceProbe: (peerId) => announceProbes(transaction, [{ peerId }]),
    };
  }

  private autoAcceptIn(transaction: Transaction): AutoAcceptChanges {
    return {
      ...this.within(transaction),
      lock: (id, recipientUid) => this.shares.lock(transaction, id, recipientUid),
      lockLinks: (uid, peerId) => this.links.lockRequested(transaction, uid, peerId),
      offersFor: (uid: string, peerId: number, links: readonly AwaitedLink[]) =>
        this.links.offered(transaction, uid, peerId, links),
      saveLink: (linkId, shareId) => this.links.save(transaction, linkId, shareId),
    };
  }
}
