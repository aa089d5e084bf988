import type { FastifyRequest } from 'fastify';
import { identityOf } from '#identity';
import { OcsFailure } from './ocs-failure';

/** @throws OcsFailure 403 unless the caller is an administrator; for routes of the newer builder */
export function assertAdministrator(request: FastifyRequest): void {
  if (!identityOf(request).isAdmin) throw new OcsFailure(403, 'Logged in user must be an admin');
}
