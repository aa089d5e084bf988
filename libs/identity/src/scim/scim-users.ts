import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import {
  ScimProvisioning,
  ScimResourceRepository,
  type LiveScimClient,
  type ScimAccountChange,
  type ScimRefusal,
  type ScimResourceRow,
} from '#persistence';
import type { Account } from '../account';
import { AccountDirectory } from '../account-directory';
import { parseDisplayName, parseEmail, parseUserId } from '../account-rules';
import { unknownPassword } from '../password-hasher';
import { ScimFailed } from './scim-failed';
import { parseUser, type ScimUserInput } from './scim-input';
import { isId, ScimLists, type ScimList } from './scim-lists';
import { patched } from './scim-patch';
import { refusedAsScim, unlessRefused } from './scim-refusals';
import type { ScimQuery } from './scim-query';
import { USER_SCHEMA } from './scim-schemas';
import { sourceOf } from './scim-source';
import { inOrder, statesOf, untilNotOvertaken, withMeta, type Precondition } from './scim-version';

type Resource = Readonly<Record<string, unknown>>;

/** A client's request: the client and the address of the service. */
export interface ScimCall {
  readonly client: LiveScimClient;
  readonly base: string;
}

/** Accounts of SCIM clients. Each client sees the accounts that it made. Throws ScimFailed. */
@Injectable()
export class ScimUsers {
  private readonly lists: ScimLists;

  constructor(
    private readonly resources: ScimResourceRepository,
    private readonly provisioning: ScimProvisioning,
    private readonly directory: AccountDirectory,
  ) {
    this.lists = new ScimLists(resources);
  }

  list(call: ScimCall, query: ScimQuery): Promise<ScimList> {
    return this.lists.list(call.client.id, 'User', query, (rows) => this.render(call, rows));
  }

  async read(call: ScimCall, id: string): Promise<Resource> {
    return this.rendered(call, await this.find(call, id));
  }

  /** An account that this client deleted is restored if its grace period has not ended. */
  async create(call: ScimCall, body: unknown): Promise<Resource> {
    const input = parseUser(body);
    const ended = await this.resources.ended(call.client.id, 'User', input.userName);
    if (ended) return this.takeUp(call, ended, input);
    const { userName, externalId, personName } = input;
    const source = sourceOf(call.client);
    const made = await refusedAsScim(async () => {
      const uid = parseUserId(userName);
      const displayName = parseDisplayName(input.displayName, uid);
      const email = parseEmail(input.email);
      const account = { uid, displayName, email, passwordHash: unknownPassword(), groups: [] };
      const clientId = call.client.id;
      const resource = {
        clientId,
        kind: 'User',
        name: userName,
        externalId,
        uid,
        gid: null,
        personName,
      } as const;
      return this.provisioning.createAccount(account, source, resource, input.active ?? true);
    });
    if (made === undefined) throw taken();
    const row = await this.find(call, made);
    this.directory.changed(row.uid!);
    return this.rendered(call, row);
  }

  async replace(call: ScimCall, id: string, body: unknown, precondition?: Precondition): Promise<Resource> {
    await this.change(call, id, () => parseUser(body), precondition);
    return this.read(call, id);
  }

  async patch(call: ScimCall, id: string, body: unknown, precondition?: Precondition): Promise<Resource> {
    const changesOf = ({ active: _, ...known }: Resource): Partial<ScimUserInput> =>
      changed(parseUser(known), parseUser(patched('User', known, body)));
    await this.change(call, id, changesOf, precondition);
    return this.read(call, id);
  }

  /** Ends the account after its grace period; the client no longer sees it. */
  async remove(call: ScimCall, id: string, precondition?: Precondition): Promise<void> {
    const end = (row: ScimResourceRow) => this.provisioning.endAccount(sourceOf(call.client), row);
    await this.step(call, id, end, precondition);
  }

  private async takeUp(call: ScimCall, ended: ScimResourceRow, input: ScimUserInput): Promise<Resource> {
    const change = await valuesOf({ ...input, active: input.active ?? true }, ended.uid!);
    const made = await this.provisioning.restoreAccount(sourceOf(call.client), ended, change);
    if (unlessRefused(made, taken) === 'overtaken') throw taken();
    this.directory.changed(ended.uid!);
    return this.read(call, ended.id);
  }

