import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { pathOfTarget } from '#platform';
import { DavFailure, isSameUser, parseTrashAddress, type TrashAddress } from '#storage';
import { RequestNote } from '../dav/request-note';
import { SignedInGuard } from '../dav/signed-in.guard';

/** A request to the caller's own trash bin. */
export interface TrashCall {
  readonly uid: string;
  readonly address: TrashAddress;
}

const CALLS = new RequestNote<TrashCall>('TrashAccessGuard');

/** Admits users to their own trash bin only. */
@Injectable()
export class TrashAccessGuard implements CanActivate {
  constructor(private readonly signedIn: SignedInGuard) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const { request, uid } = await this.signedIn.admit(context);
    const address = parseTrashAddress(pathOfTarget(request.url));
    if (!address || !isSameUser(address.uid, uid)) throw notYours();
    CALLS.set(request, { uid, address });
    return true;
  }
}

/** The parsed request; only to be called behind TrashAccessGuard. */
export const trashCallOf = (request: FastifyRequest): TrashCall => CALLS.of(request);

export const notYours = (): DavFailure =>
  new DavFailure('not-found', 'There is no such user, or their trash bin is not yours to see');
