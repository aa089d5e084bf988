import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountGuard, AuthenticationFailed, identityOf, isTokenAlone } from '#identity';
import { assertInService, CachedPolicy } from '#settings';

/** Admits signed-in users while the instance is in service. */
@Injectable()
export class SignedInGuard implements CanActivate {
  constructor(
    private readonly accounts: AccountGuard,
    private readonly policy: CachedPolicy,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    await this.admit(context);
    return true;
  }

  /** @throws AuthenticationFailed @returns the request and its user, for guards that check more */
  async admit(context: ExecutionContext): Promise<{ request: FastifyRequest; uid: string }> {
    await assertInService(this.policy);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    refuseTokenAlone(request);
    await this.accounts.canActivate(context);
    return { request, uid: identityOf(request).uid };
  }
}

/** Refuses credentials that ownCloud's clients send only to OCS. @throws AuthenticationFailed `missing` */
export function refuseTokenAlone({ headers }: FastifyRequest): void {
  if (isTokenAlone(headers.authorization)) throw new AuthenticationFailed('missing');
}
