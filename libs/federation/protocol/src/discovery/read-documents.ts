import { FederationRefused } from '../wire/federation-refusal';
import { OWN_WINDOW } from '../webapps/own-window';
import { LIMITS, WireFields } from '../wire/wire-fields';

const NODE_KINDS = ['file', 'folder'] as const;
type NodeKind = (typeof NODE_KINDS)[number];

/** Forms of content addresses that a server can read. */
export type WebdavReceive = 'absolute' | 'relative';

/** Description of a partner in OCM terms. */
export interface OcmDocument {
  readonly enabled: boolean;
  readonly apiVersion: string;
  /** Address as announced; not yet checked to belong to the partner. */
  readonly endPoint: string;
  readonly provider: string;
  /** Names in `resourceTypes`; null if the document has only ownCloud's `shareTypes`. */
  readonly resourceTypes: readonly string[] | null;
  /** Kinds of recipients for which it takes offers of files, in its words. */
  readonly shareTypes: readonly string[];
  /** Path or address of WebDAV; null if it is not named. */
  readonly webdav: string | null;
  /** `webdav-receive` of files; null if it is not named. */
  readonly webdavReceive: WebdavReceive | null;
  /** Kinds of files for which it opens web applications in a window. */
  readonly opensWebapps: readonly NodeKind[];
  /** Words as announced. A leading slash is the older spelling. */
  readonly capabilities: readonly string[];
  readonly criteria: readonly string[];
  readonly tokenEndPoint: string | null;
  /** Page on which its people accept invitations, as announced; null for none. */
  readonly inviteAcceptDialog: string | null;
  /** The partner's public key as announced; readers parse it themselves. */
  readonly publicKey: unknown;
  /** Address of its other keys, as announced; null for none. */
  readonly jwksUri: string | null;
}

/** Content of `/ocs-provider/`. */
export interface OcsDocument {
  readonly share: string;
  readonly webdav: string;
}

const MAX_VERSION = 32;

/** Maximum length of a discovery document, in characters. Nextcloud with several apps stays below 8,000. */
export const MAX_DISCOVERY_LENGTH = 256 * 1024;

/**
 * Reads a discovery document of any product and version in federation-facts 2; unknown members are
 * ignored.
 * @returns undefined for anything else: a page, an error, another service's JSON
 */
export function readOcmDocument(value: unknown): OcmDocument | undefined {
  return tolerant(() => {
    const fields = new WireFields(value);
    const [apiVersion, endPoint] = [
      fields.text('apiVersion', MAX_VERSION),
      fields.text('endPoint', LIMITS.uri),
    ];
    // A server with sharing turned off may leave out everything else.
    if (fields.has('enabled') && !isEnabled(value)) return disabled(apiVersion ?? '');
    if (apiVersion === undefined || endPoint === undefined) return undefined;
    const resources = [...fields.list('resourceTypes'), ...fields.list('shareTypes')];
    return {
      enabled: true,
      apiVersion,
      endPoint,
      provider: fields.shown('provider', LIMITS.displayName),
      resourceTypes: fields.has('resourceTypes')
        ? fields.list('resourceTypes').map((entry) => entry.shown('name', LIMITS.word))
        : null,
      shareTypes: shareTypesOf(resources),
      webdav: webdavOf(resources),
      webdavReceive: webdavReceiveOf(resources),
      opensWebapps: NODE_KINDS.filter((kind) => opensWebapp(resources, kind)),
      capabilities: fields.words('capabilities'),
      criteria: fields.words('criteria'),
      tokenEndPoint: fields.text('tokenEndPoint', LIMITS.uri) ?? null,
      inviteAcceptDialog: fields.shown('inviteAcceptDialog', LIMITS.uri) || null,
      publicKey: (value as { publicKey?: unknown }).publicKey,
      jwksUri: fields.shown('jwksUri', LIMITS.uri) || null,
    };
  });
}

/** Reads `/ocs-provider/`; undefined if it does not name federated sharing. */
export function readOcsDocument(value: unknown): OcsDocument | undefined {
  return tolerant(() => {
    const service = new WireFields(value).object('services').object('FEDERATED_SHARING');
    const share = service.object('endpoints').text('share', LIMITS.uri);
    const webdav = service.object('endpoints').text('webdav', LIMITS.uri) ?? '/public.php/webdav/';
    return share === undefined ? undefined : { share, webdav };
  });
}

function isEnabled(value: unknown): boolean {
  return (value as { enabled: unknown }).enabled === true;
}

function disabled(apiVersion: string): OcmDocument {
  return {
    enabled: false,
    apiVersion,
    endPoint: '',
    provider: '',
    resourceTypes: null,
    shareTypes: [],
    webdav: null,
    webdavReceive: null,
    opensWebapps: [],
    capabilities: [],
    criteria: [],
    tokenEndPoint: null,
    inviteAcceptDialog: null,
    publicKey: undefined,
    jwksUri: null,
  };
}

/** The entry for files, otherwise the first entry with a path. */
function webdavOf(resources: readonly WireFields[]): string | null {
  const paths = resources.map((entry) => ({
    name: entry.shown('name', LIMITS.word),
    // Newer specifications have objects beside the paths.
    webdav: entry.object('protocols').shown('webdav', LIMITS.uri) || undefined,
  }));
  const named = paths.filter((entry) => entry.webdav !== undefined);
  return (named.find((entry) => entry.name === 'file') ?? named[0])?.webdav ?? null;
}

function shareTypesOf(resources: readonly WireFields[]): readonly string[] {
  const files = resources.find((entry) => entry.shown('name', LIMITS.word) === 'file');
  return files?.words('shareTypes') ?? [];
}

function webdavReceiveOf(resources: readonly WireFields[]): WebdavReceive | null {
  const files = resources.find((entry) => entry.shown('name', LIMITS.word) === 'file');
  const uri = files?.object('protocols').object('webdav-receive').shown('uri', LIMITS.word);
  return uri === 'absolute' || uri === 'relative' ? uri : null;
}

function opensWebapp(resources: readonly WireFields[], kind: NodeKind): boolean {
  const entries = resources.filter((entry) => entry.shown('name', LIMITS.word) === kind);
  return entries.some((entry) =>
    entry.object('protocols').object('webapp-receive').words('targets').includes(OWN_WINDOW),
  );
}

/** A member with an invalid value makes the document useless, but does not make the reader fail. */
function tolerant<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof FederationRefused) return undefined;
    throw error;
  }
}