  /** Changes the account of a resource and the resource together. Values that are undefined stay. */
  private async change(
    call: ScimCall,
    id: string,
    changesOf: (resource: Resource) => Partial<ScimUserInput>,
    precondition?: Precondition,
  ): Promise<void> {
    const change = async (row: ScimResourceRow, resource: Resource) => {
      const values = await valuesOf(changesOf(resource), row.uid!);
      return this.provisioning.changeAccount(sourceOf(call.client), row, values);
    };
    await this.step(call, id, change, precondition);
  }

  /** Makes one change of a resource in the state in which it is read, again if another change came first. */
  private async step(
    call: ScimCall,
    id: string,
    make: (row: ScimResourceRow, resource: Resource) => Promise<ScimRefusal | undefined>,
    precondition?: Precondition,
  ): Promise<void> {
    const uid = await untilNotOvertaken(async () => {
      const row = await this.find(call, id);
      // The account in memory can be older than the row.
      await this.directory.findAnew(row.uid!);
      const resource = await this.rendered(call, row);
      precondition?.(resource);
      return unlessRefused(await make(row, resource), taken) ?? row.uid!;
    });
    this.directory.changed(uid);
  }

  private async find({ client }: ScimCall, id: string): Promise<ScimResourceRow> {
    const row = isId(id) ? await this.resources.find(client.id, 'User', id) : undefined;
    if (!row) throw new ScimFailed(404, 'There is no such user');
    return row;
  }

  private async rendered(call: ScimCall, row: ScimResourceRow): Promise<Resource> {
    const [resource] = await this.render(call, [row]);
    if (!resource) throw new ScimFailed(404, 'There is no such user');
    return resource;
  }

  private async render({ client, base }: ScimCall, rows: readonly ScimResourceRow[]): Promise<Resource[]> {
    const accounts = await this.directory.findMany(rows.map(({ uid }) => uid!));
    const gids = new Set([...accounts.values()].flatMap(({ groups }) => groups));
    const groups = gids.size === 0 ? [] : await this.resources.ofGroups(client.id, [...gids]);
    return rows.flatMap((row) => {
      const account = accounts.get(row.uid!);
      if (!account) return [];
      const { displayName, enabled, email } = account;
      const own = inOrder(groups.filter(({ gid }) => account.groups.includes(gid!)));
      const state = [displayName, enabled, email, ...statesOf(own)];
      return [withMeta(contentOf(row, account, own, base), row, state, base)];
    });
  }
}

function contentOf(
  { id, externalId, name, personName }: ScimResourceRow,
  { displayName, enabled, email }: Account,
  groups: readonly ScimResourceRow[],
  base: string,
): Resource {
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(externalId === null ? {} : { externalId }),
    userName: name,
    displayName,
    ...(personName ? { name: personName } : {}),
    active: enabled,
    ...(email === null ? {} : { emails: [{ value: email, type: 'work', primary: true }] }),
    ...(groups.length === 0
      ? {}
      : {
          groups: groups.map((group) => ({
            value: group.id,
            $ref: `${base}/Groups/${group.id}`,
            display: group.name,
            type: 'direct',
          })),
        }),
  };
}

/** @throws ScimFailed for values that no account can have */
function valuesOf(input: Partial<ScimUserInput>, uid: string): Promise<ScimAccountChange> {
  const { userName: name, externalId, personName, displayName, email, active } = input;
  return refusedAsScim(() =>
    Promise.resolve({
      resource: { name, externalId, personName },
      account: {
        displayName: displayName === undefined ? undefined : parseDisplayName(displayName, uid),
        email: email === undefined ? undefined : parseEmail(email),
      },
      active,
    }),
  );
}

/** The values that a PATCH changes. Other calls may change the others at the same time, so they are not written. */
function changed(before: ScimUserInput, after: ScimUserInput): Partial<ScimUserInput> {
  const names = Object.keys(after) as (keyof ScimUserInput)[];
  return Object.fromEntries(
    names.filter((name) => !isDeepStrictEqual(before[name], after[name])).map((name) => [name, after[name]]),
  );
}

const taken = (): ScimFailed => new ScimFailed(409, 'There is an account of this name already', 'uniqueness');
