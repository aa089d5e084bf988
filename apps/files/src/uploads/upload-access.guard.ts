import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BasicAuthGuard, identityOf } from '#identity';
import { assertInService, CachedPolicy } from '#settings';
import { DavFailure } from '#storage';
import { isOwnTree } from '../dav/dav-call';
import { noteUploadCall, readUploadAddress } from './upload-call';

/** Lets users in to their own unfinished uploads, and nobody else. */
@Injectable()
export class UploadAccessGuard implements CanActivate {
  constructor(
    private readonly accounts: BasicAuthGuard,
    private readonly policy: CachedPolicy,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    await assertInService(this.policy);
    await this.accounts.canActivate(context);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { uid } = identityOf(request);
    const address = readUploadAddress(request.url);
    if (address.uid === undefined || !isOwnTree({ of: 'user', uid: address.uid }, uid))
      throw new DavFailure('not-found', 'There is no such user, or their uploads are not yours to see');
    noteUploadCall(request, { ...address, uid });
    return true;
  }
}
