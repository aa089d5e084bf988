import { Inject, Injectable } from '@nestjs/common';
import { PartnerTrustCalls } from '#federation/client';
import { reportAcceptance, type ReportAcceptancePorts } from '#federation/exchange';
import { namesOf } from '#federation/protocol';
import { AccountDirectory } from '#identity';
import { ContactRepository, Database, InvitationAcceptanceRepository, type PeerRow } from '#persistence';
import { LOGGER, PublicAddress, SecretBox, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { CalledPartners } from '../partners/called-partners';

/** Tells partners that our users accept their invitations. */
@Injectable()
export class AcceptanceReporter implements ReportAcceptancePorts<PeerRow> {
  readonly acceptances: ReportAcceptancePorts['acceptances'];

  constructor(
    rows: InvitationAcceptanceRepository,
    contacts: ContactRepository,
    database: Database,
    readonly partners: CalledPartners,
    readonly calls: PartnerTrustCalls,
    readonly accounts: AccountDirectory,
    readonly policy: CachedPolicy,
    readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.acceptances = {
      waiting: (id) => rows.waiting(id),
      refuse: (id, reason) =>
        database.transaction((transaction) => rows.settle(transaction, id, null, reason)),
      keepContact: ({ id, uid, peerId }, { inviter, name, email }) =>
        database.transaction(async (transaction) => {
          const contactId = await contacts.keep(transaction, {
            uid,
            peerId,
            remoteUser: inviter.user,
            person: inviter.person,
            names: namesOf(inviter),
            displayName: name,
            email,
          });
          await rows.settle(transaction, id, contactId, '');
        }),
    };
  }

  /** Known only after the server listens. */
  get publicUrl(): string {
    return this.address.url;
  }

  async report(acceptanceId: number): Promise<void> {
    const report = await reportAcceptance(this, acceptanceId);
    if (!report) return;
    const { hostKey: partner, reason } = report;
    this.logger.info({ subsystem: 'invitations', partner, reason }, 'a partner was told of an acceptance');
  }
}
