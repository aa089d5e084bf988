import type { DiscoveryConclusion, PeerProfile } from '#federation/protocol';
import {
  discoverPartner,
  isKnownPartner,
  isWell,
  profileOf,
  provenProfile,
  type DiscoveredPartner,
} from './discover-partner';

const NOW = Date.UTC(2030, 0, 1);
const HOUR = 3_600_000;
const PROFILE: PeerProfile = {
  ...{ baseUrl: 'https://there.example', product: 'ocm', productIsGiven: false, provenDialect: null },
  ...{ dialects: ['ocm-webdav'], ocmEndPoint: 'https://there.example/ocm', legacyShareUrl: null },
  ...{
    webdavUrl: null,
    tokenEndPoint: null,
    inviteAcceptDialog: null,
    webdavReceive: null,
    opensWebapps: [],
    signBy: null,
    shareTypes: ['user'],
    spelling: 'as-written',
  },
  ...{ dataAccess: 'basic', capabilities: [], criteria: [], apiVersion: null },
  ...{ discoveredAt: NOW, expiresAt: NOW + HOUR },
};
const FOUND: DiscoveryConclusion = { kind: 'partner', profile: PROFILE };
const SILENT: DiscoveryConclusion = { kind: 'inconclusive', errorClass: 'timeout' };
const NONE: DiscoveredPartner = {
  ...{ profile: null, profileExpiresAt: null, pinnedProfile: null, signBy: null },
  ...{ discoveryFailedUntil: null, discoveryError: null },
};
const FRESH = { ...NONE, profile: PROFILE, profileExpiresAt: new Date(NOW + HOUR) };
const STALE = { ...NONE, profile: PROFILE, profileExpiresAt: new Date(NOW - HOUR) };
const FAILED = { ...NONE, discoveryFailedUntil: new Date(NOW + HOUR), discoveryError: 'timeout' };

/** The profile that is used for a partner, and the number of requests to it. */
async function found(
  partner: DiscoveredPartner,
  answer: DiscoveryConclusion = FOUND,
  isPersistent = false,
): Promise<{ kind: string; isNew?: boolean; asked: number }> {
  let asked = 0;
  const profile = await profileOf(partner, NOW, isPersistent, () => {
    asked += 1;
    return Promise.resolve(answer);
  });
  return { kind: profile.kind, ...('isNew' in profile && { isNew: profile.isNew }), asked };
}

describe('the profile of a partner, without a database', () => {
  it.each<[string, DiscoveredPartner, number]>([
    ['that was never asked is asked for', NONE, 1],
    ['that is fresh is used', FRESH, 0],
    ['that is stale is asked for anew', STALE, 1],
    ['that an operator pinned is used', { ...NONE, pinnedProfile: PROFILE }, 0],
    ['of another version of this program is asked for anew', { ...FRESH, profile: { product: 'new' } }, 1],
  ])('%s', async (_, partner, asked) => {
    expect(await found(partner)).toEqual({ kind: 'partner', asked });
  });

  it('is used although stale while its server does not answer', async () => {
    expect(await found(STALE, SILENT)).toEqual({ kind: 'partner', asked: 1 });
    expect(await found(STALE, { kind: 'no-partner' })).toEqual({
      kind: 'no-partner',
      isNew: false,
      asked: 1,
    });
  });

  it('is not read again after a failure, unless the caller sets its own limit', async () => {
    expect(await found(FAILED)).toEqual({ kind: 'inconclusive', isNew: true, asked: 0 });
    expect(await found(FAILED, FOUND, true)).toEqual({ kind: 'partner', asked: 1 });
  });

  it('has an operator’s choice about signatures', async () => {
    const profile = await profileOf({ ...FRESH, signBy: 'cavage' }, NOW, false, () => Promise.resolve(FOUND));
    expect(profile).toMatchObject({ profile: { signBy: 'cavage' } });
  });

  it('remembers the accepted dialect, unless an operator pinned it or it is stale', () => {
    const proven = provenProfile(FRESH, { ...PROFILE, signBy: 'none' }, 'legacy', NOW);
    expect(proven).toEqual({ profile: { ...PROFILE, provenDialect: 'legacy' }, validMs: HOUR });
    expect(provenProfile({ ...FRESH, pinnedProfile: PROFILE }, PROFILE, 'legacy', NOW)).toBeUndefined();
    expect(provenProfile(FRESH, PROFILE, 'legacy', NOW + HOUR)).toBeUndefined();
    expect(provenProfile(FRESH, { ...PROFILE, provenDialect: 'legacy' }, 'legacy', NOW)).toBeUndefined();
  });
});

describe('the discovery of a partner, without a database', () => {
  const kept = async (conclusion: DiscoveryConclusion, signal?: AbortSignal): Promise<string[]> => {
    const lines: string[] = [];
    const ports = {
      ask: () => Promise.resolve({ conclusion, keys: 'keys' }),
      keep: (_: string, __: PeerProfile, validMs: number, keys: string) =>
        Promise.resolve(void lines.push(`${keys} ${validMs}`)),
      keepFailure: (_: string, reason: string, forMs: number) =>
        Promise.resolve(void lines.push(`${reason} ${forMs}`)),
    };
    await discoverPartner(ports, 'there.example', signal ? { signal } : {});
    return lines;
  };

  it('keeps profiles for a day, and failures for a short time', async () => {
    expect(await kept(FOUND)).toEqual([`keys ${24 * HOUR}`]);
    expect(await kept({ kind: 'no-partner' })).toEqual(['it is no server that shares 300000']);
    expect(await kept(SILENT)).toEqual(['timeout 30000']);
  });

  it('stores nothing after an interruption', async () => {
    expect(await kept(SILENT, AbortSignal.abort())).toEqual([]);
  });
});

describe('a discovered partner', () => {
  it('is healthy if its discovery succeeded now', () => {
    expect([isWell(FRESH), isWell(NONE), isWell({ ...FRESH, discoveryFailedUntil: new Date() })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('is known if it was a partner before, or an administrator decided about it', () => {
    expect(isKnownPartner(false, 'unknown')).toBe(false);
    expect(isKnownPartner(true, 'unknown')).toBe(true);
    expect(isKnownPartner(false, 'allowed')).toBe(true);
  });
});
