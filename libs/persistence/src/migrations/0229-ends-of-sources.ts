import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sources undo only the ends that they requested, which are those of the time since which they lack the person. Directories noted
 * that time right after the end, by the clock of their process; SCIM clients noted it in milliseconds.
 */
export class EndsOfSources1764000000229 implements MigrationInterface {
  readonly name = 'EndsOfSources1764000000229';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE external_identity i SET gone_at = a.requested_at FROM account_end a
      WHERE a.uid = i.uid AND a.successor_uid IS NULL AND (
        i.kind = 'ldap' AND i.gone_at BETWEEN a.requested_at - interval '1 minute' AND a.requested_at + interval '1 minute'
        OR i.kind = 'scim' AND date_trunc('milliseconds', i.gone_at) = date_trunc('milliseconds', a.requested_at))`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
