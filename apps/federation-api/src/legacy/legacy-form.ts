import type { FastifyRequest } from 'fastify';
import { LEGACY_ACTIONS, type LegacyAction } from '#federation/protocol';
import { parametersOf } from '#ocs/http';

/** Every parameter of the dialect. */
const FIELDS = [
  'shareWith',
  'token',
  'name',
  'remoteId',
  'owner',
  'ownerFederatedId',
  'sharedBy',
  'sharedByFederatedId',
  'remote',
  'permission',
  'permissions',
];

/** The parameters of a call, from its query, form or JSON body. */
export function legacyForm(request: FastifyRequest): Record<string, unknown> {
  const parameters = parametersOf(request);
  const given = FIELDS.filter((name) => parameters.has(name));
  return Object.fromEntries(given.map((name) => [name, parameters.raw(name)]));
}

/** The last segment of the matched route, `cloud/shares/:id/accept`. */
export function legacyActionOf(request: FastifyRequest): LegacyAction {
  const last = request.routeOptions.url?.split('/').at(-1);
  return LEGACY_ACTIONS.find((action) => action === last)!;
}
