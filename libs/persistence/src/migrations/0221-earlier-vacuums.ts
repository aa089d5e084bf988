import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Earlier vacuums of large tables with many short-lived rows, so that they do not grow by a fifth before each of them (ADR 0251). */
export class EarlierVacuums1764000000221 implements MigrationInterface {
  readonly name = 'EarlierVacuums1764000000221';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(
        `ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`,
      );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const TABLES = ['outbox_message', 'delivery_attempt', 'received_share', 'node', 'audit_event'];
