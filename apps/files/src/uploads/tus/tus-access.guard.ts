import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOfTarget } from '#platform';
import { DavFailure } from '#storage';
import { DavAccessGuard } from '../../dav/dav-access.guard';
import { headerOf } from '../../dav/dav-call';
import { TUS_OFFER, TUS_VERSION } from './tus-headers';
import { treeAddressOf } from './tus-address';

/**
 * Admits senders to their TUS uploads: everybody who may use the tree in the upload's address, in the same way. Every
 * answer, including failures, names the version.
 */
@Injectable()
export class TusAccessGuard implements CanActivate {
  constructor(private readonly access: DavAccessGuard) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    void reply.headers(TUS_OFFER).header('cache-control', 'no-store');
    const address = treeAddressOf(pathOfTarget(request.url));
    await this.access.admit(context, address ?? pathOfTarget(request.url), address !== undefined);
    const version = headerOf(request, 'tus-resumable');
    if (version === undefined && address === undefined)
      throw new DavFailure('method-not-allowed', 'POST begins uploads by TUS, and nothing else');
    if (request.method !== 'OPTIONS' && version !== TUS_VERSION)
      throw new DavFailure('precondition-failed', `Tus-Resumable must be ${TUS_VERSION}`);
    return true;
  }
}
