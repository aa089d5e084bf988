import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A decision of a member at a partner belongs to one membership, and ends with it. */
export class MembershipsOfGroupRecipients1764000000242 implements MigrationInterface {
  readonly name = 'MembershipsOfGroupRecipients1764000000242';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE group_recipient ADD COLUMN member_since timestamptz');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
