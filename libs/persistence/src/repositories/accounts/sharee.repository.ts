import { Injectable } from '@nestjs/common';
import type {
  FoundContact,
  FoundUser,
  PeopleDirectory,
  ShareeDirectory,
  ShareePage,
  ShareeQuery,
} from '#sharing';
import { Database } from '../../database';
import * as sql from './sharee-statements';

/** Searches for fewer characters cannot use the index. */
const INDEXED_FROM = 3;
/** Separator between the searched fields: a search that holds it would match across them. */
const FIELD_END = '\n';

/** Searches users, groups and contacts: one statement for whole and one for partial matches of each, however many there are. */
@Injectable()
export class ShareeRepository implements ShareeDirectory, PeopleDirectory {
  constructor(private readonly database: Database) {}

  async users(query: ShareeQuery): Promise<ShareePage<FoundUser>> {
    const { search, limit, offset, scope } = query;
    const [exact, parts] = await Promise.all([
      offset === 0
        ? this.database.rows(sql.EXACT_USERS, {
            search,
            within: scope.within ?? null,
            names: scope.names,
            idsAnywhere: scope.idsAnywhere,
            limit,
          })
        : [],
      scope.parts && !search.includes(FIELD_END) ? this.partialUsers(query) : [],
    ]);
    return { exact, parts };
  }

  private partialUsers({ search, limit, offset, scope: { within } }: ShareeQuery): Promise<FoundUser[]> {
    const statements = sql.PARTIAL_USERS[lengthOf(search)];
    return within === undefined
      ? this.database.rows(statements.anywhere, { search, limit, offset })
      : this.database.rows(statements.within, { search, limit, offset, within });
  }

  async groups(query: ShareeQuery, except: readonly string[]): Promise<ShareePage<string>> {
    const { search, limit, offset, scope } = query;
    const within = scope.within ?? null;
    const partialValues = { search, within, except, limit, offset };
    const [exact, parts] = await Promise.all([
      offset === 0
        ? this.database.rows(sql.EXACT_GROUPS, {
            search,
            within,
            names: scope.names,
            idsAnywhere: scope.idsAnywhere,
            except,
            limit,
          })
        : [],
      scope.parts ? this.database.rows(sql.PARTIAL_GROUPS[lengthOf(search)], partialValues) : [],
    ]);
    return { exact: exact.map(({ gid }) => gid), parts: parts.map(({ gid }) => gid) };
  }

  async contacts(uid: string, query: ShareeQuery): Promise<ShareePage<FoundContact>> {
    const { search, limit, offset, scope } = query;
    const [exact, parts] = await Promise.all([
      offset === 0 ? this.database.rows(sql.EXACT_CONTACTS, { uid, search, names: scope.names, limit }) : [],
      scope.parts ? this.database.rows(sql.PARTIAL_CONTACTS, { uid, search, limit, offset }) : [],
    ]);
    return { exact, parts };
  }

  async shareWithEachOther(uid: string, other: string): Promise<boolean> {
    const [found] = await this.database.rows(sql.SHARE_WITH_EACH_OTHER, { uid, other });
    return found?.together ?? false;
  }
}

const lengthOf = (search: string): 'indexed' | 'short' =>
  [...search].length >= INDEXED_FROM ? 'indexed' : 'short';
