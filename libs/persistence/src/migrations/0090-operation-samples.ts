import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One row for each minute of the last month, for plots of deliveries. */
export class OperationSamples1764000000090 implements MigrationInterface {
  readonly name = 'OperationSamples1764000000090';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE operation_sample (
      at timestamptz PRIMARY KEY,
      delivered integer NOT NULL,
      given_up integer NOT NULL,
      waiting integer NOT NULL,
      dead integer NOT NULL
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
