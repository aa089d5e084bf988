import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import {
  ExternalIdentityRepository,
  ScimProvisioning,
  ScimResourceRepository,
  type LiveScimClient,
  type ScimResourceRow,
} from '#persistence';
import { AccountEnds } from '../account-end/account-ends';
import type { Account } from '../account';
import { AccountDirectory } from '../account-directory';
import { parseDisplayName, parseEmail, parseUserId } from '../account-rules';
import { SourceAccounts } from '../directories/source-accounts';
import { unknownPassword } from '../password-hasher';
import { ScimFailed } from './scim-failed';
import { parseUser, type ScimUserInput } from './scim-input';
import { isId, ScimLists, type ScimList } from './scim-lists';
import { patched } from './scim-patch';
import { refusedAsScim } from './scim-refusals';
import type { ScimQuery } from './scim-query';
import { USER_SCHEMA } from './scim-schemas';
import { sourceOf } from './scim-source';
import { untilNotOvertaken, withMeta, type Precondition } from './scim-version';

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
    private readonly sources: SourceAccounts,
    private readonly ends: AccountEnds,
    private readonly identities: ExternalIdentityRepository,
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
      return this.provisioning.createAccount(account, source, source.manages, resource);
    });
    if (made === undefined) throw taken();
    const row = await this.find(call, made);
    this.directory.changed(row.uid!);
    if (input.active === false) await this.sources.disable(source, row.id);
    return this.rendered(call, row);
  }

  async replace(call: ScimCall, id: string, body: unknown, precondition?: Precondition): Promise<Resource> {
    return this.change(call, id, () => parseUser(body), precondition);
  }

  async patch(call: ScimCall, id: string, body: unknown, precondition?: Precondition): Promise<Resource> {
    const changesOf = ({ active: _, ...known }: Resource): Partial<ScimUserInput> =>
      changed(parseUser(known), parseUser(patched('User', known, body)));
    return this.change(call, id, changesOf, precondition);
  }

  /** Ends the account after its grace period; the client no longer sees it. */
  async remove(call: ScimCall, id: string, precondition?: Precondition): Promise<void> {
    const { uid } = await this.claim(call, id, () => ({}), precondition);
    await refusedAsScim(() => this.ends.requestBy(sourceOf(call.client), uid!));
    await this.resources.end(id);
  }

  /** An end that somebody else requested stays, and one that an operator undid is no obstacle. */
  private async takeUp(call: ScimCall, ended: ScimResourceRow, input: ScimUserInput): Promise<Resource> {
    const source = sourceOf(call.client);
    if (!(await refusedAsScim(() => this.ends.undoBy(source, ended.uid!))))
      throw new ScimFailed(409, 'Somebody else asked for the end of this account, or it has begun');
    await this.identities.notePlace(source, ended.id, { goneAt: null });
    if (!(await this.resources.revive(ended.id))) throw taken();
    return this.change(call, ended.id, () => ({ ...input, active: input.active ?? true }));
  }

  /** Changes the account of a resource. Values that are undefined stay. */
  private async change(
    call: ScimCall,
    id: string,
    changesOf: (resource: Resource) => Partial<ScimUserInput>,
    precondition?: Precondition,
  ): Promise<Resource> {
    const { name, displayName, email, active } = await this.claim(call, id, changesOf, precondition);
    const source = sourceOf(call.client);
    await refusedAsScim(() => this.sources.keep(source, { subject: id, name, displayName, email }));
    if (active === true) await this.sources.enable(source, id);
    if (active === false) await this.sources.disable(source, id);
    return this.read(call, id);
  }

  /** Begins a change, whose values follow from the resource: those of the resource are written. */
  private claim(
    call: ScimCall,
    id: string,
    changesOf: (resource: Resource) => Partial<ScimUserInput>,
    precondition?: Precondition,
  ): Promise<Partial<ScimUserInput> & Pick<ScimResourceRow, 'uid' | 'name'>> {
    return untilNotOvertaken(async () => {
      const row = await this.find(call, id);
      const resource = await this.rendered(call, row);
      precondition?.(resource);
      const changes = changesOf(resource);
      const { userName: name, externalId, personName } = changes;
      const made = await this.resources.update(id, { name, externalId, personName }, row.revision);
      if (made === 'taken') throw taken();
      return made === 'overtaken' ? made : { ...changes, uid: row.uid, name: name ?? row.name };
    });
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
      return account ? [withMeta(contentOf(row, account, groups, base), row, base)] : [];
    });
  }
}

function contentOf(
  { id, externalId, name, personName }: ScimResourceRow,
  { displayName, enabled, email, groups }: Account,
  known: readonly ScimResourceRow[],
  base: string,
): Resource {
  const own = known.filter(({ gid }) => groups.includes(gid!));
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(externalId === null ? {} : { externalId }),
    userName: name,
    displayName,
    ...(personName ? { name: personName } : {}),
    active: enabled,
    ...(email === null ? {} : { emails: [{ value: email, type: 'work', primary: true }] }),
    ...(own.length === 0
      ? {}
      : {
          groups: own.map((group) => ({
            value: group.id,
            $ref: `${base}/Groups/${group.id}`,
            display: group.name,
            type: 'direct',
          })),
        }),
  };
}

/** The values that a PATCH changes. Other calls may change the others at the same time, so they are not written. */
function changed(before: ScimUserInput, after: ScimUserInput): Partial<ScimUserInput> {
  const names = Object.keys(after) as (keyof ScimUserInput)[];
  return Object.fromEntries(
    names.filter((name) => !isDeepStrictEqual(before[name], after[name])).map((name) => [name, after[name]]),
  );
}

const taken = (): ScimFailed => new ScimFailed(409, 'There is an account of this name already', 'uniqueness');
