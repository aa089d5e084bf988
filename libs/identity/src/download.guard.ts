import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isSignedAddress } from './address-signature';
import { AccountGuard, admitAccount } from './account.guard';
import { SignedAddresses } from './signed-addresses';

/** The same as AccountGuard, but also admits GET and HEAD of an address that the user signed. */
@Injectable()
export class DownloadGuard implements CanActivate {
  constructor(
    private readonly accounts: AccountGuard,
    private readonly signed: SignedAddresses,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { method, url: target, ip: address } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead || request.headers.authorization !== undefined || !isSignedAddress(target))
      return this.accounts.canActivate(context);
    return admitAccount(request, await this.signed.authenticate({ method, target, address }), 'one_factor');
  }
}
