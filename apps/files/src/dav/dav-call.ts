import type { FastifyRequest } from 'fastify';
import { readBody, RequestRefused, type Config } from '#platform';
import {
  DavFailure,
  isSameTree,
  parseDestination,
  type DavTree,
  type NodePath,
  type PropertyView,
  type StateConditions,
  type TreeView,
} from '#storage';
import type { SharedAccess } from './shared-access';

/** Maximum size of XML bodies in bytes, because parsing blocks the event loop. */
const MAX_XML_BYTES = 64 * 1024;

/** An admitted WebDAV request: the account, the request and its address. */
export interface DavCall {
  readonly view: TreeView;
  readonly tree: DavTree;
  /** Percent-encoded start of the tree's addresses. */
  readonly base: string;
  /** Path in the tree of `view`. */
  readonly path: NodePath;
  /** Account of the caller; undefined for the holder of a share's secret. */
  readonly uid: string | undefined;
  /** Access with a share's secret. */
  readonly shared: SharedAccess | undefined;
  /** Conditions of the If header. */
  readonly state?: StateConditions;
}

const CALL = Symbol('WebDAV call');
type Admitted = FastifyRequest & { [CALL]?: DavCall };

const DIRECTORY = Symbol('names of an address above the trees');
type AtDirectory = FastifyRequest & { [DIRECTORY]?: readonly string[] };

/** Notes that a request is for an address above the trees. */
export function noteDirectory(request: FastifyRequest, names: readonly string[]): void {
  (request as AtDirectory)[DIRECTORY] = names;
}

/** The segments behind `/remote.php/dav` of an address above the trees; undefined in a tree. Only to be called behind DavAccessGuard. */
export function directoryOf(request: FastifyRequest): readonly string[] | undefined {
  return (request as AtDirectory)[DIRECTORY];
}

export function noteCall(request: FastifyRequest, call: DavCall): void {
  (request as Admitted)[CALL] = call;
}

/** The parsed request; only to be called behind DavAccessGuard. */
export function callOf(request: FastifyRequest): DavCall {
  const call = (request as Admitted)[CALL];
  if (!call) throw new Error('callOf was asked on a route without DavAccessGuard');
  return call;
}

/** Whether an address belongs to the tree of this user. */
export function isOwnTree(tree: DavTree, uid: string): boolean {
  // User ids are unique regardless of case.
  return tree.of === 'caller' || (tree.of === 'user' && tree.uid.toLowerCase() === uid.toLowerCase());
}

/** Whether an address belongs to the tree of a call. */
export function isWithinTree(to: DavTree, { uid, tree }: Pick<DavCall, 'uid' | 'tree'>): boolean {
  return uid !== undefined ? isOwnTree(to, uid) : isSameTree(to, tree);
}

/** A call that changes the tree. @throws DavFailure in an upload-only link, before anything is looked up */
export function changeOf(request: FastifyRequest): DavCall {
  const call = callOf(request);
  if (call.shared?.isDrop) throw new DavFailure('forbidden', 'Files can be uploaded here, and nothing else');
  return call;
}

/** Start of the addresses in the tree of a failed request; the caller's own tree if it has none. */
export function baseOf(request: FastifyRequest): string {
  return (request as Admitted)[CALL]?.base ?? '/remote.php/webdav';
}

/** Destination of a move or copy; only within the same tree. @throws DavFailure */
export function readDestination(request: FastifyRequest): NodePath {
  const to = parseDestination(headerOf(request, 'destination'));
  if (!isWithinTree(to.tree, callOf(request)))
    throw new DavFailure('not-found', 'The destination lies in another tree');
  return to.path;
}

/** The reader of properties, and the base of the addresses in them. */
export function propertyViewOf(
  request: FastifyRequest,
  { uid, base, shared }: Pick<DavCall, 'uid' | 'base' | 'shared'>,
  { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>,
): PropertyView {
  const publicUrl = publicUrlOf(request, { PUBLIC_URL });
  return { uid, base, publicUrl, link: shared?.linkProperties, shareId: shared?.view.shareId };
}

export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The body of a request that carries XML. @throws DavFailure `body-too-large` */
export async function readXmlBody(request: FastifyRequest): Promise<string> {
  try {
    return (await readBody(request, MAX_XML_BYTES)).toString('utf8');
  } catch (error) {
    throw error instanceof RequestRefused ? tooLarge() : error;
  }
}

const tooLarge = (): DavFailure =>
  new DavFailure('body-too-large', `The request body may have ${MAX_XML_BYTES} bytes at most`);

/** The address with which the caller reaches this instance, without a trailing slash. */
export function publicUrlOf(
  { protocol, host }: FastifyRequest,
  { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>,
): string {
  return PUBLIC_URL ?? `${protocol}://${host}`;
}
