import type { BarredOffers } from '#persistence';
import type { Schedule } from '#queue';
import { partnerAccess, type PolicySource } from '#sharing';

const EVERY_MS = 300_000;

/** Offers shares with groups again to members to whom trust or policy closed their partner, and to whom it is open now. */
export function barredOffers(offers: Pick<BarredOffers, 'renew'>, policies: PolicySource): Schedule {
  const renew = async (): Promise<void> => {
    const policy = await policies.current();
    if (!policy.federation.outgoing) return;
    await offers.renew((partner) => partnerAccess(policy, 'outgoing', partner));
  };
  return { name: 'offer-to-reopened-partners', everyMs: EVERY_MS, run: renew };
}
