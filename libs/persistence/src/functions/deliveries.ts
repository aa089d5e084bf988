import { SHARE_TYPES, STATE_NUMBERS, UNDELIVERED_STATES } from '#sharing';
import {
  EXPIRING_SHARE,
  NOTIFYING_APP,
  RESHARE,
  SHARE_TO_PARTNER,
} from '../repositories/accounts/notified-objects';

const FEDERATED = SHARE_TYPES.federated;
const UNDELIVERED = UNDELIVERED_STATES.map((state) => `'${state}'`).join(', ');

/** Records events of shares: only the event and its share. `ShareEventRepository` writes the messages and notifications about them. */
export const DELIVERIES = `
-- Records an event with the row of its subject, without secrets but the one that its messages carry.
CREATE OR REPLACE FUNCTION note_share_event(happened text, type_of_subject text, facts jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO share_event (kind, subject_type, subject_id, revision, subject, sealed_secret)
  SELECT happened, type_of_subject, (facts ->> 'id')::bigint, (facts ->> 'revision')::integer,
    (SELECT jsonb_object_agg(key, value) FROM jsonb_each(facts) WHERE key !~ '_(enc|hmac|hash)$') || jsonb_build_object(
      'received_state', (SELECT state FROM received_share WHERE id = (facts ->> 'received_share_id')::bigint)),
    coalesce(facts ->> 'granted_token_enc', facts ->> 'token_enc')::bytea;
END $$;

CREATE OR REPLACE FUNCTION record_share_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_share_event(TG_ARGV[0], replace(TG_TABLE_NAME, '_', '-'), CASE TG_OP WHEN 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_ended AFTER DELETE ON share FOR EACH ROW WHEN (OLD.share_type = ${FEDERATED})
  EXECUTE FUNCTION record_share_event('ended');
CREATE OR REPLACE TRIGGER share_asked_for_accepted AFTER UPDATE OF acceptance, requester_share_id ON share FOR EACH ROW
  WHEN (NEW.requester_peer_id IS NOT NULL AND NEW.requester_share_id IS NOT NULL AND NEW.acceptance = 'accepted'
    AND (OLD.acceptance <> 'accepted' OR NEW.requester_share_id IS DISTINCT FROM OLD.requester_share_id))
  EXECUTE FUNCTION record_share_event('accepted');
CREATE OR REPLACE TRIGGER share_accepted AFTER UPDATE OF acceptance ON share FOR EACH ROW
  WHEN (NEW.requester_peer_id IS NULL AND NEW.via_owner IS NULL AND NEW.group_share_id IS NULL AND NEW.acceptance = 'accepted' AND OLD.acceptance <> 'accepted')
  EXECUTE FUNCTION record_share_event('accepted-by-recipient');
CREATE OR REPLACE TRIGGER received_share_lost AFTER DELETE ON received_share FOR EACH ROW
  EXECUTE FUNCTION record_share_event('ended');
CREATE OR REPLACE TRIGGER share_event_written AFTER INSERT ON share_event FOR EACH STATEMENT EXECUTE FUNCTION announce_outbox();

CREATE OR REPLACE TRIGGER share_not_delivered AFTER UPDATE OF delivery_state ON share FOR EACH ROW
  WHEN (NEW.share_type = ${FEDERATED} AND NEW.delivery_state IN (${UNDELIVERED}) AND NEW.group_share_id IS NULL AND OLD.delivery_state <> NEW.delivery_state)
  EXECUTE FUNCTION record_share_event('undelivered');

-- Notifications about a share go with it, as by a foreign key, and a reminder goes with the last day that it names. The arguments are the kinds
-- of objects.
CREATE OR REPLACE FUNCTION remove_notifications_of_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification WHERE uid IN (OLD.owner_uid, OLD.initiator_uid, OLD.recipient_canonical) AND app = '${NOTIFYING_APP}'
    AND object_type = ANY(TG_ARGV) AND object_id = OLD.id::text;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_notifications_ended AFTER DELETE ON share FOR EACH ROW
  WHEN (OLD.share_type = ${FEDERATED} OR OLD.access_lost_at IS NOT NULL OR OLD.reminded_of IS NOT NULL)
  EXECUTE FUNCTION remove_notifications_of_share('${SHARE_TO_PARTNER}', '${RESHARE}', '${EXPIRING_SHARE}');
CREATE OR REPLACE TRIGGER share_reminder_ended AFTER UPDATE OF expires_on ON share FOR EACH ROW
  WHEN (OLD.reminded_of IS NOT NULL AND NEW.expires_on IS DISTINCT FROM OLD.expires_on)
  EXECUTE FUNCTION remove_notifications_of_share('${EXPIRING_SHARE}');

-- The recipient of a share who declines it needs no reminder. Shares with groups remind nobody but their makers.
CREATE OR REPLACE FUNCTION remove_reminder_of_recipient() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification USING share s WHERE s.id = NEW.share_id AND s.share_type = ${SHARE_TYPES.user} AND s.reminded_of IS NOT NULL
    AND uid = NEW.uid AND app = '${NOTIFYING_APP}' AND object_type = '${EXPIRING_SHARE}' AND object_id = NEW.share_id::text;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_recipient_reminder_ended AFTER INSERT OR UPDATE OF state ON share_recipient FOR EACH ROW
  WHEN (NEW.state = ${STATE_NUMBERS.declined}) EXECUTE FUNCTION remove_reminder_of_recipient();

DROP TRIGGER IF EXISTS share_not_delivered_ended ON share;
DROP TRIGGER IF EXISTS share_without_access_ended ON share;
DROP TRIGGER IF EXISTS share_not_delivered_to_asked ON share;
DROP FUNCTION IF EXISTS tell_initiator_of_failure, forget_notice_of_failure, forget_lost_access, end_what_was_asked_for;
DROP TRIGGER IF EXISTS share_via_owner_ended ON share;
DROP TRIGGER IF EXISTS share_asked_for_ended ON share;
DROP FUNCTION IF EXISTS tell_partner_of_end, tell_owner_of_end, tell_asker_of_end, tell_asker_of_acceptance, tell_partner_of_lost_recipient, tell_asker;
`;
