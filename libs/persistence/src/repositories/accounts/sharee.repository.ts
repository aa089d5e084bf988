import { Injectable } from '@nestjs/common';
import type {
  FoundSharees,
  FoundUser,
  PeopleDirectory,
  ShareeDirectory,
  ShareePage,
  ShareeQuery,
  ShareeSearch,
} from '#sharing';
import { Database } from '../../database';
import { SEARCH, SHARE_WITH_EACH_OTHER } from './sharee-statements';

/** Minimum length of a search that can use the index. */
const INDEXED_FROM = 3;
/** Separator between the searched fields. A search that contains it would match across them. */
const FIELD_END = '\n';

/** Searches users, groups and contacts with one statement, however many there are. */
@Injectable()
export class ShareeRepository implements ShareeDirectory, PeopleDirectory {
  constructor(private readonly database: Database) {}

  async search({ uid, search, limit, offset, ...scopes }: ShareeSearch): Promise<FoundSharees> {
    const { users, groups, contacts, addressBooks, exceptGroups } = scopes;
    const isFirst = offset === 0;
    const ofKind = SEARCH[lengthOf(search)][users?.within === undefined ? 'anywhere' : 'within'];
    const declared = addressBooks ? ofKind.withCards : ofKind.withoutCards;
    const [found] = await this.database.readRows(declared, {
      ...{ uid, search, limit, offset, exceptGroups },
      exactUsers: users !== undefined && isFirst,
      partsUsers: (users?.parts ?? false) && !search.includes(FIELD_END),
      usersWithin: users?.within ?? null,
      userNames: users?.names ?? false,
      userIdsAnywhere: users?.idsAnywhere ?? false,
      exactGroups: groups !== undefined && isFirst,
      partsGroups: groups?.parts ?? false,
      groupsWithin: groups?.within ?? null,
      groupNames: groups?.names ?? false,
      groupIdsAnywhere: groups?.idsAnywhere ?? false,
      exactContacts: contacts !== undefined && isFirst,
      partsContacts: contacts?.parts ?? false,
      contactNames: contacts?.names ?? false,
    });
    const { usersExact, usersParts, groupsExact, groupsParts, contactsExact, contactsParts } = found!;
    return {
      users: { exact: usersExact ?? [], parts: usersParts ?? [] },
      groups: { exact: idsOf(groupsExact), parts: idsOf(groupsParts) },
      contacts: { exact: contactsExact ?? [], parts: contactsParts ?? [] },
    };
  }

  async users({ scope, ...query }: ShareeQuery): Promise<ShareePage<FoundUser>> {
    const none = { groups: undefined, contacts: undefined, addressBooks: false, exceptGroups: [] };
    return (await this.search({ ...query, ...none, uid: '', users: scope })).users;
  }

  async shareWithEachOther(uid: string, other: string): Promise<boolean> {
    const [found] = await this.database.rows(SHARE_WITH_EACH_OTHER, { uid, other });
    return found?.together ?? false;
  }
}

const idsOf = (groups: readonly { gid: string }[] | null): string[] => (groups ?? []).map(({ gid }) => gid);

const lengthOf = (search: string): 'indexed' | 'short' =>
  [...search].length >= INDEXED_FROM ? 'indexed' : 'short';
