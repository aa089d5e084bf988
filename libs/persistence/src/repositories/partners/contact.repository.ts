import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan } from 'typeorm';
import { hostOfAddress } from '#federation/protocol';
import { Batching } from '#platform';
import { Database, type Queryable } from '../../database';
import { ContactEntity } from '../../entities/partners/contact.entity';
import type { PeerEntity, Trust } from '../../entities/partners/peer.entity';
import { array, bool, int8, nullable, type RowOf, text, textOf } from '../../postgres-types';
import { statement } from '../../statement';

/** A person at a partner whom a user invited, or who invited the user. */
export interface ContactRow {
  readonly id: number;
  readonly hostKey: string;
  readonly remoteUser: string;
  readonly displayName: string;
  readonly email: string;
  readonly createdAt: Date;
}

/** Columns of a contact that a query of entities selects, under the aliases `contact` and `peer`. */
export const CONTACT_COLUMNS = [
  'contact.id',
  'contact.remoteUser',
  'contact.displayName',
  'contact.email',
  'contact.createdAt',
  'peer.id',
  'peer.hostKey',
];

/** @param peer the contact's partner */
export function contactRow(contact: ContactEntity, peer: PeerEntity): ContactRow {
  const { id, remoteUser, displayName, email, createdAt } = contact;
  return { id, hostKey: peer.hostKey, remoteUser, displayName, email, createdAt };
}

export interface NewContact {
  readonly uid: string;
  readonly peerId: number;
  readonly remoteUser: string;
  /** The account, the same for all its spellings. */
  readonly person: string;
  /** All names under which the account may be stored. */
  readonly names: ContactNames;
  readonly displayName: string;
  readonly email: string;
}

/** One account of a partner by all its names: possible values of a contact's `remote_user` and `person`. */
export interface ContactNames {
  readonly users: readonly string[];
  readonly persons: readonly string[];
}

/** Trust in a partner, and whether the user has that account as a contact. */
const STANDING_ROW = {
  trust: textOf<Trust>(),
  outgoingTrust: nullable(textOf<Trust>()),
  isContact: bool,
};
export type StandingRow = RowOf<typeof STANDING_ROW>;

/** Contacts at the partner, under its present and earlier names. */
const atPeer = (peer: string): string =>
  `c.peer_id IN (SELECT id FROM peer WHERE id = ${peer} OR alias_of = ${peer})`;

/** Contacts that have one of these names. */
const isAccount = (users: string, persons: string): string =>
  `(c.remote_user = ANY(${users}::text[]) OR c.person = ANY(${persons}::text[]))`;

const STANDING = statement({
  name: 'contact.standing',
  params: { hostKey: text, uid: text, remoteUsers: array(text), persons: array(text), host: text },
  row: STANDING_ROW,
  sql: `SELECT coalesce(host.trust, 'unknown') AS trust, host.outgoing_trust AS "outgoingTrust",
     EXISTS (SELECT FROM contact c WHERE c.uid = :uid AND ${isAccount(':remoteUsers', ':persons')} AND ${atPeer('p.id')}) AS "isContact"
   FROM (SELECT 1) one LEFT JOIN peer named ON named.host_key = :hostKey LEFT JOIN peer p ON p.id = coalesce(named.alias_of, named.id)
   LEFT JOIN peer host ON host.id = coalesce(p.host_id, (SELECT host_id FROM peer WHERE host_key = :host))`,
});
const KNOWS_ONE_OF = statement({
  name: 'contact.knows_one_of',
  params: { uid: text, peerId: int8, users: array(text), persons: array(text) },
  row: { known: bool },
  sql: `SELECT EXISTS (SELECT FROM contact c WHERE c.uid = :uid AND ${isAccount(':users', ':persons')} AND ${atPeer(':peerId')}) AS known`,
});
/** Contacts `c`, of the maker or owner of a federated share `s`, who receive it. */
export const IS_BEHIND_SHARE = `c.uid = ANY (ARRAY[s.initiator_uid, s.owner_uid])
       AND c.peer_id = ANY (ARRAY(SELECT id FROM peer WHERE id = s.peer_id OR alias_of = s.peer_id))
       AND EXISTS (SELECT FROM peer n WHERE (n.id = s.peer_id OR n.alias_of = s.peer_id)
         AND coalesce(s.recipient_canonical, (SELECT g.canonical FROM group_recipient g WHERE g.share_id = s.id))
           IN (c.remote_user || '@' || n.host_key, c.person || '@' || n.host_key))`;
