import { currentOrigin, writeTraceparent } from '#platform';

/**
 * Headers by which a partner's operators and ours find the same exchange: the request's id, and the trace where there
 * is one.
 */
export function originHeaders(): Record<string, string> {
  const { requestId, span } = currentOrigin() ?? {};
  return {
    ...(requestId && { 'x-request-id': requestId }),
    ...(span && { traceparent: writeTraceparent(span.context) }),
  };
}
