import type { FastifyRequest } from 'fastify';
import { DavFailure, judgePreconditions, type VisibleNode } from '#storage';
import { callOf } from './dav-call';

/** Headers that make a change depend on the present node. */
const CONDITIONS = ['if-match', 'if-none-match', 'if-unmodified-since'];

/** State for the conditional headers of a request. */
export function currentOf(node: VisibleNode): { etag: string; mtime: Date } {
  return { etag: node.etag, mtime: node.row.mtime };
}

/** Checks a request's conditions at the moment of the change. */
export function conditionOf(request: FastifyRequest): (existing: VisibleNode | undefined) => void {
  const { state } = callOf(request);
  return (existing) => {
    judgePreconditions(request.headers, existing && currentOf(existing), false);
    if (state && !state.stillHold(existing?.etag))
      throw new DavFailure('precondition-failed', 'The If header does not hold any more');
  };
}

/** Whether a request sets conditions for the node that it changes. */
export function isConditional(request: FastifyRequest): boolean {
  return (
    (callOf(request).state?.namesEtags ?? false) ||
    CONDITIONS.some((name) => request.headers[name] !== undefined)
  );
}

/** Checks a request's conditions before a change that leaves the content of its node. @throws DavFailure `precondition-failed` */
export async function assertConditions(
  request: FastifyRequest,
  find: () => Promise<VisibleNode | undefined>,
): Promise<void> {
  if (isConditional(request)) conditionOf(request)(await find());
}
