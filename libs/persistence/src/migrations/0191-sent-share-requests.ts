import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests of accounts to people at partners for shares, and their messages. */
export class SentShareRequests1764000000191 implements MigrationInterface {
  readonly name = 'SentShareRequests1764000000191';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SENT_SHARE_REQUESTS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const SENT_SHARE_REQUESTS = `
CREATE TABLE sent_share_request (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  owner text COLLATE "C" NOT NULL CONSTRAINT sent_share_request_owner_check CHECK (octet_length(owner) BETWEEN 3 AND 1300),
  resource text COLLATE "C" NOT NULL CONSTRAINT sent_share_request_resource_check CHECK (octet_length(resource) BETWEEN 1 AND 1000),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (uid, owner, resource)
);
CREATE INDEX sent_share_request_by_time ON sent_share_request (created_at);
ALTER TABLE outbox_message DROP CONSTRAINT outbox_message_subject_type_check;
ALTER TABLE outbox_message ADD CONSTRAINT outbox_message_subject_type_check
  CHECK (subject_type IN ('share', 'received-share', 'reshare', 'share-request')) NOT VALID;
ALTER TABLE outbox_message VALIDATE CONSTRAINT outbox_message_subject_type_check;
`;
