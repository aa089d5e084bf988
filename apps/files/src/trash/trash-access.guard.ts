import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BasicAuthGuard, identityOf } from '#identity';
import { pathOfTarget } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { DavFailure, parseTrashAddress, type TrashAddress } from '#storage';

/** A request to the caller's own trash bin. */
export interface TrashCall {
  readonly uid: string;
  readonly address: TrashAddress;
}

const CALL = Symbol('request to a trash bin');
type Admitted = FastifyRequest & { [CALL]?: TrashCall };

/** Lets users reach their own trash bin, and no other. */
@Injectable()
export class TrashAccessGuard implements CanActivate {
  constructor(
    private readonly accounts: BasicAuthGuard,
    private readonly policy: CachedPolicy,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    await assertInService(this.policy);
    await this.accounts.canActivate(context);
    const request = context.switchToHttp().getRequest<Admitted>();
    const { uid } = identityOf(request);
    const address = parseTrashAddress(pathOfTarget(request.url));
    if (!address || !isSameUser(address.uid, uid)) throw notYours();
    request[CALL] = { uid, address };
    return true;
  }
}

/** The parsed request; only behind TrashAccessGuard. */
export function trashCallOf(request: FastifyRequest): TrashCall {
  const call = (request as Admitted)[CALL];
  if (!call) throw new Error('trashCallOf was asked on a route without TrashAccessGuard');
  return call;
}

/** Ids of users are unique regardless of case. */
export const isSameUser = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

export const notYours = (): DavFailure =>
  new DavFailure('not-found', 'There is no such user, or their trash bin is not yours to see');
