import {
  hostOfAddress,
  peerKeyOf,
  readHostIdentity,
  readMailAddress,
  spellCloudId,
  type FederatedCloudId,
} from '#federation/protocol';
import { partnerAccess, type SharingPolicy } from '#sharing';
import type { MailLookupPorts, MailLookupResult } from '../ports/mail-lookups';
import type { ReachedPartner } from '../ports/reached-partners';

const NONE: MailLookupResult = { state: 'none' };

/** A lookup that was made: the server that was asked, and the result. */
export interface MadeLookup {
  readonly server: string;
  readonly result: MailLookupResult;
}

/**
 * Asks the server of a mail address for the federated account of its person. Only an account at a partner that everybody here may share
 * with counts.
 * @returns undefined for a lookup that is already settled, which stays as it is
 */
export async function findByMail<Partner extends ReachedPartner>(
  ports: MailLookupPorts<Partner>,
  lookupId: number,
): Promise<MadeLookup | undefined> {
  const mail = readMailAddress((await ports.lookups.waiting(lookupId)) ?? '');
  if (!mail) return undefined;
  const policy = await ports.policy.current();
  const server = policy.federation.mailServers.get(mail.domain) ?? mail.domain;
  const answer = policy.federation.findByMail
    ? await ports.calls.ask(server, mail)
    : ({ kind: 'accounts', accounts: [] } as const);
  const result: MailLookupResult =
    answer.kind === 'failed'
      ? { state: 'failed', reason: answer.reason }
      : await firstReached(ports, policy, answer.accounts);
  await ports.lookups.settle(lookupId, result);
  return { server, result };
}

async function firstReached<Partner extends ReachedPartner>(
  ports: MailLookupPorts<Partner>,
  policy: SharingPolicy,
  accounts: readonly FederatedCloudId[],
): Promise<MailLookupResult> {
  let failed: MailLookupResult | undefined;
  for (const account of accounts) {
    const hostKey = peerKeyOf(account);
    if (hostOfAddress(hostKey) === readHostIdentity(ports.publicUrl)) continue;
    const partner = await ports.partners.at(hostKey);
    if (partner.paused || partnerAccess(policy, 'outgoing', partner) !== 'open') continue;
    const found = await ports.partners.profileOf(partner);
    if (found.kind === 'partner')
      return { state: 'found', cloudId: spellCloudId(account, 'scheme-unless-https') };
    if (found.kind === 'inconclusive') failed = { state: 'failed', reason: found.errorClass };
  }
  return failed ?? NONE;
}
