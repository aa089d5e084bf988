import { actingFor } from '#platform';
import { AuditLogRepository, AuditRepository, type AuditEvent } from '../../../persistence/src';
import { createTestDatabase, type TestDatabase } from './test-database';

const REQUEST = { id: 'request-1', ip: '192.0.2.7' };

/** A database with its audit log. Each test sees only its own records. */
export class AuditStage {
  private last = 0;

  private constructor(
    readonly test: TestDatabase,
    readonly audit: AuditRepository,
    readonly log: AuditLogRepository,
  ) {}

  static async open(): Promise<AuditStage> {
    const test = await createTestDatabase();
    return new AuditStage(test, new AuditRepository(test.database), new AuditLogRepository(test.database));
  }

  async query<Row = unknown>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.test.database.dataSource.query<Row[]>(sql, values);
  }

  /** Ignores all earlier records. */
  async begin(): Promise<void> {
    this.last = (await this.log.newest({}, null, 1))[0]?.id ?? 0;
  }

  /** Events recorded since the last call. */
  recorded(): Promise<AuditEvent[]> {
    return this.log.oldest({}, this.last, 500);
  }

  /** Runs work for an administrator, within a request. */
  asAdministrator<T>(work: () => Promise<T>): Promise<T> {
    return actingFor({ kind: 'user', uid: 'root' }, work, REQUEST);
  }
}
