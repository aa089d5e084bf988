import type { FastifyRequest } from 'fastify';
import { identityOf } from '#identity';
import { DavFailure } from '#storage';

/** @throws DavFailure `forbidden` */
export function assertAdministrator(request: FastifyRequest): void {
  if (!identityOf(request).isAdmin) throw new DavFailure('forbidden', 'This is for administrators');
}
