import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pictures of accounts. */
export class Avatars1764000000064 implements MigrationInterface {
  readonly name = 'Avatars1764000000064';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(AVATARS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const AVATARS = `
CREATE TABLE user_avatar (
  uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  stage text COLLATE "C" NOT NULL CHECK (stage IN ('shown', 'draft')),
  picture bytea NOT NULL CHECK (octet_length(picture) <= 8388608),
  mimetype text COLLATE "C" NOT NULL CHECK (mimetype IN ('image/jpeg', 'image/png')),
  digest text COLLATE "C" NOT NULL,
  saved_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (uid, stage)
);
CREATE INDEX user_avatar_drafts ON user_avatar (saved_at) WHERE stage = 'draft';
`;