const BEHIND_SHARES = statement({
  name: 'contact.behind_shares',
  plannedOnce: true,
  params: { shareIds: array(int8) },
  row: { shareId: int8, remoteUser: text },
  sql: `SELECT s.id AS "shareId", found.remote_user AS "remoteUser" FROM share s CROSS JOIN LATERAL (
     SELECT c.remote_user FROM contact c
     WHERE ${IS_BEHIND_SHARE}
     ORDER BY c.id DESC LIMIT 1) found
   WHERE s.id = ANY(:shareIds::bigint[])`,
});
/** A contact with another spelling is updated, so that each person is stored once. */
const KEEP = statement({
  name: 'contact.keep',
  params: {
    uid: text,
    peerId: int8,
    remoteUser: text,
    displayName: text,
    email: text,
    encoded: nullable(text),
    users: array(text),
    persons: array(text),
  },
  row: { id: int8 },
  sql: `WITH renewed AS (
     UPDATE contact c SET display_name = :displayName, email = :email, remote_user = :remoteUser, person = :encoded
     WHERE c.id = (SELECT c.id FROM contact c WHERE c.uid = :uid AND c.peer_id = :peerId AND ${isAccount(':users', ':persons')}
       ORDER BY c.remote_user = :remoteUser DESC, c.id LIMIT 1)
     RETURNING c.id
   ), entered AS (
     INSERT INTO contact (uid, peer_id, remote_user, display_name, email, person) SELECT :uid, :peerId, :remoteUser, :displayName, :email, :encoded
     WHERE NOT EXISTS (SELECT FROM renewed)
     ON CONFLICT (uid, peer_id, remote_user) DO UPDATE SET display_name = excluded.display_name, email = excluded.email
     RETURNING id
   ) SELECT id FROM renewed UNION ALL SELECT id FROM entered`,
});

const SHARES_AT_ONCE = 200;

/** The contacts that users have at partners. */
@Injectable()
export class ContactRepository {
  private readonly behind: Batching<number, string | undefined>;

  constructor(
    private readonly database: Database,
    @InjectRepository(ContactEntity)
    private readonly contacts = database.reader(ContactEntity),
  ) {
    this.behind = new Batching((shareIds) => this.usersBehindShares(shareIds), SHARES_AT_ONCE);
  }

  /** An address has the trust of its host; an unknown host has none. */
  async standing(uid: string, hostKey: string, { users, persons }: ContactNames): Promise<StandingRow> {
    return (
      await this.database.rows(STANDING, {
        hostKey,
        uid,
        remoteUsers: users,
        persons,
        host: hostOfAddress(hostKey),
      })
    )[0]!;
  }

  /** Whether one of these accounts at the partner is a contact of the user. */
  async knowsOneOf(uid: string, peerId: number, { users, persons }: ContactNames): Promise<boolean> {
    return (await this.database.rows(KNOWS_ONE_OF, { uid, peerId, users, persons }))[0]!.known;
  }

  /** The user id, as its server gave it, of the initiator's or owner's contact who receives a federated share. */
  userBehindShare(shareId: number): Promise<string | undefined> {
    return this.behind.submit(shareId);
  }

  /** Stores a contact, or its new names. @returns its id */
  async keep(transaction: Queryable, contact: NewContact): Promise<number> {
    const { uid, peerId, remoteUser, person, names, displayName, email } = contact;
    const encoded = person === remoteUser ? null : person;
    return (
      await transaction.rows(KEEP, {
        uid,
        peerId,
        remoteUser,
        displayName,
        email,
        encoded,
        users: names.users,
        persons: names.persons,
      })
    )[0]!.id;
  }

  /** The user's contacts behind the id `after`, oldest first. */
  async list(uid: string, after: number, limit: number): Promise<ContactRow[]> {
    const rows = await this.contacts
      .createQueryBuilder('contact')
      .innerJoin('contact.peer', 'peer')
      .select(CONTACT_COLUMNS)
      .where({ uid, id: MoreThan(after) })
      .orderBy('contact.id')
      .limit(limit)
      .getMany();
    return rows.map((contact) => contactRow(contact, contact.peer!));
  }

  /** One of the user's contacts. @returns undefined if the user has none with this id */
  async find(uid: string, id: number): Promise<(ContactRow & { readonly peerId: number }) | undefined> {
    const contact = await this.contacts.findOne({ where: { uid, id }, relations: { peer: true } });
    if (!contact) return undefined;
    const { id: ownId, aliasOf } = contact.peer!;
    return { ...contactRow(contact, contact.peer!), peerId: aliasOf ?? ownId };
  }

  /** @returns whether the user had this contact */
  async remove(uid: string, id: number): Promise<boolean> {
    const removed = await this.database.write(ContactEntity, (contacts) => contacts.delete({ uid, id }));
    return removed.affected === 1;
  }

  private async usersBehindShares(shareIds: readonly number[]): Promise<(string | undefined)[]> {
    const rows = await this.database.rows(BEHIND_SHARES, { shareIds: [...new Set(shareIds)] });
    const byShare = new Map(rows.map(({ shareId, remoteUser }) => [shareId, remoteUser]));
    return shareIds.map((id) => byShare.get(id));
  }
}
