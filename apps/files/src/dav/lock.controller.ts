import { Controller, Inject, Lock, Req, Unlock, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope } from '#identity';
import { CONFIG, type Config } from '#platform';
import { CachedPolicy } from '#settings';
import { differencesOf } from '#sharing';
import {
  DavFailure,
  Locked,
  NodeLocks,
  NodeProperties,
  NodeTree,
  parseLockInfo,
  parseLockTimeout,
  parseLockToken,
  parseTreeDepth,
  tokenAddress,
  tokenOf,
  TreeFailure,
  USER_LOCK_PROPERTIES,
  LOCK_DISCOVERY,
  writeProperties,
  type LockBreaking,
  type PropertyKey,
  type UserView,
  type VisibleNode,
} from '#storage';
import { assertConditions } from './conditions';
import { DavAccessGuard } from './dav-access.guard';
import { changeOf, headerOf, propertyViewOf, readXmlBody, type DavCall } from './dav-call';
import { DavReply, noContent } from './dav-reply';
import { DAV_ROUTES } from './dav-routes';

/** Locks of files and folders: by WebDAV, and as Nextcloud's clients lock a file for a user. */
@Controller()
@RequireScope('files')
@UseGuards(DavAccessGuard)
export class LockController {
  constructor(
    private readonly locks: NodeLocks,
    private readonly tree: NodeTree,
    private readonly properties: NodeProperties,
    private readonly policy: CachedPolicy,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Lock(DAV_ROUTES)
  async lock(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = changeOf(request);
    await this.refuseVisitors(call);
    await assertConditions(request, () => this.tree.find(call.view, call.path));
    if (isForUser(request)) return this.lockForUser(request, call);
    const wanted = parseLockInfo(await readXmlBody(request));
    const timeoutSeconds = await this.timeoutOf(request, call);
    if (!wanted) return this.refresh(request, call, timeoutSeconds);
    const isDeep = parseTreeDepth(headerOf(request, 'depth')) === 'infinity';
    const { node, locks, created } = await this.locks.lock(call.view, call.path, {
      ...wanted,
      isDeep,
      timeoutSeconds,
    });
    const token = `<${tokenAddress(locks[0]!.token)}>`;
    return this.describe(request, call, node, [LOCK_DISCOVERY], created ? 201 : 200, { 'lock-token': token });
  }

  @Unlock(DAV_ROUTES)
  async unlock(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = changeOf(request);
    if (call.shared && !this.visitorsLock()) throw notForVisitors();
    if (isForUser(request)) return this.unlockForUser(request, call);
    const token = tokenOf(parseLockToken(headerOf(request, 'lock-token')));
    if (token === undefined)
      throw new TreeFailure('lock-elsewhere', 'The token is of no lock of this server');
    await this.locks.unlock(call.view, call.path, token, await this.breaking());
    return noContent();
  }

  private async refresh(request: FastifyRequest, call: DavCall, timeoutSeconds: number): Promise<DavReply> {
    if (headerOf(request, 'if') === undefined)
      throw new DavFailure('bad-request', 'A LOCK has a body, or refreshes a lock whose token is in If');
    const { node } = await this.locks.refresh(call.view, call.path, timeoutSeconds);
    return this.describe(request, call, node, [LOCK_DISCOVERY]);
  }

  private async lockForUser(request: FastifyRequest, call: DavCall): Promise<DavReply> {
    const { maxSeconds } = (await this.policy.current()).locks;
    const answer = (node: VisibleNode, status: number) =>
      this.describe(request, call, node, USER_LOCK_PROPERTIES, status);
    try {
      const { node } = await this.locks.lockForUser(userOf(call), call.path, maxSeconds);
      return await answer(node, 200);
    } catch (error) {
      if (!(error instanceof Locked)) throw error;
      return answer(await this.tree.stat(call.view, call.path), 423);
    }
  }

  private async unlockForUser(request: FastifyRequest, call: DavCall): Promise<DavReply> {
    const { view, path } = call;
    const breaking = await this.breaking();
    const answer = async (status: number) =>
      this.describe(request, call, await this.tree.stat(view, path), USER_LOCK_PROPERTIES, status);
    try {
      await this.locks.unlockForUser(userOf(call), path, breaking);
      return await answer(200);
    } catch (error) {
      if (error instanceof Locked) return answer(423);
      if (error instanceof TreeFailure && error.code === 'no-such-lock') return answer(412);
      throw error;
    }
  }

  private async describe(
    request: FastifyRequest,
    call: DavCall,
    node: VisibleNode,
    wanted: readonly PropertyKey[],
    status = 200,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<DavReply> {
    const asked = { kind: 'named', properties: wanted } as const;
    const view = propertyViewOf(request, call, this.config);
    const [described] = await this.properties.read([node], asked, view);
    const found = described!.propstats.find((propstat) => propstat.status === 200);
    const type = { 'content-type': 'application/xml; charset=utf-8' };
    return new DavReply(status, { ...type, ...headers }, writeProperties(found?.properties ?? ''));
  }

  private async timeoutOf(request: FastifyRequest, { uid }: DavCall): Promise<number> {
    const { defaultSeconds, maxSeconds } = (await this.policy.current()).locks;
    // Visitors may leave without unlocking, so their locks last no longer than the default.
    const most = uid === undefined ? Math.min(defaultSeconds, maxSeconds) : maxSeconds;
    return parseLockTimeout(headerOf(request, 'timeout'), { defaultSeconds, maxSeconds: most });
  }

  private visitorsLock(): boolean {
    return differencesOf(this.policy.compatibility).visitorsLock;
  }

  /** @throws TreeFailure, DavFailure if visitors and partners may not lock */
  private async refuseVisitors({ shared, view, path }: DavCall): Promise<void> {
    if (!shared || this.visitorsLock()) return;
    await this.locks.admitAny(view, path);
    throw notForVisitors();
  }

  private async breaking(): Promise<LockBreaking> {
    const { breakerGroups } = (await this.policy.current()).locks;
    return { groups: breakerGroups, byOwner: differencesOf(this.policy.compatibility).ownersEndLocks };
  }
}

const isForUser = (request: FastifyRequest): boolean => headerOf(request, 'x-user-lock') !== undefined;

const notForVisitors = (): DavFailure =>
  new DavFailure('method-not-allowed', 'Locking not allowed from public endpoint');

/** @throws DavFailure `forbidden` without an account */
function userOf({ view }: DavCall): UserView {
  if (view.kind !== 'user') throw new DavFailure('forbidden', 'Only accounts lock files for themselves');
  return view;
}
