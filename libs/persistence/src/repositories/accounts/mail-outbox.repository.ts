import { Injectable } from '@nestjs/common';
import { SecretBox } from '#platform';
import type { Day } from '#sharing';
import { Database } from '../../database';
import { fromNow } from '../../database-clock';
import { MailOutboxEntity } from '../../entities/accounts/mail-outbox.entity';
import * as sql from './mail-outbox-statements';

/** Result of a request to mail about a share. */
export interface Queueing {
  /** Whether the sender has a share with these values. */
  readonly shareFound: boolean;
  /** Display names of recipients without an e-mail address; at most the first ones. */
  readonly unreachable: readonly string[];
}

/** A notice that is due, with the present values for its mail. */
export interface DueNotice {
  readonly id: number;
  /** Number of attempts, including this one. */
  readonly attempts: number;
  readonly address: string;
  readonly note: string | null;
  /** The public link's token; null for a share with a user or group. */
  readonly shareToken: string | null;
  readonly nodeName: string;
  readonly expiresOn: Day | null;
  readonly senderName: string;
  readonly senderAddress: string | null;
  readonly recipientName: string | null;
}

/** Identifies a share as clients do: by node, type and recipient. */
export interface ShareInQuestion {
  readonly senderUid: string;
  readonly nodeId: number;
  readonly shareType: number;
  readonly recipient: string;
}

const ASIDE_SECONDS = 3600;
/** Maximum of names in an answer. */
const UNREACHABLE_SHOWN = 20;

/** Notices of shares that wait to be mailed. A notice ends with its share. */
@Injectable()
export class MailOutboxRepository {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * Notifies the recipient of a share, or the members of its group except those who made it. Each address is notified of
   * a share once. One statement, whatever the size of the group.
   */
  async queueShareNotices(share: ShareInQuestion): Promise<Queueing> {
    const { senderUid, nodeId, shareType, recipient } = share;
    const [row] = await this.database.rows(sql.QUEUE_SHARE_NOTICES, {
      nodeId,
      shareType,
      recipient,
      senderUid,
      unreachableShown: UNREACHABLE_SHOWN,
    });
    return { shareFound: row!.found, unreachable: row!.unreachable ?? [] };
  }

  /**
   * Queues mails to these addresses about a public link that the sender made, or whose file they own. An address that
   * already had a mail gets another one.
   * @returns whether there is such a link
   */
  async queueLinkNotices(
    senderUid: string,
    shareToken: string,
    addresses: readonly string[],
    note: string | null,
  ): Promise<boolean> {
    const [row] = await this.database.rows(sql.QUEUE_LINK_NOTICES, {
      shareTokenHmac: this.secrets.lookup(shareToken),
      senderUid,
      addresses,
      note,
    });
    return row!.found;
  }

  /** Notes that the recipients of a share know about it. Does nothing if the sender has no such share. */
  async markSent({ senderUid, nodeId, shareType, recipient }: ShareInQuestion): Promise<void> {
    await this.database.rows(sql.MARK_SENT, { nodeId, shareType, recipient, senderUid });
  }

  /**
   * Takes the notice that is due longest. It becomes due again after `leaseSeconds` unless one of the methods
   * below ends or moves it, so a crashed worker loses none. Any number of processes may take at the same time.
   * A notice for somebody who does not get the share now is looked at again in an hour.
   */
  async takeNext(leaseSeconds: number): Promise<DueNotice | undefined> {
    for (;;) {
      const [row] = await this.database.rows(sql.TAKE_NEXT, { leaseSeconds, asideSeconds: ASIDE_SECONDS });
      if (!row) return undefined;
      const { isWanted, tokenEnc, expiresOn, ...rest } = row;
      if (!isWanted) continue;
      const shareToken = tokenEnc && this.secrets.open(tokenEnc);
      return { ...rest, expiresOn: expiresOn as Day | null, shareToken };
    }
  }

  /** Notes that the notice was mailed, which its share shows. */
  async sent(id: number): Promise<void> {
    await this.database.rows(sql.SENT, { id });
  }

  /** Delays the notice for another attempt. */
  async postpone(id: number, delaySeconds: number, reason: string): Promise<void> {
    await this.database.write(MailOutboxEntity, (mails) =>
      mails.update({ id }, { nextAttemptAt: fromNow(delaySeconds * 1000), lastError: reason }),
    );
  }

  /** Ends the attempts; the sender gets a notification. */
  async giveUp(id: number, subject: string, reason: string): Promise<void> {
    await this.database.rows(sql.GIVE_UP, { id, subject, reason });
  }

  /** Removes a notice that is no longer wanted. */
  async drop(id: number): Promise<void> {
    await this.database.write(MailOutboxEntity, (mails) => mails.delete({ id }));
  }
}
