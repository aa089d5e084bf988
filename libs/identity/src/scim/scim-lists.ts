import { ScimResourceRepository, type ScimKind, type ScimResourceRow } from '#persistence';
import { ScimFailed } from './scim-failed';
import { lookupOf, matches } from './scim-filter';
import type { ScimQuery } from './scim-query';
import { LIST_SCHEMA } from './scim-schemas';

/** Maximum number of resources that are read for a filter without an index. */
const MOST_LOOKED_AT = 20_000;
const AT_ONCE = 500;

type Resource = Readonly<Record<string, unknown>>;
type Render = (rows: readonly ScimResourceRow[]) => Promise<Resource[]>;

/** The answer to a query (RFC 7644, section 3.4.2). */
export interface ScimList {
  readonly schemas: readonly string[];
  readonly totalResults: number;
  readonly startIndex: number;
  readonly itemsPerPage: number;
  readonly Resources: readonly Resource[];
}

/** Pages of a client's resources. */
export class ScimLists {
  constructor(private readonly resources: ScimResourceRepository) {}

  /** @throws ScimFailed 400 tooMany */
  async list(clientId: number, kind: ScimKind, query: ScimQuery, render: Render): Promise<ScimList> {
    const { filter, startIndex, count } = query;
    if (filter === undefined) {
      const total = await this.resources.count(clientId, kind);
      const rows = count === 0 ? [] : await this.resources.page(clientId, kind, startIndex - 1, count);
      return scimListOf(total, startIndex, await render(rows));
    }
    const found = await this.found(clientId, kind, query, render);
    return scimListOf(found.length, startIndex, found.slice(startIndex - 1, startIndex - 1 + count));
  }

  /** All resources that a filter matches. */
  private async found(
    clientId: number,
    kind: ScimKind,
    { filter }: ScimQuery,
    render: Render,
  ): Promise<Resource[]> {
    const named = await this.named(clientId, kind, lookupOf(filter!));
    const meant = async (rows: readonly ScimResourceRow[]): Promise<Resource[]> =>
      (await render(rows)).filter((resource) => matches(filter!, resource));
    if (named) return meant(named);
    if ((await this.resources.count(clientId, kind)) > MOST_LOOKED_AT)
      throw new ScimFailed(400, 'Filter by userName, displayName, externalId or id', 'tooMany');
    const found: Resource[] = [];
    for (let rows = await this.resources.following(clientId, kind, 0, AT_ONCE); rows.length > 0;) {
      found.push(...(await meant(rows)));
      rows = await this.resources.following(clientId, kind, rows.at(-1)!.seq, AT_ONCE);
    }
    return found;
  }

  /** Rows that an index finds; undefined if there is no index for the filter. */
  private async named(
    clientId: number,
    kind: ScimKind,
    lookup: ReturnType<typeof lookupOf>,
  ): Promise<ScimResourceRow[] | undefined> {
    if (!lookup) return undefined;
    const { attribute, value } = lookup;
    if (attribute === (kind === 'User' ? 'username' : 'displayname'))
      return this.resources.named(clientId, kind, value);
    if (attribute === 'externalid') return this.resources.known(clientId, kind, value);
    if (attribute === 'id') return isId(value) ? this.resources.ofIds(clientId, kind, [value]) : [];
    return undefined;
  }
}

/** Whether a text has the form of a resource id. */
export const isId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);

/** A part of a list. */
export const scimListOf = (
  totalResults: number,
  startIndex: number,
  resources: readonly Resource[],
): ScimList => ({
  schemas: [LIST_SCHEMA],
  ...{ totalResults, startIndex, itemsPerPage: resources.length, Resources: resources },
});
