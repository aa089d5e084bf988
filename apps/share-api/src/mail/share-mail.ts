import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '#identity';
import { MailWorker } from '#mail';
import { MailOutboxRepository } from '#persistence';
import { CachedPolicy } from '#settings';
import { PublicAddress } from '#platform';
import { SHARE_TYPES, SharingFailed, type Caller, type SharingPolicy } from '#sharing';
import { tokenOfLink } from './link-address';
import { ShareMailRefused } from './share-mail-refused';

/** Recipients of a mail about a share, as clients send them. */
export interface ShareNoticeWish {
  readonly nodeId: number;
  readonly shareType: number;
  readonly recipient: string;
}

/** Recipients of a mail about a public link. */
export interface LinkNoticeWish {
  readonly link: string;
  readonly addresses: readonly string[];
  readonly note: string;
}

const MOST_ADDRESSES = 100;
const MOST_NOTE_CHARACTERS = 4000;
const ADDRESS = /^[^\s@<>",;]+@[^\s@<>",;]+$/;
const MAX_ADDRESS = 254;

/**
 * Sends mails about shares. Mails are queued and sent in the background; a share has `mail_send` after the
 * mail server accepted the first one.
 */
@Injectable()
export class ShareMail {
  constructor(
    private readonly outbox: MailOutboxRepository,
    private readonly worker: MailWorker,
    private readonly accounts: AccountDirectory,
    private readonly policy: CachedPolicy,
    private readonly address: PublicAddress,
  ) {}

  /**
   * @returns people whom the mail cannot reach: display names, or the given recipient if there is no such share
   * @throws ShareMailRefused share-mail-off
   */
  async notifyRecipients(caller: Caller, wish: ShareNoticeWish): Promise<readonly string[]> {
    if (!(await this.policyInForce()).mailNotification) throw new ShareMailRefused('share-mail-off');
    if (!this.worker.isConfigured) return [wish.recipient];
    const { shareFound, unreachable } = await this.outbox.queueShareNotices(
      await this.inQuestion(caller, wish),
    );
    this.worker.wake();
    return shareFound ? unreachable : [wish.recipient];
  }

  /** Notes that the recipients already know: then clients do not offer to send another mail. */
  async markNotified(caller: Caller, wish: ShareNoticeWish): Promise<void> {
    await this.policyInForce();
    await this.outbox.markSent(await this.inQuestion(caller, wish));
  }

  /** @throws ShareMailRefused; undeliverable after mails to the valid addresses were queued */
  async mailLink(caller: Caller, wish: LinkNoticeWish): Promise<void> {
    if (!(await this.policyInForce()).links.mayMail) throw new ShareMailRefused('link-mail-off');
    const shareToken = tokenOfLink(wish.link, this.address.url);
    if (shareToken === undefined) throw new ShareMailRefused('link-invalid');
    if (wish.addresses.length === 0) throw new ShareMailRefused('recipients-missing');
    if (wish.addresses.length > MOST_ADDRESSES) throw new ShareMailRefused('recipients-too-many');
    if (wish.note.length > MOST_NOTE_CHARACTERS) throw new ShareMailRefused('note-too-long');
    if (!this.worker.isConfigured) throw new ShareMailRefused('undeliverable', wish.addresses);
    const valid = wish.addresses.filter(isAddress);
    const found = await this.outbox.queueLinkNotices(caller.uid, shareToken, valid, wish.note || null);
    if (!found) throw new ShareMailRefused('undeliverable', wish.addresses);
    this.worker.wake();
    const invalid = wish.addresses.filter((address) => !isAddress(address));
    if (invalid.length > 0) throw new ShareMailRefused('undeliverable', invalid);
  }

  private async policyInForce(): Promise<SharingPolicy> {
    const policy = await this.policy.current();
    if (!policy.apiEnabled) throw new SharingFailed('api-disabled');
    return policy;
  }

  /** Names of users are not case-sensitive. */
  private async inQuestion(caller: Caller, wish: ShareNoticeWish) {
    const named = wish.shareType === SHARE_TYPES.user ? await this.accounts.find(wish.recipient) : undefined;
    return { ...wish, recipient: named?.uid ?? wish.recipient, senderUid: caller.uid };
  }
}

const isAddress = (text: string): boolean => text.length <= MAX_ADDRESS && ADDRESS.test(text);
