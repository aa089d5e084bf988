import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys with which partners sign, and which partners have to sign. */
export class PartnerKeys1764000000013 implements MigrationInterface {
  readonly name = 'PartnerKeys1764000000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PARTNER_KEYS);
    await runner.query(DEMAND);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const PARTNER_KEYS = `
-- The public keys that stand in a partner's discovery document and in its JWKS, each as a JWKS document; '' for none.
-- asked_at: when somebody last wanted them anew; answered_at: when a question ended, whatever it brought.
-- signed_at: since when it is known that the partner signs what it sends.
CREATE TABLE partner_keys (
  peer_id bigint PRIMARY KEY REFERENCES peer ON DELETE CASCADE,
  document_keys text NOT NULL DEFAULT '' CHECK (octet_length(document_keys) <= 65536),
  document_read_at timestamptz,
  jwks text NOT NULL DEFAULT '' CHECK (octet_length(jwks) <= 131072),
  jwks_read_at timestamptz,
  asked_at timestamptz,
  answered_at timestamptz,
  signed_at timestamptz
);
CREATE TRIGGER partner_keys_answered AFTER INSERT OR UPDATE OF answered_at ON partner_keys
  FOR EACH ROW EXECUTE FUNCTION announce_change('partner-keys', 'peer_id');
`;

const DEMAND = `
-- The signatures that this partner has to make; NULL where the setting decides.
ALTER TABLE peer ADD COLUMN signatures text COLLATE "C" CHECK (signatures IN ('known', 'required', 'checked'));
CREATE TRIGGER peer_signatures_changed AFTER UPDATE OF signatures ON peer
  FOR EACH ROW EXECUTE FUNCTION announce_change('peer', 'host_key');
`;
