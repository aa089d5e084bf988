import { Injectable } from '@nestjs/common';
import type { KnownParties, OfferParties } from '#federation/exchange';
import { hostOfAddress } from '#federation/protocol';
import { Database } from '../../database';
import type { Trust } from '../../entities/partners/peer.entity';
import { array, int8, nullable, text, textOf } from '../../postgres-types';
import { statement } from '../../statement';
import { SIGNING_HOST, SIGNING_HOST_ROW } from '../trust/partner-keys.repository';

/** A block also applies under earlier and later names of the same server; aliases `b` and `party`. */
const IS_BLOCKED_HOST = `(b.host_key = party.host OR EXISTS (SELECT FROM peer named JOIN peer other ON coalesce(other.alias_of, other.id) = coalesce(named.alias_of, named.id)
     WHERE named.host_key = party.host AND other.host_key = b.host_key))`;

/** An unknown address counts as its host. After a rename, the trust of the new host applies. */
const FIND = statement({
  name: 'offer_parties.find',
  isShortRead: true,
  plannedOnce: true,
  params: {
    hostKey: text,
    otherHostKey: text,
    uids: array(text),
    hosts: array(text),
    people: array(text),
  },
  row: {
    ...SIGNING_HOST_ROW,
    peerId: nullable(int8),
    /** null for an unknown host. */
    trust: nullable(textOf<Trust>()),
    outgoingTrust: nullable(textOf<Trust>()),
    blockedBy: array(text),
    awaitedBy: array(text),
  },
  sql: `SELECT one.id AS "peerId", regarded.trust, regarded.outgoing_trust AS "outgoingTrust", ${SIGNING_HOST},
     ARRAY(SELECT DISTINCT b.uid FROM offer_block b
       JOIN unnest(:hosts::text[], :people::text[]) AS party (host, person) ON b.person IN ('', left(party.person, -length(party.host)) || b.host_key)
       WHERE b.uid = ANY(:uids::text[]) AND ${IS_BLOCKED_HOST}) AS "blockedBy",
     ARRAY(SELECT l.uid FROM foreign_link l JOIN peer a ON a.id = l.peer_id WHERE l.uid = ANY(:uids::text[])
       AND l.state IN ('waiting', 'asked') AND a.host_id = regarded.id) AS "awaitedBy"
   FROM (SELECT) AS always
     LEFT JOIN LATERAL (SELECT p.id, p.host_key, p.host_id, p.alias_of FROM peer p WHERE p.host_key IN (:hostKey, :otherHostKey)
       ORDER BY p.host_key = :hostKey DESC LIMIT 1) named ON true
     LEFT JOIN peer host ON host.id = named.host_id
     LEFT JOIN peer one ON named.host_key = :hostKey AND one.id = coalesce(named.alias_of, named.id)
     LEFT JOIN peer regarded ON regarded.id = coalesce(one.host_id, named.host_id)`,
});

/** The partner that makes an offer, and what the recipients decided about its offers. */
@Injectable()
export class OfferPartiesRepository {
  constructor(private readonly database: Database) {}

  async find({ hostKey, uids, hosts, people }: OfferParties): Promise<KnownParties> {
    const values = { hostKey, otherHostKey: hostOfAddress(hostKey), uids, hosts, people };
    const [row] = await this.database.rows(FIND, values);
    const { peerId, trust, outgoingTrust, blockedBy, awaitedBy, ...signing } = row!;
    const known = { peerId, blockedBy, awaitedBy };
    if (trust === null) return { ...known, regarded: undefined, signing: undefined };
    return { ...known, regarded: { trust, outgoingTrust }, signing };
  }
}
