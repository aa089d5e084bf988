import { createHash } from 'node:crypto';
import type { ScimResourceRow } from '#persistence';

type Json = Readonly<Record<string, unknown>>;

/** The resource with its meta. Its version follows from its content, whoever changed it. */
export function withMeta(
  content: Json,
  { kind, id, createdAt, changedAt }: ScimResourceRow,
  base: string,
): Json {
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
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

/** Version of a resource, as its ETag. */
export const versionOf = (resource: Json): string => (resource.meta as { version: string }).version;
