import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Cards of accounts for trusted servers, and the cards of people at those servers. */
export class AddressBooks1764000000200 implements MigrationInterface {
  readonly name = 'AddressBooks1764000000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ADDRESS_BOOKS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const ADDRESS_BOOKS = `
ALTER TABLE trusted_handshake ADD COLUMN sealed_secret bytea;
CREATE TABLE address_card (
  id uuid PRIMARY KEY,
  uid text COLLATE "C" UNIQUE REFERENCES user_account (uid) ON DELETE SET NULL,
  content_hash bigint,
  withdrawn boolean NOT NULL DEFAULT false,
  revision bigint NOT NULL
);
CREATE UNIQUE INDEX address_card_by_revision ON address_card (revision);
CREATE TABLE partner_address_book (
  peer_id bigint PRIMARY KEY REFERENCES peer (id) ON DELETE CASCADE,
  sync_token text NOT NULL DEFAULT '',
  due_at timestamptz NOT NULL DEFAULT now(),
  fetched_at timestamptz,
  error text NOT NULL DEFAULT ''
);
CREATE TABLE partner_address_card (
  peer_id bigint REFERENCES partner_address_book (peer_id) ON DELETE CASCADE,
  name text COLLATE "C" CHECK (octet_length(name) BETWEEN 1 AND 1024),
  etag text COLLATE "C" NOT NULL,
  cloud_id text COLLATE "C" CHECK (octet_length(cloud_id) BETWEEN 1 AND 2048),
  canonical text COLLATE "C" CHECK (octet_length(canonical) BETWEEN 1 AND 2048),
  display_name text NOT NULL,
  email text NOT NULL,
  organisation text NOT NULL,
  search_text text GENERATED ALWAYS AS (lower((cloud_id COLLATE "default") || E'\\n' || display_name || E'\\n' || email)) STORED,
  PRIMARY KEY (peer_id, name)
);
CREATE INDEX partner_address_card_search ON partner_address_card USING gin (search_trigrams(search_text));
`;
