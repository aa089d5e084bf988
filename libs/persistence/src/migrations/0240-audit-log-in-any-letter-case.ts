import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the actors and the accounts of the audit log in any letter case, also those that are gone. */
export class AuditLogInAnyLetterCase1764000000240 implements MigrationInterface {
  readonly name = 'AuditLogInAnyLetterCase1764000000240';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_event_by_actor');
    await runner.query(
      'CREATE INDEX audit_event_by_actor ON audit_event (lower(actor), id) WHERE actor IS NOT NULL',
    );
    await runner.query(
      `CREATE INDEX audit_event_by_account ON audit_event (lower(object_id), id) WHERE object_type = 'account'`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
