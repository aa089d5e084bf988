import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { PrivateValueEntity } from '../../entities/accounts/private-value.entity';
import { int8, text } from '../../postgres-types';
import { selected } from '../../selected';
import { statement } from '../../statement';

/** Maximum number of values per account. */
const MOST = 200;

const COLUMNS = { app: true, key: true, value: true } as const;
/** A value that a client stores for a user. */
export type PrivateValue = Readonly<Pick<PrivateValueEntity, keyof typeof COLUMNS>>;

/** Two simultaneous calls may exceed the limit by one; it only bounds the table, so that does no harm. */
const KEEP = statement({
  name: 'private_value.keep',
  params: { uid: text, app: text, key: text, value: text, most: int8 },
  row: { key: text },
  sql: `INSERT INTO private_value (uid, app, key, value)
   SELECT :uid, :app, :key, :value
   WHERE (SELECT count(*) FROM private_value WHERE uid = :uid AND (app, key) <> (:app, :key)) < :most
   ON CONFLICT (uid, app, key) DO UPDATE SET value = excluded.value, saved_at = now()
   RETURNING key`,
});

/** Values that clients store for users, at most 200 per account. They are deleted with their account. */
@Injectable()
export class PrivateValueRepository {
  private readonly values;

  constructor(private readonly database: Database) {
    this.values = database.reader(PrivateValueEntity);
  }

  /** Without app or key: values of all apps or keys. */
  async find(uid: string, app?: string, key?: string): Promise<PrivateValue[]> {
    const rows = await this.values.find({
      select: COLUMNS,
      where: { uid, ...(app !== undefined && { app }), ...(key !== undefined && { key }) },
      order: { app: 'ASC', key: 'ASC' },
    });
    return rows.map((row) => selected(COLUMNS, row));
  }

  /** @returns whether there was room for it */
  async keep(uid: string, value: PrivateValue): Promise<boolean> {
    return (await this.database.rows(KEEP, { uid, ...value, most: MOST })).length === 1;
  }

  async remove(uid: string, app: string, key: string): Promise<void> {
    await this.database.write(PrivateValueEntity, (rows) => rows.delete({ uid, app, key }));
  }
}
