import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CachedPolicy } from '#settings';
import { differencesOf } from '#sharing';
import { hrefOf, writeDavError, writeRefusals, type Locked } from '#storage';
import { baseOf } from './dav-call';
import { TREE_ANSWERS } from './dav-failure-table';

/** Answers changes that locks forbid, with the addresses of the locks (RFC 4918, sections 9.6.1, 9.10.9 and 16). */
@Injectable()
export class LockedAnswers {
  constructor(private readonly policy: CachedPolicy) {}

  send(error: Locked, request: FastifyRequest, reply: FastifyReply): void {
    const hrefOfPath = (path: Locked['path']): string => hrefOf(baseOf(request), path, false);
    const name = error.isConflict ? 'no-conflicting-lock' : 'lock-token-submitted';
    const hrefs = error.roots.map(hrefOfPath);
    void reply.type('application/xml; charset=utf-8');
    if (!error.isBelow || !differencesOf(this.policy.compatibility).locksBelowListed) {
      const { status, exception } = TREE_ANSWERS.locked;
      void reply.code(status).send(writeDavError(exception, error.message, { name, hrefs }));
      return;
    }
    const below = hrefs.map((href) => ({ href, status: 423, condition: { name, hrefs: [href] } }) as const);
    const whole = error.isConflict ? [{ href: hrefOfPath(error.path), status: 424 } as const] : [];
    void reply.code(207).send(writeRefusals([...below, ...whole]));
  }
}
