import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A member of a group whose federated share expired before the share with the group is not offered it again. */
export class ExpiredGroupRecipients1764000000226 implements MigrationInterface {
  readonly name = 'ExpiredGroupRecipients1764000000226';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE group_recipient DROP CONSTRAINT group_recipient_ended_check,
      ADD CONSTRAINT group_recipient_ended_check CHECK (ended IN ('declined', 'left', 'expired'))`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
