import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Values that clients store for users. */
export class PrivateValues1764000000087 implements MigrationInterface {
  readonly name = 'PrivateValues1764000000087';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PRIVATE_VALUES);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const PRIVATE_VALUES = `
CREATE TABLE private_value (
  uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  app text COLLATE "C" NOT NULL CHECK (char_length(app) BETWEEN 1 AND 255),
  key text COLLATE "C" NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
  value text COLLATE "C" NOT NULL CHECK (char_length(value) <= 65536),
  saved_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (uid, app, key)
);
`;
