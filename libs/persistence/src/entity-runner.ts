import { inSpan, type SpanDetails } from '#platform';
import type { PoolClient } from 'pg';
import {
  type DataSource,
  type EntityManager,
  type EntitySubscriberInterface,
  EventSubscriber,
  QueryFailedError,
  type QueryRunner,
} from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner';

/** Traces contain only the names of statements, because their values may be secrets. */
export const STEP: SpanDetails = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } };

const VERB_AND_TABLE = /^(\w+)\b(?:.*?\b(?:INTO|FROM))?\s+"(\w+)"/s;

/** Verb and table, such as `SELECT contact`. */
function nameOf(sql: string): string {
  const [, verb, table] = VERB_AND_TABLE.exec(sql) ?? [];
  return verb && table ? `${verb} ${table}` : 'query';
}

type Query = PostgresQueryRunner['query'];

/** Runs TypeORM's queries as steps of traces, and throws the driver's errors: those of TypeORM contain all parameters. */
class EntityRunner extends PostgresQueryRunner {
  override query(...call: Parameters<Query>): ReturnType<Query> {
    return inSpan(nameOf(call[0]), STEP, async () => {
      try {
        return (await super.query(...call)) as unknown;
      } catch (error) {
        throw error instanceof QueryFailedError ? error.driverError : error;
      }
    });
  }
}

/** Runs queries in an existing transaction. The code that began it ends it and returns the connection. */
class TransactionRunner extends EntityRunner {
  override isTransactionActive = true;
  protected override transactionDepth = 1;

  constructor(driver: PostgresDriver, client: PoolClient) {
    super(driver, 'master');
    this.databaseConnection = client;
  }
}

/** Refuses writes without a known actor. */
@EventSubscriber()
class WritesInTransactions implements EntitySubscriberInterface {
  beforeInsert = refuseOutside;
  beforeUpdate = refuseOutside;
  beforeRemove = refuseOutside;
}

function refuseOutside({ queryRunner }: { queryRunner: QueryRunner }): void {
  if (!(queryRunner instanceof TransactionRunner))
    throw new Error('entities are written by Database.write or Transaction.repository only');
}

/** Used in the options of the data source. */
export const ENTITY_SUBSCRIBERS = [WritesInTransactions];

/** Makes TypeORM run all queries through `EntityRunner`. */
export function useEntityRunners({ driver }: DataSource): void {
  const postgres = driver as PostgresDriver;
  postgres.createQueryRunner = (mode) => new EntityRunner(postgres, mode);
}

/** Entities on the connection of an existing transaction. */
export function managerIn(dataSource: DataSource, client: PoolClient): EntityManager {
  const runner = new TransactionRunner(dataSource.driver as PostgresDriver, client);
  const manager = dataSource.createEntityManager(runner);
  Object.assign(runner, { manager });
  return manager;
}
