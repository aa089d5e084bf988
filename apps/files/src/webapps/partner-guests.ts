import { Injectable } from '@nestjs/common';
import { BudgetSpent, CallLimits, ShareAccessTokens } from '#identity';
import {
  AuditRepository,
  Database,
  isOfferedWithSecondFactor,
  PartnerShareRepository,
  PublicLinkRepository,
  type PartnerShareRow,
} from '#persistence';
import { actAs } from '#platform';
import { CachedPolicy } from '#settings';
import { VISITOR_SESSION } from '#sharing';
import { LinkAccess, LinkUnavailable, type FoundLink } from '#storage';
import { PartnerAdmission } from '../partners/partner-admission';

/** A share with a mask over its permissions. */
type AdmittedShare = PartnerShareRow & { readonly mask: number };

/**
 * People of partners who open a share on pages of this instance. Their server exchanged the secret of the share for an access token, which
 * their browser posts. They get a session: a text in the address of the page, in place of the token of a public link. It is valid for an
 * hour, for this share, and as long as the share and its partner are. No cookie is set.
 */
@Injectable()
export class PartnerGuests {
  private readonly links: PublicLinkRepository;

  constructor(
    database: Database,
    private readonly audit: AuditRepository,
    private readonly shares: PartnerShareRepository,
    private readonly linkAccess: LinkAccess,
    private readonly admission: PartnerAdmission,
    private readonly tokens: ShareAccessTokens,
    private readonly limits: CallLimits,
    private readonly policy: CachedPolicy,
  ) {
    this.links = new PublicLinkRepository(database);
  }

  /**
   * Begins a session. An unknown share, the share of another token, and a token that has expired get the same answer.
   * @returns its text @throws LinkUnavailable, AccessSuspended, BudgetSpent
   */
  async begin(accessToken: string, providerId: string, address: string): Promise<string> {
    await this.limits.unprovenCall(address);
    const token = this.tokens.read(accessToken);
    const share = token && !token.isOver ? await this.shareOf(token.tokenHmac) : undefined;
    if (!token || String(share?.shareId) !== providerId) {
      actAs({ kind: 'partner' });
      await this.audit.recordRefusal('content.access', ['share', null], { reason: 'secret-wrong' });
      const retryAfter = await this.limits.failed(address);
      throw retryAfter === undefined ? new LinkUnavailable('unknown') : new BudgetSpent(retryAfter);
    }
    // Its server has the offer, and the recipient opens it.
    if (share!.accessIsNews) await this.shares.noteAccess(share!.shareId);
    return this.tokens.giveSession(token.tokenHmac);
  }

  /** Whether the token in the address of a page is a session, valid or not, and no link. */
  isGuest(token: string): boolean {
    return this.tokens.readSession(token) !== undefined;
  }

  /** The share of a session, or the public link of any other token. @throws as LinkAccess.visit; AccessSuspended */
  async visit(token: string, address: string, cookies: string | undefined): Promise<FoundLink> {
    const session = this.tokens.readSession(token);
    if (!session) return this.linkAccess.visit(token, address, cookies);
    await this.limits.call(address);
    const share = session.isOver ? undefined : await this.shareOf(session.tokenHmac);
    const row = share && (await this.links.findOfPartner(share.shareId));
    if (!row) throw new LinkUnavailable('inaccessible');
    const secondFactor = isOfferedWithSecondFactor(share);
    return { row, mask: share.mask, session: { ...VISITOR_SESSION, secondFactor } };
  }

  private async shareOf(tokenHmac: Buffer): Promise<AdmittedShare | undefined> {
    const { federation } = this.policy.peek() ?? (await this.policy.current());
    const share = federation.webapps.outgoing ? await this.shares.find(tokenHmac) : undefined;
    if (!share) return undefined;
    actAs(share.hostKey === null ? { kind: 'partner' } : { kind: 'partner', hostKey: share.hostKey });
    const mask = await this.admission.admit(share);
    return { ...share, mask };
  }
}
