import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../database';
import { decision, statement } from '../statement';
import type { Trust } from './peer.repository';

/** Somebody at a partner whom a user invited, or who invited him. */
export interface ContactRow {
  readonly id: number;
  readonly hostKey: string;
  readonly remoteUser: string;
  readonly displayName: string;
  readonly email: string;
  readonly createdAt: Date;
}

export interface NewContact {
  readonly uid: string;
  readonly peerId: number;
  readonly remoteUser: string;
  readonly displayName: string;
  readonly email: string;
}

/** What was said of a partner, and whether the user knows that account there. */
export interface StandingRow {
  readonly trust: Trust;
  readonly outgoingTrust: Trust | null;
  readonly isContact: boolean;
}

/** Contacts at the partner, under its present name and those it had before. */
const atPeer = (peer: string): string =>
  `c.peer_id IN (SELECT id FROM peer WHERE id = ${peer} OR alias_of = ${peer})`;

const STANDING = statement<StandingRow>(
  'contact.standing',
  `SELECT coalesce(p.trust, 'unknown') AS trust, p.outgoing_trust AS "outgoingTrust",
     EXISTS (SELECT FROM contact c WHERE c.uid = $2 AND c.remote_user = $3 AND ${atPeer('p.id')}) AS "isContact"
   FROM (SELECT coalesce(alias_of, id) AS id FROM (SELECT 1) one LEFT JOIN peer ON host_key = $1) named
   LEFT JOIN peer p ON p.id = named.id`,
);
const KNOWS_ONE_OF = statement<{ known: boolean }>(
  'contact.knows_one_of',
  `SELECT EXISTS (SELECT FROM contact c WHERE c.uid = $1 AND c.remote_user = ANY($3::text[]) AND ${atPeer('$2')}) AS known`,
);
/** Whether the one for whom a share is, is a contact of the one who made it or who owns it. */
const STANDS_BEHIND = statement<{ known: boolean }>(
  'contact.stands_behind_share',
  `SELECT EXISTS (SELECT FROM share s JOIN peer p ON p.id = s.peer_id JOIN contact c ON c.uid IN (s.initiator_uid, s.owner_uid)
     WHERE s.id = $1 AND s.recipient_canonical IN (SELECT c.remote_user || '@' || n.host_key FROM peer n
       WHERE n.id = p.id OR n.alias_of = p.id) AND ${atPeer('p.id')}) AS known`,
);
const KEEP = statement<{ id: number }>(
  'contact.keep',
  `INSERT INTO contact (uid, peer_id, remote_user, display_name, email) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (uid, peer_id, remote_user) DO UPDATE SET display_name = excluded.display_name, email = excluded.email
   RETURNING id`,
);
const LIST = statement<ContactRow>(
  'contact.list',
  `SELECT c.id, p.host_key AS "hostKey", c.remote_user AS "remoteUser", c.display_name AS "displayName", c.email,
     c.created_at AS "createdAt"
   FROM contact c JOIN peer p ON p.id = c.peer_id WHERE c.uid = $1 AND c.id > $2 ORDER BY c.id LIMIT $3`,
);
const REMOVE = decision<{ id: number }>(
  'contact.remove',
  (acting) => `DELETE FROM contact WHERE uid = $1 AND id = $2 AND ${acting} RETURNING id`,
);

/** Whom users know at partners. */
@Injectable()
export class ContactRepository {
  constructor(private readonly database: Database) {}

  /** A host that is not known has no trust of its own. */
  async standing(uid: string, hostKey: string, remoteUser: string): Promise<StandingRow> {
    return (await this.database.rows(STANDING, [hostKey, uid, remoteUser]))[0]!;
  }

  /** Whether one of these accounts of the partner is a contact of the user's. */
  async knowsOneOf(uid: string, peerId: number, remoteUsers: readonly string[]): Promise<boolean> {
    return (await this.database.rows(KNOWS_ONE_OF, [uid, peerId, remoteUsers]))[0]!.known;
  }

  /** Whether a federated share is with a contact of its initiator or owner. */
  async standsBehindShare(shareId: number): Promise<boolean> {
    return (await this.database.rows(STANDS_BEHIND, [shareId]))[0]!.known;
  }

  /** Enters a contact, or what he calls himself now. @returns its id */
  async keep(transaction: Queryable, contact: NewContact): Promise<number> {
    const { uid, peerId, remoteUser, displayName, email } = contact;
    return (await transaction.rows(KEEP, [uid, peerId, remoteUser, displayName, email]))[0]!.id;
  }

  /** The user's contacts, oldest first, those with a greater id than `after`. */
  list(uid: string, after: number, limit: number): Promise<ContactRow[]> {
    return this.database.rows(LIST, [uid, after, limit]);
  }

  /** @returns whether the user had it */
  async remove(uid: string, id: number): Promise<boolean> {
    return (await this.database.rows(REMOVE, [uid, id])).length > 0;
  }
}
