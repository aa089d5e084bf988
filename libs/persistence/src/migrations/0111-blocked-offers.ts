import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People and servers whose offers an account blocks, and offers that were reported to operators. */
export class BlockedOffers1764000000111 implements MigrationInterface {
  readonly name = 'BlockedOffers1764000000111';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE offer_block (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
      host_key text COLLATE "C" NOT NULL CHECK (octet_length(host_key) BETWEEN 1 AND 1024),
      person text COLLATE "C" NOT NULL DEFAULT '' CHECK (octet_length(person) <= 2048),
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (uid, host_key, person)
    )`);
    await runner.query(`CREATE TABLE offer_report (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      reporter_uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
      host_key text COLLATE "C" NOT NULL,
      owner text NOT NULL,
      sender text NOT NULL,
      name text NOT NULL,
      reason text NOT NULL CHECK (octet_length(reason) <= 4000),
      created_at timestamptz NOT NULL DEFAULT now()
    )`);
    await runner.query('CREATE INDEX offer_report_by_reporter ON offer_report (reporter_uid)');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
