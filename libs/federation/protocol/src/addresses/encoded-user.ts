import type { HostAndPath } from './host-and-path';

const ENCODED = /^[A-Za-z0-9+/_-]{8,}={0,2}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** An id, and the identity provider that issued it. */
const PLAIN = /^([^@\p{Cc}]+)@(?:https?:\/\/)?([^/@\s]+)\/?$/u;

/**
 * The account in a user id of OpenCloud, which is base64url of `id@https://idp`. It is the id, if the identity provider is the
 * server itself or the id is a UUID.
 * @returns undefined for every other user id
 */
export function accountInUserId(user: string, { host, port }: HostAndPath): string | undefined {
  if (!ENCODED.test(user)) return undefined;
  const [, id, provider] = PLAIN.exec(Buffer.from(user, 'base64').toString('utf8')) ?? [];
  if (id === undefined || provider === undefined) return undefined;
  const own = port === null ? host : `${host}:${port}`;
  return provider.toLowerCase() === own || isUuid(id) ? id : undefined;
}

/** Users do not choose UUIDs as names for themselves. */
export const isUuid = (id: string): boolean => UUID.test(id);
