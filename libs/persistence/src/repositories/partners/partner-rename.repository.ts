import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Not } from 'typeorm';
import type { RenameRequest } from '#federation/exchange';
import { Database } from '../../database';
import { longerAgoThan } from '../../database-clock';
import { PartnerRenameEntity } from '../../entities/partners/partner-rename.entity';
import { bool, int8, text } from '../../postgres-types';
import { statement } from '../../statement';
import type { RenamePlan } from './peer-rename-statements';

const DAY_MS = 24 * 3_600_000;

/**
 * Result of a rename; counts of moved rows, and of the shares that were requested from the new host and shown by it.
 */
export type SettledRename =
  | {
      readonly state: 'renamed';
      readonly moved: RenamePlan & { readonly proven: number; readonly asked: number };
    }
  /** `reason` is our code, `words` explain why a host is not a partner. */
  | { readonly state: 'refused'; readonly reason: string; readonly words: string };

const BEGIN = statement({
  name: 'partner_rename.begin',
  params: { uid: text, fromHost: text, toHost: text, isOldHostGone: bool },
  row: { id: int8 },
  sql: `WITH made AS (
     INSERT INTO partner_rename (uid, from_host, to_host, is_old_host_gone) VALUES (:uid, :fromHost, :toHost, :isOldHostGone)
     ON CONFLICT (from_host, to_host) DO NOTHING RETURNING id
   )
   SELECT id FROM made UNION ALL SELECT id FROM partner_rename WHERE from_host = :fromHost AND to_host = :toHost`,
});

/**
 * Renames of partners that administrators requested. The end of a rename is announced on topic `partner-rename` with
 * its id.
 */
@Injectable()
export class PartnerRenameRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(PartnerRenameEntity)
    private readonly renames = database.reader(PartnerRenameEntity),
  ) {}

  /** A waiting rename is not begun again. @returns its id */
  begin(uid: string, { from: fromHost, to: toHost, isOldHostGone }: RenameRequest): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const renames = await transaction.repository(PartnerRenameEntity);
      await renames.delete({ createdAt: longerAgoThan(DAY_MS) });
      await renames.delete({ fromHost, toHost, state: Not('waiting') });
      const begun = await transaction.rows(BEGIN, { uid, fromHost, toHost, isOldHostGone });
      return begun[0]!.id;
    });
  }

  /** undefined if it was done or refused. */
  async waiting(id: number): Promise<(RenameRequest & { readonly uid: string }) | undefined> {
    const rename = await this.renames.findOneBy({ id, state: 'waiting' });
    return rename ? { ...rename, from: rename.fromHost, to: rename.toHost } : undefined;
  }

  async settle(id: number, result: SettledRename): Promise<void> {
    await this.database.write(PartnerRenameEntity, (renames) =>
      renames.update({ id, state: 'waiting' }, result),
    );
  }

  /** undefined while there is no result yet. */
  async settled(id: number): Promise<SettledRename | undefined> {
    return settledOf(await this.renames.findOneBy({ id }));
  }

  /** The last rename between these hosts: undefined for none, `waiting` without a result yet. */
  async last(fromHost: string, toHost: string): Promise<SettledRename | 'waiting' | undefined> {
    const rename = await this.renames.findOneBy({ fromHost, toHost });
    return rename ? (settledOf(rename) ?? 'waiting') : undefined;
  }
}

function settledOf(rename: PartnerRenameEntity | null): SettledRename | undefined {
  if (rename?.state === 'refused') return { state: 'refused', reason: rename.reason, words: rename.words };
  if (rename?.moved) return { state: 'renamed', moved: rename.moved as never };
  return undefined;
}
