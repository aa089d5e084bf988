import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts and groups store the sources from which they come. */
export class ExternalIdentities1764000000070 implements MigrationInterface {
  readonly name = 'ExternalIdentities1764000000070';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(EXTERNAL_IDENTITIES);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const EXTERNAL_IDENTITIES = `
CREATE TABLE external_identity (
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('oidc', 'ldap', 'scim')),
  source text COLLATE "C" NOT NULL CHECK (char_length(source) BETWEEN 1 AND 512),
  subject text COLLATE "C" NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 255),
  uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  managed_fields text[] NOT NULL CHECK (managed_fields <@ '{displayName,email,quota,password}'::text[]),
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, source, subject)
);
CREATE UNIQUE INDEX external_identity_by_account ON external_identity (uid, kind, source);
CREATE TABLE external_group (
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('oidc', 'ldap', 'scim')),
  source text COLLATE "C" NOT NULL CHECK (char_length(source) BETWEEN 1 AND 512),
  subject text COLLATE "C" NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 255),
  gid text COLLATE "C" NOT NULL REFERENCES user_group (gid) ON DELETE CASCADE,
  merged boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, source, subject)
);
CREATE INDEX external_group_by_group ON external_group (gid);
CREATE TABLE external_membership (
  gid text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('oidc', 'ldap', 'scim')),
  source text COLLATE "C" NOT NULL CHECK (char_length(source) BETWEEN 1 AND 512),
  PRIMARY KEY (gid, uid, kind, source),
  FOREIGN KEY (gid, uid) REFERENCES group_member (gid, uid) ON DELETE CASCADE
);
CREATE INDEX external_membership_by_account ON external_membership (uid, kind, source);
`;
