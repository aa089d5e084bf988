import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountGuard } from '#identity';
import { announcesBody, readBody } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { OcsFailure } from './ocs-failure';
import { isMultipart, readMultipart, requestedFormat, styleOf } from './ocs-request';

/** Runs before every OCS call: checks that the instance is in service, the caller is known, and the format is available. */
@Injectable()
export class OcsGuard implements CanActivate {
  constructor(
    private readonly basicAuth: AccountGuard,
    private readonly policy: CachedPolicy,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const inService = assertInService(this.policy);
    return inService === true ? this.admit(context) : inService.then(() => this.admit(context));
  }

  private admit(context: ExecutionContext): true | Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const authenticated = this.basicAuth.canActivate(context);
    if (authenticated === true && !bringsBody(request)) return assertFormat(request);
    return this.afterBody(authenticated, request);
  }

  /** The body is read only after its sender is known. */
  private async afterBody(authenticated: true | Promise<true>, request: FastifyRequest): Promise<true> {
    await authenticated;
    if (bringsBody(request)) request.body = await readBody(request);
    if (isMultipart(request)) await readMultipart(request);
    return assertFormat(request);
  }
}

const bringsBody = (request: FastifyRequest): boolean =>
  announcesBody(request.raw) && request.method !== 'GET' && request.method !== 'HEAD';

function assertFormat(request: FastifyRequest): true {
  if (requestedFormat(request) === undefined && styleOf(request) === 'app')
    throw new OcsFailure(400, 'Unknown format: use xml or json');
  return true;
}
