import { MUST_EXCHANGE } from '../access/token-demand';
import type { SecretText } from '../secret-text';
import { LIMITS, type WireFields } from '../wire/wire-fields';
import { OWN_WINDOW } from './own-window';

/** Words for the permissions of a recipient in a web application. Source: OCM 1.4. */
const WEBAPP_PERMISSIONS = ['view', 'read', 'write', 'share'] as const;
type WebappPermission = (typeof WEBAPP_PERMISSIONS)[number];

/** A web application at the sender's server that shows a share. */
export interface Webapp {
  /** Its page: absolute, without credentials and fragment. The host is checked when it is opened. */
  readonly uri: string;
  /** Has at least one entry. */
  readonly permissions: readonly WebappPermission[];
  /** Its name; empty for none. */
  readonly appName: string;
}

/** The application in an offer, with the secret whose access token opens it. */
export interface OfferedWebapp extends Webapp {
  readonly sharedSecret: SecretText;
  readonly requirements: readonly string[];
}

/**
 * Reads `protocol.webapp` of an offer.
 * @returns undefined if it cannot be opened here: the form of OCM before 1.4, which OpenCloud still adds to each offer, another
 * presentation than a window, no known permission, or no exchange of the secret
 * @throws FederationRefused for values that are too long or no texts
 */
export function readWebapp(fields: WireFields): OfferedWebapp | undefined {
  const uri = pageAddress(fields.text('uri', LIMITS.uri));
  const sharedSecret = fields.secret('sharedSecret');
  if (uri === undefined || sharedSecret === undefined) return undefined;
  const permissions = knownPermissions(fields.words('permissions'));
  const requirements = fields.allWords('requirements');
  const isUsable = fields.words('targets').includes(OWN_WINDOW) && permissions.length > 0;
  if (!isUsable || !requirements.includes(MUST_EXCHANGE)) return undefined;
  return {
    uri,
    permissions,
    appName: fields.shown('appName', LIMITS.displayName),
    sharedSecret,
    requirements,
  };
}

/** Member of a received share's access with its application. */
const WEBAPP = 'webapp';
/** Member of a received share's access that is false if it only has an application. */
const HAS_FILES = 'hasFiles';

type Access = Readonly<Record<string, unknown>>;

/** The stored form, as members of a received share's access. */
export const webappAccess = (
  webapp: Webapp | null,
  hasFiles: boolean,
): Readonly<Record<string, unknown>> => ({
  ...(webapp && {
    [WEBAPP]: { uri: webapp.uri, permissions: webapp.permissions, appName: webapp.appName },
  }),
  ...(!hasFiles && { [HAS_FILES]: false }),
});

/** The application of a received share; undefined for none. */
export function webappOf(access: Access): Webapp | undefined {
  const stored = access[WEBAPP];
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { uri, permissions, appName } = stored as Record<string, unknown>;
  const address = pageAddress(uri);
  if (address === undefined || !Array.isArray(permissions)) return undefined;
  return {
    uri: address,
    permissions: knownPermissions(permissions),
    appName: typeof appName === 'string' ? appName : '',
  };
}

/** Whether a received share has content by WebDAV. Otherwise it has no place in the recipient's tree. */
export const hasFiles = (access: Access): boolean => access[HAS_FILES] !== false;

const knownPermissions = (words: readonly unknown[]): WebappPermission[] =>
  WEBAPP_PERMISSIONS.filter((known) => words.includes(known));

function pageAddress(text: unknown): string | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) return undefined;
  return url.href;
}
