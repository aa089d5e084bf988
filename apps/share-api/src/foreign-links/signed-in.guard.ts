import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountGuard } from '#identity';
import { announcesBody, readBody } from '#platform';
import { assertInService, CachedPolicy } from '#settings';

const MAX_BODY_BYTES = 64 * 1024;

/** Runs before users' calls outside of OCS: the instance is in service, and the caller is known before their body is read. */
@Injectable()
export class SignedInCallGuard implements CanActivate {
  constructor(
    private readonly basicAuth: AccountGuard,
    private readonly policy: CachedPolicy,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    await assertInService(this.policy);
    await this.basicAuth.canActivate(context);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (announcesBody(request.raw)) request.body = await readBody(request, MAX_BODY_BYTES);
    return true;
  }
}
