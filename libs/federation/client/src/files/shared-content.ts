import {
  contentPlace,
  LINK_DIALECT,
  linkContent,
  NO_PROFILE_VALID_MS,
  readLinkKeys,
  SecretText,
  type ContentPlace,
  type PeerProfile,
} from '#federation/protocol';
import type { PeerRepository, PeerRow } from '#persistence';
import type { SecretBox } from '#platform';
import type { CachedPolicy } from '#settings';
import { partnerAccess } from '#sharing';
import { RemoteFailure, type RemoteShare } from '#federation/remote-files';
import type { NodePath } from '#sharing';
import type { Addressee } from '../messages/signed-calls';
import type { PeerProfiles } from '../peers/peer-profiles';
import { notUnderstood } from './remote-failures';

/** A share, with everything that a request for its content needs. */
export interface SharedContent {
  readonly share: RemoteShare;
  readonly place: ContentPlace;
  readonly partner: Addressee;
  readonly secret: SecretText;
}

/** A share, with everything that the exchange of its secret needs. */
export interface ExchangedShare extends Pick<SharedContent, 'share' | 'partner' | 'secret'> {
  readonly place: Pick<ContentPlace, 'tokenEndPoint'>;
}

const DISCOVERY_BUDGET_MS = 10_000;

/** Finds the addresses and keys of shares. Only here are their secrets opened for reading content. */
export class SharedContents {
  constructor(
    private readonly peers: PeerRepository,
    private readonly profiles: PeerProfiles,
    private readonly policy: CachedPolicy,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * @param withinMs limit for a discovery, if one is due
   * @throws RemoteFailure
   */
  async of(share: RemoteShare, withinMs = Infinity): Promise<SharedContent> {
    const { peer, profile } = await this.reach(share, withinMs);
    const { place, secret } = this.placeOf(share, profile);
    if (!place) throw notUnderstood(share.hostKey, 'the share is at no place of its own', 'none');
    if (place.tokenEndPoint === null && place.keys.includes('token')) await this.doubt(peer, profile);
    return { share, place, partner: profile, secret };
  }

  /**
   * The share without its content: its secret is exchanged at the partner, whatever it opens.
   * @param sealedSecret another secret than that of its content; null for that one
   * @throws RemoteFailure
   */
  async exchanged(
    share: RemoteShare,
    sealedSecret: Buffer | null,
    withinMs = Infinity,
  ): Promise<ExchangedShare & { readonly partner: PeerProfile }> {
    const { peer, profile } = await this.reach(share, withinMs);
    const { tokenEndPoint } = profile;
    if (tokenEndPoint === null) await this.doubt(peer, profile);
    const secret = new SecretText(this.secrets.open(sealedSecret ?? share.sealedSecret));
    return { share, place: { tokenEndPoint }, partner: profile, secret };
  }

  private async reach(
    share: RemoteShare,
    withinMs: number,
  ): Promise<{ readonly peer: PeerRow; readonly profile: PeerProfile }> {
    const { hostKey } = share;
    const peer = await this.peers.findById(share.peerId);
    if (!peer) throw new Error(`there is no partner ${share.peerId}`);
    if (!(await this.isAllowed(peer))) throw notAsked(hostKey, 'sharing with it is not allowed');
    const found = await this.profiles.of(peer, { budgetMs: Math.min(withinMs, DISCOVERY_BUDGET_MS) });
    if (found.kind === 'no-partner') throw notUnderstood(hostKey, 'it is no server that shares', 'none');
    if (found.kind === 'inconclusive') throw notAsked(hostKey, found.errorClass);
    return { peer, profile: found.profile };
  }

  private placeOf(
    share: RemoteShare,
    profile: PeerProfile,
  ): Partial<Pick<SharedContent, 'place'>> & Pick<SharedContent, 'secret'> {
    const secret = new SecretText(this.secrets.open(share.sealedSecret));
    if (share.dialect !== LINK_DIALECT) return { place: contentPlace(share, profile), secret };
    const keys = readLinkKeys(secret.reveal());
    const content = keys && linkContent(share.access.link, profile, keys);
    return { place: content?.place, secret: content?.credentials ?? secret };
  }

  /** A partner that demands access tokens and names no address for them may have changed since it was discovered. */
  private async doubt(peer: PeerRow, { discoveredAt }: PeerProfile): Promise<void> {
    if (discoveredAt + NO_PROFILE_VALID_MS < Date.now()) await this.profiles.forget(peer);
  }

  private async isAllowed(peer: PeerRow): Promise<boolean> {
    return partnerAccess(await this.policy.current(), 'incoming', peer) !== 'closed';
  }
}

const notAsked = (hostKey: string, detail: string): RemoteFailure =>
  new RemoteFailure('unreachable', hostKey, detail, undefined, 'none');

/** Address of an entry of the share. */
export function addressOf({ root, rootEndsInSlash }: ContentPlace, path: NodePath): string {
  if (path === '') return rootEndsInSlash ? `${root}/` : root;
  return root + path.split('/').map(encodeURIComponent).join('/');
}
