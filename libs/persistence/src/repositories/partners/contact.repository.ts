import { Injectable } from '@nestjs/common';
import { hostOfAddress } from '#federation/protocol';
import { Database, type Queryable } from '../../database';
import { decision, statement } from '../../statement';
import type { Trust } from './peer.repository';

/** A person at a partner whom a user invited, or who invited the user. */
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
  /** The account, as all spellings of it have it. */
  readonly person: string;
  /** All names under which the account may have been entered before. */
  readonly names: ContactNames;
  readonly displayName: string;
  readonly email: string;
}

/** One account of a partner by all its names: what a contact's `remote_user` may be, and what its `person` may be. */
export interface ContactNames {
  readonly users: readonly string[];
  readonly persons: readonly string[];
}

/** Trust in a partner, and whether the user knows that account there. */
export interface StandingRow {
  readonly trust: Trust;
  readonly outgoingTrust: Trust | null;
  readonly isContact: boolean;
}

/** Contacts at the partner, under its present name and those it had before. */
const atPeer = (peer: string): string =>
  `c.peer_id IN (SELECT id FROM peer WHERE id = ${peer} OR alias_of = ${peer})`;

/** Contacts that are the account of these names. */
const isAccount = (users: string, persons: string): string =>
  `(c.remote_user = ANY(${users}::text[]) OR c.person = ANY(${persons}::text[]))`;

const STANDING = statement<StandingRow>(
  'contact.standing',
  `SELECT coalesce(host.trust, 'unknown') AS trust, host.outgoing_trust AS "outgoingTrust",
     EXISTS (SELECT FROM contact c WHERE c.uid = $2 AND ${isAccount('$3', '$4')} AND ${atPeer('p.id')}) AS "isContact"
   FROM (SELECT 1) one LEFT JOIN peer named ON named.host_key = $1 LEFT JOIN peer p ON p.id = coalesce(named.alias_of, named.id)
   LEFT JOIN peer host ON host.id = coalesce(p.host_id, (SELECT host_id FROM peer WHERE host_key = $5))`,
);
const KNOWS_ONE_OF = statement<{ known: boolean }>(
  'contact.knows_one_of',
  `SELECT EXISTS (SELECT FROM contact c WHERE c.uid = $1 AND ${isAccount('$3', '$4')} AND ${atPeer('$2')}) AS known`,
);
/** The contact of its maker or owner with whom a share is. */
const BEHIND_SHARE = statement<{ remoteUser: string }>(
  'contact.behind_share',
  `SELECT c.remote_user AS "remoteUser" FROM share s JOIN peer p ON p.id = s.peer_id
     JOIN contact c ON c.uid IN (s.initiator_uid, s.owner_uid) AND ${atPeer('p.id')}
   WHERE s.id = $1 AND EXISTS (SELECT FROM peer n WHERE (n.id = p.id OR n.alias_of = p.id)
     AND s.recipient_canonical IN (c.remote_user || '@' || n.host_key, c.person || '@' || n.host_key))
   ORDER BY c.id DESC LIMIT 1`,
);
/** A contact of another spelling is renewed, so that a person is there once. */
const KEEP = statement<{ id: number }>(
  'contact.keep',
  `WITH renewed AS (
     UPDATE contact c SET display_name = $4, email = $5, remote_user = $3, person = $6
     WHERE c.id = (SELECT c.id FROM contact c WHERE c.uid = $1 AND c.peer_id = $2 AND ${isAccount('$7', '$8')}
       ORDER BY c.remote_user = $3 DESC, c.id LIMIT 1)
     RETURNING c.id
   ), entered AS (
     INSERT INTO contact (uid, peer_id, remote_user, display_name, email, person) SELECT $1, $2, $3, $4, $5, $6
     WHERE NOT EXISTS (SELECT FROM renewed)
     ON CONFLICT (uid, peer_id, remote_user) DO UPDATE SET display_name = excluded.display_name, email = excluded.email
     RETURNING id
   ) SELECT id FROM renewed UNION ALL SELECT id FROM entered`,
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

/** The contacts that users have at partners. */
@Injectable()
export class ContactRepository {
  constructor(private readonly database: Database) {}

  /** An address is trusted as its host; a host that is not known has no trust of its own. */
  async standing(uid: string, hostKey: string, { users, persons }: ContactNames): Promise<StandingRow> {
    const values = [hostKey, uid, users, persons, hostOfAddress(hostKey)];
    return (await this.database.rows(STANDING, values))[0]!;
  }

  /** Whether one of these accounts of the partner is a contact of the user's. */
  async knowsOneOf(uid: string, peerId: number, { users, persons }: ContactNames): Promise<boolean> {
    return (await this.database.rows(KNOWS_ONE_OF, [uid, peerId, users, persons]))[0]!.known;
  }

  /** The user id, as its server gave it, of the contact of its initiator or owner with whom a federated share is. */
  async userBehindShare(shareId: number): Promise<string | undefined> {
    return (await this.database.rows(BEHIND_SHARE, [shareId]))[0]?.remoteUser;
  }

  /** Enters a contact, or the names that it has now. @returns its id */
  async keep(transaction: Queryable, contact: NewContact): Promise<number> {
    const { uid, peerId, remoteUser, person, names, displayName, email } = contact;
    const encoded = person === remoteUser ? null : person;
    const values = [uid, peerId, remoteUser, displayName, email, encoded, names.users, names.persons];
    return (await transaction.rows(KEEP, values))[0]!.id;
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
