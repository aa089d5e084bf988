import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Directories that provision accounts and groups by SCIM. */
export class Scim1764000000084 implements MigrationInterface {
  readonly name = 'Scim1764000000084';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SCIM);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const SCIM = `
CREATE TABLE scim_client (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL CONSTRAINT scim_client_name_key UNIQUE,
  secret_hash bytea CONSTRAINT scim_client_secret_key UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz,
  CONSTRAINT scim_client_name_check CHECK (char_length(name) BETWEEN 1 AND 64),
  CONSTRAINT scim_client_secret_hash_check CHECK (octet_length(secret_hash) = 32)
);
CREATE TABLE scim_resource (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL CONSTRAINT scim_resource_id_key UNIQUE,
  client_id integer NOT NULL REFERENCES scim_client (id) ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL,
  name text NOT NULL,
  folded_name text COLLATE "C" NOT NULL,
  external_id text COLLATE "C",
  uid text COLLATE "C" REFERENCES user_account (uid) ON DELETE CASCADE,
  gid text COLLATE "C" REFERENCES user_group (gid) ON DELETE CASCADE,
  person_name jsonb,
  ended_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT scim_resource_kind_check CHECK ((kind = 'User' AND uid IS NOT NULL AND gid IS NULL) OR (kind = 'Group' AND gid IS NOT NULL AND uid IS NULL)),
  CONSTRAINT scim_resource_name_check CHECK (char_length(name) BETWEEN 1 AND 256),
  CONSTRAINT scim_resource_external_id_check CHECK (char_length(external_id) <= 256),
  CONSTRAINT scim_resource_person_name_check CHECK (octet_length(person_name::text) <= 4096)
);
CREATE UNIQUE INDEX scim_resource_by_name ON scim_resource (client_id, kind, folded_name);
CREATE UNIQUE INDEX scim_resource_of_account ON scim_resource (uid) WHERE uid IS NOT NULL;
CREATE UNIQUE INDEX scim_resource_of_group ON scim_resource (gid) WHERE gid IS NOT NULL;
CREATE INDEX scim_resource_by_external_id ON scim_resource (client_id, kind, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX scim_resource_in_order ON scim_resource (client_id, kind, seq) WHERE ended_at IS NULL;
`;
