import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { actAs } from '#platform';
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
    if (known) return admit(request, known);
    return this.authenticator.authenticate(header, request.ip).then((account) => admit(request, account));
  }
}

function admit(request: Authenticated, account: Account): true {
  request[ACCOUNT] = account;
  actAs({ kind: 'user', uid: account.uid });
  return true;
}

/** Whose request it is; only behind BasicAuthGuard. */
export function identityOf(request: FastifyRequest): Account {
  const account = (request as Authenticated)[ACCOUNT];
  if (!account) throw new Error('identityOf was asked on a route without authentication');
  return account;
}
