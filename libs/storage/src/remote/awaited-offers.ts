import { Injectable } from '@nestjs/common';
import {
  Database,
  ForeignLinkRepository,
  ReceivedShareRepository,
  type AskedLink,
  type Queryable,
} from '#persistence';
import { actingFor } from '#platform';
import { CachedPolicy } from '#settings';
import { ReceivedShareAcceptance } from './received-share-acceptance';
import { isOfUnknownSender } from './auto-acceptance';

interface Offer {
  readonly id: number;
  readonly providerId: string;
}

/**
 * Accepts what a server offers because one of our users saves a public link there: they asked for it. Where the server
 * named no id and offers more than was asked for, the user decides on all of it.
 */
@Injectable()
export class AwaitedOffers {
  private readonly links: ForeignLinkRepository;
  private readonly shares: ReceivedShareRepository;

  constructor(
    private readonly database: Database,
    private readonly policy: CachedPolicy,
    private readonly acceptance: ReceivedShareAcceptance,
  ) {
    this.links = new ForeignLinkRepository(database);
    this.shares = new ReceivedShareRepository(database);
  }

  /** Called when an offer was stored, and when a server said that it will come: whichever is later finds both. */
  async accept(uid: string, peerId: number): Promise<void> {
    if (!(await this.links.isExpected(uid, peerId))) return;
    const { shareFolder } = await this.policy.current();
    const acceptIn = async (transaction: Queryable): Promise<void> => {
      const asked = await this.links.lockAsked(transaction, uid, peerId);
      if (asked.length === 0) return;
      const offers = await this.links.offered(transaction, uid, peerId, asked);
      for (const { link, offer } of pairsOf(asked, offers)) {
        const row = await this.shares.lock(transaction, offer.id, uid);
        if (!row || isOfUnknownSender(row)) continue;
        if (row.state === 'pending') await this.acceptance.accept(transaction, row, shareFolder);
        else if (row.state !== 'accepted' && row.state !== 'quarantined') continue;
        await this.links.save(transaction, link.id, row.id);
      }
    };
    await actingFor({ kind: 'user', uid }, () => this.database.transaction(acceptIn));
  }
}

/** Each link with its offer: by id where the link's server named one, in the order of coming where it did not. */
function pairsOf(
  asked: readonly AskedLink[],
  offers: readonly Offer[],
): readonly { readonly link: AskedLink; readonly offer: Offer }[] {
  const named = new Set(asked.map(({ providerId }) => providerId));
  const nameless = asked.filter(({ providerId }) => providerId === null);
  const others = offers.filter(({ providerId }) => !named.has(providerId));
  const isClear = others.length <= nameless.length;
  return asked.flatMap((link) => {
    const offer =
      link.providerId === null
        ? others[isClear ? nameless.indexOf(link) : -1]
        : offers.find(({ providerId }) => providerId === link.providerId);
    return offer ? [{ link, offer }] : [];
  });
}
