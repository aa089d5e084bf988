import { Injectable } from '@nestjs/common';
import {
  CAN_ENFORCE_MFA,
  CAN_EXCHANGE,
  TAKES_CONTENT_CHANGES,
  TAKES_SEEN,
  TAKES_SHARE_REQUESTS,
  MUST_EXCHANGE,
  ocmDiscovery,
  OFFERED_SHARE_TYPES,
  ocsDiscovery,
  olderOcmDiscovery,
} from '#federation/protocol';
import { jwksDocument, OwnKeys, publicKeyMember } from '#federation/signatures';
import { PRODUCT_NAME, PublicAddress } from '#platform';
import { CachedPolicy } from '#settings';
import type { SharingPolicy } from '#sharing';

/**
 * OCM's words for our features: notifications, offers with a protocol object, signatures by RFC 9421, access tokens
 * in exchange for secrets, a required second factor, invitations (also in the older spelling), the page
 * for invited people, and requests for shares. Our own additions are
 * notices about changed content and about seen offers.
 */
const CAPABILITIES = [
  'notifications',
  'protocol-object',
  'http-sig',
  CAN_EXCHANGE,
  CAN_ENFORCE_MFA,
  'invites',
  'invite-wayf',
  TAKES_SHARE_REQUESTS,
  '/invite-accepted',
  TAKES_CONTENT_CHANGES,
  TAKES_SEEN,
];

/** Descriptions of this instance for partners. */
@Injectable()
export class DiscoveryDocuments {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly address: PublicAddress,
    private readonly keys: OwnKeys,
  ) {}

  /** The document of the specification. */
  ocm(): Promise<object> {
    return this.describedBy(ocmDiscovery);
  }

  /** The document for servers that know only older versions. */
  olderOcm(): Promise<object> {
    return this.describedBy(olderOcmDiscovery);
  }

  /** Enabled while shares are allowed in either direction, because notices about them need the document, too. */
  private async describedBy(describe: typeof ocmDiscovery): Promise<object> {
    const { federation } = await this.policy.current();
    const document = describe({
      publicUrl: this.address.url,
      productName: PRODUCT_NAME,
      capabilities: CAPABILITIES,
      criteria: criteriaOf(federation),
      shareTypes: federation.incomingToGroups ? OFFERED_SHARE_TYPES : ['user'],
      webapps: federation.webapps,
      publicKey: publicKeyMember(await this.keys.inUse(), this.address.url),
    });
    return { ...document, enabled: federation.incoming || federation.outgoing };
  }

  /** Keys for checking our newer signatures. */
  async jwks(): Promise<object> {
    return jwksDocument(await this.keys.inUse(), this.address.url);
  }

  ocs(): object {
    return ocsDiscovery();
  }
}

/** Criteria for partners without a decision of an administrator, in OCM's words. */
function criteriaOf({
  allowedHosts,
  deniedHosts,
  defaultTrust,
  tokenExchange,
  signatures,
}: SharingPolicy['federation']): string[] {
  const criteria: string[] = [];
  if (defaultTrust.incoming === 'invited') criteria.push('must-invite');
  if (allowedHosts.length > 0 || defaultTrust.incoming === 'denied') criteria.push('allowlist');
  if (deniedHosts.length > 0) criteria.push('denylist');
  if (signatures === 'required') criteria.push('must-use-http-sig');
  if (tokenExchange.incoming) criteria.push(MUST_EXCHANGE);
  return criteria;
}
