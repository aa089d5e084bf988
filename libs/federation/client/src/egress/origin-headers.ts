import { currentOrigin, writeTraceparent } from '#platform';

/**
 * Headers with which operators on both sides find the same exchange: the id of the request, and the trace if there
 * is one.
 */
export function originHeaders(): Record<string, string> {
  const { requestId, span } = currentOrigin() ?? {};
  return {
    ...(requestId && { 'x-request-id': requestId }),
    ...(span && { traceparent: writeTraceparent(span.context) }),
  };
}
