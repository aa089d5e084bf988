import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CallLimits, ScimClients, ScimFailed, type ScimCall } from '#identity';
import { actAs, PublicAddress } from '#platform';

const CALL = Symbol('call of a SCIM client');
type Called = FastifyRequest & { [CALL]?: ScimCall };

/** Admits requests with the token of a SCIM client, and notes the client. Throws ScimFailed 401, BudgetSpent. */
@Injectable()
export class ScimGuard implements CanActivate {
  constructor(
    private readonly clients: ScimClients,
    private readonly limits: CallLimits,
    private readonly address: PublicAddress,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<Called>();
    const token = /^Bearer +([^\s]{1,128})$/i.exec(request.headers.authorization ?? '')?.[1];
    // A wrong token counts against its address; a right one is accepted even after failures of the address.
    const client = token === undefined ? undefined : await this.clients.authenticate(token);
    if (!client) {
      this.limits.assertMayFail(request.ip);
      await this.limits.failed(request.ip);
      throw new ScimFailed(401, 'A valid token is needed');
    }
    await this.limits.scimCall(client.id);
    actAs({ kind: 'system', name: `scim ${client.name}` });
    request[CALL] = { client, base: `${this.address.url}/scim/v2` };
    return true;
  }
}

/** The admitted call. */
export function scimCallOf(request: FastifyRequest): ScimCall {
  return (request as Called)[CALL]!;
}
