import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether a federated share got its demand for a second factor after its offer. Until now the partner counted as having promised it.
 * The text of attributes that Postgres added to has spaces; the text of an offer has none.
 */
export class LaterDemands1764000000225 implements MigrationInterface {
  readonly name = 'LaterDemands1764000000225';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE share ADD COLUMN demanded_later boolean NOT NULL DEFAULT false');
    await runner.query(
      `UPDATE share SET demanded_later = true
       WHERE initiator_uid <> owner_uid AND share_type = 6 AND access_lost_at IS NOT NULL AND attributes LIKE '%": "second-factor"%'`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
