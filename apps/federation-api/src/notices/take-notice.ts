import { Injectable } from '@nestjs/common';
import {
  assertBindsUnsigned,
  FederationRefused,
  type PartnerNotice,
  type ReshareGrant,
} from '#federation/protocol';
import type { NoticePartner } from '#persistence';
import { actAs, inSpan } from '#platform';
import type { ProvenSenders, SenderCheck } from '../signatures/sender-proof';
import type { Binding } from './bound-shares';
import { GrantReshare } from './grant-reshare';
import { NoticeSenders } from './notice-senders';
import { NoticesOfOurs } from './notices-of-ours';
import { NoticesOfReceived } from './notices-of-received';

/** Takes a partner's message about a share that both sides know. Who sent it is never sent another one for it. */
@Injectable()
export class TakeNotice {
  constructor(
    private readonly senders: NoticeSenders,
    private readonly ours: NoticesOfOurs,
    private readonly received: NoticesOfReceived,
    private readonly reshares: GrantReshare,
  ) {}

  /**
   * @param check finds out which of the partners it can be of have sent it
   * @returns the share that was made, where one was asked for
   * @throws FederationRefused
   */
  take(notice: PartnerNotice, check: SenderCheck): Promise<ReshareGrant | undefined> {
    return inSpan(`take ${notice.kind}`, { kind: 'internal' }, () => this.takeAsOfSenders(notice, check));
  }

  private async takeAsOfSenders(
    notice: PartnerNotice,
    check: SenderCheck,
  ): Promise<ReshareGrant | undefined> {
    const binding = await this.bindingOf(notice, check);
    if (notice.kind === 'reshare-requested') return this.reshares.grant({ ...notice, ...binding });
    await this.apply(notice, binding);
    return undefined;
  }

  /** One about no share has no senders, and changes nothing whoever sent it. */
  private async bindingOf(notice: PartnerNotice, check: SenderCheck): Promise<Binding> {
    const { providerId, sharedSecret } = notice;
    const partners = await this.senders.of(notice);
    const { proof, hosts } = await this.provenOrDoubted(notice, partners, check);
    const senders = partners.filter(({ hostKey }) => hosts.includes(hostKey)).map(({ peerId }) => peerId);
    if (senders.length > 0) actAs({ kind: 'partner', peerId: senders[0] });
    return { providerId, sharedSecret, senders, isSigned: proof === 'signed' };
  }

  /** The sender of an end that is not proven is refused all the same: it may be anybody with the secret. */
  private async provenOrDoubted(
    notice: PartnerNotice,
    partners: readonly NoticePartner[],
    check: SenderCheck,
  ): Promise<ProvenSenders> {
    try {
      return await proven(notice, partners, check);
    } catch (error) {
      if (error instanceof FederationRefused && notice.kind === 'share-unshared')
        await this.received.doubt(notice);
      throw error;
    }
  }

  private async apply(
    notice: Exclude<PartnerNotice, { kind: 'reshare-requested' }>,
    binding: Binding,
  ): Promise<void> {
    switch (notice.kind) {
      case 'share-accepted':
        return this.ours.accepted(binding);
      case 'share-declined':
        return this.ours.declined(binding);
      case 'reshare-undone':
        return this.ours.reshareUndone(binding);
      case 'share-unshared':
        return this.received.takenBack(binding);
      case 'permissions-changed':
        return notice.concerns === 'reshare'
          ? this.ours.permissionsChanged({ ...notice, ...binding })
          : this.received.permissionsChanged(binding, notice.permissions);
    }
  }
}

const NOBODY: ProvenSenders = { proof: 'unsigned', hosts: [] };

/** Without a secret only a signature says whose it is; oCIS names the recipient, which proves nothing. */
async function proven(
  notice: PartnerNotice,
  partners: readonly NoticePartner[],
  check: SenderCheck,
): Promise<ProvenSenders> {
  const hosts = partners.map(({ hostKey }) => hostKey);
  if (notice.sharedSecret) {
    if (hosts.length === 0) return NOBODY;
    actAs({ kind: 'partner', hostKey: hosts[0] });
    return check.among(hosts);
  }
  const signers = hosts.length > 0 ? await check.signers(hosts) : [];
  if (signers.length > 0) return { proof: 'signed', hosts: signers };
  assertBindsUnsigned(notice);
  return NOBODY;
}
