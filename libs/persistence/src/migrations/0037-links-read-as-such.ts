import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The server of a public link that is read directly gets no messages: it does not know who reads the link. */
export class LinksReadAsSuch1764000000037 implements MigrationInterface {
  readonly name = 'LinksReadAsSuch1764000000037';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TELL_NOBODY);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const TELL_NOBODY = `
DROP TRIGGER received_share_lost ON received_share;
CREATE TRIGGER received_share_lost AFTER DELETE ON received_share FOR EACH ROW
  WHEN (OLD.state IN ('pending', 'accepted', 'quarantined') AND OLD.dialect <> 'public-link')
  EXECUTE FUNCTION tell_partner_of_lost_recipient();
`;
