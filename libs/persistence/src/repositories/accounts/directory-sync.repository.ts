import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { DirectorySyncEntity } from '../../entities/accounts/directory-sync.entity';
import type { SourceName } from './source-name';

/** State of reading a directory. */
export type DirectorySyncState = Readonly<Omit<DirectorySyncEntity, 'kind' | 'source'>>;

/** States of reading directories. */
@Injectable()
export class DirectorySyncRepository {
  constructor(private readonly database: Database) {}

  async find({ kind, source }: SourceName): Promise<DirectorySyncState | undefined> {
    return (await this.database.reader(DirectorySyncEntity).findOneBy({ kind, source })) ?? undefined;
  }

  async note({ kind, source }: SourceName, state: Partial<DirectorySyncState>): Promise<void> {
    await this.database.write(DirectorySyncEntity, (states) =>
      states.upsert({ kind, source, ...state }, ['kind', 'source']),
    );
  }
}
