import type { InvitationAcceptanceRepository, InvitationRepository } from '#persistence';
import type { InvitationAcceptances, Schedule } from '#queue';
import type { DirectoryRounds } from '../invitations/directory-rounds';
import type { PartnerAddressBooks } from '../trust/partner-address-books';
import type { TrustedHandshakes } from '../trust/trusted-handshakes';

const HANDSHAKES_EVERY_MS = 5000;
const ADDRESS_BOOKS_EVERY_MS = 30_000;
const DIRECTORIES_EVERY_MS = 15_000;
const LOST_ACCEPTANCES_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
const BATCH = 1000;
const KEPT_INVITATION_DAYS = 30;
const KEPT_ACCEPTANCE_DAYS = 1;

/** Makes due calls to trusted partners, reads their address books, asks directory services, adds lost acceptances to the queue again, and deletes old invitations. */
export function partnerTrust(
  handshakes: TrustedHandshakes,
  addressBooks: PartnerAddressBooks,
  directories: DirectoryRounds,
  invitations: InvitationRepository,
  acceptances: InvitationAcceptanceRepository,
  telling: Pick<InvitationAcceptances, 'enterLost'>,
): readonly Schedule[] {
  const forget = async (): Promise<void> => {
    while ((await invitations.forget(KEPT_INVITATION_DAYS, BATCH)) === BATCH);
    while ((await acceptances.forget(KEPT_ACCEPTANCE_DAYS, BATCH)) === BATCH);
  };
  return [
    { name: 'trusted-handshakes', everyMs: HANDSHAKES_EVERY_MS, run: () => handshakes.round() },
    { name: 'address-books', everyMs: ADDRESS_BOOKS_EVERY_MS, run: () => addressBooks.round() },
    { name: 'directory-services', everyMs: DIRECTORIES_EVERY_MS, run: () => directories.round() },
    { name: 'lost-acceptances', everyMs: LOST_ACCEPTANCES_EVERY_MS, run: () => telling.enterLost() },
    { name: 'forget-invitations', everyMs: HOUR_MS, run: forget },
  ];
}
