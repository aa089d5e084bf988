import { Injectable } from '@nestjs/common';
import { ocmDiscovery, ocsDiscovery } from '#federation/protocol';
import { PRODUCT_NAME, PublicAddress } from '#platform';
import { CachedPolicy } from '#settings';

/** Words of OCM for what works here: notifications, and offers whose protocol is an object. */
const CAPABILITIES = ['notifications', 'protocol-object'];

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
    });
    return { ...document, enabled: federation.incoming || federation.outgoing };
  }

  ocs(): object {
    return ocsDiscovery();
  }
}
