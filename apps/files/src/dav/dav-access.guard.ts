import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DownloadGuard, identityOf } from '#identity';
import { pathOfTarget } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import {
  DavFailure,
  NodeTree,
  parseDavBase,
  pathBelow,
  userView,
  type DavBase,
  type DavTree,
} from '#storage';
import { IfConditions, lockTokensOf } from './if-conditions';
import { headerOf, isOwnTree, noteCall, noteDirectory, type DavCall } from './dav-call';
import { refuseTokenAlone } from './signed-in.guard';
import type { SharedRequest } from './shared-access';
import { TokenAccess } from './token-access';

/** Methods at addresses without a tree: a search names its folder in the body. */
const DIRECTORY_METHODS: ReadonlySet<string> = new Set(['OPTIONS', 'PROPFIND', 'SEARCH']);

/** Decides to whose tree a request belongs, and whether the caller may use it: with their account, or with a share's secret. */
@Injectable()
export class DavAccessGuard implements CanActivate {
  constructor(
    private readonly accounts: DownloadGuard,
    private readonly tokenAccess: TokenAccess,
    private readonly policy: CachedPolicy,
    private readonly tree: NodeTree,
    private readonly conditions: IfConditions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    await this.admit(context, pathOfTarget(context.switchToHttp().getRequest<FastifyRequest>().url));
    return true;
  }

  /**
   * @param address percent-encoded address in a tree: that of the request, or another that it represents
   * @param continuesUpload whether the request has the address of an upload
   */
  async admit(context: ExecutionContext, address: string, continuesUpload = false): Promise<void> {
    await assertInService(this.policy);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const start = readBase(address);
    if (start instanceof DavFailure || isForAccounts(start.tree)) {
      refuseTokenAlone(request);
      await this.accounts.canActivate(context);
      if (start instanceof DavFailure) throw start;
      if (start.tree.of === 'directory') {
        enterDirectory(request, start.tree.names);
        return;
      }
      await this.enter(request, ownTree(request, start));
    } else {
      const { tree, base } = start;
      const shared = await this.tokenAccess.authorize(sharedRequest(request, start, continuesUpload));
      await this.enter(request, { view: shared.view, tree, base, path: shared.path, uid: undefined, shared });
    }
  }

  private async enter(request: FastifyRequest, call: DavCall): Promise<void> {
    const view = { ...call.view, lockTokens: lockTokensOf(request) };
    const admitted = { ...call, view, path: await this.tree.spell(view, call.path) };
    noteCall(request, admitted);
    const state = await this.conditions.judge(request, admitted);
    if (state) noteCall(request, { ...admitted, state });
  }
}

const isForAccounts = ({ of }: DavTree): boolean => of === 'caller' || of === 'user' || of === 'directory';

/** @throws DavFailure `method-not-allowed` */
function enterDirectory(request: FastifyRequest, names: readonly string[]): void {
  if (!DIRECTORY_METHODS.has(request.method))
    throw new DavFailure('method-not-allowed', 'This address holds no files itself');
  noteDirectory(request, names);
}

function ownTree(request: FastifyRequest, start: DavBase): DavCall {
  const { uid } = identityOf(request);
  const { tree, base } = start;
  const path = pathBelow(start);
  // Other users and unknown users get the same answer.
  if (!isOwnTree(tree, uid))
    throw new DavFailure('not-found', `Principal with name ${tree.of === 'user' ? tree.uid : uid} not found`);
  return { view: userView(uid), tree, base, path, uid, shared: undefined };
}

function sharedRequest(request: FastifyRequest, start: DavBase, continuesUpload: boolean): SharedRequest {
  return {
    start,
    method: request.method,
    authorization: headerOf(request, 'authorization'),
    userAgent: headerOf(request, 'user-agent'),
    query: request.query as Record<string, unknown>,
    uploadSignature: headerOf(request, 'x-link-signature'),
    continuesUpload,
    isByScript: request.headers['x-requested-with'] === 'XMLHttpRequest',
    cookies: headerOf(request, 'cookie'),
    address: request.ip,
  };
}

/** Callers who have not signed in learn nothing about wrong addresses: the failure is kept until they have. */
function readBase(address: string): DavBase | DavFailure {
  try {
    return parseDavBase(address);
  } catch (error) {
    if (error instanceof DavFailure && error.code !== 'method-not-allowed') return error;
    throw error;
  }
}
