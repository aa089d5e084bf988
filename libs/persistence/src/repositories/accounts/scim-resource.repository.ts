import { Injectable } from '@nestjs/common';
import { IsNull, In, MoreThan, Not } from 'typeorm';
import { Database, type Transaction } from '../../database';
import { ScimResourceEntity } from '../../entities/accounts/scim-resource.entity';

export type ScimKind = ScimResourceEntity['kind'];
export type ScimResourceRow = Readonly<
  Pick<
    ScimResourceEntity,
    | 'seq'
    | 'id'
    | 'kind'
    | 'name'
    | 'externalId'
    | 'uid'
    | 'gid'
    | 'personName'
    | 'createdAt'
    | 'changedAt'
    | 'revision'
  >
>;
export type NewScimResource = Readonly<
  Pick<ScimResourceEntity, 'clientId' | 'kind' | 'name' | 'externalId' | 'uid' | 'gid' | 'personName'>
>;
export type ScimResourceChange = Readonly<Pick<ScimResourceEntity, 'name' | 'externalId' | 'personName'>>;

/** Accounts and groups of SCIM clients. A client sees only its own, without deleted ones. */
@Injectable()
export class ScimResourceRepository {
  constructor(private readonly database: Database) {}

  async find(clientId: number, kind: ScimKind, id: string): Promise<ScimResourceRow | undefined> {
    return (await this.rows.findOneBy({ clientId, kind, id, endedAt: IsNull() })) ?? undefined;
  }

  /** Finds by name, regardless of case. */
  async named(clientId: number, kind: ScimKind, name: string): Promise<ScimResourceRow[]> {
    return this.rows.findBy({ clientId, kind, foldedName: name.toLowerCase(), endedAt: IsNull() });
  }

  async known(clientId: number, kind: ScimKind, externalId: string): Promise<ScimResourceRow[]> {
    return this.rows.findBy({ clientId, kind, externalId, endedAt: IsNull() });
  }

  /** One that the client deleted and whose account still exists. */
  async ended(clientId: number, kind: ScimKind, name: string): Promise<ScimResourceRow | undefined> {
    const [row] = await this.rows.findBy({ clientId, kind, foldedName: name.toLowerCase() });
    return row?.endedAt ? row : undefined;
  }

  async count(clientId: number, kind: ScimKind): Promise<number> {
    return this.rows.countBy({ clientId, kind, endedAt: IsNull() });
  }

  /** A page, in the order of creation. */
  async page(clientId: number, kind: ScimKind, skip: number, take: number): Promise<ScimResourceRow[]> {
    return this.rows.find({
      where: { clientId, kind, endedAt: IsNull() },
      order: { seq: 'ASC' },
      skip,
      take,
    });
  }

  /** The resources behind `seq`, in the order of creation. */
  async following(clientId: number, kind: ScimKind, seq: number, take: number): Promise<ScimResourceRow[]> {
    const where = { clientId, kind, endedAt: IsNull(), seq: MoreThan(seq) };
    return this.rows.find({ where, order: { seq: 'ASC' }, take });
  }

  async ofIds(clientId: number, kind: ScimKind, ids: readonly string[]): Promise<ScimResourceRow[]> {
    return this.rows.findBy({ clientId, kind, id: In([...ids]), endedAt: IsNull() });
  }

  async ofAccounts(clientId: number, uids: readonly string[]): Promise<ScimResourceRow[]> {
    return this.rows.findBy({ clientId, kind: 'User', uid: In([...uids]), endedAt: IsNull() });
  }

  async ofGroups(clientId: number, gids: readonly string[]): Promise<ScimResourceRow[]> {
    return this.rows.findBy({ clientId, kind: 'Group', gid: In([...gids]), endedAt: IsNull() });
  }

  private get rows() {
    return this.database.reader(ScimResourceEntity);
  }
}

/** A change for which the client still sees the resource, which hides it, or which shows one again that it deleted. */
type Step = 'stay' | 'end' | 'return';

/**
 * Changes a resource in the state of this row, in a transaction. Values that are undefined stay.
 * @returns false if another change, the end or the return came first
 */
export async function changeResource(
  transaction: Transaction,
  { id, revision }: ScimResourceRow,
  { name, externalId, personName }: Partial<ScimResourceChange>,
  step: Step = 'stay',
): Promise<boolean> {
  const rows = await transaction.repository(ScimResourceEntity);
  const { affected } = await rows.update(
    { id, revision, endedAt: step === 'return' ? Not(IsNull()) : IsNull() },
    {
      name,
      foldedName: name?.toLowerCase(),
      externalId,
      personName,
      endedAt: step === 'end' ? () => 'now()' : null,
      changedAt: () => 'now()',
      revision: () => 'revision + 1',
    },
  );
  return affected === 1;
}
