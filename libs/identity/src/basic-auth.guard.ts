import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Account } from './account';
import { BasicAuthenticator } from './basic-authenticator';

const ACCOUNT = Symbol('account');
type Authenticated = FastifyRequest & { [ACCOUNT]?: Account };

/** Lets a request pass whose Basic credentials are right, and notes whose they are. Throws AuthenticationFailed. */
@Injectable()
export class BasicAuthGuard implements CanActivate {
  constructor(private readonly authenticator: BasicAuthenticator) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = context.switchToHttp().getRequest<Authenticated>();
    const header = request.headers.authorization;
    const known = this.authenticator.recognise(header, request.ip);
    if (known) {
      request[ACCOUNT] = known;
      return true;
    }
    return this.authenticator.authenticate(header, request.ip).then((account) => {
      request[ACCOUNT] = account;
      return true;
    });
  }
}

/** Whose request it is; only behind BasicAuthGuard. */
export function identityOf(request: FastifyRequest): Account {
  const account = (request as Authenticated)[ACCOUNT];
  if (!account) throw new Error('identityOf was asked on a route without authentication');
  return account;
}
