import type { Database } from '#persistence';
import { visibleAt } from '../tree/admission';
import type { NodePath } from '../tree/node-path';
import type { ReceivedShares } from '../tree/received-shares';
import type { Place } from '../tree/place';
import { storedSpelling } from '../tree/stored-spelling';
import { placeOf, type TreeView } from '../tree/tree-view';
import { badRequest, DavFailure } from '../webdav/dav-failure';
import { holds, wantedEtags, type ResourceState, type StateList } from '../webdav/if-header';
import { tokenAddress } from './lock-token';

/** Each resource costs a statement. */
const MAX_RESOURCES = 20;

/** A request with an If header. */
export interface ConditionalRequest {
  readonly path: NodePath;
  /** Destination of a move or copy. */
  readonly destination: NodePath | undefined;
  /** Whether the request changes something. */
  readonly isChange: boolean;
  /** Path in the same tree of an address in a list; undefined for an address elsewhere. */
  readonly pathOf: (resource: string) => NodePath | undefined;
}

/** The conditions of a request, which have to be checked again just before the node at its path changes. */
export interface StateConditions {
  readonly namesEtags: boolean;
  /** @param etag of the node at that time; undefined for no node */
  readonly stillHold: (etag: string | undefined) => boolean;
}

const NOTHING: ResourceState = { etag: undefined, tokens: new Set() };

/** Checks If headers against etags and locks. */
export class RequestConditions {
  constructor(
    private readonly database: Database,
    private readonly received: ReceivedShares,
  ) {}

  /**
   * A list without an address is about the path of the request. Its lock tokens may belong to any lock that the change affects:
   * clients also send those of the destination, of the folder and of entries below in this way.
   * @throws DavFailure `precondition-failed`; Locked if the change would be refused anyway; TreeFailure
   */
  async judge(
    view: TreeView,
    lists: readonly StateList[],
    request: ConditionalRequest,
  ): Promise<StateConditions> {
    const { path, destination, isChange } = request;
    await this.received.placeFor(view);
    const spell = (asked: NodePath): Promise<NodePath> => storedSpelling(this.database, view, asked);
    const touched = [path, ...(destination === undefined ? [] : [await spell(destination)])];
    const named = new Map<string, NodePath>();
    for (const [resource, asked] of namedPaths(lists, request)) named.set(resource, await spell(asked));
    const places = await this.placesOf(view, new Set([...touched, ...named.values()]));
    const stateOf = (resource: string | undefined, etag: string | undefined): ResourceState => {
      const own = resource === undefined ? path : named.get(resource);
      if (own === undefined) return NOTHING;
      const tokens =
        resource === undefined
          ? touched.flatMap((each) => places.get(each)!.locks.tokensAround)
          : places.get(own)!.locks.covering.map((lock) => lock.token);
      return {
        etag: own === path ? etag : visibleAt(own, places.get(own)!)?.etag,
        tokens: new Set(tokens.map(tokenAddress)),
      };
    };
    const stillHold = (etag: string | undefined): boolean =>
      holds(lists, (resource) => stateOf(resource, etag));
    if (!stillHold(visibleAt(path, places.get(path)!)?.etag)) {
      if (isChange && submitsTokens(view)) for (const each of touched) admitAny(places.get(each)!);
      throw new DavFailure('precondition-failed', 'The If header does not hold');
    }
    return { namesEtags: wantedEtags(lists).length > 0, stillHold };
  }

  private async placesOf(view: TreeView, paths: ReadonlySet<NodePath>): Promise<Map<NodePath, Place>> {
    const places = new Map<NodePath, Place>();
    for (const path of paths) places.set(path, await placeOf(this.database, view, path));
    return places;
  }
}

/** Paths of the addresses in the lists. @throws DavFailure `bad-request` for too many */
function namedPaths(
  lists: readonly StateList[],
  { pathOf }: ConditionalRequest,
): ReadonlyMap<string, NodePath> {
  const named = new Map<string, NodePath>();
  for (const { resource } of lists) {
    const path = resource === undefined ? undefined : pathOf(resource);
    if (resource !== undefined && path !== undefined) named.set(resource, path);
  }
  if (new Set(named.values()).size > MAX_RESOURCES)
    throw badRequest(`An If header names ${MAX_RESOURCES} resources at most`);
  return named;
}

/** Whether the failure is about locks of ours: then the answer says that there are other locks. */
const submitsTokens = ({ lockTokens = [] }: TreeView): boolean => lockTokens.length > 0;

const admitAny = ({ node, locks }: Place): void => locks.admit(node ? 'content' : 'new');
