import { createHash } from 'node:crypto';
import type { ScimResourceRow } from '#persistence';

type Json = Readonly<Record<string, unknown>>;

/** The resource with its meta. Its version follows from its content, whoever changed it, and from its client's changes. */
export function withMeta(
  content: Json,
  { kind, id, createdAt, changedAt, revision }: ScimResourceRow,
  base: string,
): Json {
  const digest = createHash('sha256')
    .update(JSON.stringify([revision, content]))
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
