import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan } from 'typeorm';
import { actingText } from '../../acting-text';
import { Database } from '../../database';
import { GroupRemoteMemberEntity } from '../../entities/accounts/group-remote-member.entity';
import { array, text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { presentCanonical, storedCanonical } from '../partners/present-canonical';

/** An account of a partner in a group of ours. */
export interface RemoteMember {
  /** Federated cloud id as it was written. */
  readonly cloudId: string;
  /** Its canonical form. */
  readonly canonical: string;
}

/** Peers are locked first and in one order, so that two calls cannot wait for each other. */
const ADD = statement({
  name: 'remote_member.add',
  params: { gid: text, cloudIds: array(text), canonicals: array(text), hosts: array(text), acting: text },
  row: { canonical: text },
  sql: `INSERT INTO group_remote_member (gid, canonical, cloud_id, peer_id)
   SELECT DISTINCT ON (member.canonical) :gid, member.canonical, given.cloud_id, present.id
   FROM unnest(:cloudIds::text[], :canonicals::text[], :hosts::text[]) AS given (cloud_id, canonical, host)
   JOIN peer p ON p.host_key = given.host JOIN peer present ON present.id = coalesce(p.alias_of, p.id)
   CROSS JOIN LATERAL (SELECT ${presentCanonical('given.canonical', 'present')} AS canonical) member WHERE ${ACTING}
   ON CONFLICT (gid, canonical) DO NOTHING RETURNING canonical`,
});
const ENTER_PEERS = statement({
  name: 'remote_member.enter_peers',
  params: { hosts: array(text) },
  sql: `INSERT INTO peer (host_key) SELECT DISTINCT host FROM unnest(:hosts::text[]) AS host ORDER BY host ON CONFLICT (host_key) DO NOTHING`,
});
const REMOVE = statement({
  name: 'remote_member.remove',
  params: { gid: text, canonicals: array(text), acting: text },
  row: { canonical: text },
  sql: `DELETE FROM group_remote_member WHERE gid = :gid AND ${ACTING}
   AND canonical = ANY (ARRAY(SELECT ${storedCanonical('given')} FROM unnest(:canonicals::text[]) AS given)) RETURNING canonical`,
});
/** An account to add, with the canonical host of its server. */
export interface NewRemoteMember extends RemoteMember {
  readonly hostKey: string;
}

/** Accounts of partners that are members of groups here. */
@Injectable()
export class RemoteMemberRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(GroupRemoteMemberEntity)
    private readonly members = database.reader(GroupRemoteMemberEntity),
  ) {}

  /** Adds members with a constant number of statements. @returns the number of new ones */
  async add(gid: string, members: readonly NewRemoteMember[]): Promise<number> {
    const hosts = members.map(({ hostKey }) => hostKey);
    return this.database.transaction(async (transaction) => {
      await transaction.rows(ENTER_PEERS, { hosts });
      const added = await transaction.rows(ADD, {
        gid,
        cloudIds: members.map(({ cloudId }) => cloudId),
        canonicals: members.map(({ canonical }) => canonical),
        hosts,
        acting: actingText(),
      });
      return added.length;
    });
  }

  /** @returns the number of removed members */
  async remove(gid: string, canonicals: readonly string[]): Promise<number> {
    return (await this.database.rows(REMOVE, { gid, canonicals, acting: actingText() })).length;
  }

  /** Members behind `after`, in the order of their canonical ids. */
  list(gid: string, after: string, limit: number): Promise<RemoteMember[]> {
    return this.members.find({
      select: { cloudId: true, canonical: true },
      where: { gid, canonical: MoreThan(after) },
      order: { canonical: 'ASC' },
      take: limit,
    });
  }
}
