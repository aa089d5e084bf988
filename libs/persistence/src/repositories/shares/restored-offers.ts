import { randomToken, type SecretBox } from '#platform';
import { FEDERATED_SECRET_LENGTH, type Day } from '#sharing';
import type { Database } from '../../database';
import { bool, date, int2, int8, nullable, text, textOf } from '../../postgres-types';
import { statement } from '../../statement';
import { FederatedShareWriter } from './federated-share-writer';

const BATCH = 100;

/** Where reshares follow their initiators, an offer is lowered as its share would have been. */
const PERMISSIONS = `CASE WHEN o.initiator_uid <> n.owner_uid AND reshares_follow()
     THEN o.permissions & granted_by_shares(o.initiator_uid, n.storage_id, n.path, true)::smallint ELSE o.permissions END`;

const DUE = statement({
  name: 'trashed_offer.due',
  params: { limit: int8 },
  row: {
    id: int8,
    nodeId: int8,
    ownerUid: text,
    nodeName: text,
    nodeKind: textOf<'file' | 'folder'>(),
    initiatorUid: text,
    recipient: text,
    recipientCanonical: text,
    permissions: int2,
    expiresOn: nullable(date),
    linkId: nullable(int8),
    attributes: nullable(text),
    note: nullable(text),
    isForGroup: bool,
  },
  sql: `SELECT o.id, o.node_id AS "nodeId", n.owner_uid AS "ownerUid", n.name AS "nodeName", n.kind AS "nodeKind",
     o.initiator_uid AS "initiatorUid", o.recipient, o.recipient_canonical AS "recipientCanonical", ${PERMISSIONS} AS permissions, o.expires_on AS "expiresOn",
     o.link_id AS "linkId", o.attributes, o.note, o.recipient_is_group AS "isForGroup"
   FROM trashed_offer o JOIN node n ON n.id = o.node_id
   WHERE NOT starts_with(n.path, '~') AND (o.expires_on IS NULL OR o.expires_on >= current_date) ORDER BY o.id LIMIT :limit`,
});

/** An offer that was refused because its node was deleted again waits for the next restore. */
const DONE = statement({
  name: 'trashed_offer.done',
  params: { id: int8, isRefused: bool },
  sql: `DELETE FROM trashed_offer o WHERE o.id = :id
     AND NOT (:isRefused AND EXISTS (SELECT FROM node n WHERE n.id = o.node_id AND starts_with(n.path, '~')))`,
});

const FORGET_EXPIRED = statement({
  name: 'trashed_offer.forget_expired',
  sql: 'DELETE FROM trashed_offer WHERE expires_on < current_date',
});

/** Offers restored nodes again to the partners that had shares of them at the deletion. */
export class RestoredOffers {
  private readonly writer: FederatedShareWriter;

  constructor(
    private readonly database: Database,
    secrets: SecretBox,
  ) {
    this.writer = new FederatedShareWriter(database, secrets);
  }

  /**
   * Makes the due shares, with new secrets. An offer that already exists, from any code, is not repeated; an offer whose
   * initiator has lost access is given up. Where its node is in the trash bin again, it waits there.
   */
  async renew(): Promise<void> {
    for (;;) {
      const due = await this.database.rows(DUE, { limit: BATCH });
      if (due.length > 0) await this.database.rows(FORGET_EXPIRED);
      for (const offer of due) {
        const { id, nodeId, ownerUid, nodeName, nodeKind, recipient, recipientCanonical, linkId } = offer;
        const made = await this.writer.insert({
          node: { nodeId, ownerUid, name: nodeName, kind: nodeKind },
          initiatorUid: offer.initiatorUid,
          permissions: offer.permissions,
          expiresOn: offer.expiresOn as Day | null,
          attributes: offer.attributes,
          note: offer.note,
          isForGroup: offer.isForGroup,
          recipient: {
            written: recipient,
            canonical: recipientCanonical,
            hostKey: recipientCanonical.slice(recipientCanonical.lastIndexOf('@') + 1),
          },
          shareToken: randomToken(FEDERATED_SECRET_LENGTH),
          linkId: linkId ?? undefined,
        });
        await this.database.rows(DONE, { id, isRefused: made === 'gone' });
      }
      if (due.length < BATCH) return;
    }
  }
}
