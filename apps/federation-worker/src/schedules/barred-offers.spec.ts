import { policyFrom, type RegardedPartner } from '#sharing';
import { barredOffers } from './barred-offers';

type IsOpen = (partner: RegardedPartner) => boolean;

/** @returns the question by which one run selects partners; undefined if the run selects none */
async function questionOf(settings: Readonly<Record<string, string>> = {}): Promise<IsOpen | undefined> {
  let asked: IsOpen | undefined;
  const offers = {
    renew: (isOpen: IsOpen) => {
      asked = isOpen;
      return Promise.resolve();
    },
  };
  const policy = policyFrom(new Map(Object.entries(settings)));
  await barredOffers(offers, { current: () => Promise.resolve(policy) }).run();
  return asked;
}

describe('offers to members of groups at partners that policy closed', () => {
  const partner = { hostKey: 'cloud.example.org', trust: 'trusted', outgoingTrust: null } as const;

  it('are renewed for partners that are open to everybody', async () => {
    const isOpen = (await questionOf())!;
    expect(isOpen(partner)).toBe(true);
    for (const outgoingTrust of ['denied', 'invited'] as const)
      expect(isOpen({ ...partner, outgoingTrust })).toBe(false);
  });

  it('stay ended while shares with other servers are switched off', async () => {
    expect(await questionOf({ 'files_sharing/outgoing_server2server_share_enabled': 'no' })).toBeUndefined();
  });
});
