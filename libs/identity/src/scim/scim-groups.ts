import { Injectable } from '@nestjs/common';
import { ScimProvisioning, ScimResourceRepository, type ScimResourceRow } from '#persistence';
import { parseGroupId } from '../account-rules';
import { SourceGroups } from '../directories/source-groups';
import { UserGroups } from '../user-groups';
import { ScimFailed } from './scim-failed';
import { parseGroup, type ScimGroupInput } from './scim-input';
import { isId, ScimLists, type ScimList } from './scim-lists';
import { patched } from './scim-patch';
import { refusedAsScim } from './scim-refusals';
import type { ScimQuery } from './scim-query';
import { GROUP_SCHEMA } from './scim-schemas';
import type { Precondition, ScimCall } from './scim-users';
import { sourceOf } from './scim-source';
import { withMeta } from './scim-version';

type Resource = Readonly<Record<string, unknown>>;

/** Groups of SCIM clients. Each client sees the groups that it made, with the members that it made. Throws ScimFailed. */
@Injectable()
export class ScimGroups {
  private readonly lists: ScimLists;

  constructor(
    private readonly resources: ScimResourceRepository,
    private readonly provisioning: ScimProvisioning,
    private readonly groups: UserGroups,
    private readonly sources: SourceGroups,
  ) {
    this.lists = new ScimLists(resources);
  }

  list(call: ScimCall, query: ScimQuery): Promise<ScimList> {
    return this.lists.list(call.client.id, 'Group', query, (rows) =>
      Promise.all(rows.map((row) => this.rendered(call, row))),
    );
  }

  async read(call: ScimCall, id: string): Promise<Resource> {
    return this.rendered(call, await this.find(call, id));
  }

  /** An existing group with the same name stays unchanged, from any source. */
  async create(call: ScimCall, body: unknown): Promise<Resource> {
    const input = parseGroup(body);
    const { displayName, externalId } = input;
    const members = await this.membersOf(call, input);
    const made = await refusedAsScim(async () => {
      const gid = parseGroupId(displayName);
      const about = { clientId: call.client.id, kind: 'Group', name: displayName, uid: null, gid } as const;
      return this.provisioning.createGroup(gid, sourceOf(call.client), {
        ...about,
        externalId,
        personName: null,
      });
    });
    if (made === undefined) throw taken();
    const row = await this.find(call, made);
    if (members) await this.setMembers(call, row, members);
    return this.read(call, made);
  }

  async replace(call: ScimCall, id: string, body: unknown, precondition: Precondition): Promise<Resource> {
    const row = await this.find(call, id);
    precondition(await this.rendered(call, row));
    return this.write(call, row, parseGroup(body));
  }

  async patch(call: ScimCall, id: string, body: unknown, precondition: Precondition): Promise<Resource> {
    const row = await this.find(call, id);
    const resource = await this.rendered(call, row);
    precondition(resource);
    return this.write(call, row, parseGroup(patched('Group', resource, body)));
  }

  /** Removes the group and its received shares. */
  async remove(call: ScimCall, id: string, precondition: Precondition): Promise<void> {
    const row = await this.find(call, id);
    precondition(await this.rendered(call, row));
    await this.sources.remove(sourceOf(call.client), row.id);
  }

  private async write(call: ScimCall, row: ScimResourceRow, input: ScimGroupInput): Promise<Resource> {
    const members = await this.membersOf(call, input);
    const { displayName: name, externalId } = input;
    if ((await this.resources.update(row.id, { name, externalId, personName: null })) === undefined)
      throw taken();
    await this.setMembers(call, row, members ?? []);
    return this.read(call, row.id);
  }

  /** User ids of the members in a request. @throws ScimFailed invalidValue if the client did not make one of them */
  private async membersOf({ client }: ScimCall, { members }: ScimGroupInput): Promise<string[] | undefined> {
    if (!members) return undefined;
    const ids = [...new Set(members)];
    const rows = ids.length === 0 ? [] : await this.resources.ofIds(client.id, 'User', ids);
    if (rows.length < ids.length) throw new ScimFailed(400, 'A member is not known', 'invalidValue');
    return rows.map(({ uid }) => uid!);
  }

  /** Members that others added to the group stay. */
  private async setMembers(
    { client }: ScimCall,
    { gid, id }: ScimResourceRow,
    uids: readonly string[],
  ): Promise<void> {
    await this.sources.setMembersOf(sourceOf(client), gid!, uids);
    await this.resources.touch(id);
  }

  private async ownMembers(clientId: number, gid: string): Promise<ScimResourceRow[]> {
    const uids = await refusedAsScim(() => this.groups.members(gid));
    return uids.length === 0 ? [] : this.resources.ofAccounts(clientId, uids);
  }

  private async find({ client }: ScimCall, id: string): Promise<ScimResourceRow> {
    const row = isId(id) ? await this.resources.find(client.id, 'Group', id) : undefined;
    if (!row) throw new ScimFailed(404, 'There is no such group');
    return row;
  }

  private async rendered({ client, base }: ScimCall, row: ScimResourceRow): Promise<Resource> {
    const members = await this.ownMembers(client.id, row.gid!);
    const content = {
      schemas: [GROUP_SCHEMA],
      id: row.id,
      ...(row.externalId === null ? {} : { externalId: row.externalId }),
      displayName: row.name,
      ...(members.length === 0
        ? {}
        : {
            members: members
              .toSorted((one, other) => one.seq - other.seq)
              .map(({ id, name }) => ({
                value: id,
                $ref: `${base}/Users/${id}`,
                type: 'User',
                display: name,
              })),
          }),
    };
    return withMeta(content, row, base);
  }
}

const taken = (): ScimFailed => new ScimFailed(409, 'There is a group of this name already', 'uniqueness');
