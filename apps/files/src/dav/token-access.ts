import { Injectable } from '@nestjs/common';
import {
  AuthenticationFailed,
  BudgetSpent,
  CallLimits,
  ShareAccessTokens,
  type ReadAccessToken,
} from '#identity';
import { AuditRepository } from '#persistence';
import { actAs, SecretBox } from '#platform';
import { LinkTokenAccess } from '../links/link-token-access';
import { PartnerTokenAccess } from '../partners/partner-token-access';
import { readShareSecret, type ShareSecret } from './share-secret';
import type { SharedAccess, SharedRequest } from './shared-access';

/** Access without an account, with the secret of a share. */
@Injectable()
export class TokenAccess {
  constructor(
    private readonly audit: AuditRepository,
    private readonly links: LinkTokenAccess,
    private readonly partners: PartnerTokenAccess,
    private readonly limits: CallLimits,
    private readonly tokens: ShareAccessTokens,
    private readonly secrets: SecretBox,
  ) {}

  /** @throws AuthenticationFailed, BudgetSpent, AccessSuspended, DavFailure; TreeFailure for invalid names */
  async authorize(request: SharedRequest): Promise<SharedAccess> {
    const { tree } = request.start;
    if (tree.of === 'link') return this.links.authorizeByPath(request, tree.token);
    const secret = readShareSecret(request.authorization);
    if (!secret) {
      await this.limits.call(request.address);
      throw new AuthenticationFailed('missing');
    }
    const access = await this.authorizeBySecret(request, secret);
    if (access) return access;
    actAs({ kind: 'partner' });
    await this.audit.recordRefusal('content.access', ['share', null], { reason: 'secret-wrong' });
    const retryAfter = await this.limits.failed(request.address);
    throw retryAfter === undefined ? new AuthenticationFailed('wrong') : new BudgetSpent(retryAfter);
  }

  /** Whether there is a share with this secret or token. @throws AccessSuspended, BudgetSpent, DavFailure */
  async knows(token: string, address: string): Promise<boolean> {
    if (await this.partners.knows(this.secrets.lookup(token))) return true;
    await this.limits.call(address);
    if (await this.links.knows(token)) return true;
    const retryAfter = await this.limits.failed(address);
    if (retryAfter !== undefined) throw new BudgetSpent(retryAfter);
    return false;
  }

  private async authorizeBySecret(
    request: SharedRequest,
    secret: ShareSecret,
  ): Promise<SharedAccess | undefined> {
    const token = secret.isBearer ? this.tokens.read(secret.token) : undefined;
    if (token) return this.authorizeByAccessToken(request, token);
    const tokenHmac = this.secrets.lookup(secret.token);
    const asPartner = await this.partners.authorize(request, { tokenHmac, isExchanged: false });
    if (asPartner || request.start.tree.of === 'federated') return asPartner;
    await this.limits.call(request.address);
    return this.links.authorizeByCredentials(request, secret);
  }

  /** An expired token was valid before: its holder exchanges the secret again, so this counts as no guess. */
  private async authorizeByAccessToken(
    request: SharedRequest,
    { tokenHmac, isOver }: ReadAccessToken,
  ): Promise<SharedAccess | undefined> {
    if (!isOver) return this.partners.authorize(request, { tokenHmac, isExchanged: true });
    await this.limits.call(request.address);
    throw new AuthenticationFailed('wrong');
  }
}
