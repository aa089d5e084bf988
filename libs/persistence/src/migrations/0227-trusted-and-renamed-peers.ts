import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Few partners are trusted, and few are renamed: each search for recipients, and each share of a contact, looked at all partners to find them. */
export class TrustedAndRenamedPeers1764000000227 implements MigrationInterface {
  readonly name = 'TrustedAndRenamedPeers1764000000227';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX peer_trusted ON peer (id) WHERE trust = 'trusted'`);
    await runner.query('CREATE INDEX peer_renamed ON peer (alias_of) WHERE alias_of IS NOT NULL');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
