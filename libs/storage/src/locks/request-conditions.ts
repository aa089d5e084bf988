import type { Database } from '#persistence';
import { visibleAt } from '../tree/admission';
import type { NodePath } from '../tree/node-path';
import type { ReceivedShares } from '../tree/received-shares';
import type { Place } from '../tree/place';
import { placeOf, type TreeView } from '../tree/tree-view';
import { badRequest, DavFailure } from '../webdav/dav-failure';
import { holds, wantedEtags, type ResourceState, type StateList } from '../webdav/if-header';
import { tokenAddress } from './lock-token';

/** Each costs a statement. */
const MAX_RESOURCES = 20;

/** A request with an If header. */
export interface ConditionalRequest {
  readonly path: NodePath;
  /** Where it moves or copies to. */
  readonly destination: NodePath | undefined;
  /** Whether it changes something. */
  readonly isChange: boolean;
  /** Where the address in a list leads in the same tree; undefined: elsewhere. */
  readonly pathOf: (resource: string) => NodePath | undefined;
}

/** The conditions of a request, to be asked again when what stands at its path is about to change. */
export interface StateConditions {
  readonly namesEtags: boolean;
  /** @param etag of the node that stands there then; undefined for nothing */
  readonly stillHold: (etag: string | undefined) => boolean;
}

const NOTHING: ResourceState = { etag: undefined, tokens: new Set() };

/** Compares If headers with etags and locks. */
export class RequestConditions {
  constructor(
    private readonly database: Database,
    private readonly received: ReceivedShares,
  ) {}

  /**
   * A list without an address is about the path of the request; its lock tokens may be of any lock that the change meets,
   * since clients submit those of the destination, of the folder and of entries below so.
   * @throws DavFailure `precondition-failed`; Locked where the change would be refused anyhow; TreeFailure
   */
  async judge(
    view: TreeView,
    lists: readonly StateList[],
    request: ConditionalRequest,
  ): Promise<StateConditions> {
    const { path, destination, isChange, pathOf } = request;
    const asked = lists.flatMap(({ resource }) => (resource === undefined ? [] : (pathOf(resource) ?? [])));
    const touched = [path, ...(destination === undefined ? [] : [destination])];
    const places = await this.placesOf(view, [...new Set([...touched, ...asked])]);
    const stateOf = (resource: string | undefined, etag: string | undefined): ResourceState => {
      const own = resource === undefined ? path : pathOf(resource);
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

  private async placesOf(view: TreeView, paths: readonly NodePath[]): Promise<Map<NodePath, Place>> {
    if (paths.length > MAX_RESOURCES)
      throw badRequest(`An If header names ${MAX_RESOURCES} resources at most`);
    await this.received.placeFor(view);
    const places = new Map<NodePath, Place>();
    for (const path of paths) places.set(path, await placeOf(this.database, view, path));
    return places;
  }
}

/** Whether the failure is about locks of ours: then it is told that there are others. */
const submitsTokens = ({ lockTokens = [] }: TreeView): boolean => lockTokens.length > 0;

const admitAny = ({ node, locks }: Place): void => locks.admit(node ? 'content' : 'new');
