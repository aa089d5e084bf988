import { Injectable } from '@nestjs/common';
import {
  ScimProvisioning,
  ScimResourceRepository,
  type MembershipChange,
  type ScimResourceChange,
  type ScimResourceRow,
} from '#persistence';
import { AccountDirectory } from '../account-directory';
import { parseGroupId } from '../account-rules';
import { SourceGroups } from '../directories/source-groups';
import { UserGroups } from '../user-groups';
import { ScimFailed } from './scim-failed';
import { parseGroup } from './scim-input';
import { isId, ScimLists, type ScimList } from './scim-lists';
import { patched } from './scim-patch';
import { refusedAsScim, unlessRefused } from './scim-refusals';
import type { ScimQuery } from './scim-query';
import { GROUP_SCHEMA } from './scim-schemas';
import type { ScimCall } from './scim-users';
import { sourceOf } from './scim-source';
import { inOrder, statesOf, untilNotOvertaken, withMeta, type Precondition } from './scim-version';

type Resource = Readonly<Record<string, unknown>>;

/** New values of a group and its resource, and its members. */
interface GroupChange {
  readonly values: Partial<Pick<ScimResourceChange, 'name' | 'externalId'>>;
  readonly members: MembershipChange;
}

/** Groups of SCIM clients. Each client sees the groups that it made, with the members that it made. Throws ScimFailed. */
@Injectable()
export class ScimGroups {
  private readonly lists: ScimLists;

  constructor(
    private readonly resources: ScimResourceRepository,
    private readonly provisioning: ScimProvisioning,
    private readonly groups: UserGroups,
    private readonly sources: SourceGroups,
    private readonly directory: AccountDirectory,
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
    const members = await this.membersOf(call, input.members);
    const made = await refusedAsScim(async () => {
      const gid = parseGroupId(displayName);
      const about = { clientId: call.client.id, kind: 'Group', name: displayName, uid: null, gid } as const;
      const resource = { ...about, externalId, personName: null };
      return this.provisioning.createGroup(gid, sourceOf(call.client), resource, members);
    });
    if (made === undefined) throw taken();
    for (const uid of members) this.directory.changed(uid);
    return this.read(call, made);
  }

  async replace(call: ScimCall, id: string, body: unknown, precondition?: Precondition): Promise<Resource> {
    const changeOf = async (): Promise<GroupChange> => {
      const { displayName: name, externalId, members } = parseGroup(body);
      const joined = await this.membersOf(call, members);
      return { values: { name, externalId }, members: { joined, left: 'others' } };
    };
    await this.change(call, id, changeOf, precondition);
    return this.read(call, id);
  }

  async patch(call: ScimCall, id: string, body: unknown, precondition?: Precondition): Promise<Resource> {
    const changeOf = (resource: Resource, gid: string) => this.changeOf(call, resource, gid, body);
    await this.change(call, id, changeOf, precondition);
    return this.read(call, id);
  }

  /** Removes the group and its received shares. */
  async remove(call: ScimCall, id: string, precondition?: Precondition): Promise<void> {
    const gone = await untilNotOvertaken(async () => {
      const row = await this.find(call, id);
      precondition?.(await this.rendered(call, row));
      const members = unlessRefused(await this.provisioning.endGroup(row), taken);
      return members === 'overtaken' ? members : { gid: row.gid!, members };
    });
    this.sources.removed(gone.gid, gone.members);
  }

  /**
   * The changes of a PATCH. It changes the members that the client gives, whoever else gives the same ones. Members that the PATCH
   * does not name stay as they are.
   */
  private async changeOf(
    call: ScimCall,
    resource: Resource,
    gid: string,
    body: unknown,
  ): Promise<GroupChange> {
    const given = await this.sources.membersOf(sourceOf(call.client), gid);
    const members = await this.resources.ofAccounts(call.client.id, given);
    const known = { ...resource, members: members.map(({ id }) => ({ value: id })) };
    const before = parseGroup(known);
    const after = parseGroup(patched('Group', known, body));
    const left = await this.resources.ofIds(call.client.id, 'User', without(before.members, after.members));
    const joined = await this.membersOf(call, without(after.members, before.members));
    return {
      values: {
        name: after.displayName === before.displayName ? undefined : after.displayName,
        externalId: after.externalId === before.externalId ? undefined : after.externalId,
      },
      members: { joined, left: left.map(({ uid }) => uid!) },
    };
  }

  /** Changes the resource and its members together. The change follows from the resource, so it is computed again if another came first. */
  private async change(
    call: ScimCall,
    id: string,
    changeOf: (resource: Resource, gid: string) => Promise<GroupChange>,
    precondition?: Precondition,
  ): Promise<void> {
    const changed = await untilNotOvertaken(async () => {
      const row = await this.find(call, id);
      const resource = await this.rendered(call, row);
      precondition?.(resource);
      const { values, members } = await changeOf(resource, row.gid!);
      const made = await this.provisioning.changeGroup(sourceOf(call.client), row, values, members);
      return unlessRefused(made, taken);
    });
    for (const { uid } of changed) this.directory.changed(uid);
  }

  /** User ids of members in a request. @throws ScimFailed invalidValue if the client did not make one of them */
  private async membersOf({ client }: ScimCall, members: readonly string[]): Promise<string[]> {
    const ids = [...new Set(members)];
    const rows = ids.length === 0 ? [] : await this.resources.ofIds(client.id, 'User', ids);
    if (rows.length < ids.length) throw new ScimFailed(400, 'A member is not known', 'invalidValue');
    return rows.map(({ uid }) => uid!);
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
    const members = inOrder(await this.ownMembers(client.id, row.gid!));
    const content = {
      schemas: [GROUP_SCHEMA],
      id: row.id,
      ...(row.externalId === null ? {} : { externalId: row.externalId }),
      displayName: row.name,
      ...(members.length === 0
        ? {}
        : {
            members: members.map(({ id, name }) => ({
              value: id,
              $ref: `${base}/Users/${id}`,
              type: 'User',
              display: name,
            })),
          }),
    };
    return withMeta(content, row, statesOf(members), base);
  }
}

function without(ids: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return ids.filter((id) => !known.has(id));
}

const taken = (): ScimFailed => new ScimFailed(409, 'There is a group of this name already', 'uniqueness');
