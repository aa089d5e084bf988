import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AuthenticationFailed, BasicAuthGuard, identityOf, readBasic } from '#identity';
import { assertInService, CachedPolicy } from '#settings';
import { DavFailure, parseDavBase, pathBelow, userView, type DavBase } from '#storage';
import { LinkAccess, LinkUnavailable, viewOf, type FoundLink } from '../links/link-access';
import { LinkSignatures } from '../links/link-signatures';
import { headerOf, isOwnTree, noteCall } from './dav-call';

/** Decides whose tree a request addresses and whether he who makes it may: by his account, or by a link's token. */
@Injectable()
export class DavAccessGuard implements CanActivate {
  constructor(
    private readonly accounts: BasicAuthGuard,
    private readonly links: LinkAccess,
    private readonly signatures: LinkSignatures,
    private readonly policy: CachedPolicy,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    await assertInService(this.policy);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const start = readBase(request);
    if (start instanceof DavFailure || start.tree.of !== 'link') {
      await this.accounts.canActivate(context);
      if (start instanceof DavFailure) throw start;
      this.enterOwnTree(request, start);
      return true;
    }
    const { token } = start.tree;
    const link = token === undefined ? await this.byCredentials(request) : await this.byPath(request, token);
    const view = viewOf(link, token !== undefined);
    noteCall(request, {
      view,
      tree: start.tree,
      base: start.base,
      path: pathBelow(start),
      uid: undefined,
      link,
    });
    return true;
  }

  private enterOwnTree(request: FastifyRequest, start: DavBase): void {
    const { uid } = identityOf(request);
    const { tree, base } = start;
    const path = pathBelow(start);
    if (!isOwnTree(tree, uid)) {
      throw new DavFailure('not-found', 'There is no such user, or his files are not yours to see');
    }
    noteCall(request, { view: userView(uid), tree, base, path, uid, link: undefined });
  }

  /** `public.php`: the token is the user name, and whoever has none that counts is not authorised. */
  private async byCredentials(request: FastifyRequest): Promise<FoundLink> {
    const credentials = readBasic(headerOf(request, 'authorization'));
    if (!credentials) throw new AuthenticationFailed('missing');
    const byScript = request.headers['x-requested-with'] === 'XMLHttpRequest';
    if (!byScript && !(await this.links.mayBeMounted())) throw new AuthenticationFailed('wrong');
    const link = await this.find(credentials.uid, new AuthenticationFailed('wrong'));
    await this.links.unlock(link, credentials.password, request.ip);
    return link;
  }

  /** `public-files/<token>`: anonymous, by user name `public` with the password, or by a signed address. */
  private async byPath(request: FastifyRequest, token: string): Promise<FoundLink> {
    const link = await this.find(token, gone());
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (reads && this.signatures.read(link, request.query as Record<string, unknown>)) return link;
    const credentials = readBasic(headerOf(request, 'authorization'));
    await this.links.unlock(link, credentials?.uid === 'public' ? credentials.password : '', request.ip);
    return link;
  }

  private async find(token: string, whenUnknown: Error): Promise<FoundLink> {
    return this.links.find(token).catch((error: unknown) => {
      if (!(error instanceof LinkUnavailable)) throw error;
      throw error.reason === 'unknown' ? whenUnknown : gone();
    });
  }
}

const gone = (): DavFailure => new DavFailure('not-found', 'There is nothing behind this link (any more)');

/** Who has not signed in yet is told nothing of addresses that are wrong: the failure is kept until then. */
function readBase(request: FastifyRequest): DavBase | DavFailure {
  try {
    return parseDavBase(request.raw.url!.split('?', 1)[0]!);
  } catch (error) {
    if (error instanceof DavFailure && error.code !== 'method-not-allowed') return error;
    throw error;
  }
}
