import { createHash } from 'node:crypto';
import type { ScimResourceRow } from '#persistence';

type Json = Readonly<Record<string, unknown>>;

/** Stored values of which a resource is made, besides those that only its client changes. A change of one makes a new version. */
export type ScimState = readonly (string | boolean | null)[];

/**
 * The resource with its meta. Its version follows from stored values and from the number of its client's changes, not from the content as
 * it is written: another version of the program, or another address, may write the same resource in another way.
 */
export function withMeta(
  content: Json,
  { kind, id, createdAt, changedAt, revision }: ScimResourceRow,
  state: ScimState,
  base: string,
): Json {
  const digest = createHash('sha256')
    .update(JSON.stringify([revision, ...state]))
    .digest('base64url')
    .slice(0, 22);
  return {
    ...content,
    meta: {
      resourceType: kind,
      created: createdAt.toISOString(),
      lastModified: changedAt.toISOString(),
      location: `${base}/${kind}s/${id}`,
      version: `W/"${digest}"`,
    },
  };
}

/** Resources in the order of creation, in which others name them. */
export const inOrder = (rows: readonly ScimResourceRow[]): ScimResourceRow[] =>
  rows.toSorted((one, other) => one.seq - other.seq);

/** The values of resources that another one shows. */
export const statesOf = (rows: readonly ScimResourceRow[]): ScimState =>
  rows.flatMap(({ id, name }) => [id, name]);

/** Throws if the resource is not in the state that the client knows. */
export type Precondition = (resource: Json) => void;

/** Repeats `attempt`, which reads the resource and looks at the precondition, while other changes come first. */
export async function untilNotOvertaken<T>(attempt: () => Promise<T | 'overtaken'>): Promise<T> {
  for (;;) {
    const result = await attempt();
    if (result !== 'overtaken') return result;
  }
}

/** Version of a resource, as its ETag. */
export const versionOf = (resource: Json): string => (resource.meta as { version: string }).version;
