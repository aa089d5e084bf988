import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes which ends of accounts SCIM clients requested, because only those are undone when the client makes the account again. */
export class EndsOfScimClients1764000000228 implements MigrationInterface {
  readonly name = 'EndsOfScimClients1764000000228';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE external_identity e SET gone_at = a.requested_at FROM scim_resource r JOIN account_end a ON a.uid = r.uid
      WHERE e.kind = 'scim' AND e.subject = r.id::text AND r.ended_at IS NOT NULL AND a.successor_uid IS NULL`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
