import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Time of the next probe of a received share's server. */
export class Looks1764000000010 implements MigrationInterface {
  readonly name = 'Looks1764000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(LOOKS);
    await runner.query(DECISIONS);
    await runner.query(RETURNS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const LOOKS = `
-- look_at: when its server is to be looked at; NULL for never. During a look it is the end of the lease.
ALTER TABLE received_share ADD COLUMN look_at timestamptz DEFAULT now();
UPDATE received_share SET look_at = NULL WHERE state IN ('declined', 'gone');
DROP INDEX received_share_to_probe;
CREATE INDEX received_share_to_look ON received_share (peer_id, look_at) WHERE look_at IS NOT NULL;

-- looks_after: a server that gave no answer is looked at by nobody before.
ALTER TABLE peer ADD COLUMN looks_after timestamptz;
`;

/** A writer that leaves `look_at` unchanged does not know about probes: accepted shares are probed, ended ones are not. */
const DECISIONS = `
CREATE FUNCTION look_at_what_is_mounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.failed_probes := 0;
  NEW.quarantined_at := NULL;
  NEW.look_at := CASE NEW.state WHEN 'accepted' THEN now() END;
  RETURN NEW;
END $$;
CREATE TRIGGER received_share_decided BEFORE UPDATE OF state ON received_share FOR EACH ROW
  WHEN (NEW.state <> OLD.state AND NEW.look_at IS NOT DISTINCT FROM OLD.look_at) EXECUTE FUNCTION look_at_what_is_mounted();
`;

/** When a user comes back after days, the present content of partners is fetched. */
const RETURNS = `
CREATE FUNCTION look_for_who_returns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE received_share SET look_at = now()
    WHERE recipient_uid = NEW.uid AND state = 'accepted' AND look_at > now() + interval '1 hour';
  RETURN NULL;
END $$;
CREATE TRIGGER user_account_returned AFTER UPDATE OF last_login_at ON user_account FOR EACH ROW
  EXECUTE FUNCTION look_for_who_returns();
`;
