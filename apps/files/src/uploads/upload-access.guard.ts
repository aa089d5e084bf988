import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { DavFailure } from '#storage';
import { isOwnTree } from '../dav/dav-call';
import { SignedInGuard } from '../dav/signed-in.guard';
import { UPLOAD_CALLS, readUploadAddress } from './upload-call';

/** Admits users to their own unfinished uploads only. */
@Injectable()
export class UploadAccessGuard implements CanActivate {
  constructor(private readonly signedIn: SignedInGuard) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const { request, uid } = await this.signedIn.admit(context);
    const address = readUploadAddress(request.url);
    if (address.uid === undefined || !isOwnTree({ of: 'user', uid: address.uid }, uid))
      throw new DavFailure('not-found', 'There is no such user, or their uploads are not yours to see');
    UPLOAD_CALLS.set(request, { ...address, uid });
    return true;
  }
}
