import { Inject, Injectable } from '@nestjs/common';
import { WebFingerClient } from '#federation/client';
import { findByMail, type MailLookupPorts, type ProfileFound } from '#federation/exchange';
import { MailLookupRepository, PeerRepository, type PeerRow } from '#persistence';
import { LOGGER, PublicAddress, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { CalledPartners } from '../partners/called-partners';

/** Finds accounts at other servers by mail addresses. */
@Injectable()
export class PeopleByMail implements MailLookupPorts<PeerRow> {
  readonly partners: MailLookupPorts<PeerRow>['partners'];

  constructor(
    readonly lookups: MailLookupRepository,
    readonly calls: WebFingerClient,
    readonly policy: CachedPolicy,
    peers: PeerRepository,
    called: CalledPartners,
    private readonly address: PublicAddress,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.partners = {
      at: (hostKey: string): Promise<PeerRow> => peers.ensure(hostKey),
      profileOf: (partner: PeerRow): Promise<ProfileFound> => called.profileOf(partner),
    };
  }

  /** Known only after the server listens. */
  get publicUrl(): string {
    return this.address.url;
  }

  async find(lookupId: number): Promise<void> {
    const made = await findByMail(this, lookupId);
    if (!made) return;
    const { server, result } = made;
    const reason = result.state === 'failed' ? result.reason : undefined;
    this.logger.info(
      { subsystem: 'mail-lookups', partner: server, state: result.state, reason },
      'a server was asked for the account of a mail address',
    );
  }
}
