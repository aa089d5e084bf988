import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes the notification that a mail is about, because a mail is not sent any more once its notification is gone. */
export class ObjectsOfNotificationMails1764000000232 implements MigrationInterface {
  readonly name = 'ObjectsOfNotificationMails1764000000232';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE notification_mail ADD COLUMN object_type text COLLATE "C", ADD COLUMN object_id text COLLATE "C"',
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
