import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ends of accounts, by transfer or removal of their files. */
export class EndsOfAccounts1764000000083 implements MigrationInterface {
  readonly name = 'EndsOfAccounts1764000000083';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ENDS_OF_ACCOUNTS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const ENDS_OF_ACCOUNTS = `
CREATE TABLE account_end (
  uid text COLLATE "C" PRIMARY KEY REFERENCES user_account (uid) ON DELETE CASCADE,
  successor_uid text COLLATE "C" REFERENCES user_account (uid) ON DELETE CASCADE,
  due_at timestamptz NOT NULL,
  began_at timestamptz,
  was_enabled boolean NOT NULL,
  pseudonym text COLLATE "C" NOT NULL,
  folder_id bigint,
  erasing text COLLATE "C",
  erased_to bigint NOT NULL DEFAULT 0,
  requested_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT account_end_successor_check CHECK (successor_uid <> uid)
);
CREATE INDEX account_end_by_successor ON account_end (successor_uid) WHERE successor_uid IS NOT NULL;
`;
