import { SHARE_TYPES, type Day } from '#sharing';
import type { Queryable } from '../../database';
import {
  bool,
  bytea,
  dateOf,
  int2,
  int4,
  int8,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../postgres-types';
import { statement } from '../../statement';
import { STILL_PASSED_ON } from './passed-on-sql';
import { aliveAs } from './share-row';
import { storedCanonical } from '../partners/present-canonical';

/** A public link, as the holder of its token sees it. */
const PUBLIC_LINK_ROW = {
  shareId: int8,
  /** null if no password is set. */
  passwordHash: nullable(text),
  permissions: int2,
  /** JSON text of the link's attributes; null for none. */
  attributes: nullable(text),
  /** Note of its maker; null for none. */
  note: nullable(text),
  initiatorUid: text,
  ownerUid: text,
  kind: textOf<'file' | 'folder'>(),
  /** `YYYY-MM-DD`, the last day; null for none. */
  expiresOn: nullable(dateOf<Day>()),
  createdAt: timestamptz,
  /** Whether the initiator can sign in, and may still pass on what a partner gave them. */
  stillPassedOn: bool,
};
export type PublicLinkRow = RowOf<typeof PUBLIC_LINK_ROW>;

const SELECT_LINK = `SELECT l.id AS "shareId", l.password_hash AS "passwordHash", l.permissions, l.attributes, l.note, l.initiator_uid AS "initiatorUid",
     top.owner_uid AS "ownerUid", top.kind, l.expires_on AS "expiresOn", l.created_at AS "createdAt",
     ${STILL_PASSED_ON} AS "stillPassedOn"
   FROM share l JOIN node top ON top.id = l.node_id`;

const BY_TOKEN = statement({
  name: 'public_link.by_token',
  isShortRead: true,
  params: { tokenHmac: bytea },
  row: PUBLIC_LINK_ROW,
  sql: `${SELECT_LINK}
   WHERE l.token_hmac = :tokenHmac AND l.share_type = ${SHARE_TYPES.link} AND ${aliveAs('l')}`,
});

/** A share with a partner in the form of a link. */
const OF_PARTNER = statement({
  name: 'public_link.of_partner',
  params: { shareId: int8 },
  row: PUBLIC_LINK_ROW,
  sql: `${SELECT_LINK}
   WHERE l.id = :shareId AND l.share_type = ${SHARE_TYPES.federated} AND ${aliveAs('l')}`,
});

const NODE_DELETED = statement({
  name: 'public_link.node_deleted',
  params: { tokenHmac: bytea },
  row: { found: bool },
  sql: `SELECT EXISTS (SELECT FROM link_of_deleted_node WHERE token_hmac = :tokenHmac) AS found`,
});

const SAVED = statement({
  name: 'public_link.saved',
  params: { shareId: int8 },
  row: { saved: int4 },
  sql: 'SELECT count(*)::int AS saved FROM share WHERE link_id = :shareId',
});

const SAVED_FOR = statement({
  name: 'public_link.saved_for',
  params: { shareId: int8, recipient: text },
  row: { id: int8 },
  sql: `SELECT id FROM share WHERE link_id = :shareId AND recipient_canonical = ${storedCanonical(':recipient::text')} AND delivery_state NOT IN ('dead', 'refused', 'revoked')`,
});

/** Finds public links by the lookup key of their token. */
export class PublicLinkRepository {
  constructor(private readonly database: Queryable) {}

  /** @returns undefined for an unknown token, and for a link that was withdrawn or has expired */
  async find(tokenHmac: Buffer): Promise<PublicLinkRow | undefined> {
    return (await this.database.rows(BY_TOKEN, { tokenHmac }))[0];
  }

  /** A share with a partner, as the pages of links show it. Its partner has to be admitted before. */
  async findOfPartner(shareId: number): Promise<PublicLinkRow | undefined> {
    return (await this.database.rows(OF_PARTNER, { shareId }))[0];
  }

  /** Number of accounts on other servers that saved the link. */
  async savedTimes(shareId: number): Promise<number> {
    return (await this.database.rows(SAVED, { shareId }))[0]!.saved;
  }

  /** The share by which an account at another server has the link. @param recipient canonical cloud id */
  async savedFor(shareId: number, recipient: string): Promise<number | undefined> {
    return (await this.database.rows(SAVED_FOR, { shareId, recipient }))[0]?.id;
  }

  /** Whether a link with this token existed until its node was deleted. */
  async endedWithItsNode(tokenHmac: Buffer): Promise<boolean> {
    return (await this.database.rows(NODE_DELETED, { tokenHmac }))[0]!.found;
  }
}
