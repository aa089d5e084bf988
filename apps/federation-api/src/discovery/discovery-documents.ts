import { Injectable } from '@nestjs/common';
import { ocmDiscovery, ocsDiscovery } from '#federation/protocol';
import { PRODUCT_NAME, PublicAddress } from '#platform';
import { CachedPolicy } from '#settings';
import type { SharingPolicy } from '#sharing';

/**
 * Words of OCM for what works here: notifications, offers whose protocol is an object, and invitations, the last in its
 * older spelling too.
 */
const CAPABILITIES = ['notifications', 'protocol-object', 'invites', '/invite-accepted'];

/** How this instance describes itself to partners. */
@Injectable()
export class DiscoveryDocuments {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly address: PublicAddress,
  ) {}

  /** Enabled as long as shares go in one direction: notices about them need the document too. */
  async ocm(): Promise<object> {
    const { federation } = await this.policy.current();
    const document = ocmDiscovery({
      publicUrl: this.address.url,
      productName: PRODUCT_NAME,
      capabilities: CAPABILITIES,
      criteria: criteriaOf(federation),
    });
    return { ...document, enabled: federation.incoming || federation.outgoing };
  }

  ocs(): object {
    return ocsDiscovery();
  }
}

/** What is asked of partners of whom nothing was said, in the words of OCM. */
function criteriaOf({ allowedHosts, deniedHosts, defaultTrust }: SharingPolicy['federation']): string[] {
  const criteria: string[] = [];
  if (defaultTrust.incoming === 'invited') criteria.push('must-invite');
  if (allowedHosts.length > 0 || defaultTrust.incoming === 'denied') criteria.push('allowlist');
  if (deniedHosts.length > 0) criteria.push('denylist');
  return criteria;
}
