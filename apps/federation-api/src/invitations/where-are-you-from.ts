import { Inject, Injectable } from '@nestjs/common';
import { readProfile } from '#federation/exchange';
import {
  CloudIdInvalid,
  FederationRefused,
  hostAt,
  invitationText,
  OUR_PATHS,
  parseCloudId,
  peerKeyOf,
  readInvitation,
  type ListedServer,
} from '#federation/protocol';
import { BudgetSpent, CallLimits } from '#identity';
import { DirectoryServiceRepository, InvitationRepository, PeerRepository } from '#persistence';
import { CONFIG, PublicAddress, SecretBox, type Config } from '#platform';
import { PeerInquiries, QueueAway } from '#queue';
import { CachedPolicy } from '#settings';
import { dealsWith, partnerNamed } from '#sharing';

/** An open invitation, as its holder presents it. */
export interface OpenInvitation {
  readonly id: number;
  readonly token: string;
  /** Token and host in one text. */
  readonly text: string;
}

/** The page of a server on which its people accept an invitation. */
interface Dialog {
  readonly host: string;
  readonly address: string;
}

/** Finds the page on which an invited person accepts. Only holders of an invitation can cause a request to another server. */
@Injectable()
export class WhereAreYouFrom {
  constructor(
    private readonly invitations: InvitationRepository,
    private readonly services: DirectoryServiceRepository,
    private readonly peers: PeerRepository,
    private readonly inquiries: PeerInquiries,
    private readonly limits: CallLimits,
    private readonly policy: CachedPolicy,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Our own host, as other servers know it. */
  get host(): string {
    return hostAt(this.address.url);
  }

  /** @throws FederationRefused invitation-unknown, also for an expired or accepted one */
  async invitationOf(token: string): Promise<OpenInvitation> {
    const read = readInvitation(token, this.host);
    const found = read && (await this.invitations.find(this.secrets.lookup(token)));
    if (!found || found.isOver || found.isAccepted) throw new FederationRefused('invitation-unknown');
    return { id: found.id, token, text: invitationText(token, this.address.url) };
  }

  /** Servers in the lists of directory services. */
  servers(): Promise<ListedServer[]> {
    return this.services.servers();
  }

  /**
   * @param named a host, an address, or a cloud id
   * @returns undefined if that server has no such page, is not an allowed partner, or does not answer in time
   */
  async dialogAt({ id, token }: OpenInvitation, named: string): Promise<Dialog | undefined> {
    const host = hostNamed(named);
    if (host === undefined) return undefined;
    const dialog =
      host === this.host ? `${this.address.url}${OUR_PATHS.invitationPage}` : await this.ask(id, host);
    if (dialog === undefined) return undefined;
    const address = new URL(dialog);
    address.searchParams.set('token', token);
    address.searchParams.set('providerDomain', this.host);
    return { host, address: address.href };
  }

  private async ask(invitationId: number, host: string): Promise<string | undefined> {
    const partner = partnerNamed(host, await this.peers.regarded(host));
    if (!dealsWith(await this.policy.current(), partner)) return undefined;
    try {
      await this.limits.invited(invitationId);
      const peer = await this.inquiries.profileOf(host, this.config.FEDERATION_SYNC_WAIT);
      return readProfile(peer?.pinnedProfile ?? peer?.profile)?.inviteAcceptDialog ?? undefined;
    } catch (error) {
      if (error instanceof BudgetSpent || error instanceof QueueAway) return undefined;
      throw error;
    }
  }
}

function hostNamed(text: string): string | undefined {
  const written = text.trim();
  try {
    return peerKeyOf(parseCloudId(/^[^/]+@/.test(written) ? written : `anybody@${written}`));
  } catch (error) {
    if (error instanceof CloudIdInvalid) return undefined;
    throw error;
  }
}
