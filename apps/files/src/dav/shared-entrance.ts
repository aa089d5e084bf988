import { Injectable } from '@nestjs/common';
import {
  AuthenticationFailed,
  BudgetSpent,
  CallLimits,
  ShareAccessTokens,
  type ReadAccessToken,
} from '#identity';
import { AuditRepository, Database } from '#persistence';
import { actAs, SecretBox } from '#platform';
import { LinkDoor } from '../links/link-door';
import { PartnerDoor } from '../partners/partner-door';
import { readShareSecret, type ShareSecret } from './share-secret';
import type { SharedAccess, SharedRequest } from './shared-access';

/** The way in for whoever has no account here but the secret of a share. */
@Injectable()
export class SharedEntrance {
  private readonly audit: AuditRepository;

  constructor(
    database: Database,
    private readonly links: LinkDoor,
    private readonly partners: PartnerDoor,
    private readonly limits: CallLimits,
    private readonly tokens: ShareAccessTokens,
    private readonly secrets: SecretBox,
  ) {
    this.audit = new AuditRepository(database);
  }

  /** @throws AuthenticationFailed, BudgetSpent, AccessSuspended, DavFailure; TreeFailure for names that no node can have */
  async enter(request: SharedRequest): Promise<SharedAccess> {
    const { tree } = request.start;
    if (tree.of === 'link') return this.links.enterByPath(request, tree.token);
    const secret = readShareSecret(request.authorization);
    if (!secret) {
      await this.limits.call(request.address);
      throw new AuthenticationFailed('missing');
    }
    const access = await this.enterBySecret(request, secret);
    if (access) return access;
    actAs({ kind: 'partner' });
    await this.audit.recordRefusal('content.access', ['share', null], { reason: 'secret-wrong' });
    const retryAfter = await this.limits.failed(request.address);
    throw retryAfter === undefined ? new AuthenticationFailed('wrong') : new BudgetSpent(retryAfter);
  }

  private async enterBySecret(
    request: SharedRequest,
    secret: ShareSecret,
  ): Promise<SharedAccess | undefined> {
    const token = secret.isBearer ? this.tokens.read(secret.token) : undefined;
    if (token) return this.enterByToken(request, token);
    const tokenHmac = this.secrets.lookup(secret.token);
    const asPartner = await this.partners.enter(request, { tokenHmac, isExchanged: false });
    if (asPartner || request.start.tree.of === 'federated') return asPartner;
    await this.limits.call(request.address);
    return this.links.enterByCredentials(request, secret);
  }

  /** One that is over was right: its holder exchanges the secret anew, and has not guessed. */
  private async enterByToken(
    request: SharedRequest,
    { tokenHmac, isOver }: ReadAccessToken,
  ): Promise<SharedAccess | undefined> {
    if (!isOver) return this.partners.enter(request, { tokenHmac, isExchanged: true });
    await this.limits.call(request.address);
    throw new AuthenticationFailed('wrong');
  }
}
