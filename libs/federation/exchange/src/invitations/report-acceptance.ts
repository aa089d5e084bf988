import { hostAt, SecretText, type AcceptanceAnswer } from '#federation/protocol';
import { dealsWith } from '#sharing';
import type { ReachedPartner } from '../ports/reached-partners';
import type { UnreportedAcceptance, ReportAcceptancePorts } from '../ports/waiting-acceptances';

type Refusal = { readonly kind: 'refused'; readonly reason: string };
type Outcome = Exclude<AcceptanceAnswer, { kind: 'refused' }> | Refusal;

const refused = (reason: 'unreachable' | 'not-understood' | 'barred'): Refusal => ({
  kind: 'refused',
  reason,
});

/** A partner that got the acceptance: its host, and the reason if it refused; undefined if it did not. */
export interface ReportedAcceptance {
  readonly hostKey: string;
  readonly reason: string | undefined;
}

/**
 * Tells a partner that one of our users accepts an invitation, and stores the inviter as a contact.
 * @returns undefined for an acceptance that was settled already, which stays as it is
 */
export async function reportAcceptance<Partner extends ReachedPartner>(
  ports: ReportAcceptancePorts<Partner>,
  acceptanceId: number,
): Promise<ReportedAcceptance | undefined> {
  const { acceptances, partners } = ports;
  const acceptance = await acceptances.waiting(acceptanceId);
  const partner = acceptance && (await partners.find(acceptance.peerId));
  if (!partner) return undefined;
  const outcome = await outcomeOf(ports, acceptance, partner);
  if (outcome.kind === 'accepted') await acceptances.keepContact(acceptance, outcome);
  else await acceptances.refuse(acceptanceId, outcome.reason);
  return {
    hostKey: partner.hostKey,
    reason: outcome.kind === 'refused' ? outcome.reason : undefined,
  };
}

async function outcomeOf<Partner extends ReachedPartner>(
  { policy, accounts, partners, calls, secrets, publicUrl }: ReportAcceptancePorts<Partner>,
  { uid, sealedToken }: UnreportedAcceptance,
  partner: Partner,
): Promise<Outcome> {
  const isOpen = dealsWith(await policy.current(), partner);
  const account = await accounts.find(uid);
  if (!isOpen || partner.paused || !account?.enabled) return refused('barred');
  const found = await partners.profileOf(partner);
  if (found.kind !== 'partner')
    return refused(found.kind === 'no-partner' ? 'not-understood' : 'unreachable');
  const { ocmEndPoint } = found.profile;
  if (ocmEndPoint === null) return refused('not-understood');
  return calls.acceptInvitation({
    partner: found.profile,
    ocmEndPoint,
    hostKey: partner.hostKey,
    token: new SecretText(secrets.open(sealedToken)),
    provider: hostAt(publicUrl),
    person: { userId: uid, email: account.email ?? '', name: account.displayName },
  });
}
