import { AUDIT_BOUNDS } from '../audit-bounds';

/** Decisions on partners, invitations and contacts in the audit log. */
export const AUDIT_PARTNERS = `
CREATE OR REPLACE FUNCTION audit_peer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before peer := CASE TG_OP WHEN 'UPDATE' THEN OLD END;
BEGIN
  IF NEW.trust <> coalesce(before.trust, 'unknown') OR NEW.outgoing_trust IS DISTINCT FROM before.outgoing_trust THEN
    PERFORM audit('partner.trust', 'partner', NEW.host_key, jsonb_build_object('trust', NEW.trust, 'outgoing', NEW.outgoing_trust,
      'trustBefore', before.trust, 'outgoingBefore', before.outgoing_trust));
  END IF;
  IF NEW.paused <> coalesce(before.paused, false) THEN
    PERFORM audit(CASE WHEN NEW.paused THEN 'partner.pause' ELSE 'partner.resume' END, 'partner', NEW.host_key);
  END IF;
  IF NEW.pinned_profile IS DISTINCT FROM before.pinned_profile THEN
    PERFORM audit(CASE WHEN NEW.pinned_profile IS NULL THEN 'partner.unpin' ELSE 'partner.pin' END, 'partner', NEW.host_key);
  END IF;
  IF NEW.signatures IS DISTINCT FROM before.signatures THEN
    PERFORM audit('partner.signatures', 'partner', NEW.host_key,
      jsonb_build_object('demanded', coalesce(NEW.signatures, 'as set'), 'before', before.signatures));
  END IF;
  IF (NEW.concurrency, NEW.rate_per_second, NEW.rate_burst) IS DISTINCT FROM (before.concurrency, before.rate_per_second, before.rate_burst)
    AND TG_OP = 'UPDATE' THEN
    PERFORM audit('partner.limits', 'partner', NEW.host_key, jsonb_build_object('concurrency', NEW.concurrency,
      'ratePerSecond', NEW.rate_per_second, 'rateBurst', NEW.rate_burst));
  END IF;
  IF NEW.alias_of IS DISTINCT FROM before.alias_of THEN
    PERFORM audit('partner.rename', 'partner', NEW.host_key, jsonb_build_object('to', audit_host(NEW.alias_of)));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER peer_audited AFTER INSERT OR UPDATE OF trust, outgoing_trust, paused, pinned_profile, signatures, concurrency, rate_per_second,
  rate_burst, alias_of ON peer
  FOR EACH ROW EXECUTE FUNCTION audit_peer();

-- Keys of a partner by their fingerprint, so that a change of keys can be found later.
CREATE OR REPLACE FUNCTION audit_partner_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('partner.keys', 'partner', audit_host(NEW.peer_id), jsonb_build_object(
    'fingerprint', left(encode(sha256(convert_to(NEW.document_keys || NEW.jwks, 'UTF8')), 'hex'), 32),
    'first', TG_OP = 'INSERT' OR OLD.document_keys || OLD.jwks = ''), 'done', 'system');
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER partner_keys_first_audited AFTER INSERT ON partner_keys FOR EACH ROW WHEN (NEW.document_keys || NEW.jwks <> '')
  EXECUTE FUNCTION audit_partner_keys();
CREATE OR REPLACE TRIGGER partner_keys_audited AFTER UPDATE OF document_keys, jwks ON partner_keys FOR EACH ROW
  WHEN (NEW.document_keys <> OLD.document_keys OR NEW.jwks <> OLD.jwks)
  EXECUTE FUNCTION audit_partner_keys();

CREATE OR REPLACE FUNCTION audit_handshake() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('handshake.' || CASE NEW.state WHEN 'asking' THEN 'begin' WHEN 'fetching' THEN 'request' WHEN 'done' THEN 'finish'
    ELSE 'fail' END, 'partner', audit_host(NEW.peer_id), jsonb_build_object('reason', nullif(left(NEW.reason, ${AUDIT_BOUNDS.reason}), '')),
    CASE NEW.state WHEN 'failed' THEN 'refused' ELSE 'done' END);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER handshake_audited AFTER INSERT ON trusted_handshake FOR EACH ROW EXECUTE FUNCTION audit_handshake();
CREATE OR REPLACE TRIGGER handshake_step_audited AFTER UPDATE OF state ON trusted_handshake FOR EACH ROW
  WHEN (NEW.state <> OLD.state AND NEW.state IN ('asking', 'fetching', 'done', 'failed')) EXECUTE FUNCTION audit_handshake();

CREATE OR REPLACE FUNCTION audit_invitation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM audit('invitation.revoke', 'invitation', OLD.id::text, jsonb_build_object('uid', OLD.uid));
  ELSE
    PERFORM audit(CASE TG_OP WHEN 'INSERT' THEN 'invitation.create' ELSE 'invitation.accept' END, 'invitation', NEW.id::text,
      jsonb_build_object('uid', NEW.uid));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER invitation_audited AFTER INSERT ON invitation FOR EACH ROW EXECUTE FUNCTION audit_invitation();
CREATE OR REPLACE TRIGGER invitation_acceptance_audited AFTER UPDATE OF accepted_at ON invitation FOR EACH ROW
  WHEN (OLD.accepted_at IS NULL AND NEW.accepted_at IS NOT NULL) EXECUTE FUNCTION audit_invitation();
CREATE OR REPLACE TRIGGER invitation_end_audited AFTER DELETE ON invitation FOR EACH ROW
  WHEN (OLD.accepted_at IS NULL AND OLD.expires_at > now()) EXECUTE FUNCTION audit_invitation();

CREATE OR REPLACE FUNCTION audit_taken_invitation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('invitation.take', 'partner', audit_host(NEW.peer_id), jsonb_build_object('reason', nullif(left(NEW.reason, ${AUDIT_BOUNDS.reason}), '')),
    CASE NEW.state WHEN 'accepted' THEN 'done' ELSE 'refused' END, 'user', NEW.uid);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER invitation_taken_audited AFTER UPDATE OF state ON invitation_acceptance FOR EACH ROW
  WHEN (OLD.state = 'waiting' AND NEW.state <> 'waiting') EXECUTE FUNCTION audit_taken_invitation();

CREATE OR REPLACE FUNCTION audit_contact_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
    PERFORM audit('contact.remove', 'contact', OLD.id::text, jsonb_build_object('uid', OLD.uid, 'host', audit_host(OLD.peer_id),
      'remoteUser', left(OLD.remote_user, ${AUDIT_BOUNDS.name})));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER contact_end_audited AFTER DELETE ON contact FOR EACH ROW EXECUTE FUNCTION audit_contact_end();

-- Those that end with their account are left to its row.
CREATE OR REPLACE FUNCTION audit_offer_block() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told offer_block := CASE TG_OP WHEN 'INSERT' THEN NEW ELSE OLD END;
BEGIN
  IF EXISTS (SELECT FROM user_account WHERE uid = told.uid) THEN
    PERFORM audit(CASE TG_OP WHEN 'INSERT' THEN 'offer-block.add' ELSE 'offer-block.remove' END, 'partner', told.host_key,
      jsonb_build_object('uid', told.uid, 'person', nullif(left(told.person, ${AUDIT_BOUNDS.name}), '')));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER offer_block_audited AFTER INSERT OR DELETE ON offer_block FOR EACH ROW EXECUTE FUNCTION audit_offer_block();

CREATE OR REPLACE FUNCTION audit_offer_report() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told offer_report := CASE TG_OP WHEN 'INSERT' THEN NEW ELSE OLD END;
BEGIN
  IF EXISTS (SELECT FROM user_account WHERE uid = told.reporter_uid) THEN
    PERFORM audit(CASE TG_OP WHEN 'INSERT' THEN 'offer.report' ELSE 'offer.report-close' END, 'partner', told.host_key,
      jsonb_build_object('uid', told.reporter_uid, 'sender', left(told.sender, ${AUDIT_BOUNDS.name}), 'reason', left(told.reason, ${AUDIT_BOUNDS.reason})));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER offer_report_audited AFTER INSERT OR DELETE ON offer_report FOR EACH ROW EXECUTE FUNCTION audit_offer_report();

CREATE OR REPLACE FUNCTION audit_foreign_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('foreign-link.save', 'partner', audit_host(NEW.peer_id), jsonb_build_object('reason', nullif(left(NEW.reason, ${AUDIT_BOUNDS.reason}), '')),
    CASE NEW.state WHEN 'saved' THEN 'done' ELSE 'refused' END, 'user', NEW.uid);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER foreign_link_audited AFTER UPDATE OF state ON foreign_link FOR EACH ROW
  WHEN (NEW.state <> OLD.state AND NEW.state IN ('saved', 'refused')) EXECUTE FUNCTION audit_foreign_link();

CREATE OR REPLACE FUNCTION audit_refused_rename() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('partner.rename', 'partner', NEW.from_host, jsonb_build_object('to', NEW.to_host, 'reason', NEW.reason), 'refused', 'user', NEW.uid);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER refused_rename_audited AFTER UPDATE OF state ON partner_rename FOR EACH ROW
  WHEN (NEW.state = 'refused') EXECUTE FUNCTION audit_refused_rename();
`;
