import { Injectable } from '@nestjs/common';
import {
  ScimProvisioning,
  ScimResourceRepository,
  type ScimResourceChange,
  type ScimResourceRow,
} from '#persistence';
import { parseGroupId } from '../account-rules';
import { SourceGroups } from '../directories/source-groups';
import { UserGroups } from '../user-groups';
import { ScimFailed } from './scim-failed';
import { parseGroup } from './scim-input';
import { isId, ScimLists, type ScimList } from './scim-lists';
import { patched } from './scim-patch';
import { refusedAsScim } from './scim-refusals';
import type { ScimQuery } from './scim-query';
import { GROUP_SCHEMA } from './scim-schemas';
import type { ScimCall } from './scim-users';
import { sourceOf } from './scim-source';
import { untilNotOvertaken, withMeta, type Precondition } from './scim-version';

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
    const members = await this.membersOf(call, input.members);
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
    await this.sources.setMembersOf(sourceOf(call.client), row.gid!, members);
    return this.read(call, made);
  }

  async replace(call: ScimCall, id: string, body: unknown, precondition?: Precondition): Promise<Resource> {
    const changesOf = async () => {
      const { displayName: name, externalId, members } = parseGroup(body);
      return { name, externalId, members: await this.membersOf(call, members) };
    };
    const { gid, members } = await this.claim(call, id, changesOf, precondition);
    await this.sources.setMembersOf(sourceOf(call.client), gid!, members);
    return this.read(call, id);
  }

  async patch(call: ScimCall, id: string, body: unknown, precondition?: Precondition): Promise<Resource> {
    const changesOf = (resource: Resource, gid: string) => this.changesOf(call, resource, gid, body);
    const { gid, joined, left } = await this.claim(call, id, changesOf, precondition);
    await this.sources.changeMembersOf(sourceOf(call.client), gid!, { joined, left });
    return this.read(call, id);
  }

  /** Removes the group and its received shares. */
  async remove(call: ScimCall, id: string, precondition?: Precondition): Promise<void> {
    await this.claim(call, id, () => Promise.resolve({}), precondition);
    await this.sources.remove(sourceOf(call.client), id);
  }

  /**
   * The changes of a PATCH. It changes the members that the client gives, whoever else gives the same ones. Other calls may change
   * other members at the same time, so the whole list is not written.
   */
  private async changesOf(call: ScimCall, resource: Resource, gid: string, body: unknown) {
    const given = await this.sources.membersOf(sourceOf(call.client), gid);
    const members = await this.resources.ofAccounts(call.client.id, given);
    const known = { ...resource, members: members.map(({ id }) => ({ value: id })) };
    const before = parseGroup(known);
    const after = parseGroup(patched('Group', known, body));
    const left = await this.resources.ofIds(call.client.id, 'User', without(before.members, after.members));
    return {
      name: after.displayName === before.displayName ? undefined : after.displayName,
      externalId: after.externalId === before.externalId ? undefined : after.externalId,
      joined: await this.membersOf(call, without(after.members, before.members)),
      left: left.map(({ uid }) => uid!),
    };
  }

  /** Begins a change: the values of the resource are written. With a precondition, no other change may have come first. */
  private claim<C extends Partial<ScimResourceChange>>(
    call: ScimCall,
    id: string,
    changesOf: (resource: Resource, gid: string) => Promise<C>,
    precondition?: Precondition,
  ): Promise<C & Pick<ScimResourceRow, 'gid'>> {
    return untilNotOvertaken(async () => {
      const row = await this.find(call, id);
      const resource = await this.rendered(call, row);
      precondition?.(resource);
      const changes = await changesOf(resource, row.gid!);
      const made = await this.resources.update(id, changes, precondition && row.revision);
      if (made === 'taken') throw taken();
      return made === 'overtaken' ? made : { ...changes, gid: row.gid };
    });
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

function without(ids: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return ids.filter((id) => !known.has(id));
}

const taken = (): ScimFailed => new ScimFailed(409, 'There is a group of this name already', 'uniqueness');
