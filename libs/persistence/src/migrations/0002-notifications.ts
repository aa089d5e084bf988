import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The search for recipients, notifications and outgoing mail. */
export class Notifications1764000000002 implements MigrationInterface {
  readonly name = 'Notifications1764000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SEARCH);
    await runner.query(NOTIFICATIONS);
    await runner.query(MAIL);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

/**
 * Search inside of words without an extension: a GIN index over all sequences of three characters of the searched text.
 * Ids are folded with the database's own collation, as names are; line ends keep a match within one field.
 */
const SEARCH = `
CREATE FUNCTION search_trigrams(sought text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(DISTINCT substr(sought, i, 3)), '{}') FROM generate_series(1, char_length(sought) - 2) AS i
$$;

ALTER TABLE user_account ADD COLUMN search_text text GENERATED ALWAYS AS
  (lower((uid COLLATE "default") || E'\\n' || display_name || E'\\n' || coalesce(email, ''))) STORED;
CREATE INDEX user_account_search ON user_account USING gin (search_trigrams(search_text));
CREATE INDEX user_account_by_name ON user_account (lower(display_name), uid);

ALTER TABLE user_group ADD COLUMN search_text text GENERATED ALWAYS AS (lower(gid COLLATE "default")) STORED;
CREATE INDEX user_group_search ON user_group USING gin (search_trigrams(search_text));
CREATE INDEX user_group_by_name ON user_group (search_text, gid);
`;

const NOTIFICATIONS = `
-- Notifications that follow from nothing else. That a share waits to be accepted is read from the share itself.
CREATE TABLE notification (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  app text COLLATE "C" NOT NULL,
  object_type text COLLATE "C" NOT NULL,
  object_id text COLLATE "C" NOT NULL,
  subject text NOT NULL,
  message text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX notification_once ON notification (uid, app, object_type, object_id);

-- Pending shares whose recipient does not want to be told of them any more.
CREATE TABLE share_notice_dismissed (
  uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  share_id bigint NOT NULL REFERENCES share ON DELETE CASCADE,
  PRIMARY KEY (uid, share_id)
);
CREATE INDEX share_notice_dismissed_by_share ON share_notice_dismissed (share_id);

-- Clients ask for notifications all the time: where shares are accepted by themselves, this has next to nothing in it.
CREATE INDEX share_group_pending ON share (recipient_canonical, id) WHERE share_type = 1 AND initial_state = 1;
`;

const MAIL = `
-- Notices of shares by mail, one row for a share and an address. The mail itself is made when it is sent: nothing
-- secret of a link is kept here.
CREATE TABLE mail_outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  share_id bigint NOT NULL REFERENCES share ON DELETE CASCADE,
  sender_uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  recipient_uid text COLLATE "C" REFERENCES user_account ON DELETE CASCADE,
  address text NOT NULL CHECK (char_length(address) <= 254),
  note text CHECK (char_length(note) <= 4000),
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  last_error text,
  sent_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX mail_outbox_once ON mail_outbox (share_id, lower(address));
CREATE INDEX mail_outbox_due ON mail_outbox (next_attempt_at) WHERE sent_at IS NULL;
CREATE INDEX mail_outbox_by_sender ON mail_outbox (sender_uid);
CREATE INDEX mail_outbox_by_recipient ON mail_outbox (recipient_uid) WHERE recipient_uid IS NOT NULL;
`;
