import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The state of moves that continue after their answer, which their clients ask for. */
export class BackgroundMoves1764000000057 implements MigrationInterface {
  readonly name = 'BackgroundMoves1764000000057';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE background_move (
  id uuid PRIMARY KEY,
  uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  outcome jsonb,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX background_move_of_user ON background_move (uid);
CREATE INDEX background_move_by_sight ON background_move (seen_at);
`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
