import { Injectable } from '@nestjs/common';
import {
  CAN_ENFORCE_MFA,
  CAN_EXCHANGE,
  TAKES_CONTENT_CHANGES,
  TAKES_SEEN,
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
 * Words of OCM for what works here: notifications, offers whose protocol is an object, signatures by RFC 9421, access tokens
 * for secrets, a second factor where it is required, invitations, the last in its older spelling too, and the page
 * for those who were invited; and our own additions,
 * notices about changed content and offers that were seen.
 */
const CAPABILITIES = [
  'notifications',
  'protocol-object',
  'http-sig',
  CAN_EXCHANGE,
  CAN_ENFORCE_MFA,
  'invites',
  'invite-wayf',
  '/invite-accepted',
  TAKES_CONTENT_CHANGES,
  TAKES_SEEN,
];

/** How this instance describes itself to partners. */
@Injectable()
export class DiscoveryDocuments {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly address: PublicAddress,
    private readonly keys: OwnKeys,
  ) {}

  /** By the specification. */
  ocm(): Promise<object> {
    return this.describedBy(ocmDiscovery);
  }

  /** For servers that know only older versions of it. */
  olderOcm(): Promise<object> {
    return this.describedBy(olderOcmDiscovery);
  }

  /** Enabled as long as shares go in one direction: notices about them need the document too. */
  private async describedBy(describe: typeof ocmDiscovery): Promise<object> {
    const { federation } = await this.policy.current();
    const document = describe({
      publicUrl: this.address.url,
      productName: PRODUCT_NAME,
      capabilities: CAPABILITIES,
      criteria: criteriaOf(federation),
      shareTypes: federation.incomingToGroups ? OFFERED_SHARE_TYPES : ['user'],
      publicKey: publicKeyMember(await this.keys.inUse(), this.address.url),
    });
    return { ...document, enabled: federation.incoming || federation.outgoing };
  }

  /** The keys by which our newer signatures are checked. */
  async jwks(): Promise<object> {
    return jwksDocument(await this.keys.inUse(), this.address.url);
  }

  ocs(): object {
    return ocsDiscovery();
  }
}

/** Criteria for partners without a decision of an administrator, in the words of OCM. */
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
