import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { bytea, int8, text, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';

/** Lifetime of a picture that waits to be cut to a square. */
const DRAFT_MINUTES = 120;
/** Number of expired drafts that one upload removes. */
const SWEPT = 100;

const KEPT = { mimetype: text, digest: text };
/** The picture of an account, without its bytes. */
export type KeptAvatar = RowOf<typeof KEPT>;

const PICTURE = { picture: bytea, mimetype: text, digest: text };
/** A picture that belongs to an account. */
export type AvatarPicture = RowOf<typeof PICTURE>;

export type AvatarStage = 'shown' | 'draft';

const IS_LIVE = `(stage = 'shown' OR saved_at > now() - make_interval(mins => ${DRAFT_MINUTES}))`;

const FIND = statement({
  name: 'avatar.find',
  params: { uid: text },
  row: KEPT,
  sql: `SELECT mimetype, digest FROM user_avatar WHERE uid = :uid AND stage = 'shown'`,
});
const READ = statement({
  name: 'avatar.read',
  params: { uid: text, stage: text },
  row: PICTURE,
  sql: `SELECT picture, mimetype, digest FROM user_avatar WHERE uid = :uid AND stage = :stage AND ${IS_LIVE}`,
});
const KEEP = statement({
  name: 'avatar.keep',
  params: { uid: text, stage: text, picture: bytea, mimetype: text, digest: text },
  sql: `INSERT INTO user_avatar (uid, stage, picture, mimetype, digest)
   SELECT uid, :stage, :picture, :mimetype, :digest FROM user_account WHERE uid = :uid
   ON CONFLICT (uid, stage) DO UPDATE
     SET picture = excluded.picture, mimetype = excluded.mimetype, digest = excluded.digest, saved_at = now()`,
});
const REMOVE = statement({
  name: 'avatar.remove',
  params: { uid: text, stage: text },
  sql: 'DELETE FROM user_avatar WHERE uid = :uid AND stage = :stage',
});
const SWEEP = statement({
  name: 'avatar.sweep',
  params: { most: int8 },
  sql: `DELETE FROM user_avatar WHERE (uid, stage) IN (SELECT uid, stage FROM user_avatar
     WHERE stage = 'draft' AND NOT ${IS_LIVE} ORDER BY uid LIMIT :most FOR UPDATE SKIP LOCKED)`,
});

/** Pictures of accounts. They are deleted with their account. */
@Injectable()
export class AvatarRepository {
  constructor(private readonly database: Database) {}

  /** The picture that others see, without its bytes; undefined if the account has none. */
  async find(uid: string): Promise<KeptAvatar | undefined> {
    const [found] = await this.database.rows(FIND, { uid });
    return found;
  }

  /** A picture with its bytes; a draft only within two hours. */
  async read(uid: string, stage: AvatarStage): Promise<AvatarPicture | undefined> {
    const [found] = await this.database.rows(READ, { uid, stage });
    return found;
  }

  /** Replaces a picture; a shown one also ends the draft. Removes some expired drafts of others. */
  async keep(uid: string, stage: AvatarStage, picture: Buffer, mimetype: string): Promise<void> {
    const digest = createHash('sha256').update(picture).digest('hex');
    await this.database.transaction(async (transaction) => {
      await transaction.rows(KEEP, { uid, stage, picture, mimetype, digest });
      if (stage === 'shown') await transaction.rows(REMOVE, { uid, stage: 'draft' });
    });
    await this.database.rows(SWEEP, { most: SWEPT });
  }

  async remove(uid: string): Promise<void> {
    await this.database.rows(REMOVE, { uid, stage: 'shown' });
  }
}
