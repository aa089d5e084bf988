import { Injectable } from '@nestjs/common';
import { AuthenticationFailed, BudgetSpent, CallLimits } from '#identity';
import { SecretBox } from '#platform';
import { LinkDoor } from '../links/link-door';
import { PartnerDoor } from '../partners/partner-door';
import { readShareSecret, type ShareSecret } from './share-secret';
import type { SharedAccess, SharedRequest } from './shared-access';

/** The way in for whoever has no account here but the secret of a share. */
@Injectable()
export class SharedEntrance {
  constructor(
    private readonly links: LinkDoor,
    private readonly partners: PartnerDoor,
    private readonly limits: CallLimits,
    private readonly secrets: SecretBox,
  ) {}

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
    const retryAfter = await this.limits.failed(request.address);
    throw retryAfter === undefined ? new AuthenticationFailed('wrong') : new BudgetSpent(retryAfter);
  }

  private async enterBySecret(
    request: SharedRequest,
    secret: ShareSecret,
  ): Promise<SharedAccess | undefined> {
    const asPartner = await this.partners.enter(request, this.secrets.lookup(secret.token));
    if (asPartner || request.start.tree.of === 'federated') return asPartner;
    await this.limits.call(request.address);
    return this.links.enterByCredentials(request, secret);
  }
}
