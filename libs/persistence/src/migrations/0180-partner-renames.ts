import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Renames of partners that administrators requested, until a worker has done them. */
export class PartnerRenames1764000000180 implements MigrationInterface {
  readonly name = 'PartnerRenames1764000000180';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE partner_rename (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      from_host text COLLATE "C" NOT NULL,
      to_host text COLLATE "C" NOT NULL,
      is_old_host_gone boolean NOT NULL,
      uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
      state text COLLATE "C" NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'renamed', 'refused')),
      reason text COLLATE "C" NOT NULL DEFAULT '',
      words text NOT NULL DEFAULT '',
      moved jsonb,
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (from_host, to_host),
      CHECK ((state = 'renamed') = (moved IS NOT NULL))
    )`);
    // Without an index, the foreign key would read the whole table for each deleted account.
    await runner.query('CREATE INDEX partner_rename_by_account ON partner_rename (uid)');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
