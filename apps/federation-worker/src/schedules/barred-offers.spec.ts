import { policyFrom, type PartnerAccess, type RegardedPartner } from '#sharing';
import { barredOffers } from './barred-offers';

type AccessOf = (partner: RegardedPartner) => PartnerAccess;

/** @returns the question by which one run selects partners; undefined if the run selects none */
async function questionOf(settings: Readonly<Record<string, string>> = {}): Promise<AccessOf | undefined> {
  let asked: AccessOf | undefined;
  const offers = {
    renew: (accessOf: AccessOf) => {
      asked = accessOf;
      return Promise.resolve();
    },
  };
  const policy = policyFrom(new Map(Object.entries(settings)));
  await barredOffers(offers, { current: () => Promise.resolve(policy) }).run();
  return asked;
}

describe('offers to members of groups at partners that policy closed', () => {
  const partner = { hostKey: 'cloud.example.org', trust: 'trusted', outgoingTrust: null } as const;

  it('are renewed for everybody at partners that are open, and for contacts at partners that take only them', async () => {
    const accessOf = (await questionOf())!;
    expect(accessOf(partner)).toBe('open');
    expect(accessOf({ ...partner, outgoingTrust: 'invited' })).toBe('contacts');
    expect(accessOf({ ...partner, outgoingTrust: 'denied' })).toBe('closed');
  });

  it('stay ended while shares with other servers are switched off', async () => {
    expect(await questionOf({ 'files_sharing/outgoing_server2server_share_enabled': 'no' })).toBeUndefined();
  });
});
