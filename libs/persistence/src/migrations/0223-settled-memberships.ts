import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A member has a row for each share with their group up to a stored one, so that a look at their tree does not compare all of them (ADR 0265). */
export class SettledMemberships1764000000223 implements MigrationInterface {
  readonly name = 'SettledMemberships1764000000223';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE group_member ADD COLUMN settled_up_to bigint NOT NULL DEFAULT 0');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
