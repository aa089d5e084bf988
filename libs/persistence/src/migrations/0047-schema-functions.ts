import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A record of the functions and triggers that were applied, by subject: `functions/` has their current form. */
export class SchemaFunctions1764000000047 implements MigrationInterface {
  readonly name = 'SchemaFunctions1764000000047';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE schema_function (
      subject text COLLATE "C" PRIMARY KEY,
      revision integer NOT NULL,
      digest text COLLATE "C" NOT NULL,
      triggers text[] NOT NULL
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
