import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Times at which offers were seen, reasons of declines, sent reminders of expiry, and notifications by mail. */
export class LifeOfShares1764000000125 implements MigrationInterface {
  readonly name = 'LifeOfShares1764000000125';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(LIFE_OF_SHARES);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const LIFE_OF_SHARES = `
ALTER TABLE share ADD COLUMN seen_at timestamptz, ADD COLUMN decline_reason text, ADD COLUMN reminded_of date;
ALTER TABLE share ADD CONSTRAINT share_decline_reason_check CHECK (char_length(decline_reason) <= 500) NOT VALID;
ALTER TABLE share VALIDATE CONSTRAINT share_decline_reason_check;
ALTER TABLE received_share ADD COLUMN seen_at timestamptz, ADD COLUMN reminded_of timestamptz;
CREATE INDEX received_share_by_expiry ON received_share (expires_at) WHERE expires_at IS NOT NULL;
ALTER TABLE ended_share ADD COLUMN reason text;
CREATE TABLE notification_mail (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  subject text NOT NULL CHECK (char_length(subject) <= 2000),
  message text NOT NULL DEFAULT '' CHECK (char_length(message) <= 4000),
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX notification_mail_by_account ON notification_mail (uid);
CREATE INDEX notification_mail_due ON notification_mail (next_attempt_at);
`;
