import { changeForRecipient, MESSAGES, type OfferPayload, type TouchedShare } from '#federation/exchange';
import { CloudIdInvalid, parseCloudId } from '#federation/protocol';
import { randomToken, type SecretBox } from '#platform';
import { attributesFromText, conditionsAmong, FEDERATED_SECRET_LENGTH } from '#sharing';
import type { Database, Queryable } from '../../database';
import type { RowOf } from '../../postgres-types';
import { OutboxRepository } from '../deliveries/outbox.repository';
import * as sql from './group-fan-out-statements';
import { RENEW_OFFERS } from './share-write-statements';

const OFFER = 'share-create';

/** Maximum of members that one transaction handles. */
const AT_ONCE = 500;

/**
 * Federated shares that follow a share with a group: one for each member at a partner. They are compared with the members when the
 * share or the group changes, with a constant number of statements for hundreds of members.
 */
export class GroupFanOutRepository {
  private readonly outbox: OutboxRepository;

  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {
    this.outbox = new OutboxRepository(database);
  }

  /** Does one step of the due work, unless another process is doing it. @returns whether there may be more */
  async step(): Promise<boolean> {
    const [next] = await this.database.rows(sql.NEXT);
    if (!next) return false;
    return this.database.transaction((transaction) => this.settle(transaction, next.shareId));
  }

  /** The share is locked before its due work, as by all code that changes it. */
  private async settle(transaction: Queryable, shareId: number): Promise<boolean> {
    const [share] = await transaction.rows(sql.LOCK_SHARE, { shareId });
    const [due] = share ? await transaction.rows(sql.TAKE, { shareId }) : [];
    if (!share || !due) return true;
    await transaction.rows(sql.ACT_AS, { actor: due.actor ?? '' });
    const wanted = isForPartners(share);
    const ended = await transaction.rows(sql.END, {
      shareId,
      gid: share.gid,
      wanted,
      limit: AT_ONCE,
    });
    await transaction.rows(sql.FORGET_FORMER, { shareId, gid: share.gid });
    const notified =
      due.notifyAfter === null
        ? NOBODY
        : await this.notify(transaction, shareId, due.notifyAfter, due.origin);
    const offered = wanted && share.isPassedOn ? await this.offer(transaction, share, due.origin) : 0;
    const isMore = [ended.length, notified.count, offered].includes(AT_ONCE);
    if (isMore)
      await transaction.rows(sql.AGAIN, {
        shareId,
        notifyAfter: notified.count === AT_ONCE ? notified.last : null,
        actor: due.actor,
      });
    return true;
  }

  /** Sends the change of the share to servers of members with ids greater than `after`. @returns how many, and the greatest id */
  private async notify(
    transaction: Queryable,
    shareId: number,
    after: number,
    origin: string | null,
  ): Promise<{ readonly count: number; readonly last: number }> {
    const touched = await transaction.rows(sql.TOUCH, { shareId, after, limit: AT_ONCE });
    await transaction.rows(RENEW_OFFERS, { shareIds: touched.map(({ id }) => id) });
    await this.outbox.writeAll(
      transaction,
      touched.map(({ id, permissions, ...share }) =>
        changeForRecipient(id, { ...share, ...NO_RESHARE }, permissions),
      ),
      origin,
    );
    return { count: touched.length, last: Math.max(after, ...touched.map(({ id }) => id)) };
  }

  /** Offers the share to members without an offer, except its owner. @returns how many there were */
  private async offer(transaction: Queryable, share: GroupShareRow, origin: string | null): Promise<number> {
    const { shareId, gid, remoteOwner } = share;
    const owner = remoteOwner === null ? null : canonicalOf(remoteOwner);
    const recipients = await transaction.rows(sql.MISSING, { shareId, gid, owner, limit: AT_ONCE });
    if (recipients.length === 0) return 0;
    const tokens = recipients.map(() => randomToken(FEDERATED_SECRET_LENGTH));
    const offer: Omit<OfferPayload, 'shareWith'> = {
      name: share.name,
      nodeKind: share.kind,
      permissions: share.permissions,
      expiresOn: share.expiresOn,
      note: share.note,
      owner: { uid: share.ownerUid, displayName: share.ownerName },
      sender: { uid: share.initiatorUid, displayName: share.initiatorName },
    };
    await transaction.rows(sql.OFFER, {
      shareId,
      gid,
      canonicals: recipients.map(({ canonical }) => canonical),
      cloudIds: recipients.map(({ cloudId }) => cloudId),
      peerIds: recipients.map(({ peerId }) => peerId),
      tokenHmacs: tokens.map((token) => this.secrets.lookup(token)),
      tokensEnc: tokens.map((token) => this.secrets.seal(token)),
      expiresOn: share.expiresOn,
      kind: OFFER,
      lifetimeMs: MESSAGES[OFFER].lifetimeMs,
      offer: JSON.stringify(offer),
      origin,
    });
    return recipients.length;
  }
}

type GroupShareRow = RowOf<typeof sql.GROUP_SHARE>;

/** Whether members at partners get the share: an offer cannot carry conditions, so a share with conditions stays on this server. */
const isForPartners = ({ isAlive, attributes }: GroupShareRow): boolean =>
  isAlive && conditionsAmong(attributesFromText(attributes)).length === 0;

const NOBODY = { count: 0, last: 0 };

/** Shares with groups are made here: no partner requested them, and no other server makes them. */
const NO_RESHARE: Pick<
  TouchedShare,
  'granted_id' | 'granted_token_enc' | 'requester_peer_id' | 'requester_share_id'
> = { granted_id: null, granted_token_enc: null, requester_peer_id: null, requester_share_id: null };

function canonicalOf(cloudId: string): string | null {
  try {
    return parseCloudId(cloudId).canonical;
  } catch (error) {
    if (error instanceof CloudIdInvalid) return null;
    throw error;
  }
}
