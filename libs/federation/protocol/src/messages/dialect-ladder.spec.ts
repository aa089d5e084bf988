import type { PeerProduct } from '../peers/peer-product';
import type { PeerProfile } from '../peers/peer-profile';
import type { Dialect } from '../dialects/dialect-name';
import { dialectLadder, dialectsFor, provesDialect } from './dialect-ladder';
import type { PartnerMessageKind, PartnerMessage } from './partner-message';

const profile = (product: PeerProduct, dialects: readonly Dialect[], provenDialect: Dialect | null = null) =>
  ({ product, dialects, provenDialect }) as PeerProfile;

const ALL: readonly Dialect[] = ['ocm-multi', 'ocm-webdav', 'legacy'];

describe('the dialects to try', () => {
  it.each<[string, PeerProfile, PartnerMessageKind, readonly Dialect[]]>([
    ['an offer', profile('unknown', ALL), 'offer', ALL],
    ['an offer, where one dialect worked', profile('unknown', ALL, 'ocm-webdav'), 'offer', ['ocm-webdav']],
    [
      'a notice: both OCM dialects say it alike',
      profile('unknown', ALL),
      'share-accepted',
      ['ocm-multi', 'legacy'],
    ],
    [
      'a notice, where one dialect worked',
      profile('unknown', ALL, 'ocm-webdav'),
      'share-declined',
      ['ocm-webdav'],
    ],
    [
      'a request for a reshare, whatever worked for offers',
      profile('owncloud10', ['ocm-webdav', 'legacy'], 'ocm-webdav'),
      'reshare-requested',
      ['ocm-webdav', 'legacy'],
    ],
    [
      'permissions of a reshare, whatever worked for offers',
      profile('nextcloud', ['ocm-webdav', 'legacy'], 'ocm-webdav'),
      'reshare-permissions',
      ['ocm-webdav', 'legacy'],
    ],
    [
      'a request for a reshare, where only the legacy dialect works',
      profile('owncloud10', ['ocm-webdav', 'legacy'], 'legacy'),
      'reshare-requested',
      ['legacy'],
    ],
    [
      'the end of a reshare, to ownCloud',
      profile('owncloud10', ['ocm-webdav', 'legacy'], 'ocm-webdav'),
      'reshare-undone',
      ['legacy'],
    ],
    [
      'the end of a reshare, to Nextcloud',
      profile('nextcloud', ['ocm-webdav', 'legacy'], 'ocm-webdav'),
      'reshare-undone',
      ['legacy'],
    ],
    [
      'the end of a reshare, to ownCloud by OCM only',
      profile('owncloud10', ['ocm-webdav']),
      'reshare-undone',
      ['ocm-webdav'],
    ],
  ])('for %s', (_what, peer, kind, ladder) => {
    expect(dialectLadder(peer, kind)).toEqual(ladder);
  });

  it('are only the ones that support a demanded exchange of the secret', () => {
    const nextcloud = profile('nextcloud', ['ocm-webdav', 'legacy'], 'ocm-webdav');
    const offer = (mustExchange: boolean, mustUseMfa = false) =>
      ({ kind: 'offer', mustExchange, mustUseMfa }) as PartnerMessage;
    expect(dialectsFor(nextcloud, offer(true))).toEqual(['ocm-multi']);
    expect(dialectsFor(nextcloud, offer(false))).toEqual(['ocm-webdav']);
    expect(dialectsFor(nextcloud, { kind: 'share-unshared' } as PartnerMessage)).toEqual(['ocm-webdav']);
  });

  it('depend on offers only', () => {
    const kinds: PartnerMessageKind[] = [
      'offer',
      'share-accepted',
      'reshare-requested',
      'reshare-permissions',
      'reshare-undone',
    ];
    expect(kinds.filter(provesDialect)).toEqual(['offer']);
  });
});
