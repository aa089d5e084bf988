import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Partners, messages in both directions, and the federated side of shares.
 *
 * No column contains a secret in clear: secrets that are sent again are sealed, secrets that are looked up are HMACs.
 */
export class Federation1764000000003 implements MigrationInterface {
  readonly name = 'Federation1764000000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PEERS);
    await runner.query(OUTBOX);
    await runner.query(INBOX);
    await runner.query(SHARES);
    await runner.query(RECEIVED_SHARES);
    await runner.query(ANNOUNCEMENTS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const PEERS = `
-- host_key: canonical host with port and path where they are not the usual ones, as in the right half of a cloud id.
-- profile: what discovery found, with the raw document; pinned_profile: what an operator says instead.
-- gate: breaker and token bucket; parked_until repeats what of it bars new deliveries, for the relay's search.
CREATE TABLE peer (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  host_key text COLLATE "C" NOT NULL UNIQUE CHECK (octet_length(host_key) BETWEEN 1 AND 512),
  profile jsonb,
  pinned_profile jsonb,
  discovered_at timestamptz,
  profile_expires_at timestamptz,
  discovery_failed_until timestamptz,
  discovery_error text,
  trust text COLLATE "C" NOT NULL DEFAULT 'unknown' CHECK (trust IN ('unknown', 'allowed', 'denied', 'invited', 'trusted')),
  paused boolean NOT NULL DEFAULT false,
  concurrency smallint NOT NULL DEFAULT 2 CHECK (concurrency BETWEEN 1 AND 1000),
  rate_per_second real NOT NULL DEFAULT 5 CHECK (rate_per_second > 0),
  rate_burst integer NOT NULL DEFAULT 10 CHECK (rate_burst >= 1),
  gate jsonb NOT NULL DEFAULT '{"breaker": {"recent": [], "openUntilMs": null, "openings": 0}, "bucket": null}',
  parked_until timestamptz,
  alias_of bigint REFERENCES peer ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
`;

const OUTBOX = `
-- One row per message to a partner. The order of the messages of one subject is the order of their ids.
-- round counts how often the message was handed to the queue: whoever holds an older round has lost it.
CREATE TABLE outbox_message (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subject_type text COLLATE "C" NOT NULL CHECK (subject_type IN ('share', 'received-share')),
  subject_id bigint NOT NULL,
  peer_id bigint NOT NULL REFERENCES peer ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  dedupe_key text COLLATE "C" NOT NULL UNIQUE,
  payload jsonb NOT NULL,
  sealed_secret bytea,
  state text COLLATE "C" NOT NULL DEFAULT 'pending'
    CHECK (state IN ('pending', 'queued', 'inflight', 'delivered', 'refused', 'dead', 'cancelled', 'superseded')),
  round integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  maybe_delivered boolean NOT NULL DEFAULT false,
  available_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz,
  deadline_at timestamptz NOT NULL,
  error_class text COLLATE "C",
  error_message text,
  reply jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz
);
CREATE INDEX outbox_message_due ON outbox_message (peer_id, available_at, id) WHERE state = 'pending';
CREATE INDEX outbox_message_under_way ON outbox_message (peer_id, lease_until) WHERE state IN ('queued', 'inflight');
CREATE INDEX outbox_message_by_subject ON outbox_message (subject_type, subject_id, id);
CREATE INDEX outbox_message_given_up ON outbox_message (peer_id, id) WHERE state IN ('dead', 'refused', 'cancelled');
CREATE INDEX outbox_message_finished ON outbox_message (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE delivery_attempt (
  message_id bigint NOT NULL REFERENCES outbox_message ON DELETE CASCADE,
  attempt integer NOT NULL,
  round integer NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  outcome text COLLATE "C" NOT NULL,
  error_class text COLLATE "C",
  error_message text,
  endpoint text,
  dialect text,
  http_status smallint,
  duration_ms integer,
  excerpt text,
  PRIMARY KEY (message_id, round)
);
`;

const INBOX = `
-- Messages of partners, so that a repetition gets the first answer and changes nothing.
CREATE TABLE inbox_message (
  peer_id bigint NOT NULL REFERENCES peer ON DELETE CASCADE,
  dedupe_hash bytea NOT NULL,
  kind text COLLATE "C" NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  http_status smallint NOT NULL,
  reply jsonb,
  PRIMARY KEY (peer_id, dedupe_hash)
);
CREATE INDEX inbox_message_age ON inbox_message (received_at);
`;

const SHARES = `
-- requester_*: the partner that asked for a re-share, and the id that the share has there.
ALTER TABLE share
  ADD COLUMN peer_id bigint REFERENCES peer,
  ADD COLUMN revision integer NOT NULL DEFAULT 0,
  ADD COLUMN delivery_state text COLLATE "C"
    CHECK (delivery_state IN ('pending', 'delivered', 'refused', 'retrying', 'dead', 'revoking', 'revoked')),
  ADD COLUMN delivery_attempts integer NOT NULL DEFAULT 0,
  ADD COLUMN delivery_next_attempt timestamptz,
  ADD COLUMN delivery_error text,
  ADD COLUMN delivered_at timestamptz,
  ADD COLUMN acceptance text COLLATE "C" CHECK (acceptance IN ('unknown', 'accepted', 'declined', 'left')),
  ADD COLUMN acceptance_source text COLLATE "C" CHECK (acceptance_source IN ('notification', 'access', 'auto')),
  ADD COLUMN requester_peer_id bigint REFERENCES peer ON DELETE SET NULL,
  ADD COLUMN requester_share_id text CHECK (octet_length(requester_share_id) <= 512),
  ADD CONSTRAINT share_federated_side CHECK ((share_type = 6) = (delivery_state IS NOT NULL AND acceptance IS NOT NULL));
CREATE INDEX share_by_peer ON share (peer_id, id) WHERE peer_id IS NOT NULL;
CREATE INDEX share_undelivered ON share (delivery_state, id) WHERE delivery_state <> 'delivered';
`;

const RECEIVED_SHARES = `
-- access: how the content is reached (WebDAV address, form of authentication, requirements), as its dialect says.
-- file_target is where the recipient sees it; NULL until it was placed without a collision.
CREATE TABLE received_share (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  peer_id bigint NOT NULL REFERENCES peer,
  provider_id text COLLATE "C" NOT NULL CHECK (octet_length(provider_id) BETWEEN 1 AND 512),
  token_hmac bytea NOT NULL,
  token_enc bytea NOT NULL,
  recipient_uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  owner text NOT NULL,
  owner_display_name text NOT NULL DEFAULT '',
  sender text NOT NULL,
  sender_display_name text NOT NULL DEFAULT '',
  name text COLLATE "C" NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 255),
  description text NOT NULL DEFAULT '',
  kind text COLLATE "C" CHECK (kind IN ('file', 'folder')),
  permissions smallint NOT NULL CHECK (permissions BETWEEN 0 AND 31),
  expires_at timestamptz,
  dialect text COLLATE "C" NOT NULL,
  access jsonb NOT NULL DEFAULT '{}',
  verified boolean NOT NULL DEFAULT false,
  state text COLLATE "C" NOT NULL DEFAULT 'pending'
    CHECK (state IN ('pending', 'accepted', 'declined', 'gone', 'quarantined')),
  revision integer NOT NULL DEFAULT 0,
  file_target text COLLATE "C" CHECK (octet_length(file_target) <= 4000),
  target_hash uuid GENERATED ALWAYS AS (md5(file_target)::uuid) STORED,
  folder_hash uuid GENERATED ALWAYS AS (md5(regexp_replace(file_target, '/[^/]*$', ''))::uuid) STORED,
  mimetype text,
  size bigint CHECK (size >= 0),
  mtime timestamptz,
  etag text,
  received_at timestamptz NOT NULL DEFAULT now(),
  decided_at timestamptz,
  last_seen_at timestamptz,
  unreachable_since timestamptz,
  quarantined_at timestamptz,
  last_probe_at timestamptz,
  failed_probes smallint NOT NULL DEFAULT 0,
  gone_at timestamptz
);
CREATE UNIQUE INDEX received_share_once ON received_share (peer_id, provider_id, token_hmac, recipient_uid);
CREATE INDEX received_share_by_recipient ON received_share (recipient_uid, state, id);
CREATE INDEX received_share_by_target ON received_share (recipient_uid, target_hash) WHERE state IN ('accepted', 'quarantined');
CREATE INDEX received_share_by_folder ON received_share (recipient_uid, folder_hash) WHERE state IN ('accepted', 'quarantined');
CREATE INDEX received_share_unplaced ON received_share (recipient_uid) WHERE state IN ('accepted', 'quarantined') AND file_target IS NULL;
CREATE INDEX received_share_to_probe ON received_share (peer_id, last_probe_at) WHERE state IN ('accepted', 'quarantined');
CREATE INDEX received_share_gone ON received_share (gone_at) WHERE state = 'gone';
`;

const ANNOUNCEMENTS = `
-- Once per statement: the relays of all workers wake up, however many rows there are.
CREATE FUNCTION announce_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('drawbridge_changes', 'outbox:');
  RETURN NULL;
END $$;
CREATE TRIGGER outbox_message_written AFTER INSERT ON outbox_message FOR EACH STATEMENT EXECUTE FUNCTION announce_outbox();

CREATE TRIGGER peer_changed AFTER INSERT OR DELETE OR UPDATE OF profile, pinned_profile, discovered_at, profile_expires_at, discovery_failed_until, trust, paused, alias_of
  ON peer FOR EACH ROW EXECUTE FUNCTION announce_change('peer', 'host_key');
`;
