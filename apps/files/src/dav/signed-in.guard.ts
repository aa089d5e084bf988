import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountGuard, identityOf } from '#identity';
import { assertInService, CachedPolicy } from '#settings';

/** Lets signed-in users in while the instance is in service. */
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

  /** @returns the request and its user, for guards that check more */
  async admit(context: ExecutionContext): Promise<{ request: FastifyRequest; uid: string }> {
    await assertInService(this.policy);
    await this.accounts.canActivate(context);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return { request, uid: identityOf(request).uid };
  }
}
