import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountGuard } from '#identity';
import { announcesBody, readBody } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { readCallFields } from '../saved-links/call-fields';

const MAX_BODY_BYTES = 64 * 1024;

/** Runs before users' calls outside of OCS: the instance is in service, and the caller's account or session is known before their body is read. */
@Injectable()
export class SignedInCallGuard implements CanActivate {
  constructor(
    private readonly accounts: AccountGuard,
    private readonly policy: CachedPolicy,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    await assertInService(this.policy);
    await this.accounts.admit(context, tokenIn);
    await takeBody(context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }
}

/** Scripts send the token in a header, and forms of our pages in a field. */
async function tokenIn(request: FastifyRequest): Promise<unknown> {
  const { requesttoken } = request.headers;
  if (requesttoken !== undefined) return requesttoken;
  await takeBody(request);
  return readCallFields(request.body).requesttoken;
}

async function takeBody(request: FastifyRequest): Promise<void> {
  if (Buffer.isBuffer(request.body) || !announcesBody(request.raw)) return;
  request.body = await readBody(request, MAX_BODY_BYTES);
}
