import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { ScimClientEntity } from '../../entities/accounts/scim-client.entity';
import { bytea, float8, int4, text } from '../../postgres-types';
import { statement } from '../../statement';

const FIND = statement({
  name: 'scim_client.find',
  params: { secretHash: bytea },
  row: { id: int4, name: text },
  sql: 'SELECT id, name FROM scim_client WHERE secret_hash = :secretHash',
});
const NOTE_USE = statement({
  name: 'scim_client.note_use',
  params: { id: int4, seconds: float8 },
  sql: `UPDATE scim_client SET used_at = now()
   WHERE id = :id AND (used_at IS NULL OR used_at < now() - make_interval(secs => :seconds))`,
});

/** A client with a valid token. */
export interface LiveScimClient {
  readonly id: number;
  readonly name: string;
}

/** A client, as operators see it. */
export interface ScimClientRow {
  readonly name: string;
  readonly isRevoked: boolean;
  readonly createdAt: Date;
  readonly usedAt: Date | null;
}

/** Clients of SCIM and their tokens. */
@Injectable()
export class ScimClientRepository {
  constructor(private readonly database: Database) {}

  async find(secretHash: Buffer): Promise<LiveScimClient | undefined> {
    return (await this.database.rows(FIND, { secretHash }))[0];
  }

  async noteUse(id: number, seconds: number): Promise<void> {
    await this.database.rows(NOTE_USE, { id, seconds });
  }

  /** Makes a client, or gives a revoked one a new token. @returns false if it already has one */
  async create(name: string, secretHash: Buffer): Promise<boolean> {
    return this.database.write(ScimClientEntity, async (clients) => {
      await clients.createQueryBuilder().insert().values({ name }).orIgnore().execute();
      const { affected } = await clients
        .createQueryBuilder()
        .update({ secretHash })
        .where('name = :name AND secret_hash IS NULL', { name })
        .execute();
      return affected === 1;
    });
  }

  async list(): Promise<ScimClientRow[]> {
    const rows = await this.database.reader(ScimClientEntity).find({ order: { name: 'ASC' } });
    return rows.map(({ name, secretHash, createdAt, usedAt }) => ({
      name,
      isRevoked: secretHash === null,
      createdAt,
      usedAt,
    }));
  }

  /** Revokes its token; its accounts and groups stay its own. @returns false if there is no such client with a token */
  async revoke(name: string): Promise<boolean> {
    return this.database.write(ScimClientEntity, async (clients) => {
      const { affected } = await clients
        .createQueryBuilder()
        .update({ secretHash: null })
        .where('name = :name AND secret_hash IS NOT NULL', { name })
        .execute();
      return affected === 1;
    });
  }
}
