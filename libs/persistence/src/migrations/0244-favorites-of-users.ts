import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The favourites of a user are read without everything that they have. */
export class FavoritesOfUsers1764000000244 implements MigrationInterface {
  readonly name = 'FavoritesOfUsers1764000000244';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX dead_property_favorites ON dead_property (name, node_id) WHERE namespace = 'urn:drawbridge:favorite'`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
