import type pg from 'pg';
import type { DataSource, EntityManager, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import { inSpan } from '#platform';
import { actingText } from './acting-text';
import { rowsFrom } from './described-query';
import { managerIn, STEP } from './entity-runner';
import { text } from './postgres-types';
import { statement, type AnyStatement, type ArgumentsOf, type queryOf, type RowIn } from './statement';

/** Runs statements: the pool, or one transaction. */
export interface Queryable {
  /** Runs a prepared statement and returns its rows. */
  rows<S extends AnyStatement>(statement: S, ...values: ArgumentsOf<S>): Promise<RowIn<S>[]>;
}

/** One transaction. */
export interface Transaction extends Queryable {
  /**
   * The repository of an entity on the connection of this transaction. Its writes are recorded with the present
   * actor (ADR 0058), which costs one statement per transaction.
   */
  repository<E extends ObjectLiteral>(entity: EntityTarget<E>): Promise<Repository<E>>;
  /**
   * Runs a statement and sends COMMIT together with it (ADR 0263). If PostgreSQL refuses it, nothing is committed. If it succeeds,
   * everything is, so the work must not look for a reason to fail afterwards. Its values must be ones that the driver can always
   * write (texts, numbers, times and lists of them): COMMIT would follow a statement that was never sent.
   */
  readonly last: Queryable;
}

/** How a transaction is committed. */
export interface TransactionOptions {
  /** Its commit need not be on the disk when it is answered: a crash of PostgreSQL may undo it. */
  readonly commitsLazily: boolean;
}

/** Tells triggers the actor of writes by entities, until the transaction ends. */
const ACT = statement({
  name: 'database.act',
  params: { acting: text },
  goesWithBegin: true,
  sql: `SELECT set_config('drawbridge.acting', :acting, true)`,
});

/** A transaction under way: statements follow BEGIN on a connection that sends them without waiting for the ones before. */
export class RunningTransaction implements Transaction {
  readonly last: Queryable = { rows: (declared, ...values) => this.finalRows(declared, values[0]) };
  private readonly begun: Promise<unknown>;
  private committed: Promise<pg.QueryResult> | undefined;
  private manager: Promise<EntityManager> | undefined;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly dataSource: DataSource,
    private readonly ask: typeof queryOf,
    { commitsLazily }: TransactionOptions,
  ) {
    const lazily = commitsLazily ? '; SET LOCAL synchronous_commit = off' : '';
    this.begun = heard(client.query(`BEGIN${lazily}`));
  }

  async rows<S extends AnyStatement>(declared: S, ...values: ArgumentsOf<S>): Promise<RowIn<S>[]> {
    // Without a transaction, other statements would be committed one by one.
    if (!declared.goesWithBegin) await this.begun;
    const [rows] = await Promise.all([this.send(declared, values[0]), this.begun]);
    return rows;
  }

  async repository<E extends ObjectLiteral>(entity: EntityTarget<E>): Promise<Repository<E>> {
    return (await (this.manager ??= this.bringActor())).getRepository(entity);
  }

  /** @throws Error if PostgreSQL rolled it back because of a failure that nobody noticed */
  async commit(): Promise<void> {
    await this.begun;
    const { command } = await (this.committed ?? this.client.query('COMMIT'));
    if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`);
  }

  /** @throws the failure of the connection, which is unusable then */
  async rollback(): Promise<void> {
    await this.client.query('ROLLBACK');
  }

  private async finalRows<S extends AnyStatement>(declared: S, value: unknown): Promise<RowIn<S>[]> {
    await this.begun;
    // Nothing waits between the two, so COMMIT is the later one.
    const rows = this.send(declared, value);
    this.committed = heard(this.client.query('COMMIT'));
    return rows;
  }

  private async send<S extends AnyStatement>(declared: S, value: unknown): Promise<RowIn<S>[]> {
    if (this.committed) throw new Error(`${declared.name} comes after the last statement`);
    const query = this.ask(declared, value as Record<string, unknown>);
    return (await inSpan(declared.name, STEP, () => rowsFrom(this.client, declared, query))) as RowIn<S>[];
  }

  private async bringActor(): Promise<EntityManager> {
    await this.rows(ACT, { acting: actingText() });
    return managerIn(this.dataSource, this.client);
  }
}

/** The same promise, whose failure counts as noticed before somebody waits for it. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
